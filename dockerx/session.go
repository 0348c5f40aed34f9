package dockerx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// session is one connection of a watcher, from connect to the first failure.
// Its fields belong to the goroutine of run; the others only send results.
type session struct {
	watcher *Watcher
	group   rescue.Group

	lists   chan error
	pings   chan error
	details chan struct{}
	hurries chan struct{}
	stream  chan error

	listing   bool
	again     bool      // asked for while listing
	late      bool      // the list is overdue
	shown     bool      // something was published
	listed    time.Time // when the first list came; zero: not yet
	lastList  time.Time
	began     time.Time     // when the list in flight was asked for
	took      time.Duration // how long the last list took
	hurrying  bool          // changes are being looked at
	hurryOn   bool          // there are more
	lastHurry time.Time
	pinging   bool
	detailing int   // details in flight
	polling   error // why there is no event stream; nil: there is

	next    *time.Timer // a list is due
	armed   bool        // next is running
	soon    *time.Timer // changes are due to be looked at
	sweep   *time.Timer
	beat    *time.Timer
	overdue *time.Timer
	partial *time.Timer
}

func newSession(watcher *Watcher) *session {
	return &session{
		watcher: watcher,
		lists:   make(chan error, 1), pings: make(chan error, 1), details: make(chan struct{}, 1), hurries: make(chan struct{}, 1), stream: make(chan error, 1),
		next: stoppedTimer(), soon: stoppedTimer(), sweep: stoppedTimer(), beat: stoppedTimer(), overdue: stoppedTimer(), partial: stoppedTimer(),
	}
}

func stoppedTimer() *time.Timer {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return timer
}

// run connects, opens the event stream, and only then lists, so that no change
// falls between the two. It returns why the session ended.
func (s *session) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.group.Stop = cancel // a panic ends the session, and Wait passes it on
	defer s.group.Wait()
	defer cancel()
	defer s.stopTimers()
	s.watcher.client.disconnect()
	if _, err := s.watcher.client.connect(ctx); err != nil {
		return ended(ctx, err)
	}
	if err := s.follow(ctx); err != nil {
		return ended(ctx, err)
	}
	s.watcher.collector.forget()
	s.startList(ctx)
	for {
		if err := s.step(ctx); err != nil {
			return ended(ctx, err)
		}
	}
}

// ended prefers the reason a session was told to end over what broke by it.
func ended(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSuspended) {
		return errSuspended
	}
	return err
}

// follow opens the event stream and reads it in a goroutine of its own, which
// never waits for anybody. An engine that gives no events is polled instead: its
// lists may well be in order.
func (s *session) follow(ctx context.Context) error {
	ready := make(chan struct{})
	s.group.Go(func() {
		s.stream <- s.watcher.client.events(ctx, func() {
			if s.watcher.options.Opened != nil {
				s.watcher.options.Opened()
			}
			close(ready)
		}, s.watcher.noteEvent)
	})
	select {
	case <-ready:
		return nil
	case err := <-s.stream:
		s.poll(err)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("session ended: %w", context.Cause(ctx))
	}
}

// poll goes on without an event stream, for a while.
func (s *session) poll(why error) {
	s.polling = why
	s.beat.Reset(streamRetry)
}

// noteEvent runs on the goroutine that reads the stream.
func (w *Watcher) noteEvent(event Event) {
	if w.options.Events != nil {
		w.options.Events(event)
	}
	w.events++
	if w.events%stormEvents == 0 {
		signal(w.storm)
	}
	if w.collector.note(event) {
		signal(w.wake)
	}
}

