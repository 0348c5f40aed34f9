package dockerx

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// stateOf asks the engine past the code under test; "gone" when there is no
// such container.
func stateOf(t testing.TB, e *rig, id model.ID) string {
	t.Helper()
	answer, err := e.Client.ContainerInspect(context.WithoutCancel(t.Context()), string(id), client.ContainerInspectOptions{})
	if errdefs.IsNotFound(err) {
		return "gone"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(answer.Container.State.Status)
}

func sandboxIn(t testing.TB, e *rig, state model.State, edit ...func(*enginetest.Spec)) model.ID {
	t.Helper()
	spec := e.Sandbox("work", "default")
	spec.Created = state == model.StateCreated
	for _, change := range edit {
		change(&spec)
	}
	id := e.Run(t, spec)
	switch state {
	case model.StateExited:
		e.Stop(t, id)
	case model.StatePaused:
		if _, err := e.Client.ContainerPause(t.Context(), string(id), client.ContainerPauseOptions{}); err != nil {
			t.Fatal(err)
		}
	default:
	}
	return id
}

func TestEngineRemove(t *testing.T) { onEachEngine(t, engineRemove) }

func engineRemove(t *testing.T, e *rig) {
	tests := map[string]struct {
		state  model.State
		method model.Method
		query  string
	}{
		"exited":           {model.StateExited, model.MethodRemove, ""},
		"created":          {model.StateCreated, model.MethodRemove, ""},
		"running by force": {model.StateRunning, model.MethodRemoveForce, "?force=1"},
		"paused by force":  {model.StatePaused, model.MethodRemoveForce, "?force=1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, e.Host)
			actor, c := w.connect(t, ActorOptions{})
			id := sandboxIn(t, e, test.state)
			target := act(t, actor, c, model.ActionRemove, test.method, id)[0]
			mustOutcome(t, target, model.OutcomeDone, "")
			if got := stateOf(t, e, id); got != "gone" {
				t.Errorf("it is %s", got)
			}
			if got, wanted := w.changes(), []string{"DELETE /containers/" + string(id) + test.query}; !slices.Equal(got, wanted) {
				t.Errorf("sent %q, want %q", got, wanted)
			}
			w.checkRequests(t)
		})
	}
}

// TestEngineRemoveInTheGap lets another client act while our request is held
// between the re-inspect and the engine.
func TestEngineRemoveInTheGap(t *testing.T) { onEachEngine(t, engineRemoveInTheGap) }

func engineRemoveInTheGap(t *testing.T, e *rig) {
	tests := map[string]struct {
		state   model.State
		method  model.Method
		inspect bool // the gap is before the re-inspect
		other   func(t *testing.T, id model.ID) (innocent model.ID)
		outcome model.Outcome
		says    string
		after   string
		sends   int
	}{
		"started": {
			model.StateExited, model.MethodRemove, false,
			func(t *testing.T, id model.ID) model.ID { e.Start(t, id); return "" },
			model.OutcomeSkipped, "kept: it was started again and is running", "running", 1,
		},
		"started before the re-inspect": {
			model.StateExited, model.MethodRemove, true,
			func(t *testing.T, id model.ID) model.ID { e.Start(t, id); return "" },
			model.OutcomeSkipped, "it was exited and is running", "running", 0,
		},
		"restarted before the re-inspect, by force": {
			model.StateRunning, model.MethodRemoveForce, true,
			func(t *testing.T, id model.ID) model.ID { e.Stop(t, id); e.Start(t, id); return "" },
			model.OutcomeSkipped, "it was started again", "running", 0,
		},
		"removed": {
			model.StateExited, model.MethodRemove, false,
			func(t *testing.T, id model.ID) model.ID { e.Remove(t, id); return "" },
			model.OutcomeDone, "another removal was faster", "gone", 1,
		},
		"removed before the re-inspect": {
			model.StateExited, model.MethodRemove, true,
			func(t *testing.T, id model.ID) model.ID { e.Remove(t, id); return "" },
			model.OutcomeDone, "already gone", "gone", 0,
		},
		"replaced under its name": {
			model.StateExited, model.MethodRemove, false,
			func(t *testing.T, id model.ID) model.ID { return replace(t, e, id) },
			model.OutcomeDone, "another removal was faster", "gone", 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, e.Host)
			actor, c := w.connect(t, ActorOptions{})
			id := sandboxIn(t, e, test.state)
			plan := planFor(model.ActionRemove, test.method, inspected(t, c, id)...)
			var innocent model.ID
			hook := func() { innocent = test.other(t, id) }
			if test.inspect {
				w.beforeInspect(hook)
			} else {
				w.before(hook)
			}
			mustOutcome(t, carryOut(t, actor, plan)[0], test.outcome, test.says)
			if got := stateOf(t, e, id); got != test.after {
				t.Errorf("it is %s, want %s", got, test.after)
			}
			if innocent != "" && stateOf(t, e, innocent) != "running" {
				t.Error("the container that took over the name was touched")
			}
			if got := w.changes(); len(got) != test.sends {
				t.Errorf("sent %q, want %d requests", got, test.sends)
			}
			w.checkRequests(t)
		})
	}
}

