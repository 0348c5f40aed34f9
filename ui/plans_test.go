package ui

import (
	"testing"

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
