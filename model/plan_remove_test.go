package model

import (
	"slices"
	"strings"
	"testing"
)

// onlyRow returns the single row of a plan.
func onlyRow(t *testing.T, plan Plan) Target {
	t.Helper()
	if len(plan.Targets) != 1 {
		t.Fatalf("the plan has %d rows, want 1", len(plan.Targets))
	}
	return plan.Targets[0]
}

func hasWarning(target *Target, part string) bool {
	return slices.ContainsFunc(target.Warnings, func(w string) bool { return strings.Contains(w, part) })
}

func TestRemoveByState(t *testing.T) {
	cases := map[State]string{
		StateExited:     "act remove [writable-layer]",
		StateCreated:    "act remove [writable-layer]",
		StateDead:       "act remove [writable-layer]",
		StateRunning:    "act remove-force [processes writable-layer]",
		StatePaused:     "act remove-force [processes writable-layer]",
		StateRestarting: "act remove-force [processes writable-layer]",
		StateRemoving:   "refuse none []",
		"stopping":      "refuse none []",
		"":              "refuse none []",
		"run\x1bning":   "refuse none []",
	}
	for state, want := range cases {
		t.Run(string(state), func(t *testing.T) {
			fleet := planFleet(workSandbox("aa", inState(state)))
			target := onlyRow(t, PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{}))
			if got := planRow(&target); got != want {
				t.Errorf("row = %s, want %s", got, want)
			}
			checkPrintable(t, target.Reason)
			if target.Reason == "" {
				t.Error("the row has no reason")
			}
			wantOutcome := OutcomePlanned
			if target.Decision == DecisionRefuse {
				wantOutcome = OutcomeRefused
			}
			if target.Outcome != wantOutcome {
				t.Errorf("outcome = %s, want %s", target.Outcome, wantOutcome)
			}
		})
	}
}

func TestRemoveRefusals(t *testing.T) {
	cases := map[string]struct {
		change func(*Sandbox)
		fleet  func(*Fleet)
		reason string
	}{
		"invalid ID":      {change: func(s *Sandbox) { s.ID = "3F2A" }, reason: "ID is not one"},
		"odd row":         {change: func(s *Sandbox) { s.Problem = "no names" }, reason: "no names"},
		"inspect failed":  {change: func(s *Sandbox) { s.Inspected, s.InspectError = false, "timed out" }, reason: "timed out"},
		"not inspected":   {change: func(s *Sandbox) { s.Inspected = false }, reason: "not been inspected"},
		"stale engine":    {fleet: func(f *Fleet) { f.Engines[0].State = Stale }, reason: "stale"},
		"engine down":     {fleet: func(f *Fleet) { f.Engines[0].State, f.Engines[0].Error = Down, "refused" }, reason: "down: refused"},
		"unknown engine":  {fleet: func(f *Fleet) { f.Engines = nil }, reason: "engine is not known"},
		"already removed": {change: inState(StateRemoving), reason: "being removed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := workSandbox("aa")
			if c.change != nil {
				c.change(&s)
			}
			fleet := planFleet(s)
			if c.fleet != nil {
				c.fleet(fleet)
			}
			target := onlyRow(t, PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{Volumes: true}))
			if target.Decision != DecisionRefuse || target.Method != MethodNone || target.Outcome != OutcomeRefused {
				t.Errorf("row = %s, outcome %s", planRow(&target), target.Outcome)
			}
			if !strings.Contains(target.Reason, c.reason) {
				t.Errorf("reason = %q, want it to hold %q", target.Reason, c.reason)
			}
			if len(target.Loses) > 0 || len(target.Warnings) > 0 {
				t.Errorf("a refused row loses %v and warns %v", target.Loses, target.Warnings)
			}
		})
	}
}

func TestRemoveOneThatIsGone(t *testing.T) {
	target := onlyRow(t, PlanRemove(planFleet(), []Key{{"local", planID("aa")}}, RemoveOptions{}))
	if target.Decision != DecisionRefuse || target.ID != planID("aa") || !strings.Contains(target.Reason, "no longer there") {
		t.Errorf("row = %+v", target)
	}
}

func TestRemoveEachOnceInOrder(t *testing.T) {
	fleet := planFleet(workSandbox("aa"), workSandbox("bb"))
	keys := []Key{fleet.Sandboxes[1].Key(), fleet.Sandboxes[0].Key(), fleet.Sandboxes[1].Key()}
	plan := PlanRemove(fleet, keys, RemoveOptions{})
	if len(plan.Targets) != 2 || plan.Targets[0].ID != planID("bb") || plan.Targets[1].ID != planID("aa") {
		t.Errorf("rows: %v", plan.Targets)
	}
	if plan.Schema != 1 || plan.Action != ActionRemove || plan.DryRun {
		t.Errorf("plan = %+v", plan)
	}
}

