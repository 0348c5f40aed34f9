package ui

import (
	"errors"
	"slices"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// lockFleet is the small fleet with configuration files and what a plan needs
// of sandboxes: work is locked and has one sandbox that was cut off here, the
// others are open.
func lockFleet() model.Fleet {
	fleet := smallFleet()
	for i := range fleet.Profiles {
		p := &fleet.Profiles[i]
		policy := *p.Policy
		policy.Sources = map[string]model.Source{"docker_network": model.SourceConfig}
		p.Policy, p.ConfigFile = &policy, p.Home+"/config.yaml"
	}
	fleet.Sandboxes = []model.Sandbox{
		aSandbox("3f2a91c0", "work", "default").network("bridge", model.LevelCutOff, "none").with(func(s *model.Sandbox) {
			s.Policy, s.Posture.Latched = lockedPolicy(), true
			s.Cut = &model.CutRecord{Complete: true, Networks: []model.CutNetwork{{Name: text("bridge")}}}
		}).build(),
		aSandbox("77aa10ce", "work", "cli").network("none", model.LevelAirGapped, "none").with(func(s *model.Sandbox) {
			s.Policy = lockedPolicy()
		}).build(),
		aSandbox("aa55e0f1", "default", "default").build(),
		aSandbox("bb66f1a2", "default", "cli").exited(3 * time.Hour).build(),
	}
	return fleet
}

func (s *screen) plan() *planDialog {
	s.t.Helper()
	d, ok := s.m.dialog.(*planDialog)
	if !ok {
		s.t.Fatalf("no plan is open:\n%s", s.plainFrame())
	}
	return d
}

func TestLockdownShowsTheDifferenceAndCarriesOutWhatItShows(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-aa55e0f1")
	s.press("L").settle()
	s.reads([]string{"Lock down 2 sandboxes"}, []string{"reading the configuration"})
	s.press("y")
	if s.m.dialog == nil || len(s.backend.executed()) != 0 {
		t.Fatal("a plan was confirmed before its files were read")
	}
	s.work()
	s.press("y").work()
	if len(s.backend.executed()) != 0 {
		t.Fatal("a key typed while the difference appeared confirmed it")
	}
	s.settle()
	s.reads(
		[]string{"default: terminal.docker_network true to false in /home/ada/.hermes/config.yaml"},
		[]string{"-  docker_network: true"}, []string{"+  docker_network: false"},
		[]string{"position   o ( ) open   a ( ) allowlist   l (•) locked down"},
		[]string{"before     default open, 0 of 2 sandboxes without a way out"},
		[]string{"after      default locked down, 2 of 2 sandboxes without a way out"},
		[]string{"c [✓] cut", "b [ ] rebuild", "r [ ] remove", "e [ ] keep"},
	)
	s.golden("lockdown-120x40")
	want := s.plan().plan
	s.press("y").work()
	plans := s.backend.executed()
	if len(plans) != 1 || plans[0].Config[0].Diff != want.Config[0].Diff || plans[0].Config[0].Diff == "" {
		t.Fatalf("executed %+v", plans)
	}
	s.reads([]string{"Lock down 2 sandboxes", "2 done"}, []string{"policy of default"})
}

func TestLockdownChoices(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		sandbox, keys string
		action        model.Action
		methods       []model.Method
		says          string
	}{
		"cut":               {"hermes-aa55e0f1", "", model.ActionLockdownOn, []model.Method{model.MethodCut, model.MethodCut}, "2 of 2 sandboxes without"},
		"rebuild":           {"hermes-aa55e0f1", "b", model.ActionLockdownOn, []model.Method{model.MethodRebuild, model.MethodRebuild}, "2 of 2 sandboxes without"},
		"remove":            {"hermes-aa55e0f1", "r", model.ActionLockdownOn, []model.Method{model.MethodRemoveForce, model.MethodRemove}, "0 of 0 sandboxes without"},
		"keep":              {"hermes-aa55e0f1", "e", model.ActionLockdownOn, []model.Method{model.MethodNone, model.MethodNone}, "locked down, 0 of 2"},
		"back":              {"hermes-aa55e0f1", "rbc", model.ActionLockdownOn, []model.Method{model.MethodCut, model.MethodCut}, ""},
		"restart":           {"hermes-77aa10ce", "", model.ActionLockdownOff, []model.Method{model.MethodReconnect, model.MethodNone}, "open, 1 of 2"},
		"hot":               {"hermes-77aa10ce", "h", model.ActionLockdownOff, []model.Method{model.MethodReconnectHot, model.MethodNone}, ""},
		"locked down again": {"hermes-77aa10ce", "l", model.ActionLockdownOn, []model.Method{model.MethodNone, model.MethodNone}, "locked down, 2 of 2"},
		"there and back":    {"hermes-aa55e0f1", "ol", model.ActionLockdownOn, []model.Method{model.MethodCut, model.MethodCut}, ""},
		"another's choice does nothing": {
			"hermes-77aa10ce", "b", model.ActionLockdownOff,
			[]model.Method{model.MethodReconnect, model.MethodNone},
			"",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, lockFleet(), nil).goTo(c.sandbox)
			s.press("L").settle().work()
			s.settle().press(c.keys).work()
			d := s.plan()
			var methods []model.Method
			for _, target := range d.plan.Targets {
				methods = append(methods, target.Method)
			}
			if d.plan.Action != c.action || !slices.Equal(methods, c.methods) {
				t.Errorf("%s %v, want %s %v", d.plan.Action, methods, c.action, c.methods)
			}
			if edit := d.plan.Config[0]; d.preparing != 0 || edit.Outcome == model.OutcomePlanned && edit.Diff == "" {
				t.Error("the files were not read for the last choice")
			}
			s.reads([]string{"after ", c.says})
		})
	}
}

