package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// openProfile is the fixtures' profile with docker_network true in its file.
func openProfile(changes ...func(*Profile)) Profile {
	profile := workProfile(func(p *Profile) {
		p.Policy.Position, p.Policy.DockerNetwork = PositionOpen, pointer(true)
		p.Policy.Backend = pointer("docker")
		p.Policy.Sources = map[string]Source{"docker_network": SourceConfig}
	})
	for _, change := range changes {
		change(&profile)
	}
	return profile
}

// openSandbox is a running sandbox on the default bridge.
func openSandbox(prefix string, changes ...func(*Sandbox)) Sandbox {
	s := workSandbox(prefix, inState(StateRunning), func(s *Sandbox) {
		s.Networks = NetworkSettings{Known: true, Mode: NewText("default"), Endpoints: []Endpoint{{Network: NewText("bridge")}}}
		s.Host.NetworkMode = NewText("default")
		s.Posture = Posture{Level: LevelOpen, Effective: LevelOpen, Evidence: EvidenceAttached}
		s.Policy, s.Violation = openProfile().Policy, pointer(false)
	})
	for _, change := range changes {
		change(&s)
	}
	return s
}

func declared(mode string) func(*Sandbox) {
	return func(s *Sandbox) { s.Host.NetworkMode, s.Networks.Mode = NewText(mode), NewText(mode) }
}

func atLevel(level Level) func(*Sandbox) {
	return func(s *Sandbox) { s.Posture.Level, s.Posture.Effective = level, level }
}

func sharing(target string, level Level) func(*Sandbox) {
	return func(s *Sandbox) {
		declared("container:" + string(planID(target)))(s)
		s.Networks.Endpoints = nil
		s.Posture = Posture{Level: LevelShared, Effective: level, Target: planID(target)}
	}
}

// cutHere is what a sandbox is after this program cut it off.
func cutHere(s *Sandbox) {
	s.Networks.Endpoints = []Endpoint{{Network: NewText("none")}}
	s.Posture = Posture{Level: LevelCutOff, Effective: LevelCutOff, Latched: true}
	s.Cut = &CutRecord{CutAt: planNow().Add(-time.Hour), Complete: true, Networks: []CutNetwork{{Name: NewText("bridge")}}}
}

func openFleet(sandboxes ...Sandbox) *Fleet {
	fleet := planFleet(sandboxes...)
	fleet.Profiles = []Profile{openProfile()}
	return fleet
}

