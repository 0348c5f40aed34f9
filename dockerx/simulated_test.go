package dockerx

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// simulate runs a test in virtual time on a simulated engine with one sandbox.
func simulate(t *testing.T, options simengine.Options, test func(*testing.T, *simengine.Engine, *watched)) {
	t.Helper()
	var simulated *simengine.Engine
	inBubble(t, func(e *memoryEngine) {
		simulated = simengine.New(options) // in the bubble, so that its waits count there
		e.handler = simulated
		if _, err := simulated.Add(simengine.Spec{Name: "hermes-1a2b3c4d", Labels: map[string]string{"hermes-agent": "1"}}); err != nil {
			t.Fatal(err)
		}
	}, func(t *testing.T, w *watched) {
		defer func() { _ = simulated.Close() }()
		test(t, simulated, w)
	})
}

func TestWatcherOnEveryKindOfEngine(t *testing.T) {
	cases := map[string]struct {
		options simengine.Options
		kind    string
	}{
		"oldest that works": {simengine.Options{APIVersion: "1.40"}, "docker"},
		"20.10":             {simengine.Options{APIVersion: "1.41"}, "docker"},
		"25":                {simengine.Options{APIVersion: "1.44"}, "docker"},
		"29":                {simengine.Options{APIVersion: "1.52"}, "docker"},
		"newer than we are": {simengine.Options{APIVersion: "1.99"}, "docker"},
		"podman":            {simengine.Options{Podman: true}, "podman"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			simulate(t, tt.options, func(t *testing.T, engine *simengine.Engine, w *watched) {
				w.wait(time.Second)
				if w.last.Engine.Kind != tt.kind || describe(t, w.last) != "live, row known, network known" {
					t.Fatalf("%s: %s, %+v", w.last.Engine.Kind, describe(t, w.last), w.last.Problems)
				}
				if err := engine.StopContainer("hermes-1a2b3c4d"); err != nil {
					t.Fatal(err)
				}
				w.wait(200 * time.Millisecond)
				if c := w.last.Containers[0]; c.State != model.StateExited || !c.FinishedAt.Known() || c.Pid != 0 {
					t.Errorf("after the stop: %+v", c)
				}
			})
		})
	}
}

func TestWatcherSeesNetworkChangesByOthers(t *testing.T) {
	simulate(t, simengine.Options{}, func(t *testing.T, engine *simengine.Engine, w *watched) {
		w.wait(time.Second)
		attached := func() string { return fmt.Sprint(w.last.Containers[0].Networks.Endpoints) }
		steps := map[bool]func(string, string) error{false: engine.DisconnectContainer, true: engine.ConnectContainer}
		for _, connected := range []bool{false, true} {
			if err := steps[connected]("bridge", "hermes-1a2b3c4d"); err != nil {
				t.Fatal(err)
			}
			w.wait(200 * time.Millisecond)
			if strings.Contains(attached(), "bridge") != connected {
				t.Errorf("connected %v, but attached to %s", connected, attached())
			}
		}
	})
}

func TestWatcherRecoversFromLostEvents(t *testing.T) {
	simulate(t, simengine.Options{}, func(t *testing.T, engine *simengine.Engine, w *watched) {
		w.wait(time.Second)
		engine.Faults().LoseEvents(true)
		if err := engine.DisconnectContainer("bridge", "hermes-1a2b3c4d"); err != nil {
			t.Fatal(err)
		}
		w.wait(30 * time.Second)
		if got := w.last.Containers[0]; len(got.Networks.Endpoints) != 0 || !got.Inspected {
			t.Errorf("half a minute later: %+v", got.Networks)
		}
	})
}

func TestWatcherFindsADowngradedEngine(t *testing.T) {
	simulate(t, simengine.Options{APIVersion: "1.44"}, func(t *testing.T, engine *simengine.Engine, w *watched) {
		w.wait(time.Second)
		engine.SetAPIVersion("1.30")
		engine.Faults().CutStreams()
		w.became(t, model.Down, 5*time.Second)
		if !strings.Contains(w.last.Engine.Error, "1.30") || !strings.Contains(w.last.Engine.Error, "1.40") {
			t.Errorf("error %q names not both versions", w.last.Engine.Error)
		}
		engine.SetAPIVersion("1.41")
		w.became(t, model.Live, 15*time.Second)
		if w.last.Engine.APIVersion != "1.41" {
			t.Errorf("API version %s", w.last.Engine.APIVersion)
		}
	})
}

func TestManySandboxesAreShownBeforeAllAreInspected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulated := simengine.New(simengine.Options{})
		t.Cleanup(func() { _ = simulated.Close() })
		if err := simulated.Populate(500); err != nil {
			t.Fatal(err)
		}
		simulated.Faults().Set(simengine.Inspect, simengine.Fault{Kind: simengine.Latency, Delay: 100 * time.Millisecond})
		engine := newMemoryEngine(t)
		engine.handler = simulated
		w := &watched{memoryEngine: engine, watcher: NewWatcher(engine.client(t), WatchOptions{})}
		runWatcher(t, w.watcher)
		w.wait(400 * time.Millisecond)
		if len(w.last.Containers) == 0 || w.last.Containers[len(w.last.Containers)-1].Inspected {
			t.Fatalf("%d rows at first, engine %+v", len(w.last.Containers), w.last.Engine)
		}
		w.wait(30 * time.Second)
		for _, c := range w.last.Containers {
			if !c.Inspected {
				t.Fatalf("%s in the end: %s", c.ID.Short(), c.InspectError)
			}
		}
	})
}

// A label may be larger than what readers of lines take by themselves, and comes
// with every event of its container.
func TestWatcherTakesEventsOfHugeLabels(t *testing.T) {
	simulate(t, simengine.Options{}, func(t *testing.T, engine *simengine.Engine, w *watched) {
		w.wait(time.Second)
		streams := len(engine.RequestsOf(simengine.Events))
		for i := range 10 {
			name := fmt.Sprintf("hermes-0000000%d", i)
			labels := map[string]string{"hermes-agent": "1", "big": strings.Repeat("x", 100_000)}
			if _, err := engine.Add(simengine.Spec{Name: name, Labels: labels}); err != nil {
				t.Fatal(err)
			}
			if err := engine.StopContainer(name); err != nil {
				t.Fatal(err)
			}
		}
		w.wait(500 * time.Millisecond)
		exited := 0
		for i := range w.last.Containers {
			if w.last.Containers[i].State == model.StateExited {
				exited++
			}
		}
		if exited != 10 || w.last.Engine.State != model.Live {
			t.Errorf("%d exited ones are seen, the engine is %s: %s", exited, w.last.Engine.State, w.last.Engine.Error)
		}
		if again := len(engine.RequestsOf(simengine.Events)); again != streams {
			t.Errorf("the event stream was opened %d times more", again-streams)
		}
	})
}
