package dockerx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/model"
)

// want is what a test expects of one target: its outcome, a part of the
// explanation, and the exact changes the engine was asked for.
type want struct {
	outcome model.Outcome
	says    string
	changes []string
}

func (w want) check(t *testing.T, e *fakeEngine, target model.Target) {
	t.Helper()
	if target.Outcome != w.outcome {
		t.Errorf("outcome %s (%s), want %s", target.Outcome, target.Error, w.outcome)
	}
	if said := target.Error + strings.Join(target.Warnings, "; "); !strings.Contains(said, w.says) || w.says == "" && said != "" {
		t.Errorf("said %q, want %q in it", said, w.says)
	}
	if target.Outcome == model.OutcomeDone && target.Error != "" {
		t.Errorf("a done target has error %q", target.Error)
	}
	if diff := cmp.Diff(w.changes, e.changes); diff != "" {
		t.Errorf("changes asked for (-want +got):\n%s", diff)
	}
}

// inGap lets another client change the container between the plan and the
// re-inspect, or later, right before a call.
type inGap func(e *fakeEngine, c *model.Container)

func atCall(op string, change inGap) func(*fakeEngine) {
	return func(e *fakeEngine) {
		e.before[op] = func(e *fakeEngine, id model.ID) {
			e.mu.Lock()
			defer e.mu.Unlock()
			delete(e.before, op)
			if c := e.containers[id]; c != nil {
				change(e, c)
			}
		}
	}
}

func startIt(e *fakeEngine, c *model.Container)  { e.start(c) }
func removeIt(e *fakeEngine, c *model.Container) { delete(e.containers, c.ID) }
func setState(state model.State) inGap {
	return func(_ *fakeEngine, c *model.Container) { c.State = state }
}

func answer(op string, err error, takesEffect bool) func(*fakeEngine) {
	return func(e *fakeEngine) {
		e.fault[op] = func(*fakeEngine, model.ID) (error, bool) { return err, takesEffect }
	}
}

func both(setups ...func(*fakeEngine)) func(*fakeEngine) {
	return func(e *fakeEngine) {
		for _, setup := range setups {
			setup(e)
		}
	}
}

// killFails makes the first removals fail as an engine does that found nothing
// left to kill, after what another client did.
func killFails(other inGap, times int) func(*fakeEngine) {
	return func(e *fakeEngine) {
		e.fault["remove"] = func(e *fakeEngine, id model.ID) (error, bool) {
			if times == 0 {
				return nil, true
			}
			times--
			other(e, e.containers[id])
			return fmt.Errorf("cannot kill it: %w", errdefs.ErrInternal), false
		}
	}
}

