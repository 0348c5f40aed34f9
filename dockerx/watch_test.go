package dockerx

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hermes-sandbox/model"
)

// watched is a watcher in a bubble of virtual time with its engine.
type watched struct {
	*memoryEngine
	watcher *Watcher
	last    model.Snapshot
	seen    []model.Health // every change of the state
}

// inBubble runs a test in virtual time with a watcher that has settled.
func inBubble(t *testing.T, prepare func(*memoryEngine), test func(*testing.T, *watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		engine := newMemoryEngine(t)
		prepare(engine)
		client := engine.client(t)
		w := &watched{memoryEngine: engine, watcher: NewWatcher(client, WatchOptions{})}
		runWatcher(t, w.watcher)
		w.wait(0)
		test(t, w)
	})
}

// runWatcher lets a watcher run until the test ends.
func runWatcher(t *testing.T, watcher *Watcher) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- watcher.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

// wait lets virtual time pass, a tenth of a second or a thousandth of the
// length at a time, and takes the snapshots that come.
func (w *watched) wait(length time.Duration) {
	step := max(100*time.Millisecond, length/1000)
	for end := time.Now().Add(length); ; {
		synctest.Wait()
		select {
		case snapshot, ok := <-w.watcher.Updates():
			if ok {
				if len(w.seen) == 0 || snapshot.Engine.State != w.seen[len(w.seen)-1] {
					w.seen = append(w.seen, snapshot.Engine.State)
				}
				w.last = snapshot
			}
		default:
		}
		if !time.Now().Before(end) {
			return
		}
		<-time.After(min(step, time.Until(end)))
	}
}

// became waits until the state is as wanted, at most limit.
func (w *watched) became(t *testing.T, state model.Health, limit time.Duration) {
	t.Helper()
	begin := time.Now()
	for w.last.Engine.State != state {
		if time.Since(begin) > limit {
			t.Fatalf("not %s after %v, but %s: %s", state, limit, w.last.Engine.State, w.last.Engine.Error)
		}
		w.wait(100 * time.Millisecond)
	}
}

func oneRunning(e *memoryEngine) { e.add(sandboxID("a")) }

func TestWatcherIdleTraffic(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Minute)
		w.taken()
		w.wait(10 * time.Minute)
		requests := w.taken()
		if len(requests) > 40 {
			t.Errorf("%d requests in ten idle minutes, want at most 40", len(requests))
		}
		for _, request := range requests {
			idle := strings.HasSuffix(request.path, "/containers/json") || request.method == http.MethodHead && request.path == "/_ping"
			if !idle {
				t.Errorf("%s %s while idle", request.method, request.path)
			}
			if strings.Contains(request.query, "size") {
				t.Errorf("size asked for: %s", request.query)
			}
		}
		if w.last.Engine.State != model.Live || len(w.seen) != 1 {
			t.Errorf("states %v", w.seen)
		}
	})
}

func TestWatcherListsAsOftenAsAsked(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		sweep time.Duration
		lists int // in five idle minutes
	}{
		"as usual":         {0, 10},
		"more often":       {10 * time.Second, 30},
		"never less often": {time.Hour, 10},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				engine := newMemoryEngine(t)
				oneRunning(engine)
				w := &watched{memoryEngine: engine, watcher: NewWatcher(engine.client(t), WatchOptions{Sweep: c.sweep})}
				runWatcher(t, w.watcher)
				w.wait(time.Minute)
				w.taken()
				w.wait(5 * time.Minute)
				if lists := count(w.taken(), "/containers/json"); lists < c.lists-1 || lists > c.lists+1 {
					t.Errorf("%d lists in five minutes, want about %d", lists, c.lists)
				}
			})
		})
	}
}

func TestWatcherFoldsAStormOfEvents(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Minute)
		w.taken()
		for i := range 500 {
			w.set(sandboxID("a"), []string{"running", "paused"}[i%2])
			w.event("pause", sandboxID("a"))
			w.wait(time.Millisecond)
		}
		w.wait(300 * time.Millisecond)
		if lists := count(w.taken(), "/containers/json"); lists < 3 || lists > 7 {
			t.Errorf("%d lists for half a second of events", lists)
		}
		if got := states(w.last)[sandboxID("a")]; got != "paused" {
			t.Errorf("state %q after the storm", got)
		}
	})
}

// TestWatcherListsInAStormOfEventsThatTellNothing loses the event of a change
// among many others, as an engine does when a reader falls behind.
func TestWatcherListsInAStormOfEventsThatTellNothing(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		w.set(sandboxID("a"), "exited")
		for range stormEvents {
			w.event("exec_start: sh -c id", sandboxID("a"))
		}
		w.wait(time.Second)
		if got := states(w.last)[sandboxID("a")]; got != "exited" {
			t.Errorf("state %q after the storm", got)
		}
	})
}