func TestRemoveForeign(t *testing.T) {
	foreign := workSandbox("aa", func(s *Sandbox) { s.Foreign, s.Task, s.Home = true, Text{}, "" })
	fleet := planFleet(foreign, workSandbox("bb"))
	cases := map[string]struct {
		keys []Key
		opts RemoveOptions
		want Decision
	}{
		"named alone":       {keysOf(fleet.Sandboxes[:1]), RemoveOptions{}, DecisionAct},
		"among others":      {keysOf(fleet.Sandboxes), RemoveOptions{}, DecisionRefuse},
		"last of its group": {keysOf(fleet.Sandboxes[:1]), RemoveOptions{Bulk: true}, DecisionRefuse},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			target := PlanRemove(fleet, c.keys, c.opts).Targets[0]
			if target.Decision != c.want {
				t.Errorf("decision = %s (%s), want %s", target.Decision, target.Reason, c.want)
			}
			if c.want == DecisionAct && !hasWarning(&target, "foreign") {
				t.Errorf("warnings = %q", target.Warnings)
			}
		})
	}
}

func TestRemoveWarnings(t *testing.T) {
	running := inState(StateRunning)
	shared := func(s *Sandbox) {
		s.Profile, s.Scope = NewText(SharedIdentity("team")), ScopeShared
	}
	cases := map[string]struct {
		state   func(*Sandbox)
		change  func(*Sandbox)
		warning string
	}{
		"recreated":             {running, nil, "a live Hermes recreates it"},
		"before recovery":       {running, func(s *Sandbox) { s.Generation = GenerationG1 }, "before recovery"},
		"session files":         {running, tmpfsRoot, "/root is on tmpfs"},
		"session files by type": {running, func(s *Sandbox) { s.Mounts = []Mount{{Type: NewText("tmpfs"), Destination: NewText("/root")}} }, "/root is on tmpfs"},
		"files of a session that is over": {
			running, func(s *Sandbox) { tmpfsRoot(s); s.Session.State = SessionEnded }, "the files of its session, which is over, are lost",
		},
		"files of an ended session with a turn": {
			running, func(s *Sandbox) { tmpfsRoot(s); s.Session.State, s.Session.TurnRunning = SessionEnded, true }, "breaks a live session",
		},
		"turn":              {running, func(s *Sandbox) { s.Session.TurnRunning, s.Session.Title = true, NewText("fix\x1b") }, `turn is running in its session "fix\x1b"`},
		"live session":      {running, func(s *Sandbox) { s.Session.State, s.Session.ID = SessionLive, NewText("20260610") }, "session 20260610 is live"},
		"session not known": {running, func(s *Sandbox) { s.Scope, s.Session.State = ScopeSession, SessionUnknown }, "not known"},
		"commands":          {running, func(s *Sandbox) { s.ExecIDs = []string{"a", "b"} }, "2 commands may be running"},
		"one command":       {running, func(s *Sandbox) { s.ExecIDs = []string{"a"} }, "1 command may be running"},
		"inherited":         {nil, func(s *Sandbox) { s.Inherited = true }, "come from its image"},
		"shared":            {nil, shared, "affects the profiles other, work"},
		"shared by unknown": {nil, func(s *Sandbox) { s.Scope = ScopeShared }, "shared by several profiles"},
		"volumes stay":      {nil, func(s *Sandbox) { s.Mounts = []Mount{{Type: NewText("volume"), Anonymous: true}} }, "1 anonymous volume will stay"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := workSandbox("aa")
			for _, change := range []func(*Sandbox){c.state, c.change} {
				if change != nil {
					change(&s)
				}
			}
			fleet := planFleet(s)
			key := func(p *Profile) { p.Policy.SharedContainerKey = pointer("team") }
			fleet.Profiles = []Profile{workProfile(key), workProfile(key, func(p *Profile) { p.Name = NewText("other") })}
			target := onlyRow(t, PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{}))
			if target.Decision != DecisionAct || !hasWarning(&target, c.warning) {
				t.Errorf("row %s warns %q, want %q", planRow(&target), target.Warnings, c.warning)
			}
			for _, warning := range target.Warnings {
				checkPrintable(t, warning)
			}
		})
	}
}

func TestRemoveQuietOnes(t *testing.T) {
	cases := map[string]Sandbox{
		"exited":                 workSandbox("aa"),
		"exited with lingering":  workSandbox("aa", func(s *Sandbox) { s.ExecIDs = []string{"a"} }),
		"exited session":         workSandbox("aa", tmpfsRoot),
		"running probe":          workSandbox("aa", inState(StateRunning), func(s *Sandbox) { s.Scope = ScopeProbe }),
		"created, never started": workSandbox("aa", inState(StateCreated)),
	}
	for name, s := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := planFleet(s)
			if target := onlyRow(t, PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{})); len(target.Warnings) > 0 {
				t.Errorf("warnings = %q", target.Warnings)
			}
		})
	}
}