func TestRemove(t *testing.T) {
	internal := fmt.Errorf("driver failed: %w", errdefs.ErrInternal)
	timeout := fmt.Errorf("remove: %w", context.DeadlineExceeded)
	tests := map[string]struct {
		state   model.State
		method  model.Method
		volumes bool
		setup   func(*fakeEngine)
		want    want
	}{
		"exited":  {state: model.StateExited, want: want{model.OutcomeDone, "", []string{"remove 000000000000"}}},
		"created": {state: model.StateCreated, want: want{model.OutcomeDone, "", []string{"remove 000000000000"}}},
		"dead":    {state: model.StateDead, want: want{model.OutcomeDone, "", []string{"remove 000000000000"}}},
		"anonymous volumes only when asked": {
			state: model.StateExited, volumes: true,
			want: want{model.OutcomeDone, "", []string{"remove 000000000000 volumes"}},
		},
		"running by force": {
			state: model.StateRunning, method: model.MethodRemoveForce,
			want: want{model.OutcomeDone, "", []string{"remove 000000000000 force"}},
		},
		"paused by force": {
			state: model.StatePaused, method: model.MethodRemoveForce,
			want: want{model.OutcomeDone, "", []string{"remove 000000000000 force"}},
		},
		"gone before the call": {
			state: model.StateExited, setup: atCall("inspect", removeIt),
			want: want{model.OutcomeDone, "already gone", nil},
		},
		"gone during the call": {
			state: model.StateExited, setup: atCall("remove", removeIt),
			want: want{model.OutcomeDone, "another removal was faster", []string{"remove 000000000000"}},
		},
		"started before the re-inspect": {
			state: model.StateExited, setup: atCall("inspect", startIt),
			want: want{model.OutcomeSkipped, "it was exited and is running", nil},
		},
		"started after the re-inspect": {
			state: model.StateExited, setup: atCall("remove", startIt),
			want: want{model.OutcomeSkipped, "kept: it was started again and is running", []string{"remove 000000000000"}},
		},
		"started and stopped again before the re-inspect": {
			state: model.StateExited,
			setup: atCall("inspect", func(e *fakeEngine, c *model.Container) { e.start(c); c.State = model.StateExited }),
			want:  want{model.OutcomeSkipped, "it was started again", nil},
		},
		"restarted before the re-inspect, by force": {
			state: model.StateRunning, method: model.MethodRemoveForce, setup: atCall("inspect", startIt),
			want: want{model.OutcomeSkipped, "it was started again", nil},
		},
		"stopped before the re-inspect, by force": {
			state: model.StateRunning, method: model.MethodRemoveForce, setup: atCall("inspect", setState(model.StateExited)),
			want: want{model.OutcomeSkipped, "it was running and is exited", nil},
		},
		"relabelled under the same ID": {
			state: model.StateExited, setup: atCall("inspect", func(_ *fakeEngine, c *model.Container) { c.Labels = nil }),
			want: want{model.OutcomeSkipped, "labels", nil},
		},
		"created at another time": {
			state: model.StateExited,
			setup: atCall("inspect", func(_ *fakeEngine, c *model.Container) { c.CreatedAt.Time = c.CreatedAt.Time.Add(time.Second) }),
			want:  want{model.OutcomeSkipped, "created at another time", nil},
		},
		"no start time any more": {
			state: model.StateRunning, method: model.MethodRemoveForce,
			setup: atCall("inspect", func(_ *fakeEngine, c *model.Container) { c.StartedAt = model.Stamp{Problem: "garbage"} }),
			want:  want{model.OutcomeSkipped, "started", nil},
		},
		"answer not whole": {
			state: model.StateExited, setup: atCall("inspect", func(_ *fakeEngine, c *model.Container) { c.Problem = "no state" }),
			want: want{model.OutcomeFailed, "no state", nil},
		},
		"another container answers to the ID": {
			state: model.StateExited,
			setup: answer("inspect", errMismatch, false),
			want:  want{model.OutcomeDone, "already gone", nil},
		},
		"inspect fails": {
			state: model.StateExited, setup: answer("inspect", internal, false),
			want: want{model.OutcomeFailed, "nothing was sent", nil},
		},
		"removal fails and leaves it dead": {
			state: model.StateExited, setup: both(answer("remove", internal, false), atCall("remove", setState(model.StateDead))),
			want: want{model.OutcomeFailed, "it is dead now", []string{"remove 000000000000"}},
		},
		"removal fails and leaves it alone": {
			state: model.StateExited, setup: answer("remove", internal, false),
			want: want{model.OutcomeFailed, "driver failed", []string{"remove 000000000000"}},
		},
		"no answer, but gone": {
			state: model.StateExited, setup: answer("remove", timeout, true),
			want: want{model.OutcomeDone, "", []string{"remove 000000000000"}},
		},
		"no answer, still there": {
			state: model.StateExited, setup: answer("remove", timeout, false),
			want: want{model.OutcomeUnknown, "look again", []string{"remove 000000000000"}},
		},
		"success, still there": {
			state: model.StateExited, setup: answer("remove", nil, false),
			want: want{model.OutcomeFailed, "the engine reported success", []string{"remove 000000000000"}},
		},
		"the kill failed because it had just ended": {
			state: model.StateRunning, method: model.MethodRemoveForce, setup: killFails(setState(model.StateExited), 1),
			want: want{model.OutcomeDone, "", []string{"remove 000000000000 force", "remove 000000000000"}},
		},
		"the kill failed because it had just ended, and so did the rest": {
			state: model.StateRunning, method: model.MethodRemoveForce, setup: killFails(setState(model.StateExited), 2),
			want: want{model.OutcomeFailed, "cannot kill", []string{"remove 000000000000 force", "remove 000000000000"}},
		},
		"the kill failed because another restarted it": {
			state: model.StateRunning, method: model.MethodRemoveForce, setup: killFails(startIt, 1),
			want: want{model.OutcomeSkipped, "kept: it was started again", []string{"remove 000000000000 force"}},
		},
		"the kill failed and left it running": {
			state: model.StateRunning, method: model.MethodRemoveForce, setup: answer("remove", internal, false),
			want: want{model.OutcomeFailed, "driver failed", []string{"remove 000000000000 force"}},
		},
		"read-only engine": {
			state: model.StateExited, setup: answer("remove", fmt.Errorf("remove: %w", ErrReadOnly), false),
			want: want{model.OutcomeRefused, "read-only", []string{"remove 000000000000"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := fixtureContainer(1, test.state)
			e := newFakeEngine(c)
			if test.setup != nil {
				test.setup(e)
			}
			if test.method == "" {
				test.method = model.MethodRemove
			}
			plan := planFor(model.ActionRemove, test.method, c)
			plan.Targets[0].Volumes = test.volumes
			test.want.check(t, e, execute(t, e, ActorOptions{}, plan))
		})
	}
}

// TestRemoveWaits covers the removals of other clients that are under way: the
// clock is the bubble's.
func TestRemoveWaits(t *testing.T) {
	finish := func(after time.Duration, last inGap) func(*fakeEngine) {
		return atCall("remove", func(e *fakeEngine, c *model.Container) {
			c.State = model.StateRemoving
			time.AfterFunc(after, func() {
				e.mu.Lock()
				defer e.mu.Unlock()
				last(e, c)
			})
		})
	}
	tests := map[string]struct {
		setup func(*fakeEngine)
		want  want
	}{
		"ends soon":     {finish(11*time.Second, removeIt), want{model.OutcomeDone, "another removal was faster", []string{"remove 000000000000"}}},
		"ends too late": {finish(time.Hour, removeIt), want{model.OutcomeUnknown, "still removing", []string{"remove 000000000000"}}},
		"dies, then goes": {
			finish(time.Second, func(e *fakeEngine, c *model.Container) {
				c.State = model.StateDead
				time.AfterFunc(time.Second, func() {
					e.mu.Lock()
					defer e.mu.Unlock()
					removeIt(e, c)
				})
			}),
			want{model.OutcomeDone, "another removal was faster", []string{"remove 000000000000"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := fixtureContainer(1, model.StateExited)
				e := newFakeEngine(c)
				test.setup(e)
				test.want.check(t, e, execute(t, e, ActorOptions{}, planFor(model.ActionRemove, model.MethodRemove, c)))
			})
		})
	}
}

