package ui

import (
	"slices"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// TestPlanWithoutAnythingToConfirmFollowsTheFleet opens plans for a sandbox
// whose inspect has not come: once it has, the plan can be confirmed, though not
// by keys typed before that showed.
func TestPlanWithoutAnythingToConfirmFollowsTheFleet(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		keys, before, after, confirm string
	}{
		"removal": {"D", "Remove 0 sandboxes", "Remove 1 sandbox", "1<enter>"},
		"stop":    {"X", "Stop 0 sandboxes", "Stop 1 sandbox", "y"},
		"cut":     {"C", "Lock down 0 sandboxes", "Lock down 1 sandbox", "y"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pending := smallFleet()
			pending.Sandboxes = []model.Sandbox{aSandbox("0badcafe", "default", "t").with(func(s *model.Sandbox) {
				s.Inspected, s.InspectError = false, "it is still being inspected"
			}).build()}
			known := smallFleet()
			known.Sandboxes = []model.Sandbox{aSandbox("0badcafe", "default", "t").build()}
			s := shown(t, 160, 40, pending, nil).goTo("hermes-0badcafe")
			s.press(c.keys).settle()
			s.reads([]string{c.before}, []string{"it is still being inspected"}, []string{"[ Close ]"})
			s.send(FleetMsg{Fleet: pending})
			s.reads([]string{c.before})
			s.send(FleetMsg{Fleet: known})
			s.reads([]string{c.after})
			s.press(c.confirm).work()
			if plans := s.backend.executed(); len(plans) != 0 {
				t.Fatal("keys typed for the plan before carried it out")
			}
			s.settle().press(c.confirm).work()
			plans := s.backend.executed()
			if len(plans) != 1 || plans[0].Targets[0].ID != known.Sandboxes[0].ID || plans[0].Targets[0].Decision != model.DecisionAct {
				t.Errorf("carried out: %+v", plans)
			}
		})
	}
}

// A plan whose rows were all taken out is still the one that was read: what
// comes up meanwhile does not get into it.
func TestPlanWithAllRowsTakenOutStaysAsItWas(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("R").settle().press("<space>j<space>")
	s.reads([]string{"Reap 0 sandboxes"})
	names := func() (names []string) {
		for _, target := range s.plan().plan.Targets {
			names = append(names, target.Name.Raw())
		}
		return names
	}
	before := names()
	fleet := smallFleet()
	fleet.Sandboxes = append(fleet.Sandboxes, aSandbox("0badcafe", "default", "new").exited(time.Hour).orphan().build())
	s.send(FleetMsg{Fleet: fleet})
	s.reads([]string{"Reap 0 sandboxes"})
	if after := names(); !slices.Equal(after, before) {
		t.Errorf("the plan is of %q, before of %q", after, before)
	}
}
