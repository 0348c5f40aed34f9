//go:build linux

package dockerx

import (
	"testing"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// TestEngineCutOutlivesTheEngine cuts sandboxes off, restarts the container and
// then the engine itself, and looks at what is attached, past the code under
// test, and at what the kernel shows.
func TestEngineCutOutlivesTheEngine(t *testing.T) {
	private := enginetest.NewPrivate(t)
	e := &rig{Engine: private.Engine, kernel: true}
	work := e.Network(t, "work", false, nil)
	always := func(s *enginetest.Spec) { s.Restart = "always" }
	tests := map[string]struct {
		state  model.State
		spec   func(*enginetest.Spec)
		second bool // on two networks
		after  model.State
	}{
		"running, started by the engine":      {state: model.StateRunning, spec: always, after: model.StateRunning},
		"two networks, started by the engine": {state: model.StateRunning, spec: always, second: true, after: model.StateRunning},
		"running":                             {state: model.StateRunning, second: true, after: model.StateExited},
		"exited":                              {state: model.StateExited, after: model.StateExited},
		"created":                             {state: model.StateCreated, after: model.StateCreated},
	}
	store, ids := newFakeStore(), map[string]model.ID{}
	actor, c := newWire(t, e.Host).connect(t, ActorOptions{Cuts: store})
	for name, test := range tests {
		var edits []func(*enginetest.Spec)
		if test.spec != nil {
			edits = append(edits, test.spec)
		}
		id := sandboxIn(t, e, test.state, edits...)
		if test.second {
			join(t, e, work, id)
		}
		mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "")
		if test.state == model.StateRunning {
			restart(t, e, id)
		}
		ids[name] = id
	}

	private.Restart(t)

	actor, c = newWire(t, e.Host).connect(t, ActorOptions{Cuts: store})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			id := ids[name]
			if got := stateOf(t, e, id); got != string(test.after) {
				t.Errorf("after the restart of the engine it is %s, want %s", got, test.after)
			}
			if test.after != model.StateRunning {
				e.Start(t, id)
			}
			if got := attachedOf(t, e, id); got != "none" {
				t.Errorf("attached to %q", got)
			}
			view := c.kernelView(inspected(t, c, id)[0])
			if view == nil || view.Problem != "" {
				t.Fatalf("the kernel's view: %+v", view)
			}
			for _, i := range view.Interfaces {
				if i.Counts() {
					t.Errorf("the kernel shows %s", i.Name)
				}
			}
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, model.MethodReconnect, id)[0], model.OutcomeDone, "")
			want := "bridge"
			if test.second {
				want = "bridge work"
			}
			if got := attachedOf(t, e, id); got != want {
				t.Errorf("after the reconnect attached to %q, want %q", got, want)
			}
		})
	}
}
