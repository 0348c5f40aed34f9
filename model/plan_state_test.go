package model

import (
	"slices"
	"strings"
	"testing"
)

func TestStateChangesByState(t *testing.T) {
	states := []State{StateCreated, StateRunning, StatePaused, StateRestarting, StateExited, StateDead, StateRemoving, "stopping"}
	cases := map[Action][]Decision{
		// In the order of the states above.
		ActionStart:   {"act", "skip", "refuse", "skip", "act", "refuse", "refuse", "refuse"},
		ActionStop:    {"skip", "act", "act", "act", "skip", "refuse", "refuse", "refuse"},
		ActionPause:   {"refuse", "act", "skip", "refuse", "refuse", "refuse", "refuse", "refuse"},
		ActionUnpause: {"refuse", "skip", "act", "refuse", "refuse", "refuse", "refuse", "refuse"},
	}
	for action, decisions := range cases {
		for i, state := range states {
			t.Run(string(action)+" "+string(state), func(t *testing.T) {
				fleet := planFleet(workSandbox("aa", inState(state)))
				target := onlyRow(t, PlanState(fleet, action, keysOf(fleet.Sandboxes), false))
				if target.Decision != decisions[i] {
					t.Errorf("decision = %s (%s), want %s", target.Decision, target.Reason, decisions[i])
				}
				wantMethod := MethodNone
				if target.Decision == DecisionAct {
					wantMethod = Method(action)
				}
				if target.Method != wantMethod || target.Reason == "" {
					t.Errorf("method = %s, reason %q", target.Method, target.Reason)
				}
			})
		}
	}
}

func TestStartPausedSaysWhatToDo(t *testing.T) {
	fleet := planFleet(workSandbox("aa", inState(StatePaused)))
	if target := onlyRow(t, PlanState(fleet, ActionStart, keysOf(fleet.Sandboxes), false)); !strings.Contains(target.Reason, "unpause it") {
		t.Errorf("reason = %q", target.Reason)
	}
	fleet = planFleet(workSandbox("aa", inState(StateDead)))
	if target := onlyRow(t, PlanState(fleet, ActionStart, keysOf(fleet.Sandboxes), false)); strings.Contains(target.Reason, "unpause") {
		t.Errorf("a dead one is to be unpaused: %q", target.Reason)
	}
}

func TestStateChangesRefuse(t *testing.T) {
	foreign := workSandbox("aa", inState(StateRunning), func(s *Sandbox) { s.Foreign = true })
	fleet := planFleet(foreign, workSandbox("bb", inState(StateRunning)))
	plan := PlanState(fleet, ActionStop, keysOf(fleet.Sandboxes), false)
	if plan.Targets[0].Decision != DecisionRefuse || plan.Targets[1].Decision != DecisionAct {
		t.Errorf("foreign among others: %s, the other: %s", plan.Targets[0].Decision, plan.Targets[1].Decision)
	}
	if alone := onlyRow(t, PlanState(fleet, ActionStop, keysOf(fleet.Sandboxes[:1]), false)); alone.Decision != DecisionAct {
		t.Errorf("foreign alone: %s (%s)", alone.Decision, alone.Reason)
	}
	if group := onlyRow(t, PlanState(fleet, ActionStop, keysOf(fleet.Sandboxes[:1]), true)); group.Decision != DecisionRefuse {
		t.Errorf("foreign alone in its group: %s", group.Decision)
	}
	fleet.Engines[0].State = Stale
	if stale := PlanState(fleet, ActionStop, keysOf(fleet.Sandboxes), false).Targets[1]; stale.Decision != DecisionRefuse {
		t.Errorf("stale engine: %s", stale.Decision)
	}
	if plan := PlanState(fleet, ActionRemove, keysOf(fleet.Sandboxes), false); len(plan.Targets) > 0 {
		t.Errorf("removal planned as a state change: %v", plan.Targets)
	}
}

func TestStartSaysWhatHermesDoes(t *testing.T) {
	fleet := planFleet(workSandbox("aa"))
	target := onlyRow(t, PlanState(fleet, ActionStart, keysOf(fleet.Sandboxes), false))
	if !strings.HasSuffix(target.Reason, "reaped-first, the reaper runs first") {
		t.Errorf("reason = %q", target.Reason)
	}
	for _, violation := range []*bool{nil, pointer(false)} {
		fleet.Sandboxes[0].Violation = violation
		target = onlyRow(t, PlanState(fleet, ActionStart, keysOf(fleet.Sandboxes), false))
		if hasWarning(&target, "breaks its policy") {
			t.Errorf("violation %v: warnings %q", violation, target.Warnings)
		}
	}
	fleet.Sandboxes[0].Reuse = Reuse{}
	target = onlyRow(t, PlanState(fleet, ActionStart, keysOf(fleet.Sandboxes), false))
	if strings.Contains(target.Reason, "reuse") {
		t.Errorf("without a verdict: %q", target.Reason)
	}
}