// replace removes a container and starts another under its name.
func replace(t testing.TB, e *rig, id model.ID) model.ID {
	t.Helper()
	answer, err := e.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e.Remove(t, id)
	spec := e.Sandbox("work", "default")
	spec.Name = strings.TrimPrefix(answer.Container.Name, "/")
	return e.Run(t, spec)
}

func TestEngineStates(t *testing.T) { onEachEngine(t, engineStates) }

func engineStates(t *testing.T, e *rig) {
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{})
	id := sandboxIn(t, e, model.StateCreated)
	for _, step := range []struct {
		method model.Method
		after  string
	}{
		{model.MethodStart, "running"},
		{model.MethodPause, "paused"},
		{model.MethodUnpause, "running"},
		{model.MethodPause, "paused"},
		{model.MethodStop, "exited"},
		{model.MethodStart, "running"},
		{model.MethodStop, "exited"},
	} {
		target := act(t, actor, c, model.Action(step.method), step.method, id)[0]
		mustOutcome(t, target, model.OutcomeDone, "")
		if got := stateOf(t, e, id); got != step.after {
			t.Fatalf("after %s it is %s, want %s", step.method, got, step.after)
		}
	}
	w.checkRequests(t)
}

func TestEngineStartThatCannotWork(t *testing.T) {
	e := realEngine(t)
	actor, c := newWire(t, e.Host).connect(t, ActorOptions{})
	missing := sandboxIn(t, e, model.StateCreated, func(s *enginetest.Spec) { s.Command = []string{"/no/such/program"} })
	mustOutcome(t, act(t, actor, c, model.ActionStart, model.MethodStart, missing)[0], model.OutcomeFailed, "no/such/program")
}

func TestEngineReapOfARunningOne(t *testing.T) { onEachEngine(t, engineReapOfARunningOne) }

func engineReapOfARunningOne(t *testing.T, e *rig) {
	tests := map[string]struct {
		busy    bool
		setup   func(t *testing.T, w *wire, id model.ID)
		outcome model.Outcome
		says    string
		after   string
		sends   int
	}{
		"idle":               {false, nil, model.OutcomeDone, "", "gone", 2},
		"an exec runs in it": {true, nil, model.OutcomeSkipped, "a command runs in it", "running", 0},
		"started again right after the stop": {
			false,
			func(t *testing.T, w *wire, id model.ID) {
				w.gate = func(r *http.Request) {
					if r.Method == http.MethodDelete {
						e.Start(t, id)
					}
				}
			},
			model.OutcomePartial, "kept", "running", 2,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, e.Host)
			actor, c := w.connect(t, ActorOptions{})
			id := sandboxIn(t, e, model.StateRunning)
			if test.busy {
				e.begin(t, id)
			}
			if test.setup != nil {
				test.setup(t, w, id)
			}
			target := act(t, actor, c, model.ActionReap, model.MethodStopRemove, id)[0]
			mustOutcome(t, target, test.outcome, test.says)
			if got := stateOf(t, e, id); got != test.after {
				t.Errorf("it is %s, want %s", got, test.after)
			}
			changes := w.changes()
			if len(changes) != test.sends {
				t.Errorf("sent %q, want %d requests", changes, test.sends)
			}
			for _, change := range changes {
				if strings.Contains(change, "force") {
					t.Errorf("reap sent %s", change)
				}
			}
			w.checkRequests(t)
		})
	}
}

// TestEngineSelfRemoval meets containers whose engine removes them when they
// stop: conflict and absence both mean that they are going.
func TestEngineSelfRemoval(t *testing.T) { onEachEngine(t, engineSelfRemoval) }

