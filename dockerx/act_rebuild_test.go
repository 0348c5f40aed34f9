package dockerx

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// rebuildScene is one sandbox on a simulated engine, with a plan to rebuild it.
type rebuildScene struct {
	engine *simengine.Engine
	rig    *rig
	actor  *Actor
	client *Client
	store  *fakeStore
	id     model.ID
	plan   model.Plan
}

func newRebuildScene(t *testing.T, spec simengine.Spec) *rebuildScene {
	t.Helper()
	engine, e := simulation(t)
	spec.Name, spec.Image = "target", e.Image
	spec.Labels = map[string]string{"hermes-agent": "1", "hermes-profile": "work", "hermes-task-id": "default", "odd key": "1"}
	id, err := engine.Add(spec)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(Endpoint{Name: "test", Host: engine.Host()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := &rebuildScene{engine: engine, rig: e, client: c, store: newFakeStore(), id: model.ID(id)}
	s.actor = NewActor(map[string]*Client{"test": c}, &fakeJournal{engine: newFakeEngine()}, ActorOptions{
		Cuts: s.store, CallTimeout: 300 * time.Millisecond, CommitTimeout: 300 * time.Millisecond, Grace: time.Millisecond,
		Own: func(model.ID) bool { return false },
	})
	s.plan = planFor(model.ActionLockdownOn, model.MethodRebuild, inspected(t, c, s.id)...)
	engine.ForgetRequests()
	return s
}

// sent are the changes that were asked for, with short words for the IDs.
func (s *rebuildScene) sent() []string {
	var out []string
	for _, r := range s.engine.Requests() {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			continue
		}
		who := "twin"
		if strings.Contains(r.Path, string(s.id)) || r.Query.Get("container") == string(s.id) {
			who = "old"
		}
		switch word := string(r.Operation); r.Operation {
		case simengine.Create, simengine.Rename:
			out = append(out, word+" "+r.Query.Get("name"))
		case simengine.ImageRemove:
			out = append(out, word)
		case simengine.Remove:
			out = append(out, strings.TrimSpace(word+" "+who+" "+strings.ReplaceAll(r.Query.Encode(), "force=1", "force")))
		default:
			out = append(out, word+" "+who)
		}
	}
	return out
}

// truth is what there is now, as "name state" for the old one and the twin, and
// "image" for an image of ours.
func (s *rebuildScene) truth(t *testing.T) string {
	t.Helper()
	list, err := s.rig.Client.ContainerList(context.WithoutCancel(t.Context()), client.ContainerListOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range list.Items {
		who := "twin"
		if c.ID == string(s.id) {
			who = "old"
		}
		out = append(out, who+" "+strings.TrimPrefix(c.Names[0], "/")+" "+string(c.State))
	}
	slices.Sort(out)
	if imageThere(t, s.rig, imageOf(s.id)) {
		out = append(out, "image")
	}
	return strings.Join(out, ", ")
}

func refusing(times int) simengine.Fault {
	return simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusInternalServerError, Message: "made up \x1b[31m", Times: times}
}

// meanwhile lets another client act right before an operation that when accepts
// (nil: the first one).
func (s *rebuildScene) meanwhile(t *testing.T, op simengine.Operation, when func(simengine.Request) bool, act func() error) {
	t.Helper()
	gate := s.engine.Faults().Gate(op, when)
	go func() {
		defer gate.Open()
		select {
		case <-gate.Arrived():
			if err := act(); err != nil {
				t.Error(err)
			}
		case <-t.Context().Done():
		}
	}()
}

func TestRebuildFaults(t *testing.T) {
	faults := func(pairs ...any) func(*testing.T, *rebuildScene) {
		return func(_ *testing.T, s *rebuildScene) {
			for i := 0; i < len(pairs); i += 2 {
				s.engine.Faults().Set(pairs[i].(simengine.Operation), pairs[i+1].(simengine.Fault))
			}
		}
	}
	const (
		asBefore = "old target running"
		replaced = "twin target running, image"
	)
	// of narrows a fault to the old container or to the twin.
	of := func(old bool, fault simengine.Fault, id func() model.ID) simengine.Fault {
		fault.When = func(r simengine.Request) bool { return strings.Contains(r.Path, string(id())) == old }
		return fault
	}
	var scene *rebuildScene
	old := func() model.ID { return scene.id }
	nth := func(n int, fault simengine.Fault) simengine.Fault {
		seen := 0
		when := fault.When
		fault.When = func(r simengine.Request) bool {
			if when != nil && !when(r) {
				return false
			}
			seen++
			return seen >= n
		}
		return fault
	}
	lost, silent := simengine.Fault{Kind: simengine.Reset, Times: 1}, simengine.Fault{Kind: simengine.Silence, Times: 1}
	begun := []string{"stop old", "commit old", "rename target-hs-old", "create target", "start twin"}
	undone := []string{"remove twin force", "rename target", "start old", "image-remove"}
	tests := map[string]struct {
		arrange func(*testing.T, *rebuildScene)
		outcome model.Outcome
		says    string
		truth   string
		sent    []string
	}{
		"inspect": {
			faults(simengine.Inspect, nth(2, refusing(0))), model.OutcomeFailed, "its configuration could not be read whole", asBefore, nil,
		},
		"stop": {
			faults(simengine.Stop, refusing(1)), model.OutcomeFailed, "stop: the stop had no effect", asBefore, begun[:1],
		},
		"stop without an answer": {
			faults(simengine.Stop, silent), model.OutcomeUnknown, "may still take effect", asBefore, begun[:1],
		},
		"commit": {
			faults(simengine.Commit, refusing(1)), model.OutcomeFailed, "taken back: started again", asBefore,
			slices.Concat(begun[:2], undone[2:]),
		},
		"commit without an answer": {
			faults(simengine.Commit, silent), model.OutcomeFailed, "may still appear", asBefore,
			slices.Concat(begun[:2], undone[2:]),
		},
		"commit whose answer was lost": {
			faults(simengine.Commit, lost), model.OutcomeFailed, "taken back: started again, the image removed", asBefore,
			slices.Concat(begun[:2], undone[2:]),
		},
		"look at the image": {
			faults(simengine.ImageInspect, refusing(1)), model.OutcomeFailed, "commit: inspect image", asBefore,
			slices.Concat(begun[:2], undone[2:]),
		},
		"rename": {
			faults(simengine.Rename, refusing(1)), model.OutcomeFailed, "rename: rename container", asBefore,
			slices.Concat(begun[:3], undone[2:]),
		},
		"rename whose answer was lost": {
			faults(simengine.Rename, lost), model.OutcomeDone, "", replaced,
			slices.Concat(begun, []string{"remove old"}),
		},
		"create": {
			faults(simengine.Create, refusing(1)), model.OutcomeFailed, "taken back: the name given back, started again, the image removed", asBefore,
			slices.Concat(begun[:4], undone[1:]),
		},
		"create without an answer": {
			faults(simengine.Create, silent), model.OutcomeUnknown, "may still take effect", asBefore,
			slices.Concat(begun[:4], undone[1:]),
		},
		"create whose answer was lost": {
			faults(simengine.Create, lost), model.OutcomeFailed, "taken back: the twin removed, the name given back", asBefore,
			slices.Concat(begun[:4], undone),
		},
		"start": {
			faults(simengine.Start, refusing(1)), model.OutcomeFailed, "start the twin: the start had no effect", asBefore,
			slices.Concat(begun, undone),
		},
		"look at the twin": {
			faults(simengine.Inspect, of(false, refusing(1), old)), model.OutcomeFailed, "start the twin: ", asBefore,
			slices.Concat(begun[:4], undone),
		},
		"compare": {
			func(_ *testing.T, s *rebuildScene) {
				s.engine.Faults().Set(simengine.Inspect, nth(3, of(false, refusing(1), old)))
			}, model.OutcomeFailed, "compare the twin: inspect container", asBefore,
			slices.Concat(begun, undone),
		},
		"the twin is connected by another": {
			func(t *testing.T, s *rebuildScene) {
				third := nth(3, of(false, simengine.Fault{}, old))
				s.meanwhile(t, simengine.Inspect, third.When, func() error {
					return errors.Join(s.engine.DisconnectContainer("none", "target"), s.engine.ConnectContainer("bridge", "target"))
				})
			}, model.OutcomeFailed, `it is attached to "bridge"`, asBefore,
			slices.Concat(begun, undone),
		},
		"removal": {
			faults(simengine.Remove, refusing(1)), model.OutcomeFailed, "remove the old one: it was not removed", asBefore,
			slices.Concat(begun, []string{"remove old"}, undone),
		},
		"removal whose answer was lost": {
			faults(simengine.Remove, lost), model.OutcomeDone, "", replaced,
			slices.Concat(begun, []string{"remove old"}),
		},
		"removal without an answer": {
			faults(simengine.Remove, silent), model.OutcomeUnknown, "the twin is in place as target", "old target-hs-old exited, " + replaced,
			slices.Concat(begun, []string{"remove old"}),
		},
		"the old one is started by another": {
			func(t *testing.T, s *rebuildScene) {
				s.meanwhile(t, simengine.Create, nil, func() error { return s.engine.StartContainer(string(s.id)) })
			}, model.OutcomeFailed, "another started it again", asBefore,
			slices.Concat(begun, []string{"remove twin force", "rename target", "image-remove"}),
		},
		"the old one is removed by another": {
			func(t *testing.T, s *rebuildScene) {
				s.meanwhile(t, simengine.Start, nil, func() error { return s.engine.RemoveContainer(string(s.id)) })
			}, model.OutcomeDone, "another removed the old one", replaced, begun,
		},
		"the old one is removed by another before it has a twin": {
			func(t *testing.T, s *rebuildScene) {
				s.meanwhile(t, simengine.Rename, nil, func() error { return s.engine.RemoveContainer(string(s.id)) })
			}, model.OutcomePartial, "what was committed of it is in image", "image", begun[:3],
		},
		"the old one is removed by another and its twin cannot start": {
			func(t *testing.T, s *rebuildScene) {
				s.engine.Faults().Set(simengine.Start, refusing(1))
				s.meanwhile(t, simengine.Create, nil, func() error { return s.engine.RemoveContainer(string(s.id)) })
			}, model.OutcomePartial, "the twin was kept as target", "twin target created, image", begun,
		},
		"another takes the name": {
			func(t *testing.T, s *rebuildScene) {
				s.meanwhile(t, simengine.Create, nil, func() error {
					_, err := s.engine.Add(simengine.Spec{Name: "target"})
					return err
				})
			}, model.OutcomePartial, "not taken back: the name given back", "old target-hs-old running, twin target running",
			slices.Concat(begun[:4], undone[1:]),
		},
		"the twin cannot be removed again": {
			faults(simengine.Start, refusing(1), simengine.Remove, refusing(0)), model.OutcomePartial, "not taken back: the twin removed",
			"old target-hs-old running, twin target created, image",
			slices.Concat(begun, undone),
		},
		"it cannot be started again": {
			faults(simengine.Start, refusing(0)), model.OutcomePartial, "it is exited and called target", "old target exited",
			slices.Concat(begun, undone),
		},
		"the image cannot be removed": {
			faults(simengine.Create, refusing(0), simengine.ImageRemove, refusing(0)), model.OutcomePartial, "not taken back: the image removed", asBefore + ", image",
			slices.Concat(begun[:4], undone[1:]),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRebuildScene(t, simengine.Spec{})
			scene = s
			test.arrange(t, s)
			target := carryOut(t, s.actor, s.plan)[0]
			s.engine.Faults().Clear()
			mustOutcome(t, target, test.outcome, test.says)
			if strings.ContainsRune(target.Error, 0x1b) {
				t.Errorf("raw control characters in %q", target.Error)
			}
			if got := s.truth(t); got != test.truth {
				t.Errorf("now there is %s, want %s (%s)", got, test.truth, target.Error)
			}
			if diff := cmp.Diff(test.sent, s.sent()); diff != "" {
				t.Errorf("requests (%s):\n%s", target.Error, diff)
			}
			if kept := strings.Contains(test.truth, "twin target") && name != "another takes the name" && name != "the twin cannot be removed again"; kept != target.NewID.Valid() {
				t.Errorf("new ID %q", target.NewID)
			}
		})
	}
}