func TestRemoveWarnsOfNamespaceGuests(t *testing.T) {
	target := workSandbox("aa", inState(StateRunning))
	guest := workSandbox("bb", inState(StateRunning), func(s *Sandbox) { s.Posture.Target = planID("aa") })
	elsewhere := workSandbox("cc", func(s *Sandbox) { s.Engine, s.Posture.Target = "remote", planID("aa") })
	fleet := planFleet(target, guest, elsewhere)
	row := onlyRow(t, PlanRemove(fleet, []Key{target.Key()}, RemoveOptions{}))
	if !hasWarning(&row, "shared with hermes-bb") || hasWarning(&row, "hermes-cc") {
		t.Errorf("warnings = %q", row.Warnings)
	}
}

func TestRemoveWarnsOfAWeakerTwin(t *testing.T) {
	closed := workSandbox("aa", inState(StateRunning))
	open := workSandbox("bb", inState(StateRunning), func(s *Sandbox) {
		s.Posture.Level, s.Posture.Effective = LevelOpen, LevelOpen
	})
	fleet := planFleet(closed, open)
	row := onlyRow(t, PlanRemove(fleet, []Key{closed.Key()}, RemoveOptions{}))
	if !hasWarning(&row, "hermes-bb, which is open") {
		t.Errorf("warnings = %q", row.Warnings)
	}
	row = onlyRow(t, PlanRemove(fleet, []Key{open.Key()}, RemoveOptions{}))
	if hasWarning(&row, "hermes-aa") {
		t.Errorf("removing the weaker one warns: %q", row.Warnings)
	}
}

func TestRemoveLosses(t *testing.T) {
	mounts := func(s *Sandbox) {
		s.Mounts = []Mount{
			{Type: NewText("bind"), Source: NewText("/srv/home"), Destination: NewText("/root"), RW: true},
			{Type: NewText("bind"), Source: NewText("/srv/skills"), Destination: NewText("/skills")},
			{Type: NewText("volume"), Name: NewText("data"), Destination: NewText("/data"), RW: true},
			{Type: NewText("volume"), Name: NewText("0f0f"), Destination: NewText("/cache"), RW: true, Anonymous: true},
		}
	}
	cases := map[string]struct {
		sandbox Sandbox
		volumes bool
		want    []Loss
	}{
		"exited session has lost its files already": {workSandbox("aa", tmpfsRoot), false, []Loss{LossWritableLayer}},
		"running session": {
			workSandbox("aa", inState(StateRunning), tmpfsRoot), false,
			[]Loss{LossProcesses, LossWritableLayer, LossTmpfs, LossSessionFiles},
		},
		"running persistent": {
			workSandbox("aa", inState(StateRunning), func(s *Sandbox) { s.Host.Tmpfs = map[Text]Text{NewText("/tmp"): {}} }), false,
			[]Loss{LossProcesses, LossWritableLayer, LossTmpfs},
		},
		"volumes kept": {workSandbox("aa", mounts), false, []Loss{LossWritableLayer}},
		"volumes too":  {workSandbox("aa", mounts), true, []Loss{LossWritableLayer, LossAnonymousVolumes}},
		"no volumes":   {workSandbox("aa"), true, []Loss{LossWritableLayer}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := planFleet(c.sandbox)
			target := onlyRow(t, PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{Volumes: c.volumes}))
			if !slices.Equal(target.Loses, c.want) {
				t.Errorf("loses %v, want %v", target.Loses, c.want)
			}
			if target.Volumes != c.volumes {
				t.Errorf("volumes = %v", target.Volumes)
			}
			if bound := len(c.sandbox.Mounts) > 0; strings.HasSuffix(target.Reason, "stays on the host: /srv/home") != bound {
				t.Errorf("reason = %q", target.Reason)
			}
		})
	}
}

func TestPlanExpectsWhatItShowed(t *testing.T) {
	s := workSandbox("aa", inState(StateRunning))
	fleet := planFleet(s)
	target := onlyRow(t, PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{}))
	expect := target.Expect
	if !expect.CreatedAt.Equal(s.CreatedAt.Time) || !expect.StartedAt.Equal(s.StartedAt.Time) || expect.State != StateRunning {
		t.Errorf("expect = %+v", expect)
	}
	fleet.Sandboxes[0].Labels[NewText("later")] = NewText("x")
	if len(expect.Labels) != 1 {
		t.Error("the expected labels change with the fleet")
	}
}
