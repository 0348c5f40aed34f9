package model

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// taken is what the audit has of one action on one sandbox; without an outcome
// its result was never recorded.
func taken(s *Sandbox, method Method, outcome Outcome) []AuditEntry {
	target := newTarget(s)
	target.act(method, "as planned")
	at := planNow().Add(-time.Hour)
	plan := Plan{Action: ActionLockdownOn, Targets: []Target{target}}
	entries := []AuditEntry{
		{N: 6, Time: at, Phase: PhaseIntent, Action: ActionReap, Plan: &Plan{}},
		{N: 7, Time: at, Phase: PhaseIntent, Action: ActionLockdownOn, Plan: &plan},
	}
	if outcome != "" {
		result := target
		result.Outcome = outcome
		entries = append(entries, AuditEntry{N: 7, Time: at.Add(time.Second), Phase: PhaseResult, Target: &result, Outcome: outcome})
	}
	return entries
}

func TestUndoBySandbox(t *testing.T) {
	cutThen := func(s *Sandbox) {
		cutHere(s)
		s.Cut.CutAt = planNow().Add(-time.Hour)
	}
	cases := map[string]struct {
		method  Method
		outcome Outcome
		changes []func(*Sandbox)
		want    string
		reason  string
	}{
		"cut":                     {MethodCut, OutcomeDone, []func(*Sandbox){cutThen}, "act reconnect [processes]", "connected to bridge"},
		"cut without a result":    {MethodCut, "", []func(*Sandbox){cutThen}, "act reconnect [processes]", ""},
		"cut half way":            {MethodCut, OutcomePartial, []func(*Sandbox){cutThen}, "act reconnect [processes]", ""},
		"cut that failed":         {MethodCut, OutcomeFailed, nil, "skip none []", "nothing was done to it: failed"},
		"cut, connected again":    {MethodCut, OutcomeDone, nil, "skip none []", "it is open"},
		"cut, cut again since":    {MethodCut, OutcomeDone, []func(*Sandbox){cutThen, func(s *Sandbox) { s.Cut.CutAt = planNow() }}, "refuse none []", "once more since"},
		"cut, record lost":        {MethodCut, OutcomeDone, []func(*Sandbox){cutThen, func(s *Sandbox) { s.Cut = nil }}, "skip none []", "left alone"},
		"pause":                   {MethodPause, OutcomeDone, []func(*Sandbox){inState(StatePaused)}, "act unpause []", ""},
		"pause, running again":    {MethodPause, OutcomeDone, nil, "skip none []", "running already"},
		"stop":                    {MethodStop, OutcomeDone, []func(*Sandbox){inState(StateExited)}, "act start []", ""},
		"stop, of unknown effect": {MethodStop, OutcomeUnknown, nil, "skip none []", "running already"},
		"move":                    {MethodMove, OutcomeDone, []func(*Sandbox){onList("pypi.org"), movedHere}, "act reconnect [processes]", "connected to bridge"},
		"move between lists":      {MethodMove, OutcomeDone, []func(*Sandbox){onList("pypi.org")}, "refuse none []", "no record"},
		"move, opened since":      {MethodMove, OutcomeDone, []func(*Sandbox){movedHere}, "refuse none []", "no record"},
		"removal":                 {MethodRemoveForce, OutcomeDone, nil, "refuse none []", "is gone"},
		"rebuild":                 {MethodRebuild, OutcomeDone, nil, "refuse none []", "before the rebuild is gone"},
		"reconnect":               {MethodReconnect, OutcomeDone, nil, "refuse none []", "cut the sandbox again"},
		"start":                   {MethodStart, OutcomeDone, nil, "refuse none []", "stop the sandbox"},
		"unpause":                 {MethodUnpause, OutcomeDone, nil, "refuse none []", "pause the sandbox"},
		"something else":          {MethodPrune, OutcomeDone, nil, "refuse none []", "gone"},
		"of another version":      {"teleport", OutcomeDone, nil, "refuse none []", "teleport cannot be taken back"},
		"with facts out of reach": {MethodPause, OutcomeDone, []func(*Sandbox){func(s *Sandbox) { s.Inspected = false }}, "refuse none []", "not been inspected"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := openFleet(openSandbox("aa", c.changes...))
			plan, err := PlanUndo(fleet, taken(&fleet.Sandboxes[0], c.method, c.outcome), 7)
			if err != nil {
				t.Fatal(err)
			}
			target := onlyRow(t, plan)
			if got := planRow(&target); got != c.want || !strings.Contains(target.Reason, c.reason) {
				t.Errorf("row = %s (%s), want %s with %q", got, target.Reason, c.want, c.reason)
			}
			if plan.Action != ActionUndo || !strings.Contains(strings.Join(plan.Notes, "\n"), "action 7: lockdown-on") {
				t.Errorf("action %s, notes %q", plan.Action, plan.Notes)
			}
		})
	}
}

// movedHere is the record of a move to the list pypi.org.
func movedHere(s *Sandbox) {
	s.Cut = &CutRecord{
		CutAt: planNow().Add(-time.Hour), Complete: true, Onto: NewText("hermes-egress-a4aa2ac280"),
		Networks: []CutNetwork{{Name: NewText("bridge")}},
	}
}