func TestWatcherListsAtOnceAfterQuiet(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		w.set(sandboxID("a"), "exited")
		w.event("die", sandboxID("a"))
		w.wait(0)
		if got := states(w.last)[sandboxID("a")]; got != "exited" {
			t.Errorf("state %q right after the event", got)
		}
	})
}

func TestWatcherIgnoresStrangers(t *testing.T) {
	stranger := fmt.Sprintf(`{"Type":"container","Action":"start","Actor":{"ID":%q,"Attributes":{}}}`+"\n", sandboxID("f"))
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		w.taken()
		w.send(stranger)
		w.event("exec_start: sh -c id", sandboxID("a"))
		w.wait(time.Second)
		if requests := w.taken(); len(requests) > 0 {
			t.Errorf("requests %+v", requests)
		}
	})
}

func TestWatcherFindsWhatNoEventTold(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		w.set(sandboxID("a"), "exited")
		w.wait(30 * time.Second)
		if got := states(w.last)[sandboxID("a")]; got != "exited" {
			t.Errorf("state %q half a minute later", got)
		}
	})
}

func TestWatcherTellsAHungEngine(t *testing.T) {
	hang := func(e *memoryEngine) { e.change(func() { e.silent[""] = true }) }
	cases := map[string]struct {
		touch bool
		limit time.Duration
	}{
		"nobody at the keys": {false, 20 * time.Second},
		"a key pressed":      {true, 5 * time.Second},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, oneRunning, func(t *testing.T, w *watched) {
				w.wait(3 * time.Second)
				hang(w.memoryEngine)
				if tt.touch {
					w.watcher.Touch()
				}
				w.became(t, model.Stale, tt.limit)
				if len(w.last.Containers) != 1 || !w.last.Containers[0].Inspected || w.last.Engine.Error == "" {
					t.Errorf("stale snapshot %+v", w.last)
				}
				w.wait(time.Hour)
				w.change(func() { w.silent[""] = false })
				w.became(t, model.Live, 15*time.Second)
			})
		})
	}
}

func TestWatcherTellsAListThatHangs(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		w.change(func() { w.silent["/containers/json"] = true })
		w.event("pause", sandboxID("a"))
		w.became(t, model.Stale, 5*time.Second)
	})
}

func TestWatcherComesBackAfterARestart(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Minute)
		w.change(func() { w.refuse = syscall.ECONNREFUSED })
		w.endStreams()
		w.became(t, model.Down, time.Second)
		if !strings.Contains(w.last.Engine.Error, "nobody listens") || len(w.last.Containers) != 1 {
			t.Errorf("down snapshot %+v", w.last)
		}
		since := w.last.Engine.Since
		w.wait(20 * time.Hour)
		if w.last.Engine.State != model.Down || !w.last.Engine.Since.Equal(since) {
			t.Errorf("state %s since %v, want down since %v", w.last.Engine.State, w.last.Engine.Since, since)
		}
		w.add(sandboxID("b"))
		w.change(func() { w.refuse = nil })
		w.became(t, model.Live, 11*time.Second)
		if len(w.last.Containers) != 2 {
			t.Errorf("%d containers after the restart", len(w.last.Containers))
		}
	})
}

func TestWatcherTakesAnEndedStreamAsNormal(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Minute)
		w.set(sandboxID("a"), "exited") // in the gap
		w.endStreams()
		w.wait(time.Second)
		if got := states(w.last)[sandboxID("a")]; got != "exited" || len(w.seen) != 1 {
			t.Errorf("state %q, engine states %v", got, w.seen)
		}
	})
}

func TestWatcherReadsAnewAfterAnOddEvent(t *testing.T) {
	cases := map[string]string{
		"half a line": `{"Type":"contai` + "\n",
		"web page":    "<html>\n",
		"null":        "null\n",
		"list":        "[]\n",
	}
	for name, line := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, oneRunning, func(t *testing.T, w *watched) {
				w.wait(time.Minute)
				w.set(sandboxID("a"), "exited")
				w.send(line)
				w.wait(2 * time.Second)
				if got := states(w.last)[sandboxID("a")]; got != "exited" || w.last.Engine.State != model.Live {
					t.Errorf("state %q, engine %s: %s", got, w.last.Engine.State, w.last.Engine.Error)
				}
			})
		})
	}
}