func TestLockdownPolicy(t *testing.T) {
	source := func(s Source) func(*Profile) {
		return func(p *Profile) { p.Policy.Sources["docker_network"] = s }
	}
	value := func(network bool) func(*Profile) {
		return func(p *Profile) { p.Policy.DockerNetwork = &network }
	}
	extra := func(args ...string) func(*Profile) { return func(p *Profile) { p.Policy.ExtraArgs = args } }
	cases := map[string]struct {
		action  Action
		changes []func(*Profile)
		want    Outcome
		from    string
		reason  string
	}{
		"on from the file":                {ActionLockdownOn, nil, OutcomePlanned, "true", ""},
		"on from the default":             {ActionLockdownOn, []func(*Profile){source(SourceDefault)}, OutcomePlanned, "", ""},
		"on from .env":                    {ActionLockdownOn, []func(*Profile){source(SourceDotEnv)}, OutcomePlanned, "", ""},
		"on already":                      {ActionLockdownOn, []func(*Profile){value(false)}, OutcomeSkipped, "false", ""},
		"on already, in our environment":  {ActionLockdownOn, []func(*Profile){value(false), source(SourceEnvironment)}, OutcomePlanned, "", ""},
		"on already, by an administrator": {ActionLockdownOn, []func(*Profile){value(false), source(SourceManaged)}, OutcomeSkipped, "false", ""},
		"on against an administrator":     {ActionLockdownOn, []func(*Profile){source(SourceManaged)}, OutcomeRefused, "", "managed settings pin docker_network to true"},
		"on with a file that is broken":   {ActionLockdownOn, []func(*Profile){source(SourceBackup)}, OutcomeRefused, "", "last good copy"},
		"on with a file nobody can read":  {ActionLockdownOn, []func(*Profile){source(SourceUnreadable), func(p *Profile) { p.Problems = []string{"permission denied"} }}, OutcomeRefused, "", "permission denied"},
		"on with a value Hermes resolves": {ActionLockdownOn, []func(*Profile){func(p *Profile) { p.Policy.DockerNetwork = nil }}, OutcomePlanned, "", ""},
		"on with an unknown value":        {ActionLockdownOn, []func(*Profile){source(SourceManaged), func(p *Profile) { p.Policy.DockerNetwork = nil }}, OutcomeRefused, "", "cannot be read"},
		"on without a policy":             {ActionLockdownOn, []func(*Profile){func(p *Profile) { p.Policy = nil }}, OutcomeRefused, "", "not known"},
		"on without a home":               {ActionLockdownOn, []func(*Profile){func(p *Profile) { p.Home, p.ConfigFile = "", "" }}, OutcomeRefused, "", "no home"},
		"on against a network argument":   {ActionLockdownOn, []func(*Profile){extra("--network", "lan")}, OutcomeRefused, "", "network lan"},
		"on against a second argument":    {ActionLockdownOn, []func(*Profile){extra("--network=none", "--net=name=lan,alias=x")}, OutcomeRefused, "", "network lan"},
		"on with network none as well":    {ActionLockdownOn, []func(*Profile){extra("--network=none")}, OutcomePlanned, "true", ""},
		"off":                             {ActionLockdownOff, []func(*Profile){value(false)}, OutcomePlanned, "false", ""},
		"off already":                     {ActionLockdownOff, nil, OutcomeSkipped, "true", ""},
		"off against network none":        {ActionLockdownOff, []func(*Profile){extra("--network=none")}, OutcomeRefused, "", "network none"},
		"off against container_network":   {ActionLockdownOff, []func(*Profile){func(p *Profile) { p.Policy.ContainerNetwork = pointer("off") }}, OutcomeRefused, "", "container_network"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := openSandbox("aa")
			if c.action == ActionLockdownOff {
				cutHere(&s)
			}
			fleet := openFleet(s)
			fleet.Profiles = []Profile{openProfile(c.changes...)}
			if fleet.Profiles[0].Home == "" {
				fleet.Sandboxes[0].Home = ""
			}
			plan := PlanLockdown(fleet, c.action, LockdownOptions{})
			if len(plan.Config) != 1 {
				t.Fatalf("%d edits, want 1", len(plan.Config))
			}
			edit := plan.Config[0]
			if edit.Outcome != c.want || edit.Key != "terminal.docker_network" || edit.File != fleet.Profiles[0].ConfigFile {
				t.Errorf("edit %+v, want outcome %s", edit, c.want)
			}
			if !strings.Contains(edit.Error, c.reason) || (edit.Error == "") != (c.want != OutcomeRefused) {
				t.Errorf("reason %q, want one with %q", edit.Error, c.reason)
			}
			if c.want != OutcomeRefused && edit.From != c.from {
				t.Errorf("from %q, want %q", edit.From, c.from)
			}
			target := onlyRow(t, plan)
			wantDecision := DecisionAct
			if c.want == OutcomeRefused {
				wantDecision = DecisionRefuse
			}
			if target.Decision != wantDecision {
				t.Errorf("its sandbox: %s, %s; want %s", target.Decision, target.Reason, wantDecision)
			}
			if c.want == OutcomePlanned && target.WaitsFor != edit.File {
				t.Errorf("its sandbox waits for %q", target.WaitsFor)
			}
		})
	}
}