// TestUndoOfAListMakesTheOldNetworkAgain takes back a change of the list: the
// configuration names the old network again, which has to be there first.
func TestUndoOfAListMakesTheOldNetworkAgain(t *testing.T) {
	fleet := openFleet(openSandbox("aa", onList("github.com"), movedHere, func(s *Sandbox) {
		s.Cut.Onto = s.Networks.Endpoints[0].Network // it was open before it had any list
	}))
	entries := taken(&fleet.Sandboxes[0], MethodMove, OutcomeDone)
	oldNetwork, proxy := EgressNames([]string{"pypi.org"})
	newNetwork, _ := EgressNames([]string{"github.com"})
	edit := ConfigEdit{
		File: fleet.Profiles[0].ConfigFile, Key: ExtraArgsKey, Outcome: OutcomeDone,
		From: `"--network=` + oldNetwork + `"`, To: `"--network=` + newNetwork + `"`,
	}
	entries[1].Plan.Config = []ConfigEdit{edit}
	unknown, err := PlanUndo(fleet, entries, 7)
	if err != nil || unknown.Config[0].Outcome != OutcomeRefused || unknown.Targets[0].Decision != DecisionRefuse {
		t.Errorf("a list nobody knows: %+v, %v", unknown, err)
	}
	entries[0].Plan.Egress = []EgressStep{{Engine: "local", Network: oldNetwork, Proxy: proxy, Allowlist: []string{"pypi.org"}}}
	plan, err := PlanUndo(fleet, entries, 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Egress) != 1 || plan.Egress[0].Network != oldNetwork || plan.Config[0].Needs != oldNetwork {
		t.Errorf("steps %+v, edits %+v", plan.Egress, plan.Config)
	}
	if target := onlyRow(t, plan); target.Method != MethodMove || target.Allowlist[0] != "pypi.org" || target.WaitsFor == "" {
		t.Errorf("target %+v", target)
	}
	if left := LeftNetworks(&plan); len(left) != 1 || left[0] != newNetwork {
		t.Errorf("it leaves %q", left)
	}
}

func TestUndoOfACutSaysThatThePolicyIsLocked(t *testing.T) {
	locked := openSandbox("aa", cutHere, func(s *Sandbox) {
		s.Cut.CutAt, s.Policy = planNow().Add(-time.Hour), workProfile().Policy
	})
	file := openProfile().ConfigFile
	for name, edits := range map[string][]ConfigEdit{
		"alone":           nil,
		"with its policy": {{Profile: NewText("work"), File: file, Key: NetworkKey, From: "true", To: "false", Outcome: OutcomePlanned}},
	} {
		t.Run(name, func(t *testing.T) {
			entries := taken(&locked, MethodCut, OutcomeDone)
			entries[1].Plan.Config = edits
			plan, err := PlanUndo(openFleet(locked), entries, 7)
			if err != nil {
				t.Fatal(err)
			}
			target := onlyRow(t, plan)
			if target.Method != MethodReconnect || hasWarning(&target, "its policy is locked") != (edits == nil) {
				t.Errorf("row %s, warnings %q", planRow(&target), target.Warnings)
			}
		})
	}
}

func TestUndoOfASandboxThatIsGone(t *testing.T) {
	s := openSandbox("aa")
	plan, err := PlanUndo(openFleet(), taken(&s, MethodPause, OutcomeDone), 7)
	if err != nil {
		t.Fatal(err)
	}
	if target := onlyRow(t, plan); target.Decision != DecisionRefuse || target.Name != s.Name || !strings.Contains(target.Reason, "no longer there") {
		t.Errorf("row %+v", target)
	}
}

func TestUndoOfNoAction(t *testing.T) {
	s := openSandbox("aa")
	for _, n := range []int64{0, 8, -1} {
		if _, err := PlanUndo(openFleet(s), taken(&s, MethodPause, OutcomeDone), n); !errors.Is(err, ErrNoSuchAction) {
			t.Errorf("action %d: error %v", n, err)
		}
	}
}

func TestUndoOfAPolicy(t *testing.T) {
	file := openProfile().ConfigFile
	edit := func(outcome Outcome) ConfigEdit {
		return ConfigEdit{Profile: NewText("work"), File: file, Key: NetworkKey, From: "yes", To: "false", Outcome: outcome, Backup: "config.yaml.aa.bb"}
	}
	cases := map[string]struct {
		planned ConfigEdit
		result  []ConfigEdit // nil: never recorded
		want    Outcome      // empty: no edit
	}{
		"made":              {edit(OutcomePlanned), []ConfigEdit{edit(OutcomeDone)}, OutcomePlanned},
		"perhaps made":      {edit(OutcomePlanned), nil, OutcomePlanned},
		"failed":            {edit(OutcomePlanned), []ConfigEdit{edit(OutcomeFailed)}, ""},
		"nothing to change": {edit(OutcomeSkipped), nil, ""},
		"of a file nobody has now": {
			edit(OutcomePlanned),
			[]ConfigEdit{{File: "/etc/passwd", Key: NetworkKey, To: "false", Outcome: OutcomeDone}},
			OutcomeRefused,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := openFleet(openSandbox("aa", cutHere))
			entries := taken(&fleet.Sandboxes[0], MethodCut, OutcomeDone)
			entries[1].Plan.Config = []ConfigEdit{c.planned}
			if c.result != nil {
				entries = append(entries, AuditEntry{N: 7, Phase: PhaseResult, Plan: &Plan{Config: c.result}})
			}
			plan, err := PlanUndo(fleet, entries, 7)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if len(plan.Config) != 0 {
					t.Errorf("edits %+v, want none", plan.Config)
				}
				return
			}
			got := plan.Config[0]
			if got.Outcome != c.want || !got.Undo {
				t.Errorf("edit %+v, want outcome %s", got, c.want)
			}
			if c.want == OutcomePlanned && (got.From != "false" || got.To != "yes" || got.Restore != "config.yaml.aa.bb") {
				t.Errorf("edit %+v", got)
			}
			if target := onlyRow(t, plan); c.want == OutcomePlanned && target.WaitsFor != file {
				t.Errorf("the sandbox waits for %q: nothing may be opened before the policy", target.WaitsFor)
			}
		})
	}
}
