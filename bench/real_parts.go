//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/moby/moby/client"
)

// threeHundred measures an idle dashboard on 300 sandboxes of which 240 run, then
// removes them and as many more, half with our program and half with xargs.
func (f *realFleet) threeHundred(ctx context.Context) error {
	const name = "real, 300 (240 running)"
	if err := f.grow(ctx, 300, 240); err != nil {
		return err
	}
	if err := f.watching(ctx, name); err != nil {
		return err
	}
	if !f.options.wants("remove") {
		return nil
	}
	if err := f.grow(ctx, 600, 480); err != nil {
		return err
	}
	// In eight parts, in turns, so that neither has the quieter machine.
	var ours, theirs time.Duration
	parts := slices.Collect(slices.Chunk(slices.Clone(f.ids), len(f.ids)/8))
	for at, part := range parts {
		var took time.Duration
		var err error
		if at%2 == 0 {
			took, err = f.removeByUs(ctx, part)
			ours += took
		} else {
			took, err = f.removeByXargs(ctx, part)
			theirs += took
		}
		if err != nil {
			return err
		}
	}
	f.ids = nil
	f.out.row("real, 600 (480 running)", fmt.Sprintf("removal of %d, four parts of %d", 4*len(parts[0]), len(parts[0])), ours.Round(time.Millisecond).String(),
		fmt.Sprintf("`xargs -P8 docker rm --force` of as many %s (%s)", theirs.Round(time.Millisecond), ratio(ours, theirs)))
	return nil
}

// watching opens a dashboard and measures memory, idleness, keys and events.
func (f *realFleet) watching(ctx context.Context, name string) error {
	proxy, err := newCountingProxy(ctx, f.options.host)
	if err != nil {
		return err
	}
	defer proxy.close()
	s, _, err := f.options.open(ctx, proxy.host, f.shows())
	if err != nil {
		return err
	}
	defer s.end()
	if f.options.wants("idle") {
		daemon := f.options.daemon
		if daemon == 0 {
			daemon = pidOf("dockerd")
		}
		before := cpuOf(daemon)
		ours, empty, err := f.options.idleBeside(ctx, s, proxy.requests.Load)
		if err != nil {
			return err
		}
		f.out.row(name, "idle", ours.words(), "empty Bubble Tea program "+percent(empty.cpu, empty.over))
		f.out.row(name, "processor of dockerd meanwhile", percent(cpuOf(daemon)-before, ours.over), "all its clients")
		if err := f.wide(ctx, name, s, proxy.requests.Load); err != nil {
			return err
		}
	}
	if f.options.wants("memory") {
		now, peak := memoryOf(s.pid())
		f.out.row(name, "memory", fmt.Sprintf("%.1f MiB, peak %.1f", now, peak), "aim 30 MiB")
	}
	if f.options.wants("events") {
		return f.events(ctx, name, s)
	}
	return nil
}

// wide measures the same with the columns of what sandboxes use.
func (f *realFleet) wide(ctx context.Context, name string, s *screen, requests func() int64) error {
	if err := s.resize(200, 40); err != nil { // room for them beside the details
		return err
	}
	if _, err := s.press("w"); err != nil {
		return err
	}
	if _, err := s.awaitText("CPU"); err != nil {
		return err
	}
	began, cpu, sent, written := time.Now(), cpuOf(s.pid()), requests(), s.bytes.Load()
	select {
	case <-time.After(f.options.idle):
	case <-ctx.Done():
		return fmt.Errorf("idle: %w", context.Cause(ctx))
	}
	cost := idleCost{cpu: cpuOf(s.pid()) - cpu, over: time.Since(began), bytes: s.bytes.Load() - written, requests: requests() - sent}
	f.out.row(name, "idle with resource columns", cost.words(), "aim 2 %")
	_, err := s.press("w")
	return err
}

// events measures from the engine's answer to a change to the frame that
// shows it.
func (f *realFleet) events(ctx context.Context, name string, s *screen) error {
	running := f.ids[0]
	var found times
	for range f.options.rounds {
		if err := s.quiet(ctx, 300*time.Millisecond); err != nil {
			return err
		}
		if _, err := f.api.ContainerPause(ctx, running, client.ContainerPauseOptions{}); err != nil {
			return fmt.Errorf("pause: %w", err)
		}
		began := time.Now()
		at, err := s.awaitText("239 up")
		if err != nil {
			return err
		}
		found = append(found, at.Sub(began))
		if _, err := f.api.ContainerUnpause(ctx, running, client.ContainerUnpauseOptions{}); err != nil {
			return fmt.Errorf("unpause: %w", err)
		}
		if _, err := s.awaitText("240 up"); err != nil {
			return err
		}
	}
	f.out.row(name, "pause answered by the engine to frame", found.both(), "aim p95 150 ms")
	return nil
}

// removeByUs removes containers with one plan of our program.
func (f *realFleet) removeByUs(ctx context.Context, ids []string) (time.Duration, error) {
	state, err := os.MkdirTemp("", "hermes-sandbox-bench-")
	if err != nil {
		return 0, fmt.Errorf("state: %w", err)
	}
	defer func() { _ = os.RemoveAll(state) }()
	args := append([]string{
		"HOME=" + state, "HERMES_HOME=" + state, "XDG_STATE_HOME=" + state, "DOCKER_HOST=" + f.options.host,
		f.options.binary, "remove", "--yes",
	}, ids...)
	return timed(ctx, "env", args...)
}

// many measures the first frame and memory on 1,000 sandboxes that never ran.
func (f *realFleet) many(ctx context.Context) error {
	const name = "real, 1,000 created"
	if err := f.first(ctx, name); err != nil {
		return err
	}
	s, _, err := f.options.open(ctx, f.options.host, f.shows())
	if err != nil {
		return err
	}
	defer s.end()
	if err := s.quiet(ctx, 2*time.Second); err != nil {
		return err
	}
	now, peak := memoryOf(s.pid())
	f.out.row(name, "memory", fmt.Sprintf("%.1f MiB, peak %.1f", now, peak), "")
	moved, err := s.keys(ctx, moves(40))
	if err != nil {
		return err
	}
	f.out.row(name, "cursor key to frame", moved.both(), "aim p95 38 ms")
	return nil
}