func TestWatcherShowsTheRestWhenOneInspectHangs(t *testing.T) {
	inBubble(t, func(e *memoryEngine) {
		e.add(sandboxID("a"))
		e.add(sandboxID("b"))
		e.silent[sandboxID("b")+"/json"] = true
	}, func(t *testing.T, w *watched) {
		w.wait(1200 * time.Millisecond)
		if len(w.last.Containers) != 2 || !w.last.Containers[0].Inspected {
			t.Fatalf("after a second: %+v", w.last)
		}
		if hung := w.last.Containers[1]; hung.Inspected || hung.InspectError == "" {
			t.Errorf("the hung one: %+v", hung)
		}
		w.wait(5 * time.Second)
		if hung := w.last.Containers[1]; !strings.Contains(hung.InspectError, "no answer in time") || w.last.Engine.State != model.Live {
			t.Errorf("after its deadline: %q, engine %s", hung.InspectError, w.last.Engine.State)
		}
	})
}

func TestWatcherPollsWithoutEvents(t *testing.T) {
	forbid := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<html>Forbidden</html>")
	}
	inBubble(t, func(e *memoryEngine) {
		oneRunning(e)
		e.answers["/events"] = forbid
	}, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		if w.last.Engine.State != model.Stale || !strings.Contains(w.last.Engine.Error, "socket proxy") {
			t.Errorf("engine %+v", w.last.Engine)
		}
		w.set(sandboxID("a"), "exited")
		w.wait(11 * time.Second)
		if got := states(w.last)[sandboxID("a")]; got != "exited" {
			t.Errorf("state %q after a poll", got)
		}
	})
}

func TestWatcherSuspension(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		w.watcher.Suspend()
		w.watcher.Suspend() // twice is once
		w.wait(0)
		if open := w.openStreams(); open != 0 {
			t.Errorf("%d event streams while suspended", open)
		}
		w.taken()
		w.watcher.Touch()
		w.watcher.Refresh()
		w.set(sandboxID("a"), "exited")
		w.wait(time.Hour)
		if requests := w.taken(); len(requests) > 0 {
			t.Errorf("requests while suspended: %+v", requests)
		}
		w.watcher.Resume()
		w.wait(time.Second)
		if got := states(w.last)[sandboxID("a")]; got != "exited" {
			t.Errorf("state %q after resuming", got)
		}
	})
}

func TestWatcherDownAtTheStart(t *testing.T) {
	cases := map[string]struct {
		prepare func(*memoryEngine)
		says    string
	}{
		"refused":    {func(e *memoryEngine) { e.refuse = syscall.ECONNREFUSED }, "nobody listens"},
		"silent":     {func(e *memoryEngine) { e.silent[""] = true }, "no answer in time"},
		"list hangs": {func(e *memoryEngine) { e.silent["/containers/json"] = true }, "4 seconds"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			inBubble(t, tt.prepare, func(t *testing.T, w *watched) {
				w.became(t, model.Down, 5*time.Second)
				if !strings.Contains(w.last.Engine.Error, tt.says) || !w.last.At.IsZero() {
					t.Errorf("error %q, at %v", w.last.Engine.Error, w.last.At)
				}
			})
		})
	}
}

func TestWatcherRetriesForEverWithinBounds(t *testing.T) {
	inBubble(t, func(e *memoryEngine) { e.refuse = syscall.ECONNREFUSED }, func(t *testing.T, w *watched) {
		w.wait(time.Minute)
		for range 100 {
			w.wait(10 * time.Minute)
		}
		w.change(func() { w.refuse = nil })
		w.became(t, model.Live, 11*time.Second)
	})
}

func TestBackoffBounds(t *testing.T) {
	if first := backoff(0); first != 0 {
		t.Errorf("first attempt waits %v", first)
	}
	for attempts := 1; attempts < 100_000; attempts += 1 + attempts/3 {
		if delay := backoff(attempts); delay < backoffFirst || delay > backoffMost {
			t.Errorf("attempt %d waits %v", attempts, delay)
		}
	}
}

func TestWatcherKeepsOnlyTheLatest(t *testing.T) {
	inBubble(t, oneRunning, func(t *testing.T, w *watched) {
		w.wait(time.Second)
		for _, state := range []string{"paused", "running", "exited"} {
			w.set(sandboxID("a"), state)
			w.event("update", sandboxID("a"))
			<-time.After(time.Second)
		}
		synctest.Wait()
		if got := states(<-w.watcher.Updates())[sandboxID("a")]; got != "exited" {
			t.Errorf("the waiting snapshot says %q", got)
		}
		select {
		case extra := <-w.watcher.Updates():
			t.Errorf("a second snapshot waits: %+v", extra.Engine)
		default:
		}
	})
}