func TestStateChanges(t *testing.T) {
	timeout := fmt.Errorf("no answer: %w", context.DeadlineExceeded)
	tests := map[string]struct {
		method model.Method
		state  model.State
		setup  func(*fakeEngine)
		want   want
	}{
		"start":             {model.MethodStart, model.StateExited, nil, want{model.OutcomeDone, "", []string{"start 000000000000"}}},
		"stop":              {model.MethodStop, model.StateRunning, nil, want{model.OutcomeDone, "", []string{"stop 000000000000"}}},
		"pause":             {model.MethodPause, model.StateRunning, nil, want{model.OutcomeDone, "", []string{"pause 000000000000"}}},
		"unpause":           {model.MethodUnpause, model.StatePaused, nil, want{model.OutcomeDone, "", []string{"unpause 000000000000"}}},
		"stop a paused one": {model.MethodStop, model.StatePaused, nil, want{model.OutcomeDone, "", []string{"stop 000000000000"}}},
		"start of a gone one": {
			model.MethodStart, model.StateExited, atCall("inspect", removeIt),
			want{model.OutcomeSkipped, "it is gone", nil},
		},
		"start that ends at once": {
			model.MethodStart, model.StateExited, both(answer("start", nil, false),
				atCall("start", func(e *fakeEngine, c *model.Container) { e.start(c); c.State, c.ExitCode = model.StateExited, 127 })),
			want{model.OutcomeFailed, "exit code 127", []string{"start 000000000000"}},
		},
		"start that is refused": {
			model.MethodStart, model.StateExited, answer("start", conflict("marked for removal"), false),
			want{model.OutcomeFailed, "marked for removal", []string{"start 000000000000"}},
		},
		"start without an answer that worked": {
			model.MethodStart, model.StateExited, answer("start", timeout, true),
			want{model.OutcomeDone, "", []string{"start 000000000000"}},
		},
		"stop without an answer": {
			model.MethodStop, model.StateRunning, answer("stop", timeout, false),
			want{model.OutcomeUnknown, "without an answer", []string{"stop 000000000000"}},
		},
		"stop of one that removes itself": {
			model.MethodStop, model.StateRunning, atCall("stop", func(_ *fakeEngine, c *model.Container) { c.Host.AutoRemove = true }),
			want{model.OutcomeDone, "it removed itself", []string{"stop 000000000000"}},
		},
		"stop of one seen while it removes itself": {
			model.MethodStop, model.StateRunning, both(answer("stop", nil, false), atCall("stop", setState(model.StateRemoving))),
			want{model.OutcomeDone, "", []string{"stop 000000000000"}},
		},
		"stop that ends in a state nobody knows": {
			model.MethodStop, model.StateRunning, both(answer("stop", nil, false), atCall("stop", setState("stopping"))),
			want{model.OutcomeUnknown, "stopping", []string{"stop 000000000000"}},
		},
		"stop and start by another": {
			model.MethodStop, model.StateRunning, both(answer("stop", nil, false), atCall("stop", startIt)),
			want{model.OutcomePartial, "started again by another", []string{"stop 000000000000"}},
		},
		"pause of one that vanishes": {
			model.MethodPause, model.StateRunning, atCall("pause", removeIt),
			want{model.OutcomeFailed, "it is gone", []string{"pause 000000000000"}},
		},
		"unpause by another first": {
			model.MethodUnpause, model.StatePaused, atCall("unpause", setState(model.StateRunning)),
			want{model.OutcomeDone, "", []string{"unpause 000000000000"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := fixtureContainer(1, test.state)
			e := newFakeEngine(c)
			if test.setup != nil {
				test.setup(e)
			}
			test.want.check(t, e, execute(t, e, ActorOptions{}, planFor(model.Action(test.method), test.method, c)))
		})
	}
}

func TestStopRemove(t *testing.T) {
	exec := strings.Repeat("e", 64)
	running := func(now bool) func(*fakeEngine) {
		return func(e *fakeEngine) {
			e.execs[exec] = now
			e.containers[fixtureID(1)].ExecIDs = []string{exec}
		}
	}
	stopAndRemove := []string{"stop 000000000000", "remove 000000000000"}
	tests := map[string]struct {
		state model.State
		setup func(*fakeEngine)
		want  want
	}{
		"idle":                  {model.StateRunning, nil, want{model.OutcomeDone, "", stopAndRemove}},
		"exec that has ended":   {model.StateRunning, running(false), want{model.OutcomeDone, "", stopAndRemove}},
		"exec that is gone":     {model.StateRunning, both(running(true), func(e *fakeEngine) { delete(e.execs, exec) }), want{model.OutcomeDone, "", stopAndRemove}},
		"exec that runs":        {model.StateRunning, running(true), want{model.OutcomeSkipped, "a command runs in it", nil}},
		"exec that is not told": {model.StateRunning, both(running(true), answer("exec", errBroken, false)), want{model.OutcomeFailed, "nothing was sent", nil}},
		"odd exec ID": {
			model.StateRunning, func(e *fakeEngine) { e.containers[fixtureID(1)].ExecIDs = []string{"../x"} },
			want{model.OutcomeFailed, "no ID", nil},
		},
		"restarted before": {
			model.StateRunning, atCall("inspect", startIt),
			want{model.OutcomeSkipped, "it was started again", nil},
		},
		"started again after the stop": {
			model.StateRunning, both(answer("stop", nil, false), atCall("stop", startIt)),
			want{model.OutcomePartial, "started again by another", []string{"stop 000000000000"}},
		},
		"started again before the removal": {
			model.StateRunning, atCall("remove", startIt),
			want{model.OutcomePartial, "it was stopped, then not removed: kept", stopAndRemove},
		},
		"removes itself": {
			model.StateRunning, func(e *fakeEngine) { e.containers[fixtureID(1)].Host.AutoRemove = true },
			want{model.OutcomeDone, "it removed itself", []string{"stop 000000000000"}},
		},
		"does not stop": {
			model.StateRunning, answer("stop", fmt.Errorf("hung: %w", errdefs.ErrInternal), false),
			want{model.OutcomeFailed, "hung", []string{"stop 000000000000"}},
		},
		"not running any more when planned": {model.StateExited, nil, want{model.OutcomeDone, "", []string{"remove 000000000000"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := fixtureContainer(1, test.state)
			e := newFakeEngine(c)
			if test.setup != nil {
				test.setup(e)
			}
			plan := planFor(model.ActionReap, model.MethodStopRemove, c)
			test.want.check(t, e, execute(t, e, ActorOptions{}, plan))
		})
	}
}

func TestReapNeverForces(t *testing.T) {
	c := fixtureContainer(1, model.StateRunning)
	e := newFakeEngine(c)
	target := execute(t, e, ActorOptions{}, planFor(model.ActionReap, model.MethodRemoveForce, c))
	want{model.OutcomeFailed, "it was not removed", []string{"remove 000000000000"}}.check(t, e, target)
}

func TestRefusals(t *testing.T) {
	c := fixtureContainer(1, model.StateExited)
	edit := func(change func(*model.Target)) model.Plan {
		plan := planFor(model.ActionRemove, model.MethodRemove, c)
		change(&plan.Targets[0])
		return plan
	}
	tests := map[string]struct {
		plan model.Plan
		want want
	}{
		"short ID":       {edit(func(target *model.Target) { target.ID = "abcdef012345" }), want{model.OutcomeRefused, "64 hex digits", nil}},
		"unknown engine": {edit(func(target *model.Target) { target.Engine = "elsewhere" }), want{model.OutcomeFailed, "not connected", nil}},
		"unknown method": {edit(func(target *model.Target) { target.Method = "explode" }), want{model.OutcomeRefused, "explode", nil}},
		"no decision":    {edit(func(target *model.Target) { target.Decision = "" }), want{model.OutcomeRefused, "no decision", nil}},
		"refused by the plan": {
			edit(func(target *model.Target) { target.Decision, target.Error = model.DecisionRefuse, "guard" }),
			want{model.OutcomeRefused, "guard", nil},
		},
		"spared by the plan": {edit(func(target *model.Target) { target.Decision = model.DecisionSkip }), want{model.OutcomeSkipped, "", nil}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newFakeEngine(c)
			test.want.check(t, e, execute(t, e, ActorOptions{}, test.plan))
		})
	}
}

func TestOwnContainerIsRefused(t *testing.T) {
	c := fixtureContainer(1, model.StateExited)
	e := newFakeEngine(c)
	own := func(id model.ID) bool { return id == c.ID }
	target := execute(t, e, ActorOptions{Own: own}, planFor(model.ActionRemove, model.MethodRemove, c))
	want{model.OutcomeRefused, "this program runs in it", nil}.check(t, e, target)
}

func TestNothingIsSentWithoutAnAudit(t *testing.T) {
	c := fixtureContainer(1, model.StateExited)
	tests := map[string]struct {
		readOnly bool
		journal  func(*fakeEngine) Journal
		want     error
	}{
		"read-only":           {true, func(e *fakeEngine) Journal { return &fakeJournal{engine: e} }, ErrReadOnly},
		"no journal":          {false, func(*fakeEngine) Journal { return nil }, ErrNoAudit},
		"journal that breaks": {false, func(e *fakeEngine) Journal { return &fakeJournal{engine: e, intentErr: errBroken} }, ErrNoAudit},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newFakeEngine(c)
			e.before["inspect"] = func(*fakeEngine, model.ID) { t.Error("the engine was asked") }
			actor := newActor(map[string]actingEngine{"test": e.acting()}, test.journal(e), ActorOptions{ReadOnly: test.readOnly})
			result, err := actor.Execute(t.Context(), planFor(model.ActionRemove, model.MethodRemove, c), nil)
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			want{model.OutcomeRefused, "nothing was sent", nil}.check(t, e, result.Targets[0])
		})
	}
}