func TestLockdownOnBySandbox(t *testing.T) {
	cases := map[string]struct {
		running Running
		changes []func(*Sandbox)
		want    string // as planRow writes it
		reason  string
		warning string
	}{
		"running":             {RunningCut, nil, "act cut []", "taken off bridge", "frozen, not closed"},
		"replaced afterwards": {"", nil, "act cut []", "", "Hermes that starts replaces it"},
		"exited":              {RunningCut, []func(*Sandbox){inState(StateExited)}, "act cut []", "outlives a start", ""},
		"created":             {RunningCut, []func(*Sandbox){inState(StateCreated)}, "act cut []", "", ""},
		"paused":              {RunningCut, []func(*Sandbox){inState(StatePaused)}, "act cut []", "", "frozen"},
		"restarting":          {RunningCut, []func(*Sandbox){inState(StateRestarting)}, "act cut []", "", ""},
		"dead":                {RunningCut, []func(*Sandbox){inState(StateDead)}, "skip none []", "dead", ""},
		"removing":            {RunningCut, []func(*Sandbox){inState(StateRemoving)}, "skip none []", "being removed", ""},
		"air-gapped":          {RunningCut, []func(*Sandbox){atLevel(LevelAirGapped)}, "skip none []", "air-gapped already", ""},
		"cut off":             {RunningRemove, []func(*Sandbox){cutHere}, "skip none []", "cut off already", ""},
		"internal":            {RunningCut, []func(*Sandbox){atLevel(LevelInternal)}, "act cut []", "", ""},
		"not known":           {RunningCut, []func(*Sandbox){atLevel(LevelUnknown)}, "act cut []", "", ""},
		"host":                {RunningCut, []func(*Sandbox){declared("host"), atLevel(LevelHost)}, "refuse none []", "rebuild or remove", ""},
		"host, removed":       {RunningRemove, []func(*Sandbox){declared("host"), atLevel(LevelHost)}, "act remove-force [processes writable-layer]", "", ""},
		"host, rebuilt":       {RunningRebuild, []func(*Sandbox){declared("host"), atLevel(LevelHost)}, "act rebuild [processes]", "", ""},
		"attached to host": {RunningCut, []func(*Sandbox){func(s *Sandbox) {
			s.Networks.Endpoints = append(s.Networks.Endpoints, Endpoint{Network: NewText("host")})
		}}, "refuse none []", "host's network", ""},
		"pasta":           {RunningCut, []func(*Sandbox){declared("pasta:x")}, "refuse none []", "pasta", ""},
		"networks hidden": {RunningCut, []func(*Sandbox){func(s *Sandbox) { s.Networks.Known = false }}, "refuse none []", "does not say", ""},
		"shares with a stranger": {
			RunningCut,
			[]func(*Sandbox){sharing("ee", LevelOpen)},
			"refuse none []", "no hermes sandbox", "",
		},
		"shares with the lost": {RunningCut, []func(*Sandbox){sharing("ee", LevelUnknown), func(s *Sandbox) { s.Posture.Target = "" }}, "refuse none []", "cannot be told", ""},
		"foreign":              {RunningCut, []func(*Sandbox){func(s *Sandbox) { s.Foreign = true }}, "refuse none []", "foreign", ""},
		"foreign, in line":     {RunningCut, []func(*Sandbox){func(s *Sandbox) { s.Foreign = true }, atLevel(LevelAirGapped)}, "skip none []", "air-gapped already", ""},
		"kept":                 {RunningKeep, nil, "skip none []", "stays open", ""},
		"rebuilt": {
			RunningRebuild,
			[]func(*Sandbox){tmpfsRoot},
			"act rebuild [processes tmpfs session-files]", "copy of its writable layer", "tmpfs",
		},
		"rebuilt, exited":         {RunningRebuild, []func(*Sandbox){inState(StateExited)}, "act rebuild []", "", ""},
		"rebuilt, pinned":         {RunningRebuild, []func(*Sandbox){func(s *Sandbox) { s.Policy.ImagePinned = pointer(true) }}, "act rebuild [processes]", "", "image is pinned"},
		"rebuilt, removes itself": {RunningRebuild, []func(*Sandbox){func(s *Sandbox) { s.Host.AutoRemove = true }}, "refuse none []", "removes it as soon", ""},
		"rebuilt, restarting":     {RunningRebuild, []func(*Sandbox){inState(StateRestarting)}, "refuse none []", "restarting", ""},
		"removed":                 {RunningRemove, nil, "act remove-force [processes writable-layer]", "", "settings it had when it started"},
		"never inspected":         {RunningCut, []func(*Sandbox){func(s *Sandbox) { s.Inspected = false }}, "refuse none []", "not been inspected", ""},
		"void": {RunningCut, []func(*Sandbox){func(s *Sandbox) {
			s.Findings = []Finding{{Code: "privileged", Severity: SeverityVoid}, {Code: "no-limits", Severity: SeverityWeak}}
		}}, "act cut []", "", "does not contain it: privileged"},
		"drifted": {RunningCut, []func(*Sandbox){declared("none")}, "act cut []", "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := openFleet(openSandbox("aa", c.changes...))
			target := onlyRow(t, PlanLockdown(fleet, ActionLockdownOn, LockdownOptions{Running: c.running}))
			if got := planRow(&target); got != c.want {
				t.Errorf("row = %s, want %s (%s)", got, c.want, target.Reason)
			}
			if !strings.Contains(target.Reason, c.reason) || target.Reason == "" {
				t.Errorf("reason %q, want one with %q", target.Reason, c.reason)
			}
			if c.warning != "" && !hasWarning(&target, c.warning) {
				t.Errorf("warnings %q, want one with %q", target.Warnings, c.warning)
			}
			if name == "drifted" && hasWarning(&target, "starts replaces it") {
				t.Errorf("Hermes' guard passes one made with network none, yet: %q", target.Warnings)
			}
		})
	}
}

