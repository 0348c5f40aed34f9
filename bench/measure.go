//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// open starts the dashboard on an engine and waits for its first data.
func (o *options) open(ctx context.Context, host, shows string) (*screen, time.Duration, error) {
	s, err := start(ctx, o.binary, []string{"DOCKER_HOST=" + host})
	if err != nil {
		return nil, 0, err
	}
	at, err := s.awaitText(shows)
	if err != nil {
		s.end()
		return nil, 0, err
	}
	return s, at.Sub(s.began), nil
}

// firstFrame measures from the start of the process to the first frame with
// data, several times.
func (o *options) firstFrame(ctx context.Context, host, shows string, rounds int) (times, error) {
	return repeat(rounds, func() (time.Duration, error) {
		s, took, err := o.open(ctx, host, shows)
		if err == nil {
			s.end()
		}
		return took, err
	})
}

// firstAnything measures to the first bytes on the terminal.
func (o *options) firstAnything(ctx context.Context, host string) (times, error) {
	return repeat(o.rounds, func() (time.Duration, error) {
		s, err := start(ctx, o.binary, []string{"DOCKER_HOST=" + host})
		if err != nil {
			return 0, err
		}
		defer s.end()
		at, err := s.awaitText("hermes-sandbox")
		return at.Sub(s.began), err
	})
}

// emptyFrame measures the same of an empty program.
func emptyFrame(ctx context.Context, rounds int) (times, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return repeat(rounds, func() (time.Duration, error) {
		s, err := start(ctx, self, nil, "empty-program")
		if err != nil {
			return 0, err
		}
		defer s.end()
		at, err := s.awaitText("empty")
		return at.Sub(s.began), err
	})
}

// keys measures from a key to the frame that shows it.
func (s *screen) keys(ctx context.Context, keys []string) (times, error) {
	var found times
	for _, key := range keys {
		if err := s.quiet(ctx, 60*time.Millisecond); err != nil {
			return found, err
		}
		took, err := s.press(key)
		if err != nil {
			return found, err
		}
		found = append(found, took)
	}
	return found, nil
}

// moves are cursor keys, down and up in turns of five.
func moves(count int) []string {
	keys := make([]string, count)
	for i := range keys {
		keys[i] = "j"
		if i/5%2 == 1 {
			keys[i] = "k"
		}
	}
	return keys
}

// idleCost is what a program that is left alone costs.
type idleCost struct {
	cpu      time.Duration
	over     time.Duration
	bytes    int64
	requests int64
}

// idleFor leaves a program alone.
func (s *screen) idleFor(ctx context.Context, over time.Duration, requests func() int64) (idleCost, error) {
	if err := s.quiet(ctx, 2*time.Second); err != nil {
		return idleCost{}, err
	}
	cpu, written, sent, began := cpuOf(s.pid()), s.bytes.Load(), requests(), time.Now()
	select {
	case <-time.After(over):
	case <-ctx.Done():
		return idleCost{}, fmt.Errorf("idle: %w", context.Cause(ctx))
	}
	return idleCost{
		cpu: cpuOf(s.pid()) - cpu, over: time.Since(began), bytes: s.bytes.Load() - written, requests: requests() - sent,
	}, nil
}

func (c idleCost) words() string {
	return fmt.Sprintf("%s of a core, %.1f requests a minute, %.0f bytes a second", percent(c.cpu, c.over),
		float64(c.requests)/c.over.Minutes(), float64(c.bytes)/c.over.Seconds())
}

// idle measures the dashboard and, at the same time, an empty program.
func (o *options) idleBeside(ctx context.Context, s *screen, requests func() int64) (ours, empty idleCost, err error) {
	self, err := os.Executable()
	if err != nil {
		return ours, empty, fmt.Errorf("find this program: %w", err)
	}
	other, err := start(ctx, self, nil, "empty-program")
	if err != nil {
		return ours, empty, err
	}
	defer other.end()
	if _, err := other.awaitText("empty"); err != nil {
		return ours, empty, err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		empty, err = other.idleFor(ctx, o.idle, func() int64 { return 0 })
		done <- err
	}()
	ours, err = s.idleFor(ctx, o.idle, requests)
	if otherErr := <-done; err == nil {
		err = otherErr
	}
	return ours, empty, err
}
