//go:build unix

package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"hermes-sandbox/dockerx/simengine"
)

// benchSimulated measures on simulated engines of several sizes.
func benchSimulated(ctx context.Context, o *options, out *report) error {
	for _, size := range sizes(o) {
		if err := benchSize(ctx, o, out, size); err != nil {
			return fmt.Errorf("simulated engine with %d: %w", size, err)
		}
	}
	return nil
}

func benchSize(ctx context.Context, o *options, out *report, size int) error {
	engine := simengine.New(simengine.Options{})
	if err := engine.Populate(size); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	if err := engine.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer func() { _ = engine.Close() }()
	name, shows := fmt.Sprintf("simulated, %d", size), fmt.Sprintf("%d sandboxes", size)
	rounds := o.rounds
	if size > 1_000 {
		rounds = min(rounds, 3)
	}
	if o.wants("start") && size == 10 {
		first, err := o.firstAnything(ctx, engine.Host())
		if err != nil {
			return err
		}
		least, err := emptyFrame(ctx, o.rounds)
		if err != nil {
			return err
		}
		out.row(name, "process start to first frame of any kind", first.both(),
			fmt.Sprintf("aim 30 ms; empty Bubble Tea program %s (%s)", least.both(), ratio(first.median(), least.median())))
	}
	if o.wants("first") {
		first, err := o.firstFrame(ctx, engine.Host(), shows, rounds)
		if err != nil {
			return err
		}
		out.row(name, "process start to first frame with data", first.both(), "")
	}
	s, _, err := o.open(ctx, engine.Host(), shows)
	if err != nil {
		return err
	}
	defer s.end()
	if err := settled(ctx, engine); err != nil {
		return err
	}
	if err := s.quiet(ctx, time.Second); err != nil {
		return err
	}
	fleet := simulated{engine: engine, screen: s, name: name, size: size}
	return fleet.measure(ctx, o, out)
}

// settled waits until the first look, every inspect included, is over.
func settled(ctx context.Context, engine *simengine.Engine) error {
	const still = 2 * time.Second
	for {
		select {
		case <-engine.NextRequest():
		case <-time.After(still):
			return nil
		case <-ctx.Done():
			return fmt.Errorf("settle: %w", context.Cause(ctx))
		}
	}
}

// simulated is a running dashboard on a simulated engine.
type simulated struct {
	engine *simengine.Engine
	screen *screen
	name   string
	size   int
}

func (f *simulated) measure(ctx context.Context, o *options, out *report) error {
	if o.wants("memory") {
		now, peak := memoryOf(f.screen.pid())
		out.row(f.name, "memory after the first frame", fmt.Sprintf("%.1f MiB, peak %.1f", now, peak), "")
	}
	if o.wants("idle") && f.size == 300 {
		ours, empty, err := o.idleBeside(ctx, f.screen, func() int64 { return int64(len(f.engine.Requests())) })
		if err != nil {
			return err
		}
		out.row(f.name, "idle", ours.words(), "empty Bubble Tea program "+percent(empty.cpu, empty.over))
	}
	if o.wants("keys") {
		moved, err := f.screen.keys(ctx, moves(60))
		if err != nil {
			return err
		}
		out.row(f.name, "cursor key to frame", moved.both(), "aim p95 38 ms")
		typed, err := f.screen.keys(ctx, []string{"/", "s", "t", "a", "t", "e", ":", "e", "x", "i", "t", "e", "d", "\x7f", "\x7f", "d", "\x1b"})
		if err != nil {
			return err
		}
		out.row(f.name, "key of a filter to frame", typed.both(), "")
	}
	if o.wants("events") {
		shown, err := f.events(ctx, o.rounds)
		if err != nil {
			return err
		}
		out.row(f.name, "event to frame", shown.both(), "aim p95 150 ms")
	}
	if o.wants("storm") {
		if err := f.storm(ctx, out); err != nil {
			return err
		}
	}
	if o.wants("memory") {
		now, peak := memoryOf(f.screen.pid())
		out.row(f.name, "memory at the end", fmt.Sprintf("%.1f MiB, peak %.1f", now, peak), "")
		const rests = 15 * time.Second // it gives memory back after five to ten of them
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for quiet: %w", ctx.Err())
		case <-time.After(rests):
		}
		now, _ = memoryOf(f.screen.pid())
		out.row(f.name, "memory after 15 s of quiet", fmt.Sprintf("%.1f MiB", now), "")
	}
	return nil
}

// events measures changes one after the other.
func (f *simulated) events(ctx context.Context, rounds int) (times, error) {
	return repeat(rounds, func() (time.Duration, error) { return f.change(ctx) })
}

// change starts a sandbox and waits for the header to count it, then stops it.
func (f *simulated) change(ctx context.Context) (time.Duration, error) {
	const changing = "hermes-00000003" // made exited
	up := f.size/7*3 + min(f.size%7, 3)
	if err := f.screen.quiet(ctx, 200*time.Millisecond); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := f.engine.StartContainer(changing); err != nil {
		return 0, fmt.Errorf("start a sandbox: %w", err)
	}
	at, err := f.screen.awaitText(fmt.Sprintf("%d up", up+1))
	if err != nil {
		return 0, err
	}
	if err := f.engine.StopContainer(changing); err != nil {
		return 0, fmt.Errorf("stop a sandbox: %w", err)
	}
	if _, err := f.screen.awaitText(fmt.Sprintf("%d up", up)); err != nil {
		return 0, err
	}
	return at.Sub(began), nil
}

// storm has the engine send 10,000 events a second for a while and measures, for
// as long, how soon a change among them is seen.
func (f *simulated) storm(ctx context.Context, out *report) error {
	const lasts = 30 * time.Second
	blowing, stop := context.WithTimeout(ctx, lasts)
	defer stop()
	var sent atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.blow(blowing, &sent)
	}()
	cpu, began := cpuOf(f.screen.pid()), time.Now()
	var shown times
	for blowing.Err() == nil {
		took, err := f.change(ctx)
		if err != nil {
			return err
		}
		shown = append(shown, took)
	}
	<-done
	over := time.Since(began)
	out.row(f.name, fmt.Sprintf("event to frame among %.0f events a second", float64(sent.Load())/lasts.Seconds()),
		shown.both(), "aim p95 150 ms")
	out.row(f.name, "processor in the storm", percent(cpuOf(f.screen.pid())-cpu, over)+" of a core", "aim 100 %")
	return nil
}

// blow begins and ends commands in sandboxes: three events each.
func (f *simulated) blow(ctx context.Context, sent *atomic.Int64) {
	const perTick, eventsEach = 34, 3
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for i := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for range perTick {
			// Of seven sandboxes the first is running.
			id, err := f.engine.Begin(fmt.Sprintf("hermes-%08x", i*7%max(7, f.size-6)/7*7), "true")
			i++
			if err != nil {
				continue
			}
			f.engine.End(id)
			sent.Add(eventsEach)
		}
	}
}

// sizes are the fleets to measure on.
func sizes(o *options) []int {
	if o.size > 0 {
		return []int{o.size}
	}
	return []int{10, 300, 1_000, 10_000}
}