func TestLockdownOfASharedNetworkActsOnItsOwner(t *testing.T) {
	elsewhere := func(s *Sandbox) { s.Profile, s.Home, s.Policy = NewText("lab"), "/home/u/.hermes/profiles/lab", nil }
	cases := map[string]struct {
		owner []func(*Sandbox)
		want  map[string]string // name: row
	}{
		"owner of the same profile": {nil, map[string]string{"hermes-aa": "act cut []", "hermes-bb": "skip none []"}},
		"owner of another profile":  {[]func(*Sandbox){elsewhere}, map[string]string{"hermes-aa": "act cut []", "hermes-bb": "skip none []"}},
		"owner on the host":         {[]func(*Sandbox){declared("host"), atLevel(LevelHost)}, map[string]string{"hermes-aa": "refuse none []", "hermes-bb": "refuse none []"}},
		"foreign owner":             {[]func(*Sandbox){func(s *Sandbox) { s.Foreign = true }}, map[string]string{"hermes-aa": "refuse none []", "hermes-bb": "refuse none []"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			owner := openSandbox("aa", c.owner...)
			guest := openSandbox("bb", sharing("aa", owner.Posture.Effective))
			for _, sandboxes := range [][]Sandbox{{owner, guest}, {guest, owner}} {
				plan := PlanLockdown(openFleet(sandboxes...), ActionLockdownOn, LockdownOptions{})
				if len(plan.Targets) != 2 {
					t.Fatalf("%d rows, want 2", len(plan.Targets))
				}
				for i := range plan.Targets {
					target := &plan.Targets[i]
					if got := planRow(target); got != c.want[target.Name.Raw()] {
						t.Errorf("%s is %s, want %s (%s)", target.Name, got, c.want[target.Name.Raw()], target.Reason)
					}
					if follows := target.Follows == owner.Key(); follows != (target.Decision == DecisionSkip) {
						t.Errorf("%s follows %v", target.Name, target.Follows)
					}
					other := target.Decision == DecisionAct && !samePath(owner.Home, openProfile().Home)
					if led := hasWarning(target, "it is cut because"); led != other {
						t.Errorf("of another profile %t, warnings %q", other, target.Warnings)
					}
					if target.Decision == DecisionAct && !hasWarning(target, "hermes-bb") {
						t.Errorf("the guest is not named: %q", target.Warnings)
					}
				}
			}
			plan := PlanLockdownOf(openFleet(owner, guest), ActionLockdownOn, []Key{guest.Key()}, LockdownOptions{})
			if len(plan.Targets) != 2 || len(plan.Config) != 0 {
				t.Errorf("naming the guest gives %d rows and %d edits, want 2 and none", len(plan.Targets), len(plan.Config))
			}
			for i := range plan.Targets {
				target := &plan.Targets[i]
				if got := planRow(target); got != c.want[target.Name.Raw()] {
					t.Errorf("named alone: %s is %s", target.Name, got)
				}
				if led := hasWarning(target, "it is cut because hermes-bb shares its network"); led != (target.Decision == DecisionAct) {
					t.Errorf("named alone: %s, warnings %q", target.Name, target.Warnings)
				}
			}
		})
	}
}