// step waits for one thing to happen.
func (s *session) step(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("session ended: %w", context.Cause(ctx))
	case err := <-s.stream:
		if s.shown {
			return err
		}
		s.poll(err) // it broke at once, so it would again
	case err := <-s.lists:
		return s.listDone(ctx, err)
	case err := <-s.pings:
		s.pinging = false
		return err
	case <-s.details:
		s.detailing--
		s.show(s.detailing == 0)
	case <-s.watcher.wake:
		s.hurry()
		s.schedule()
	case <-s.watcher.storm:
		s.schedule()
	case <-s.watcher.refresh:
		s.watcher.collector.retry()
		s.schedule()
	case <-s.watcher.touch:
		if time.Since(s.watcher.client.transport.last()) > touchAge {
			s.ping(ctx)
		}
	case <-s.hurries:
		s.hurried()
	case <-s.next.C:
		s.armed = false
		s.startList(ctx)
	case <-s.soon.C:
		s.lookAtChanges(ctx)
	case <-s.sweep.C:
		s.watcher.collector.retry()
		s.startList(ctx)
	case <-s.beat.C:
		if s.polling != nil {
			return errStreamEnded // perhaps events are allowed by now
		}
		s.ping(ctx)
	case <-s.overdue.C:
		s.late = true
		s.watcher.publish(s.watcher.overdueState(), errOverdue)
	case <-s.partial.C:
		s.show(true)
	}
	return nil
}

// startList asks for the list in the background.
func (s *session) startList(ctx context.Context) {
	if s.listing {
		return
	}
	s.listing, s.again, s.began = true, false, time.Now()
	s.next.Stop()
	s.armed = false
	s.sweep.Stop()
	if s.polling == nil {
		s.beat.Stop()
	}
	s.overdue.Reset(overdueAfter)
	if s.polling != nil && !s.listed.IsZero() {
		s.watcher.collector.forget() // nothing tells what changed
	}
	s.group.Go(func() { s.lists <- s.watcher.collector.list(ctx) })
}

// listDone takes a list's end and goes on with the details.
func (s *session) listDone(ctx context.Context, err error) error {
	s.listing, s.late = false, false
	s.overdue.Stop()
	if err != nil {
		return err
	}
	s.lastList = time.Now()
	s.took = s.lastList.Sub(s.began)
	if s.listed.IsZero() {
		s.listed = s.lastList
	}
	if s.polling != nil {
		s.sweep.Reset(pollEvery)
	} else {
		s.sweep.Reset(s.watcher.options.Sweep)
		s.beat.Reset(beatAfter)
	}
	s.detailing++
	switch {
	case !s.shown && s.watcher.collector.count() > fewSandboxes:
		s.partial.Reset(0)
	case !s.shown:
		s.partial.Reset(partialFirst)
	case s.detailing == 1:
		s.partial.Reset(partialAfter)
	}
	s.group.Go(func() {
		s.watcher.collector.details(ctx)
		select {
		case s.details <- struct{}{}:
		case <-ctx.Done():
		}
	})
	if s.again {
		s.schedule()
	}
	return nil
}

// show publishes what is known, once it is complete or has taken too long.
func (s *session) show(ready bool) {
	if !ready {
		return
	}
	if s.detailing == 0 {
		s.partial.Stop()
	} else {
		s.partial.Reset(partialAfter)
	}
	s.shown = true
	s.publish()
}

// publish hands over what is known now.
func (s *session) publish() {
	switch {
	case s.late:
		s.watcher.publish(model.Stale, errOverdue)
	case s.polling != nil:
		s.watcher.publish(model.Stale, s.polling)
	default:
		s.watcher.publish(model.Live, nil)
	}
}

// ping asks for a sign of life in the background. The deadline of its answer
// is the one after which the picture counts as stale.
func (s *session) ping(ctx context.Context) {
	if s.pinging || s.listing {
		return
	}
	s.pinging = true
	s.group.Go(func() { s.pings <- s.watcher.client.ping(ctx) })
}

func (s *session) stopTimers() {
	for _, timer := range []*time.Timer{s.next, s.soon, s.sweep, s.beat, s.overdue, s.partial} {
		timer.Stop()
	}
}

// errOverdue is a list that the engine has not answered yet.
var errOverdue = errors.New("the engine has not answered for 4 seconds; it is waited for")

// overdueState is down when there is nothing to show yet.
func (w *Watcher) overdueState() model.Health {
	if !w.collector.answered() {
		return model.Down
	}
	return model.Stale
}
