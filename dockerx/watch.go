package dockerx

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"hermes-sandbox/model"
)

// Rhythm of a watcher.
const (
	sweepEvery   = 30 * time.Second       // a list when nothing happens, unless asked otherwise
	beatAfter    = 15 * time.Second       // a ping midway
	pollEvery    = 10 * time.Second       // a list when there is no event stream
	streamRetry  = 30 * time.Second       // an event stream is tried again
	listGap      = 100 * time.Millisecond // least time between lists
	listGapMost  = 30 * time.Second       // the same when lists take long
	listShare    = 30                     // of the time a long list may take one part
	overdueAfter = 4 * time.Second        // a request is unanswered: stale
	partialAfter = time.Second            // details are late: show what is there
	partialFirst = 20 * time.Millisecond  // the same when nothing was shown yet, of a few sandboxes
	touchAge     = 2 * time.Second        // a key pings when the last answer is older
	settledAfter = 10 * time.Second       // a connection that held: back-off starts anew
	backoffFirst = 250 * time.Millisecond
	backoffMost  = 10 * time.Second
)

// stormEvents is how many events, of whatever kind, bring a list about: an
// engine drops events without a word when a reader falls behind, and the next
// list finds what they would have told.
const stormEvents = 4096

// manySandboxes is from how many on a change is looked at by itself before the
// list, which takes as long as there are sandboxes.
const manySandboxes = 500

// fewSandboxes is how many at most are worth a moment's wait for their details
// before the first of all snapshots.
const fewSandboxes = 32

// errSuspended ends a session because nobody is looking.
var errSuspended = errors.New("suspended")

// WatchOptions change what a watcher does besides its snapshots.
type WatchOptions struct {
	// Events, when set, gets every container and network event of the engine.
	// It is called from the goroutine that reads the stream and must not block.
	Events func(Event)
	// Opened, when set, is called whenever the event stream was opened, before
	// its first event; what happened before went unseen. It must not block.
	Opened func()
	// Sweep is the time between two lists when nothing happens; 0 and anything
	// over 30 s mean 30 s, since older evidence would be stale.
	Sweep time.Duration
}

// Watcher keeps a picture of one engine up to date: by its events, by a list
// every 30 seconds, and again from the start whenever the connection breaks. It
// never gives up.
type Watcher struct {
	client    *Client
	collector *collector
	options   WatchOptions
	updates   chan model.Snapshot
	wake      chan struct{} // something is out of date
	storm     chan struct{} // events may have been lost
	refresh   chan struct{} // a person asked
	touch     chan struct{} // a person is there

	mu      sync.Mutex
	resumed chan struct{}           // closed while not suspended
	cancel  context.CancelCauseFunc // ends the session; nil outside one
	idle    chan struct{}           // closed when the session is over

	events int // so far; used by the goroutine that reads the stream alone

	state model.Health // last published; used by the goroutine of Run alone
	since time.Time
}

// NewWatcher returns a watcher for one engine. Nothing happens before Run.
func NewWatcher(client *Client, options WatchOptions) *Watcher {
	w := &Watcher{
		client: client, collector: newCollector(client), options: options,
		updates: make(chan model.Snapshot, 1),
		wake:    make(chan struct{}, 1), storm: make(chan struct{}, 1), refresh: make(chan struct{}, 1), touch: make(chan struct{}, 1),
		resumed: make(chan struct{}),
	}
	close(w.resumed)
	if w.options.Sweep <= 0 || w.options.Sweep > sweepEvery {
		w.options.Sweep = sweepEvery
	}
	return w
}

// Updates gives the snapshots. A reader that is slow gets the latest one only.
// The channel is closed when Run ends.
func (w *Watcher) Updates() <-chan model.Snapshot { return w.updates }

// Refresh asks for a new look now, and retries at once while the engine is
// down.
func (w *Watcher) Refresh() { signal(w.refresh) }

// Touch says that a person is there: the engine is pinged when its last answer
// is over two seconds old.
func (w *Watcher) Touch() { signal(w.touch) }

