package dockerx

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// TestChangesAmongManyAreShownBeforeTheList has lists take longer than anybody
// waits: what an event told of is shown all the same, and so is what came and
// went.
func TestChangesAmongManyAreShownBeforeTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulated := simengine.New(simengine.Options{})
		t.Cleanup(func() { _ = simulated.Close() })
		if err := simulated.Populate(manySandboxes + 1); err != nil {
			t.Fatal(err)
		}
		engine := newMemoryEngine(t)
		engine.handler = simulated
		w := &watched{memoryEngine: engine, watcher: NewWatcher(engine.client(t), WatchOptions{})}
		runWatcher(t, w.watcher)
		w.wait(10 * time.Second)
		named := func(name string) *model.Container {
			at := slices.IndexFunc(w.last.Containers, func(c *model.Container) bool { return c.Name.Raw() == name })
			if at < 0 {
				return nil
			}
			return w.last.Containers[at]
		}
		if c := named("hermes-00000003"); w.last.Engine.State != model.Live || c == nil || c.State != model.StateExited {
			t.Fatalf("at first %+v, engine %+v", c, w.last.Engine)
		}

		simulated.Faults().Set(simengine.List, simengine.Fault{Kind: simengine.Latency, Delay: 3 * time.Second})
		if err := simulated.StartContainer("hermes-00000003"); err != nil {
			t.Fatal(err)
		}
		w.wait(500 * time.Millisecond)
		if c := named("hermes-00000003"); c.State != model.StateRunning || !c.Status.Empty() {
			t.Errorf("half a second after its start it is %s, %q", c.State, c.Status.Raw())
		}

		made := simengine.Spec{Name: "hermes-0badcafe", Labels: map[string]string{
			"hermes-agent": "1", "hermes-profile": "default", "hermes-task-id": "new",
		}}
		if _, err := simulated.Add(made); err != nil {
			t.Fatal(err)
		}
		w.wait(500 * time.Millisecond)
		if c := w.last.Containers[0]; c.Name.Raw() != "hermes-0badcafe" || !c.Inspected {
			t.Errorf("the newest is %+v", c)
		}
		if err := simulated.RemoveContainer("hermes-00000004"); err != nil {
			t.Fatal(err)
		}
		w.wait(500 * time.Millisecond)
		if c := named("hermes-00000004"); c != nil {
			t.Errorf("still there: %+v", c)
		}

		simulated.Faults().Clear()
		w.wait(time.Minute)
		c := named("hermes-00000003")
		if len(w.last.Containers) != manySandboxes+1 || c.Status.Empty() || named("hermes-0badcafe") == nil {
			t.Errorf("in the end %d sandboxes, %+v", len(w.last.Containers), c)
		}
	})
}
