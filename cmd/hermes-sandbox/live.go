package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// live follows all engines and keeps the fleet up to date.
type live struct {
	workspace *workspace
	watchers  []*dockerx.Watcher
	book      *dockerx.ActivityBook // nil: nobody asks for commands
	requests  *dockerx.RequestBook
	followers []*dockerx.EgressFollower // of the proxies, by position of the client; nil: nobody asks for requests

	mu        sync.Mutex
	snapshots []model.Snapshot // by position of the client
	reported  []bool           // whether the engine has told all it had to, or why it cannot
	pastRead  []bool           // whether what it remembers was asked for
	changed   chan struct{}    // holds one token when snapshots changed
	opened    []chan struct{}  // by position of the client: a token when its event stream was opened
}

// follow prepares watchers for every engine.
func (w *workspace) follow() *live {
	l := &live{
		workspace: w,
		snapshots: make([]model.Snapshot, len(w.clients)),
		reported:  make([]bool, len(w.clients)),
		pastRead:  make([]bool, len(w.clients)),
		changed:   make(chan struct{}, 1),
	}
	for i, client := range w.clients {
		endpoint := client.Endpoint()
		l.snapshots[i] = model.Snapshot{Engine: model.Engine{
			Name: endpoint.Name, Host: endpoint.Host, Chosen: endpoint.Chosen, State: model.Down, Error: "no answer yet",
		}}
		opened := make(chan struct{}, 1)
		l.opened = append(l.opened, opened)
		l.watchers = append(l.watchers, dockerx.NewWatcher(client, dockerx.WatchOptions{
			Events: l.noteEvent(endpoint.Name), Sweep: w.settings.ResyncInterval, Opened: l.noteOpened(endpoint.Name, opened),
		}))
	}
	return l
}

// run follows the engines until ctx ends and hands every new fleet to show, one
// at a time, with the names of the engines that have not answered yet. Fleets
// that come faster than show takes them are folded.
func (l *live) run(ctx context.Context, show func(fleet model.Fleet, awaited []string)) {
	var memory model.Memory
	ctx, cancel := context.WithCancel(ctx)
	wait := rescue.Group{Stop: cancel}
	defer wait.Wait()
	defer cancel() // first, for a panic in here
	for i, watcher := range l.watchers {
		wait.Go(func() { _ = watcher.Run(ctx) }) // ends with ctx only
		wait.Go(func() { l.collect(ctx, &wait, i, watcher) })
	}
	look := time.NewTicker(sessionsEvery)
	defer look.Stop()
	var books map[string]model.SessionBook
	var activity uint64
	settled := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if settled {
				l.workspace.app.thrift.rest()
			}
			if !l.workspace.sessionsChanged(ctx, books) && activity == l.activity() {
				continue
			}
		case <-l.changed:
		}
		snapshots, awaited := l.current()
		profiles, problems := l.workspace.profiles()
		activity = l.activity()
		in := l.workspace.input(ctx, &memory, snapshots, profiles, l.book)
		books = in.Sessions
		show(assess(&memory, in, problems), awaited)
		switch many := sandboxCount(snapshots) > fewSandboxes; {
		case settled:
		case len(awaited) == 0:
			settled = true
			settleMemory()
		case many:
			setGarbage(garbageLater)
		}
	}
}

// fewSandboxes is how many at most need no thrift with memory from the start.
const fewSandboxes = 1000

func sandboxCount(snapshots []model.Snapshot) int {
	count := 0
	for i := range snapshots {
		count += len(snapshots[i].Containers)
	}
	return count
}

// collect takes over one watcher's snapshots. What the engine remembers is asked
// for once there is something to show, which would come later beside it.
func (l *live) collect(ctx context.Context, wait *rescue.Group, i int, watcher *dockerx.Watcher) {
	for {
		select {
		case <-ctx.Done():
			return
		case snapshot, open := <-watcher.Updates():
			if !open {
				return
			}
			if l.followers != nil {
				l.followers[i].See(&snapshot) //nolint:contextcheck // it lives as long as its follower
			}
			l.mu.Lock()
			l.snapshots[i] = snapshot
			whole := snapshot.Pending == 0 && !snapshot.Engine.Partial
			l.reported[i] = l.reported[i] || whole || snapshot.Engine.State != model.Live
			l.mu.Unlock()
			l.wake()
			if snapshot.Engine.State != model.Live {
				continue
			}
			select {
			case <-l.opened[i]:
				wait.Go(func() { l.notePast(ctx, i) })
			default:
			}
		}
	}
}