func TestLockdownScope(t *testing.T) {
	fleet := openFleet(
		openSandbox("aa"),
		openSandbox("bb", func(s *Sandbox) { s.Profile, s.Home = NewText("lab"), "/home/u/.hermes/profiles/lab" }),
		openSandbox("cc", func(s *Sandbox) { s.Home = "" }),
	)
	lab := openProfile(func(p *Profile) {
		p.Name, p.Label, p.Home, p.Active = NewText("lab"), "lab", "/home/u/.hermes/profiles/lab", false
		p.ConfigFile = p.Home + "/config.yaml"
	})
	fleet.Profiles = append(fleet.Profiles, lab)
	cases := map[string]struct {
		profiles []Text
		homes    []string
		want     []string
		note     string
	}{
		"one by its home": {nil, []string{"/home/u/.hermes/profiles/lab"}, []string{"hermes-bb"}, "profiles looked at: lab"},
		"the active one":  {nil, nil, []string{"hermes-aa"}, "work (active)"},
		"a named one":     {[]Text{NewText("lab")}, nil, []string{"hermes-bb"}, "profiles looked at: lab"},
		"both":            {[]Text{NewText("lab"), NewText("work")}, nil, []string{"hermes-aa", "hermes-bb"}, "lab, work"},
		"others are said": {nil, nil, []string{"hermes-aa"}, "1 sandbox with the same profile label left out"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			plan := PlanLockdown(fleet, ActionLockdownOn, LockdownOptions{Profiles: c.profiles, Homes: c.homes})
			var names []string
			for _, target := range plan.Targets {
				names = append(names, target.Name.Raw())
			}
			slices.Sort(names)
			if !slices.Equal(names, c.want) || len(plan.Config) != max(1, len(c.profiles)) {
				t.Errorf("rows %v and %d edits, want %v", names, len(plan.Config), c.want)
			}
			if !strings.Contains(strings.Join(plan.Notes, "\n"), c.note) {
				t.Errorf("notes %q, want %q", plan.Notes, c.note)
			}
		})
	}
}

func TestLockdownReachesSharedSandboxes(t *testing.T) {
	key := "team"
	fleet := openFleet(openSandbox("aa", func(s *Sandbox) {
		s.Profile, s.Scope, s.Home = NewText(SharedIdentity(key)), ScopeShared, "/home/u/.hermes"
	}))
	fleet.Profiles[0].Policy.SharedContainerKey = &key
	plan := PlanLockdown(fleet, ActionLockdownOn, LockdownOptions{})
	target := onlyRow(t, plan)
	if target.Method != MethodCut || !hasWarning(&target, "profiles work") {
		t.Errorf("row %s, warnings %q", planRow(&target), target.Warnings)
	}
}