// Suspend closes the event stream and stops all requests until Resume, since
// a stream that nobody reads slows the engine down. When it returns, the stream
// is closed.
func (w *Watcher) Suspend() {
	w.mu.Lock()
	select {
	case <-w.resumed:
		w.resumed = make(chan struct{})
	default: // suspended already
	}
	cancel, idle := w.cancel, w.idle
	w.mu.Unlock()
	if cancel != nil {
		cancel(errSuspended)
		<-idle
	}
}

// Resume connects again after Suspend and reads everything anew.
func (w *Watcher) Resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.resumed:
	default:
		close(w.resumed)
	}
}

// signal sets a flag that a goroutine waits for; it never blocks.
func signal(flag chan struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}

// Run watches until ctx ends and then returns nil.
func (w *Watcher) Run(ctx context.Context) error {
	defer close(w.updates)
	defer w.client.Close()
	attempts := 0
	for {
		sessionCtx, ok := w.begin(ctx)
		if !ok {
			return nil
		}
		held, err := w.session(sessionCtx)
		if ctx.Err() != nil {
			return nil
		}
		if held || errors.Is(err, errSuspended) {
			attempts = 0
		}
		if errors.Is(err, errSuspended) {
			continue
		}
		// A connection that held and then ended is normal once: it is opened
		// again, and only if that fails is there something to say.
		if attempts > 0 || !errors.Is(err, errStreamEnded) {
			w.publish(w.failedState(err), err)
		}
		w.pause(ctx, backoff(attempts))
		attempts++
	}
}

// session runs one session and reports whether its connection held.
func (w *Watcher) session(ctx context.Context) (held bool, err error) {
	defer w.end()
	session := newSession(w)
	err = session.run(ctx)
	return !session.listed.IsZero() && time.Since(session.listed) >= settledAfter, err
}

// begin waits until nobody suspends the watcher and returns the context of a
// session, which Suspend can end.
func (w *Watcher) begin(ctx context.Context) (context.Context, bool) {
	for {
		w.mu.Lock()
		resumed := w.resumed
		select {
		case <-resumed:
			sessionCtx, cancel := context.WithCancelCause(ctx)
			w.cancel, w.idle = cancel, make(chan struct{})
			w.mu.Unlock()
			return sessionCtx, true
		default:
			w.mu.Unlock()
		}
		select {
		case <-resumed:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// end says that the session that begin opened is over.
func (w *Watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel(nil)
	close(w.idle)
	w.cancel, w.idle = nil, nil
}

// pause waits before the next attempt; a person at the keys shortens it.
func (w *Watcher) pause(ctx context.Context, delay time.Duration) {
	began := time.Now()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	w.mu.Lock()
	resumed := w.resumed
	w.mu.Unlock()
	select {
	case <-resumed:
	default:
		return // begin waits for Resume
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-w.refresh:
			return
		case <-w.touch:
			if time.Since(began) >= touchAge {
				return
			}
		}
	}
}

// backoff is the time before an attempt: none before the first, then a quarter
// of a second, doubled each time up to ten seconds, less up to a half by chance so
// that many dashboards do not come at once.
func backoff(attempts int) time.Duration {
	if attempts == 0 {
		return 0
	}
	delay := backoffFirst
	for i := 1; i < attempts && delay < backoffMost; i++ {
		delay *= 2
	}
	delay = min(delay, backoffMost)
	jittered := delay - time.Duration(rand.Int64N(int64(delay/2)+1)) //nolint:gosec // spreads load, protects nothing
	return max(jittered, backoffFirst)
}

// failedState tells an engine that cannot be reached from one whose answer is
// missing or odd while there is something to show.
func (w *Watcher) failedState(err error) model.Health {
	if !w.collector.answered() {
		return model.Down
	}
	if errors.Is(err, errStreamEnded) {
		return model.Stale
	}
	switch ReasonOf(err) {
	case ReasonSilent, ReasonBadAnswer, ReasonTooLarge, ReasonServer, ReasonRefusedCall, ReasonOther:
		return model.Stale
	default:
		return model.Down
	}
}

// publish hands over what is known, in place of a snapshot nobody took.
func (w *Watcher) publish(state model.Health, err error) {
	snapshot := w.collector.snapshot(state, err)
	if state != w.state {
		w.state, w.since = state, w.client.now()
	}
	snapshot.Engine.Since = w.since
	select {
	case <-w.updates:
	default:
	}
	w.updates <- snapshot // free now: only this goroutine sends
}
