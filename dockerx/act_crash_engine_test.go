//go:build linux

package dockerx

import (
	"net/http"
	"sync"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// TestEngineKilledDuringARemoval kills an engine while it takes a large layer
// away. What is left is called what it is, and the next removal takes it.
func TestEngineKilledDuringARemoval(t *testing.T) {
	private := enginetest.NewPrivate(t)
	e := &rig{Engine: private.Engine}
	spec := e.Sandbox("work", "default")
	spec.Command = []string{"sh", "-c", "i=0; while [ $i -lt 12000 ]; do : >/f$i; i=$((i+1)); done"}
	id := e.Run(t, spec)
	wait := e.Client.ContainerWait(t.Context(), string(id), client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-wait.Result:
	case err := <-wait.Error:
		t.Fatal(err)
	}
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{})
	plan := planFor(model.ActionRemove, model.MethodRemove, inspected(t, c, id)...)

	var once sync.Once
	killed := make(chan func(), 1)
	w.mu.Lock()
	w.gate = func(request *http.Request) {
		if request.Method != http.MethodDelete {
			return
		}
		once.Do(func() {
			go func() {
				for { // until the engine has begun
					answer, err := e.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{})
					if err != nil || answer.Container.State.Status != container.StateExited {
						break
					}
				}
				killed <- private.Kill(t)
			}()
		})
	}
	w.mu.Unlock()
	target := carryOut(t, actor, plan)[0]
	(<-killed)()

	actor, c = newWire(t, e.Host).connect(t, ActorOptions{})
	state := stateOf(t, e, id)
	t.Logf("reported as %s (%s), left as %s", target.Outcome, target.Error, state)
	switch {
	case state == "gone":
		if target.Outcome != model.OutcomeDone && target.Outcome != model.OutcomeUnknown {
			t.Errorf("it is gone, and reported as %s (%s)", target.Outcome, target.Error)
		}
	case target.Outcome == model.OutcomeDone:
		t.Errorf("it is %s, and reported as removed", state)
	default:
		mustOutcome(t, act(t, actor, c, model.ActionRemove, model.MethodRemove, id)[0], model.OutcomeDone, "")
		if left := stateOf(t, e, id); left != "gone" {
			t.Errorf("after the next removal it is %s", left)
		}
	}
}