func TestSharedSandboxStaysClosedForThoseWhoStayLocked(t *testing.T) {
	key := "team"
	locked := func(name string) Profile {
		return openProfile(func(p *Profile) {
			p.Name, p.Label, p.Home = NewText(name), name, "/home/u/.hermes/profiles/"+name
			p.ConfigFile, p.Policy.DockerNetwork, p.Policy.SharedContainerKey = p.Home+"/config.yaml", pointer(false), &key
		})
	}
	fleet := openFleet(openSandbox("aa", cutHere, func(s *Sandbox) {
		s.Profile, s.Scope, s.Home = NewText(SharedIdentity(key)), ScopeShared, "/home/u/.hermes"
	}))
	fleet.Profiles = []Profile{locked("work"), locked("lab")}
	one := onlyRow(t, PlanLockdown(fleet, ActionLockdownOff, LockdownOptions{Profiles: []Text{NewText("work")}}))
	if one.Decision != DecisionSkip || !strings.Contains(one.Reason, "lab shares it and stays locked") {
		t.Errorf("for one: %s %s", one.Decision, one.Reason)
	}
	both := onlyRow(t, PlanLockdown(fleet, ActionLockdownOff, LockdownOptions{Profiles: []Text{NewText("work"), NewText("lab")}}))
	if both.Method != MethodReconnect {
		t.Errorf("for both: %s %s", both.Decision, both.Reason)
	}
}

func TestLockdownOffBySandbox(t *testing.T) {
	unfinished := func(s *Sandbox) {
		s.Cut = &CutRecord{Networks: []CutNetwork{{Name: NewText("bridge")}}}
	}
	cases := map[string]struct {
		running Running
		changes []func(*Sandbox)
		want    string
		reason  string
		warning string
	}{
		"running":               {"", []func(*Sandbox){cutHere}, "act reconnect [processes]", "stopped, so that nothing held back is sent", ""},
		"running, hot":          {RunningHot, []func(*Sandbox){cutHere}, "act reconnect-hot []", "as it runs", "held back"},
		"exited":                {"", []func(*Sandbox){cutHere, inState(StateExited)}, "act reconnect []", "connected to bridge", ""},
		"kept":                  {RunningKeep, []func(*Sandbox){cutHere}, "skip none []", "by choice", ""},
		"cut off by another":    {"", []func(*Sandbox){cutHere, func(s *Sandbox) { s.Cut = nil }}, "skip none []", "left alone: someone else", ""},
		"made without networks": {"", []func(*Sandbox){atLevel(LevelAirGapped)}, "skip none []", "made without a network", ""},
		"never cut":             {"", nil, "skip none []", "it is open", ""},
		"half reconnected here": {"", []func(*Sandbox){cutHere, atLevel(LevelOpen), func(s *Sandbox) { s.Cut.Complete = false }}, "act reconnect [processes]", "", ""},
		"connected by another":  {"", []func(*Sandbox){cutHere, atLevel(LevelOpen)}, "skip none []", "someone else connected it", ""},
		"unfinished cut":        {"", []func(*Sandbox){unfinished}, "act reconnect [processes]", "", ""},
		"session in memory":     {"", []func(*Sandbox){cutHere, tmpfsRoot}, "act reconnect [processes tmpfs session-files]", "", "tmpfs"},
		"removes itself":        {"", []func(*Sandbox){cutHere, func(s *Sandbox) { s.Host.AutoRemove = true }}, "refuse none []", "reconnect it hot", ""},
		"removes itself, hot":   {RunningHot, []func(*Sandbox){cutHere, func(s *Sandbox) { s.Host.AutoRemove = true }}, "act reconnect-hot []", "", ""},
		"dead":                  {"", []func(*Sandbox){cutHere, inState(StateDead)}, "skip none []", "dead", ""},
		"empty record":          {"", []func(*Sandbox){cutHere, func(s *Sandbox) { s.Cut.Networks = nil }}, "skip none []", "names no network", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := openFleet(openSandbox("aa", c.changes...))
			fleet.Profiles[0].Policy.DockerNetwork = pointer(false)
			target := onlyRow(t, PlanLockdown(fleet, ActionLockdownOff, LockdownOptions{Running: c.running}))
			if got := planRow(&target); got != c.want {
				t.Errorf("row = %s, want %s (%s)", got, c.want, target.Reason)
			}
			if !strings.Contains(target.Reason, c.reason) {
				t.Errorf("reason %q, want one with %q", target.Reason, c.reason)
			}
			if c.warning != "" && !hasWarning(&target, c.warning) {
				t.Errorf("warnings %q, want one with %q", target.Warnings, c.warning)
			}
			if hasWarning(&target, "its policy is locked") {
				t.Error("the policy is open once the plan is carried out")
			}
		})
	}
}

