package rescue_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"hermes-sandbox/rescue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// caught runs a function and returns the panic it ended with.
func caught(run func()) (found *rescue.Panic) {
	defer func() { found = rescue.Caught(recover()) }()
	run()
	return nil
}

func TestWaitPanicsWithTheFirstPanic(t *testing.T) {
	t.Parallel()
	cause := errors.New("broken")
	var ended atomic.Int32
	got := caught(func() {
		stopped := make(chan struct{})
		group := rescue.Group{Stop: func() { close(stopped) }}
		for range 3 {
			group.Go(func() { <-stopped; ended.Add(1) })
		}
		group.Go(func() { explode(cause) })
		group.Go(func() { <-stopped; panic("a second one") })
		group.Wait()
	})
	if got == nil || got.Cause != any(cause) {
		t.Fatalf("caught %v, want %v", got, cause)
	}
	if !strings.Contains(string(got.Stack), "explode") {
		t.Errorf("the stack does not name where it happened:\n%s", got.Stack)
	}
	if ended.Load() != 3 {
		t.Errorf("%d of 3 others have ended before Wait did", ended.Load())
	}
}

func TestCheckPanicsOnceAGoroutineHas(t *testing.T) {
	t.Parallel()
	stopped := make(chan struct{})
	group := rescue.Group{Stop: func() { close(stopped) }}
	group.Check()
	group.Go(func() { panic("late") })
	<-stopped
	if got := caught(group.Check); got == nil || got.Cause != "late" {
		t.Errorf("caught %v", got)
	}
}

func explode(cause error) { panic(cause) }

func TestAPanicKeepsItsStackOnTheWay(t *testing.T) {
	t.Parallel()
	got := caught(func() {
		var outer rescue.Group
		outer.Go(func() {
			var inner rescue.Group
			inner.Go(func() { explode(errors.New("deep")) })
			inner.Wait()
		})
		outer.Wait()
	})
	if got == nil || got.Error() != "deep" || !strings.Contains(string(got.Stack), "explode") {
		t.Errorf("caught %v", got)
	}
}

func TestWithoutPanicWaitReturns(t *testing.T) {
	t.Parallel()
	var group rescue.Group
	group.SetLimit(2)
	var running, most, all atomic.Int32
	for range 20 {
		group.Go(func() {
			now := running.Add(1)
			for have := most.Load(); now > have && !most.CompareAndSwap(have, now); have = most.Load() {
			}
			all.Add(1)
			running.Add(-1)
		})
	}
	group.Wait()
	if all.Load() != 20 || most.Load() > 2 {
		t.Errorf("%d ran, %d at once", all.Load(), most.Load())
	}
	if rescue.Caught(nil) != nil {
		t.Error("no panic is none")
	}
}

// A panic must free its place, or the group would wait for ever.
func TestAPanicFreesItsPlace(t *testing.T) {
	t.Parallel()
	got := caught(func() {
		var group rescue.Group
		group.SetLimit(1)
		for range 3 {
			group.Go(func() { panic("again") })
		}
		group.Wait()
	})
	if got == nil || got.Cause != "again" {
		t.Errorf("caught %v", got)
	}
}