// wake says that there is something new to assess.
func (l *live) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// current returns the newest snapshots and the names of the engines that have
// not answered yet, where a book of commands is kept with what they remember.
func (l *live) current() (snapshots []model.Snapshot, awaited []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, reported := range l.reported {
		engine := &l.snapshots[i].Engine
		if !reported || l.book != nil && engine.State == model.Live && !l.pastRead[i] {
			awaited = append(awaited, engine.Name)
		}
	}
	return append([]model.Snapshot(nil), l.snapshots...), awaited
}

// Refresh asks every engine for a full look now.
func (l *live) Refresh() { l.each((*dockerx.Watcher).Refresh) }

// Touch says that a person is at the keys.
func (l *live) Touch() {
	l.workspace.app.thrift.wake()
	l.each((*dockerx.Watcher).Touch)
}

// Suspend closes the event streams and the logs that are followed: an engine
// waits for readers that sleep.
func (l *live) Suspend() {
	l.each((*dockerx.Watcher).Suspend)
	for _, follower := range l.followers {
		follower.Suspend()
	}
}

// Resume opens them again, with a full look.
func (l *live) Resume() {
	for _, follower := range l.followers {
		follower.Resume()
	}
	l.each((*dockerx.Watcher).Resume)
}

func (l *live) each(call func(*dockerx.Watcher)) {
	for _, watcher := range l.watchers {
		call(watcher)
	}
}

// activity differs whenever what is known of commands does.
func (l *live) activity() uint64 {
	if l.book == nil {
		return 0
	}
	return l.book.Revision()
}

// observe begins to remember the commands in sandboxes. It has to be called
// before run.
func (l *live) observe() { l.book = dockerx.NewActivityBook() }

// observeRequests begins to follow what sandboxes ask allowlist proxies for,
// until ctx ends. Each is called with every request and may be nil. It has to be
// called before run.
func (l *live) observeRequests(ctx context.Context, each func(model.EgressRequest)) {
	l.requests = dockerx.NewRequestBook()
	for _, client := range l.workspace.clients {
		l.followers = append(l.followers, dockerx.NewEgressFollower(ctx, client, l.requests, each))
	}
}

// endRequests ends what observeRequests began; its each is not called any more.
func (l *live) endRequests() {
	for _, follower := range l.followers {
		follower.Close()
	}
}

// noteEvent returns what takes an engine's events.
func (l *live) noteEvent(engine string) func(dockerx.Event) {
	return func(event dockerx.Event) {
		l.workspace.app.thrift.wake()
		if l.book != nil {
			l.book.Note(engine, event)
		}
	}
}

// noteOpened returns what is called when an engine's event stream was opened.
func (l *live) noteOpened(engine string, opened chan<- struct{}) func() {
	return func() {
		if l.book != nil {
			l.book.Lost(engine)
		}
		select {
		case opened <- struct{}{}:
		default:
		}
	}
}

// notePast catches up on the commands that were run while nobody listened, as
// far as the engine remembers them. Without them there is less to show, and
// nothing is wrong.
func (l *live) notePast(ctx context.Context, i int) {
	if l.book == nil {
		return
	}
	client := l.workspace.clients[i]
	from, err := client.PastEvents(ctx, l.noteEvent(client.Name()))
	if err == nil {
		l.book.Caught(client.Name(), from)
	} else if ctx.Err() == nil {
		slog.Debug("past events cannot be read", "engine", client.Name(), "error", err)
	}
	l.mu.Lock()
	l.pastRead[i] = true
	l.mu.Unlock()
	l.wake()
}