func engineSelfRemoval(t *testing.T, e *rig) {
	tests := map[string]struct {
		action model.Action
		method model.Method
	}{
		"stop":        {model.ActionStop, model.MethodStop},
		"stop-remove": {model.ActionReap, model.MethodStopRemove},
		"remove":      {model.ActionRemove, model.MethodRemoveForce},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			actor, c := newWire(t, e.Host).connect(t, ActorOptions{})
			made, err := e.Client.ContainerCreate(t.Context(), client.ContainerCreateOptions{
				Config: &container.Config{
					Image: e.Image, Cmd: []string{"sleep", "infinity"}, StopTimeout: new(0),
					Labels: map[string]string{enginetest.TestLabel: e.Mark},
				},
				HostConfig: &container.HostConfig{AutoRemove: true},
			})
			if err != nil {
				t.Fatal(err)
			}
			id := model.ID(made.ID)
			e.Start(t, id)
			target := act(t, actor, c, test.action, test.method, id)[0]
			gone := stateOf(t, e, id) == "gone"
			switch target.Outcome {
			case model.OutcomeDone:
				if !gone && test.method != model.MethodStop {
					t.Error("reported as done, but it is still there")
				}
			default:
				t.Errorf("outcome %s (%s)", target.Outcome, target.Error)
			}
		})
	}
}

func TestEngineRemoveVolumes(t *testing.T) { onEachEngine(t, engineRemoveVolumes) }

func engineRemoveVolumes(t *testing.T, e *rig) {
	tests := map[string]struct{ volumes bool }{"kept by default": {false}, "removed when asked": {true}}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, e.Host)
			actor, c := w.connect(t, ActorOptions{})
			id, volume := withAnonymousVolume(t, e)
			plan := planFor(model.ActionRemove, model.MethodRemove, inspected(t, c, id)...)
			plan.Targets[0].Volumes = test.volumes
			mustOutcome(t, carryOut(t, actor, plan)[0], model.OutcomeDone, "")
			_, err := e.Client.VolumeInspect(t.Context(), volume, client.VolumeInspectOptions{})
			if errdefs.IsNotFound(err) != test.volumes {
				t.Errorf("inspect of the anonymous volume: %v", err)
			}
		})
	}
}

func withAnonymousVolume(t testing.TB, e *rig) (model.ID, string) {
	t.Helper()
	made, err := e.Client.ContainerCreate(t.Context(), client.ContainerCreateOptions{Config: &container.Config{
		Image: e.Image, Cmd: []string{"true"}, Labels: map[string]string{enginetest.TestLabel: e.Mark}, Volumes: map[string]struct{}{"/data": {}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := e.Client.ContainerInspect(t.Context(), made.ID, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	volume := answer.Container.Mounts[0].Name
	t.Cleanup(func() {
		_, err := e.Client.VolumeRemove(context.WithoutCancel(t.Context()), volume, client.VolumeRemoveOptions{})
		if err != nil && !errdefs.IsNotFound(err) {
			t.Error(err)
		}
	})
	return model.ID(made.ID), volume
}

// TestEngineReadOnly goes past the actor's own refusal: the transport alone
// must let no change through.
func TestEngineReadOnly(t *testing.T) { onEachEngine(t, engineReadOnly) }

func engineReadOnly(t *testing.T, e *rig) {
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{Cuts: newFakeStore()}, ReadOnly())
	running, exited := sandboxIn(t, e, model.StateRunning), sandboxIn(t, e, model.StateExited)
	for method, id := range map[model.Method]model.ID{
		model.MethodRemove: exited, model.MethodStart: exited, model.MethodRemoveForce: running, model.MethodStopRemove: running,
		model.MethodStop: running, model.MethodPause: running, model.MethodCut: running,
	} {
		target := act(t, actor, c, model.ActionRemove, method, id)[0]
		if target.Outcome != model.OutcomeRefused || !strings.Contains(target.Error, "read-only") {
			t.Errorf("%s: outcome %s (%s)", method, target.Outcome, target.Error)
		}
	}
	if got := w.changes(); len(got) > 0 {
		t.Errorf("a read-only client sent %q", got)
	}
	if stateOf(t, e, running) != "running" || stateOf(t, e, exited) != "exited" {
		t.Error("something was changed")
	}
}

func TestEngineBulkStopsWhenCancelled(t *testing.T) { onEachEngine(t, engineBulkStopsWhenCancelled) }

func engineBulkStopsWhenCancelled(t *testing.T, e *rig) {
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{Parallel: 1})
	var ids []model.ID
	for range 3 {
		ids = append(ids, sandboxIn(t, e, model.StateCreated))
	}
	plan := planFor(model.ActionRemove, model.MethodRemove, inspected(t, c, ids...)...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.before(cancel)
	result, err := actor.Execute(ctx, plan, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	mustOutcome(t, result.Targets[0], model.OutcomeDone, "")
	for i, wanted := range []string{"gone", "created", "created"} {
		if got := stateOf(t, e, ids[i]); got != wanted {
			t.Errorf("target %d is %s, want %s", i, got, wanted)
		}
	}
	mustOutcome(t, result.Targets[2], model.OutcomeSkipped, "not started")
}