func TestGuestsOfWhatIsLatchedOrReconnected(t *testing.T) {
	owner := openSandbox("aa", cutHere)
	guest := openSandbox("bb", sharing("aa", LevelCutOff))
	cases := map[string]struct {
		action  Action
		running Running
		reason  string
	}{
		"lock twice":  {ActionLockdownOn, "", "cut off already"},
		"reconnected": {ActionLockdownOff, "", "it shares the network of hermes-aa: it gets it back when it is started again after that one"},
		"hot":         {ActionLockdownOff, RunningHot, "it shares the network of hermes-aa: it gets it back with that one"},
		"kept":        {ActionLockdownOff, RunningKeep, "kept cut off by choice"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			plan := PlanLockdown(openFleet(guest, owner), c.action, LockdownOptions{Running: c.running})
			for _, target := range plan.Targets {
				if target.ID == guest.ID && (target.Decision != DecisionSkip || target.Reason != c.reason) {
					t.Errorf("the guest: %s %q, want %q", target.Decision, target.Reason, c.reason)
				}
			}
			if len(plan.Targets) != 2 {
				t.Errorf("%d rows, want 2", len(plan.Targets))
			}
		})
	}
}

func TestSingleSandboxesAnswerToThePolicyThereIs(t *testing.T) {
	locked := func(s *Sandbox) { s.Policy = workProfile().Policy }
	cases := map[string]struct {
		action  Action
		changes []func(*Sandbox)
		warning string
	}{
		"cut under an open policy":         {ActionLockdownOn, nil, "goes on using it without a network"},
		"cut under a locked policy":        {ActionLockdownOn, []func(*Sandbox){locked}, "Hermes that starts replaces it"},
		"reconnected under a locked one":   {ActionLockdownOff, []func(*Sandbox){cutHere, locked}, "its policy is locked"},
		"foreign, but named by the person": {ActionLockdownOn, []func(*Sandbox){func(s *Sandbox) { s.Foreign = true }}, "foreign"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := openFleet(openSandbox("aa", c.changes...))
			plan := PlanLockdownOf(fleet, c.action, keysOf(fleet.Sandboxes), LockdownOptions{})
			target := onlyRow(t, plan)
			if target.Decision != DecisionAct || !hasWarning(&target, c.warning) || len(plan.Config) != 0 || target.WaitsFor != "" {
				t.Errorf("row %s, warnings %q, %d edits", planRow(&target), target.Warnings, len(plan.Config))
			}
		})
	}
}

func TestWithheldRowsAreThoseThatWait(t *testing.T) {
	plan := Plan{
		Config: []ConfigEdit{{Profile: NewText("work"), File: "/a", Outcome: OutcomeFailed}, {File: "/b", Outcome: OutcomeDone}},
		Targets: []Target{
			{Decision: DecisionAct, WaitsFor: "/a"},
			{Decision: DecisionAct, WaitsFor: "/b"},
			{Decision: DecisionAct},
			{Decision: DecisionSkip, WaitsFor: "/a"},
		},
	}
	plan.Withhold()
	var got []Decision
	for _, target := range plan.Targets {
		got = append(got, target.Decision)
	}
	if want := []Decision{DecisionRefuse, DecisionAct, DecisionAct, DecisionSkip}; !slices.Equal(got, want) {
		t.Errorf("decisions %v, want %v", got, want)
	}
}