func TestAGuestStaysWhenItsHostIsTakenOut(t *testing.T) {
	t.Parallel()
	fleet := lockFleet()
	guest := &fleet.Sandboxes[3]
	guest.Host.NetworkMode = text("container:" + string(fleet.Sandboxes[2].ID))
	guest.Posture = model.Posture{Level: model.LevelShared, Effective: model.LevelOpen, Target: fleet.Sandboxes[2].ID}
	s := shown(t, 120, 40, fleet, nil).goTo("hermes-aa55e0f1")
	s.press("L").settle().work()
	s.settle().press("j")
	s.reads([]string{"hermes-aa55e0f1 and is cut off with it"}, []string{"after ", "2 of 2"})
	s.press("k<space>j")
	s.reads([]string{"Lock down: the policy alone"}, []string{"taken out of this plan, and stays as it is"}, []string{"after ", "0 of 2"})
}

func TestABrokenLockdownIsBroughtIntoLine(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, attach(lockFleet(), "hermes-77aa10ce"), nil).goTo("hermes-3f2a91c0")
	s.reads([]string{"1 violation: hermes-77aa10ce", "L brings it into line"})
	s.press("L").settle().work()
	d := s.plan()
	if d.plan.Action != model.ActionLockdownOn || d.acts() != 1 || d.plan.Targets[0].Name.Raw() != "hermes-77aa10ce" {
		t.Errorf("plan %+v", d.plan)
	}
	s.reads([]string{"docker_network is false already", "so its policy stays as it is"})
	s.readsNot("terminal.docker_network") // it is said once
}

func TestPolicyAloneCanBeWritten(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-aa55e0f1")
	s.press("L").settle().work()
	s.settle().press("e").work()
	s.settle().press("<tab><enter>").work()
	if plans := s.backend.executed(); len(plans) != 1 || plans[0].Config[0].Outcome != model.OutcomePlanned {
		t.Errorf("executed %+v", plans)
	}
}

func TestUnreadableConfigurationRefusesThePlan(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-aa55e0f1")
	s.backend.prepareErr = errors.New("the file does not parse")
	s.press("L").settle().work()
	s.settle()
	s.reads([]string{"is refused: the file does not parse"}, []string{"hermes-aa55e0f1", "refused"}, []string{"[ Close ]"})
	s.press("y<tab><enter>").work()
	if len(s.backend.executed()) != 0 {
		t.Error("a refused plan was executed")
	}
}

func TestLatePreparationOfAnotherPlanIsDropped(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-aa55e0f1")
	s.press("L").settle()
	old := s.m.prepared
	s.press("b")
	s.send(planPrepared{number: old, plan: model.Plan{}})
	if d := s.plan(); len(d.plan.Targets) != 2 || d.preparing != old+1 {
		t.Errorf("the answer to an older question was taken: %+v", d.plan)
	}
}