func TestDryRunAsksNothing(t *testing.T) {
	c := fixtureContainer(1, model.StateExited)
	e := newFakeEngine(c)
	plan := planFor(model.ActionRemove, model.MethodRemove, c)
	plan.DryRun = true
	actor, journal := fakeActor(e, ActorOptions{})
	result, err := actor.Execute(t.Context(), plan, nil)
	if err != nil || result.Targets[0].Outcome != model.OutcomePlanned {
		t.Errorf("outcome %s, error %v", result.Targets[0].Outcome, err)
	}
	if len(e.changes)+len(journal.lines) > 0 {
		t.Errorf("asked for %v, wrote %v", e.changes, journal.lines)
	}
}

func TestJournalOrderAndProgress(t *testing.T) {
	var containers []model.Container
	for n := range 6 {
		containers = append(containers, fixtureContainer(n, model.StateExited))
	}
	e := newFakeEngine(containers...)
	actor, journal := fakeActor(e, ActorOptions{})
	plan := planFor(model.ActionRemove, model.MethodRemove, containers...)
	plan.Targets[5].Decision = model.DecisionSkip
	seen := map[model.ID][]model.Outcome{}
	result, err := actor.Execute(t.Context(), plan, func(target model.Target) {
		seen[target.ID] = append(seen[target.ID], target.Outcome)
	})
	if err != nil {
		t.Fatal(err)
	}
	if journal.lines[0] != "intent remove of 6 after 0 changes" {
		t.Errorf("first line %q", journal.lines[0])
	}
	if len(journal.lines) != 6 {
		t.Errorf("%d journal lines, want an intent and 5 results", len(journal.lines))
	}
	for i, target := range result.Targets {
		if target.ID != containers[i].ID {
			t.Errorf("target %d is out of order", i)
		}
		wanted := []model.Outcome{model.OutcomePlanned, model.OutcomeDone}
		if i == 5 {
			wanted = nil
		}
		if !slices.Equal(seen[target.ID], wanted) {
			t.Errorf("target %d reported %v, want %v", i, seen[target.ID], wanted)
		}
	}
	if plan.Targets[0].Outcome != model.OutcomePlanned {
		t.Error("the caller's plan was changed")
	}
}