// TestRebuildSurvivesEveryFault breaks every call in every way, for good or
// once. What is reported must agree with what is true, and whatever happens the
// files are still in a container.
func TestRebuildSurvivesEveryFault(t *testing.T) {
	operations := []simengine.Operation{
		simengine.Stop, simengine.Commit, simengine.ImageInspect, simengine.Rename, simengine.Create, simengine.Start,
		simengine.Inspect, simengine.Remove,
	}
	for _, op := range operations {
		for name, fault := range inspectFaults() {
			for times, often := range []string{"always", "once"} {
				t.Run(string(op)+"/"+name+"/"+often, func(t *testing.T) {
					t.Parallel()
					s := newRebuildScene(t, simengine.Spec{})
					fault := fault // each run has its own
					fault.Times = times
					if op == simengine.Inspect {
						var inspects atomic.Int32
						fault.When = func(simengine.Request) bool { return inspects.Add(1) > 3 }
					}
					s.engine.Faults().Set(op, fault)
					s.judge(t, carryOut(t, s.actor, s.plan)[0])
				})
			}
		}
	}
}

func (s *rebuildScene) judge(t *testing.T, target model.Target) {
	t.Helper()
	s.engine.Faults().Clear()
	truth := s.truth(t)
	if !strings.Contains(truth, "old target") && !strings.Contains(truth, "twin target") {
		t.Fatalf("it is lost: %q (%s, %s)", truth, target.Outcome, target.Error)
	}
	switch target.Outcome {
	case model.OutcomeDone:
		if truth != "twin target running, image" {
			t.Errorf("reported as done, but there is %s", truth)
		}
	case model.OutcomeFailed, model.OutcomeSkipped, model.OutcomeRefused:
		if truth != "old target running" {
			t.Errorf("reported as %s (%s), but there is %s", target.Outcome, target.Error, truth)
		}
	case model.OutcomePartial:
		if truth == "twin target running, image" || truth == "old target running" {
			t.Errorf("reported as partial (%s), but there is %s", target.Error, truth)
		}
	case model.OutcomeUnknown:
	default:
		t.Errorf("outcome %q", target.Outcome)
	}
	if target.Outcome != model.OutcomeDone && target.Error == "" || strings.ContainsRune(target.Error, 0x1b) {
		t.Errorf("explained as %q", target.Error)
	}
}