func TestCutAndReconnectOfOneSandbox(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		sandbox string
		action  model.Action
		method  model.Method
	}{
		"open":         {"hermes-aa55e0f1", model.ActionLockdownOn, model.MethodCut},
		"cut off here": {"hermes-3f2a91c0", model.ActionLockdownOff, model.MethodReconnect},
		"air-gapped":   {"hermes-77aa10ce", model.ActionLockdownOn, model.MethodNone},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, lockFleet(), nil).goTo(c.sandbox)
			s.press("C").settle()
			d := s.plan()
			if d.plan.Action != c.action || len(d.plan.Targets) != 1 || d.plan.Targets[0].Method != c.method || len(d.plan.Config) != 0 {
				t.Errorf("plan %+v", d.plan)
			}
		})
	}
}

// attach gives a sandbox of a fleet a network, which breaks its locked policy.
func attach(fleet model.Fleet, name string) model.Fleet {
	fleet.Sandboxes = slices.Clone(fleet.Sandboxes)
	for i := range fleet.Sandboxes {
		if s := &fleet.Sandboxes[i]; s.Name.Raw() == name {
			s.Networks.Endpoints = []model.Endpoint{{Network: text("bridge")}}
			s.Posture = model.Posture{Level: model.LevelOpen, Effective: model.LevelOpen, Drifted: true}
			s.Violation, s.ViolationReason = pointer(true), "the policy is locked, but the posture is open"
		}
	}
	return fleet
}

func TestLostLockdownRaisesTheAlarm(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-aa55e0f1")
	s.send(FleetMsg{Fleet: attach(lockFleet(), "hermes-77aa10ce")})
	s.press("jk") // it stays
	s.reads([]string{"locked down, and a way out again: hermes-77aa10ce on bridge: C cuts it off again"})
	s.press("C").settle()
	if d := s.plan(); len(d.plan.Targets) != 1 || d.plan.Targets[0].Name.Raw() != "hermes-77aa10ce" || d.plan.Targets[0].Method != model.MethodCut {
		t.Errorf("plan %+v", d.plan.Targets)
	}
	s.press("<esc>C").settle()
	if d := s.plan(); d.plan.Targets[0].Name.Raw() != "hermes-aa55e0f1" {
		t.Error("with the alarm gone the key is about the cursor again")
	}
}

func TestASandboxCutAloneRaisesTheAlarm(t *testing.T) {
	t.Parallel()
	cutAlone := func() model.Fleet { // its profile's policy is open
		fleet := lockFleet()
		s := &fleet.Sandboxes[0]
		s.Policy, s.Violation = openPolicy(), pointer(false)
		return fleet
	}
	reconnected := func(whole bool) model.Fleet {
		fleet := attach(cutAlone(), "hermes-3f2a91c0")
		s := &fleet.Sandboxes[0]
		s.Violation, s.ViolationReason = pointer(false), ""
		cut := *s.Cut
		cut.Complete, s.Cut = whole, &cut
		return fleet
	}
	s := shown(t, 120, 40, cutAlone(), nil).goTo("hermes-aa55e0f1")
	s.send(FleetMsg{Fleet: reconnected(false)})
	s.readsNot("a way out again") // another instance takes the cut back
	s.send(FleetMsg{Fleet: cutAlone()})
	s.send(FleetMsg{Fleet: reconnected(true)})
	s.reads([]string{"a way out again: hermes-3f2a91c0 on bridge: C cuts it off again"})
	s.press("C").settle()
	if d := s.plan(); d.plan.Action != model.ActionLockdownOn || d.plan.Targets[0].Name.Raw() != "hermes-3f2a91c0" {
		t.Errorf("plan %s of %+v", d.plan.Action, d.plan.Targets)
	}
}

func TestTheAlarmEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*screen){
		"in line again":   func(s *screen) { s.send(FleetMsg{Fleet: lockFleet()}) },
		"sandbox is gone": func(s *screen) { s.send(FleetMsg{Fleet: bigFleet(2)}) },
		"let be":          func(s *screen) { s.press("<esc>") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-aa55e0f1")
			s.send(FleetMsg{Fleet: attach(lockFleet(), "hermes-77aa10ce")})
			s.reads([]string{"a way out again"})
			end(s)
			s.readsNot("a way out again")
		})
	}
}