func TestParallelism(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var containers []model.Container
		for n := range 9 {
			containers = append(containers, fixtureContainer(n, model.StateExited))
		}
		e := newFakeEngine(containers...)
		busy, most := 0, 0
		e.before["remove"] = func(e *fakeEngine, _ model.ID) {
			e.mu.Lock()
			busy++
			most = max(most, busy)
			e.mu.Unlock()
			<-time.After(time.Second)
			e.mu.Lock()
			busy--
			e.mu.Unlock()
		}
		actor, _ := fakeActor(e, ActorOptions{})
		if _, err := actor.Execute(t.Context(), planFor(model.ActionRemove, model.MethodRemove, containers...), nil); err != nil {
			t.Fatal(err)
		}
		if most != 4 {
			t.Errorf("%d at a time, want 4", most)
		}
	})
}

func TestCancelStopsWhatHasNotStarted(t *testing.T) {
	first, second := fixtureContainer(1, model.StateExited), fixtureContainer(2, model.StateExited)
	e := newFakeEngine(first, second)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e.before["remove"] = func(*fakeEngine, model.ID) { cancel() }
	actor, journal := fakeActor(e, ActorOptions{Parallel: 1})
	result, err := actor.Execute(ctx, planFor(model.ActionRemove, model.MethodRemove, first, second), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if result.Targets[0].Outcome != model.OutcomeDone {
		t.Errorf("the running call was not let to end: %s %s", result.Targets[0].Outcome, result.Targets[0].Error)
	}
	want{model.OutcomeSkipped, "not started: the action was cancelled", []string{"remove 000000000000"}}.check(t, e, result.Targets[1])
	if len(journal.lines) != 3 {
		t.Errorf("journal %q, want an intent and both results", journal.lines)
	}
}

func TestCancelGivesARunningCallItsGraceOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fixtureContainer(1, model.StateExited)
		e := newFakeEngine(c)
		ctx, cancel := context.WithCancel(t.Context())
		actor, journal := fakeActor(e, ActorOptions{})
		actor.engines["test"] = hangingEngine(e, cancel)
		began := time.Now()
		result, err := actor.Execute(ctx, planFor(model.ActionRemove, model.MethodRemove, c), nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took != quitGrace {
			t.Errorf("took %s, want %s", took, quitGrace)
		}
		want{model.OutcomeUnknown, "the program had to stop", nil}.check(t, e, result.Targets[0])
		if last := journal.lines[len(journal.lines)-1]; !strings.HasSuffix(last, "unknown") {
			t.Errorf("last journal line %q", last)
		}
	})
}