func TestStopSaysWhatHermesDoes(t *testing.T) {
	policy := func(change func(*Policy)) func(*Sandbox) {
		return func(s *Sandbox) { s.Policy = workProfile().Policy; change(s.Policy) }
	}
	cases := map[string]struct {
		change func(*Sandbox)
		reason string
	}{
		"delayed delete":    {func(*Sandbox) {}, "a Hermes that starts after 10m deletes it"},
		"reaper off":        {policy(func(p *Policy) { p.OrphanReaper = pointer(false) }), "reaper is off"},
		"age not known":     {policy(func(p *Policy) { p.ReapAfterSeconds = nil }), "deletes it later"},
		"policy not known":  {func(s *Sandbox) { s.Policy = nil }, "may delete it later"},
		"session":           {tmpfsRoot, "cannot go on"},
		"removed by engine": {func(s *Sandbox) { s.Host.AutoRemove = true }, "removes it at once"},
		"inherited":         {func(s *Sandbox) { s.Inherited = true }, "stops and stays"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := planFleet(workSandbox("aa", inState(StateRunning), c.change))
			target := onlyRow(t, PlanState(fleet, ActionStop, keysOf(fleet.Sandboxes), false))
			if !strings.Contains(target.Reason, c.reason) {
				t.Errorf("reason = %q, want %q", target.Reason, c.reason)
			}
		})
	}
}

func TestStateChangeLosses(t *testing.T) {
	removed := func(s *Sandbox) { s.Host.AutoRemove, s.Mounts = true, []Mount{{Anonymous: true}} }
	cases := map[string]struct {
		action Action
		state  State
		change func(*Sandbox)
		want   []Loss
	}{
		"stop a session":         {ActionStop, StateRunning, tmpfsRoot, []Loss{LossProcesses, LossTmpfs, LossSessionFiles}},
		"stop one that goes":     {ActionStop, StateRunning, removed, []Loss{LossProcesses, LossWritableLayer, LossAnonymousVolumes}},
		"stop a paused one":      {ActionStop, StatePaused, func(*Sandbox) {}, []Loss{LossProcesses}},
		"pause loses nothing":    {ActionPause, StateRunning, tmpfsRoot, []Loss{}},
		"start loses nothing":    {ActionStart, StateExited, tmpfsRoot, []Loss{}},
		"unpause loses nothing":  {ActionUnpause, StatePaused, tmpfsRoot, []Loss{}},
		"skipped loses nothing":  {ActionStop, StateExited, tmpfsRoot, []Loss{}},
		"refused loses nothing ": {ActionStop, StateDead, tmpfsRoot, []Loss{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := planFleet(workSandbox("aa", inState(c.state), c.change))
			target := onlyRow(t, PlanState(fleet, c.action, keysOf(fleet.Sandboxes), false))
			if !slices.Equal(target.Loses, c.want) {
				t.Errorf("loses %v, want %v", target.Loses, c.want)
			}
		})
	}
}

func TestStateChangeWarnings(t *testing.T) {
	cases := map[string]struct {
		action  Action
		state   State
		change  func(*Sandbox)
		warning string
	}{
		"pause hangs the agent":    {ActionPause, StateRunning, nil, "agent hangs"},
		"pause makes a twin":       {ActionPause, StateRunning, nil, "second sandbox"},
		"stop ends a session":      {ActionStop, StateRunning, tmpfsRoot, "/root is on tmpfs"},
		"stop in a turn":           {ActionStop, StateRunning, func(s *Sandbox) { s.Session.TurnRunning = true }, "turn is running"},
		"stop with commands":       {ActionStop, StateRunning, func(s *Sandbox) { s.ExecIDs = []string{"x"} }, "1 command"},
		"start runs on":            {ActionStart, StateExited, nil, "until it is stopped"},
		"start breaks the policy":  {ActionStart, StateExited, func(s *Sandbox) { s.Violation, s.ViolationReason = pointer(true), "open" }, "breaks its policy: open"},
		"unpause of an inherited":  {ActionUnpause, StatePaused, func(s *Sandbox) { s.Inherited = true }, "come from its image"},
		"start of a shared one":    {ActionStart, StateExited, func(s *Sandbox) { s.Scope = ScopeShared }, "affects all"},
		"pause of a foreign alone": {ActionPause, StateRunning, func(s *Sandbox) { s.Foreign = true }, "foreign"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := workSandbox("aa", inState(c.state))
			if c.change != nil {
				c.change(&s)
			}
			fleet := planFleet(s)
			target := onlyRow(t, PlanState(fleet, c.action, keysOf(fleet.Sandboxes), false))
			if target.Decision != DecisionAct || !hasWarning(&target, c.warning) {
				t.Errorf("%s (%s) warns %q, want %q", target.Decision, target.Reason, target.Warnings, c.warning)
			}
		})
	}
}