func TestNoAlarmForWhatIsNoSurprise(t *testing.T) {
	t.Parallel()
	open := func(fleet model.Fleet) model.Fleet { // the policy was open before
		fleet.Sandboxes[1].Policy = openPolicy()
		return fleet
	}
	unseen := func(fleet model.Fleet) model.Fleet {
		fleet.Sandboxes = slices.Delete(fleet.Sandboxes, 1, 2)
		return fleet
	}
	broken := func(fleet model.Fleet) model.Fleet { return attach(fleet, "hermes-77aa10ce") }
	for name, before := range map[string]func(model.Fleet) model.Fleet{
		"the policy is new": open, "the sandbox is new": unseen, "it was broken before": broken,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, before(lockFleet()), nil)
			s.send(FleetMsg{Fleet: attach(lockFleet(), "hermes-77aa10ce")})
			s.readsNot("a way out again")
		})
	}
	t.Run("we connected it", func(t *testing.T) {
		t.Parallel()
		s := shown(t, 120, 40, lockFleet(), nil).goTo("hermes-3f2a91c0")
		s.press("C").settle().press("y").work()
		if len(s.backend.executed()) != 1 {
			t.Fatal("the reconnect was not executed")
		}
		s.send(FleetMsg{Fleet: attach(lockFleet(), "hermes-3f2a91c0")})
		s.readsNot("a way out again")
	})
}

func TestUndoFromTheAudit(t *testing.T) {
	t.Parallel()
	fleet := lockFleet()
	cut := model.Target{
		Engine: "default", ID: fleet.Sandboxes[0].ID, Name: fleet.Sandboxes[0].Name,
		Decision: model.DecisionAct, Method: model.MethodCut, Outcome: model.OutcomeDone,
	}
	file := model.ConfigEdit{
		Profile: text("work"), File: fleet.Profiles[2].ConfigFile, Key: model.NetworkKey, From: "true", To: "false", Outcome: model.OutcomeDone,
	}
	s := shown(t, 120, 40, fleet, nil)
	s.backend.entries = []model.AuditEntry{
		{N: 1, Action: model.ActionReap, Phase: model.PhaseIntent, Plan: &model.Plan{}},
		{N: 2, Action: model.ActionLockdownOn, Phase: model.PhaseIntent, Plan: &model.Plan{Targets: []model.Target{cut}}, Undo: true},
		{N: 2, Action: model.ActionLockdownOn, Phase: model.PhaseResult, Plan: &model.Plan{Config: []model.ConfigEdit{file}}, Undo: true},
		{N: 2, Action: model.ActionLockdownOn, Phase: model.PhaseResult, Target: &cut, Undo: true},
	}
	s.press("A").work()
	s.reads([]string{"u takes action 2 back"}, []string{"policy of work: terminal.docker_network true to false"})
	s.press("u").settle().work()
	s.settle()
	s.reads(
		[]string{"Take back for 1 sandbox"}, []string{"takes back action 2: lockdown-on"},
		[]string{"work: terminal.docker_network false to true"}, []string{"hermes-3f2a91c0", "reconnect"},
	)
	s.press("y").work()
	if plans := s.backend.executed(); len(plans) != 1 || plans[0].Action != model.ActionUndo || !plans[0].Config[0].Undo {
		t.Errorf("executed %+v", plans)
	}
}

func TestLockdownNeedsAProfile(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(*model.Fleet)
		says   string
	}{
		"without a home": {func(f *model.Fleet) {
			f.Profiles = nil
			f.Sandboxes = f.Sandboxes[:1]
			f.Sandboxes[0].Home = ""
		}, "no home on this machine has this profile"},
		"without a row": {func(f *model.Fleet) { f.Sandboxes, f.Profiles = nil, nil }, "put the cursor on a profile"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := lockFleet()
			c.change(&fleet)
			s := shown(t, 120, 40, fleet, nil)
			s.press("L")
			if s.m.dialog != nil {
				t.Fatal("a plan is open")
			}
			s.reads([]string{c.says})
		})
	}
}