func TestEngineLossStopsTheRest(t *testing.T) {
	var containers []model.Container
	for n := range 5 {
		containers = append(containers, fixtureContainer(n, model.StateExited))
	}
	e := newFakeEngine(containers...)
	gone := fmt.Errorf("dial: %w", context.DeadlineExceeded)
	e.before["remove"] = func(e *fakeEngine, id model.ID) {
		if id == containers[1].ID {
			answer("remove", gone, false)(e)
			answer("inspect", gone, false)(e)
			answer("ping", gone, false)(e)
		}
	}
	actor, _ := fakeActor(e, ActorOptions{Parallel: 1})
	result, err := actor.Execute(t.Context(), planFor(model.ActionRemove, model.MethodRemove, containers...), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []model.Outcome
	for _, target := range result.Targets {
		got = append(got, target.Outcome)
	}
	wanted := []model.Outcome{model.OutcomeDone, model.OutcomeUnknown, model.OutcomeSkipped, model.OutcomeSkipped, model.OutcomeSkipped}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if last := result.Targets[4].Error; last != "not started: engine test no longer answers" {
		t.Errorf("last target says %q", last)
	}
}

func TestOneHungInspectLosesNoEngine(t *testing.T) {
	first, second := fixtureContainer(1, model.StateExited), fixtureContainer(2, model.StateExited)
	e := newFakeEngine(first, second)
	e.fault["inspect"] = func(_ *fakeEngine, id model.ID) (error, bool) {
		if id == first.ID {
			return fmt.Errorf("inspect: %w", context.DeadlineExceeded), false
		}
		return nil, true
	}
	actor, _ := fakeActor(e, ActorOptions{Parallel: 1})
	result, err := actor.Execute(t.Context(), planFor(model.ActionRemove, model.MethodRemove, first, second), nil)
	if err != nil || result.Targets[0].Outcome != model.OutcomeFailed || result.Targets[1].Outcome != model.OutcomeDone {
		t.Errorf("outcomes %s and %s, error %v", result.Targets[0].Outcome, result.Targets[1].Outcome, err)
	}
}

func TestLostAuditStopsTheRest(t *testing.T) {
	first, second := fixtureContainer(1, model.StateExited), fixtureContainer(2, model.StateExited)
	e := newFakeEngine(first, second)
	actor, journal := fakeActor(e, ActorOptions{Parallel: 1})
	journal.resultErr = errBroken
	result, err := actor.Execute(t.Context(), planFor(model.ActionRemove, model.MethodRemove, first, second), nil)
	if !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
	want{model.OutcomeSkipped, "the audit can no longer be written", []string{"remove 000000000000"}}.check(t, e, result.Targets[1])
}

func TestPanicReachesTheCaller(t *testing.T) {
	c := fixtureContainer(1, model.StateExited)
	e := newFakeEngine(c)
	e.before["remove"] = func(*fakeEngine, model.ID) { panic("a bug") }
	actor, _ := fakeActor(e, ActorOptions{})
	defer func() {
		if value := fmt.Sprint(recover()); !strings.Contains(value, "a bug") {
			t.Errorf("recovered %q", value)
		}
	}()
	_, _ = actor.Execute(t.Context(), planFor(model.ActionRemove, model.MethodRemove, c), nil)
	t.Error("no panic")
}
