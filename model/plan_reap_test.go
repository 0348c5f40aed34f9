package model

import (
	"strings"
	"testing"
	"time"
)

func hours(count int) *time.Duration { return pointer(time.Duration(count) * time.Hour) }

func probe(s *Sandbox)     { s.Scope, s.Task = ScopeProbe, NewText("prompt-backend-probe") }
func duplicate(s *Sandbox) { s.Reuse = Reuse{Verdict: ReuseShadowed, Reason: "another one is chosen"} }

func strandedOne(s *Sandbox) {
	s.Stranded, s.Scope = true, ScopeSession
	s.Session = Session{State: SessionEnded, LastActivityAt: planNow().Add(-2 * time.Hour)}
}

func reapVerdict(reason ReapReason) func(*Sandbox) {
	return func(s *Sandbox) {
		s.Orphan = false
		s.Reap = Reap{Verdict: ReapSpared, Reason: reason, Detail: "spared: " + string(reason)}
	}
}

func tooYoung(s *Sandbox) { s.FinishedAt = ago(5 * time.Minute); reapVerdict(ReapTooYoung)(s) }

func homelessOne(s *Sandbox) {
	s.Profile, s.Home, s.Policy = NewText("elsewhere"), "", nil
	s.Reap = Reap{Verdict: ReapUnknown, Reason: ReapNoProfile, Detail: "no profile labelled elsewhere"}
}

func TestReap(t *testing.T) {
	running, created, dead := inState(StateRunning), inState(StateCreated), inState(StateDead)
	deadSince := func(s *Sandbox) { s.FinishedAt = ago(time.Hour) }
	include := func(classes ...ReapClass) ReapOptions { return ReapOptions{Include: classes} }
	elsewhere := ReapOptions{Profiles: []Text{NewText("elsewhere")}, Explicit: true}
	cases := map[string]struct {
		changes []func(*Sandbox)
		opts    ReapOptions
		want    string // decision, method and class
		reason  string
	}{
		"eligible":               {nil, ReapOptions{}, "act remove exited", "exited for 14m, at the age of 10m or over"},
		"too young":              {[]func(*Sandbox){tooYoung}, ReapOptions{}, "skip none exited", "too-young"},
		"reaper off":             {[]func(*Sandbox){reapVerdict(ReapDisabled)}, ReapOptions{}, "skip none exited", "disabled"},
		"finish time not known":  {[]func(*Sandbox){reapVerdict(ReapAgeUnknown)}, ReapOptions{}, "skip none exited", "age-unknown"},
		"clocks differ":          {[]func(*Sandbox){reapVerdict(ReapClockSkew)}, ReapOptions{}, "skip none exited", "clock-skew"},
		"configuration unread":   {[]func(*Sandbox){reapVerdict(ReapNoProfile)}, ReapOptions{}, "skip none exited", "no-profile"},
		"foreign":                {[]func(*Sandbox){func(s *Sandbox) { s.Foreign = true }}, ReapOptions{}, "skip none ", "foreign"},
		"inherited":              {[]func(*Sandbox){func(s *Sandbox) { s.Inherited = true }}, ReapOptions{}, "skip none ", "from its image"},
		"other home":             {[]func(*Sandbox){func(s *Sandbox) { s.Home = "/srv/bot" }}, ReapOptions{}, "skip none ", "another home: /srv/bot"},
		"one of several homes":   {[]func(*Sandbox){func(s *Sandbox) { s.Home = "" }}, ReapOptions{OlderThan: hours(0), Explicit: true, Profiles: []Text{NewText("work")}}, "skip none ", "which of several homes"},
		"running":                {[]func(*Sandbox){running}, ReapOptions{}, "skip none ", "running: never reaped"},
		"paused":                 {[]func(*Sandbox){inState(StatePaused), probe, duplicate}, include(ReapClasses()...), "skip none ", "paused: never reaped"},
		"restarting":             {[]func(*Sandbox){inState(StateRestarting), probe, duplicate}, include(ReapClasses()...), "skip none ", "never reaped"},
		"removing":               {[]func(*Sandbox){inState(StateRemoving), duplicate}, include(ReapClasses()...), "skip none ", "never reaped"},
		"state not known":        {[]func(*Sandbox){inState("stopping"), duplicate}, include(ReapClasses()...), "skip none ", "never reaped"},
		"created, not chosen":    {[]func(*Sandbox){created}, ReapOptions{}, "skip none ", "created: taken only when"},
		"created":                {[]func(*Sandbox){created}, include(ClassCreated), "act remove created", "never started, made before 3h"},
		"created, young":         {[]func(*Sandbox){created, func(s *Sandbox) { s.CreatedAt = ago(time.Minute) }}, include(ClassCreated), "skip none created", "under the age of 10m"},
		"created, age not known": {[]func(*Sandbox){created, func(s *Sandbox) { s.CreatedAt = Stamp{} }}, include(ClassCreated), "skip none created", "age is not known"},
		"created, age unreadable": {
			[]func(*Sandbox){created, func(s *Sandbox) { s.CreatedAt = Stamp{Problem: "no date"} }},
			include(ClassCreated), "skip none created", "no date",
		},
		"created in the future": {
			[]func(*Sandbox){created, func(s *Sandbox) { s.CreatedAt = ago(-time.Hour) }},
			include(ClassCreated), "skip none created", "1h in the future",
		},
		"dead, not chosen":    {[]func(*Sandbox){dead, deadSince}, ReapOptions{}, "skip none ", "dead: taken only when"},
		"dead":                {[]func(*Sandbox){dead, deadSince}, include(ClassDead), "act remove dead", "dead for 1h"},
		"dead, no finish":     {[]func(*Sandbox){dead, func(s *Sandbox) { s.FinishedAt = Stamp{} }}, include(ClassDead), "skip none dead", "age is not known"},
		"stranded, not taken": {[]func(*Sandbox){running, strandedOne}, ReapOptions{}, "skip none ", "stranded: taken only when"},
		"stranded":            {[]func(*Sandbox){running, strandedOne}, include(ClassStranded), "act stop-remove stranded", "session ended, silent for 2h"},
		"stranded, just now": {
			[]func(*Sandbox){running, strandedOne, func(s *Sandbox) { s.Session.LastActivityAt = planNow() }},
			include(ClassStranded), "skip none stranded", "under the age",
		},
		"stranded since ever": {
			[]func(*Sandbox){running, strandedOne, func(s *Sandbox) { s.Session.LastActivityAt = time.Time{} }},
			include(ClassStranded), "skip none stranded", "last activity is not known",
		},
		"running, not stranded":    {[]func(*Sandbox){running}, include(ClassStranded), "skip none ", "never reaped"},
		"probe, not chosen":        {[]func(*Sandbox){running, probe}, ReapOptions{}, "skip none ", "probes: taken only when"},
		"running probe":            {[]func(*Sandbox){running, probe}, include(ClassProbes), "act stop-remove probes", "probe"},
		"young exited probe":       {[]func(*Sandbox){tooYoung, probe}, include(ClassProbes), "act remove probes", "probe"},
		"old exited probe":         {[]func(*Sandbox){probe}, include(ClassProbes), "act remove exited", "exited for"},
		"exited duplicate":         {[]func(*Sandbox){tooYoung, duplicate}, include(ClassDuplicates), "act remove duplicates", "duplicate"},
		"exited duplicate, hinted": {[]func(*Sandbox){tooYoung, duplicate}, ReapOptions{}, "skip none exited", "duplicates: taken only when"},
		"created duplicate":        {[]func(*Sandbox){created, duplicate}, include(ClassDuplicates), "act remove duplicates", "duplicate"},
		"running duplicate":        {[]func(*Sandbox){running, duplicate}, include(ClassDuplicates), "skip none ", "never reaped"},
		"stranded duplicate":       {[]func(*Sandbox){running, strandedOne, duplicate}, include(ClassDuplicates), "act stop-remove duplicates", "duplicate"},

		"longer age than Hermes'":   {nil, ReapOptions{OlderThan: hours(1)}, "skip none exited", "under the age of 1h"},
		"shorter age than Hermes'":  {[]func(*Sandbox){tooYoung}, ReapOptions{OlderThan: pointer(time.Minute)}, "skip none exited", "too-young"},
		"shorter age, forced":       {[]func(*Sandbox){tooYoung}, ReapOptions{OlderThan: pointer(time.Minute), ForceAge: true}, "act remove exited", "age of 1m"},
		"forced, still too young":   {[]func(*Sandbox){tooYoung}, ReapOptions{OlderThan: pointer(6 * time.Minute), ForceAge: true}, "skip none exited", "under the age of 6m"},
		"forced without an age":     {[]func(*Sandbox){tooYoung}, ReapOptions{ForceAge: true}, "skip none exited", "too-young"},
		"force turns no reaper on":  {[]func(*Sandbox){reapVerdict(ReapDisabled)}, ReapOptions{OlderThan: hours(0), ForceAge: true}, "skip none exited", "disabled"},
		"given age for other class": {[]func(*Sandbox){created}, ReapOptions{Include: []ReapClass{ClassCreated}, OlderThan: hours(4)}, "skip none created", "under the age of 4h"},
		"shorter for other class": {
			[]func(*Sandbox){created, func(s *Sandbox) { s.CreatedAt = ago(2 * time.Minute) }},
			ReapOptions{Include: []ReapClass{ClassCreated}, OlderThan: pointer(time.Minute)},
			"act remove created", "age of 1m",
		},
		"age at the limit": {[]func(*Sandbox){func(s *Sandbox) { s.FinishedAt = ago(10 * time.Minute) }}, ReapOptions{}, "act remove exited", "exited for 10m"},

		"no known home":            {[]func(*Sandbox){homelessOne}, elsewhere, "skip none ", "no known home"},
		"no known home, not named": {[]func(*Sandbox){homelessOne}, ReapOptions{Profiles: elsewhere.Profiles, OlderThan: hours(0)}, "skip none ", "no known home"},
		"no known home, with age": {
			[]func(*Sandbox){homelessOne},
			ReapOptions{Profiles: elsewhere.Profiles, Explicit: true, OlderThan: pointer(time.Minute)},
			"act remove exited", "age of 10m",
		},
		"no known home, young": {
			[]func(*Sandbox){homelessOne, func(s *Sandbox) { s.FinishedAt = ago(5 * time.Minute) }},
			ReapOptions{Profiles: elsewhere.Profiles, Explicit: true, OlderThan: pointer(time.Minute)},
			"skip none exited", "under the age of 10m",
		},
		"no known home, forced": {
			[]func(*Sandbox){homelessOne, func(s *Sandbox) { s.FinishedAt = ago(5 * time.Minute) }},
			ReapOptions{Profiles: elsewhere.Profiles, Explicit: true, OlderThan: pointer(time.Minute), ForceAge: true},
			"act remove exited", "age of 1m",
		},
		"age of the policy not known": {
			[]func(*Sandbox){created, func(s *Sandbox) { s.Policy = &Policy{} }, func(s *Sandbox) { s.Home = "/srv/blank" }},
			ReapOptions{Include: []ReapClass{ClassCreated}, Profiles: []Text{NewText("blank")}},
			"skip none created", "give an age",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := planFleet(workSandbox("aa", c.changes...))
			fleet.Profiles = append(fleet.Profiles, Profile{Name: NewText("blank"), Label: "blank", Home: "/srv/blank"})
			plan := PlanReap(fleet, planNow(), c.opts)
			target := onlyRow(t, plan)
			got := strings.Join([]string{string(target.Decision), string(target.Method), string(target.Class)}, " ")
			if got != c.want || !strings.Contains(target.Reason, c.reason) {
				t.Errorf("row = %s (%s), want %s (%s)", got, target.Reason, c.want, c.reason)
			}
			if target.Method == MethodRemoveForce || target.Volumes {
				t.Errorf("reap forces or takes volumes: %s %v", target.Method, target.Volumes)
			}
			checkPrintable(t, target.Reason)
			if strings.HasSuffix(target.Reason, "; ") {
				t.Errorf("the reason breaks off: %q", target.Reason)
			}
		})
	}
}

func TestReapRefusesWhatItCannotJudge(t *testing.T) {
	cases := map[string]struct {
		change func(*Sandbox)
		fleet  func(*Fleet)
		want   Decision
	}{
		"stale engine":          {nil, func(f *Fleet) { f.Engines[0].State = Stale }, DecisionRefuse},
		"broken row":            {func(s *Sandbox) { s.Problem = "odd" }, nil, DecisionRefuse},
		"spared, stale engine":  {tooYoung, func(f *Fleet) { f.Engines[0].State = Stale }, DecisionSkip},
		"engine of wrong clock": {nil, func(f *Fleet) { f.Engines[0].Skew, f.Engines[0].SkewKnown = time.Hour, true }, DecisionSkip},
		"engine not there":      {nil, func(f *Fleet) { f.Engines = nil }, DecisionSkip},
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
			if target := onlyRow(t, PlanReap(fleet, planNow(), ReapOptions{})); target.Decision != c.want {
				t.Errorf("decision = %s (%s), want %s", target.Decision, target.Reason, c.want)
			}
		})
	}
}

func TestReapGoesByTheEnginesClock(t *testing.T) {
	fleet := planFleet(workSandbox("aa", func(s *Sandbox) { s.FinishedAt = ago(10*time.Minute - 20*time.Second) }))
	if target := onlyRow(t, PlanReap(fleet, planNow(), ReapOptions{})); target.Decision != DecisionSkip {
		t.Errorf("taken before its time: %s", target.Reason)
	}
	fleet.Engines[0].Skew, fleet.Engines[0].SkewKnown = 30*time.Second, true
	if target := onlyRow(t, PlanReap(fleet, planNow(), ReapOptions{})); target.Decision != DecisionAct {
		t.Errorf("spared although old by the engine's clock: %s", target.Reason)
	}
}

func TestReapToleratesClocksThatCountSeconds(t *testing.T) {
	cases := map[string]struct {
		ahead time.Duration
		skew  time.Duration
		want  string
	}{
		"a second ahead":   {time.Second, 0, "under the age"},
		"two seconds":      {2 * time.Second, 0, "under the age"},
		"three seconds":    {3 * time.Second, 0, "in the future"},
		"skew at its edge": {0, time.Minute, "under the age"},
		"skew over it":     {0, time.Minute + time.Second, "off ours"},
		"negative skew":    {0, -time.Minute - time.Second, "off ours"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := planFleet(workSandbox("aa", inState(StateCreated), func(s *Sandbox) { s.CreatedAt = ago(-c.ahead) }))
			fleet.Engines[0].Skew, fleet.Engines[0].SkewKnown = c.skew, true
			target := onlyRow(t, PlanReap(fleet, planNow(), ReapOptions{Include: []ReapClass{ClassCreated}}))
			if target.Decision != DecisionSkip || !strings.Contains(target.Reason, c.want) {
				t.Errorf("%s: %s, want %q", target.Decision, target.Reason, c.want)
			}
		})
	}
}

func TestReapScope(t *testing.T) {
	other := func(p *Profile) { p.Name, p.Label, p.Home, p.Active = NewText("other"), "other", "/srv/other", false }
	shared := func(p *Profile) {
		p.Name, p.Label, p.Home, p.Active = NewText("team"), "team", "/srv/team", false
		p.Policy.SharedContainerKey = pointer("key")
	}
	fleet := planFleet(
		workSandbox("aa"),
		workSandbox("bb", func(s *Sandbox) { s.Profile, s.Home = NewText("other"), "/srv/other" }),
		workSandbox("cc", func(s *Sandbox) { s.Profile, s.Home = NewText(SharedIdentity("key")), "/srv/team" }),
		workSandbox("dd", func(s *Sandbox) { s.Profile = NewText("mislabelled") }),
		workSandbox("ee", homelessOne),
		workSandbox("ff", func(s *Sandbox) { s.Foreign, s.Profile, s.Home = true, Text{}, "" }),
	)
	fleet.Profiles = append(fleet.Profiles, workProfile(other), workProfile(shared))
	cases := map[string]struct {
		profiles []string
		rows     string
		note     string
	}{
		"active":         {nil, "aa dd", "profiles looked at: work (active)"},
		"named":          {[]string{"other"}, "bb", "profiles looked at: other"},
		"two":            {[]string{"other", "work"}, "aa bb dd", "other, work"},
		"shared by name": {[]string{"team"}, "cc", "team"},
		"shared label":   {[]string{SharedIdentity("key")}, "cc", "team"},
		"labels alone":   {[]string{"elsewhere"}, "ee", "elsewhere"},
		"nobody":         {[]string{"no\x1bbody"}, "", `no\x1bbody`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			opts := ReapOptions{}
			for _, profile := range c.profiles {
				opts.Profiles = append(opts.Profiles, NewText(profile))
			}
			plan := PlanReap(fleet, planNow(), opts)
			var rows []string
			for i := range plan.Targets {
				rows = append(rows, string(plan.Targets[i].ID[:2]))
			}
			if got := strings.Join(rows, " "); got != c.rows {
				t.Errorf("rows: %s, want %s", got, c.rows)
			}
			if !strings.Contains(plan.Notes[0], c.note) || !strings.Contains(strings.Join(plan.Notes, "; "), "of other profiles left out") {
				t.Errorf("notes: %q", plan.Notes)
			}
		})
	}
	fleet.Profiles[0].Active = false
	if plan := PlanReap(fleet, planNow(), ReapOptions{}); len(plan.Targets) > 0 || !strings.Contains(plan.Notes[0], "none is active") {
		t.Errorf("without an active profile: %d rows, notes %q", len(plan.Targets), plan.Notes)
	}
}

func TestReapSaysWhenAnAgeWasRaised(t *testing.T) {
	fleet := planFleet(workSandbox("aa"))
	plan := PlanReap(fleet, planNow(), ReapOptions{OlderThan: pointer(time.Minute)})
	if notes := strings.Join(plan.Notes, "; "); !strings.Contains(notes, "1m was raised to Hermes' own 10m") {
		t.Errorf("notes: %q", notes)
	}
	young := planFleet(workSandbox("aa", tooYoung))
	if notes := PlanReap(young, planNow(), ReapOptions{OlderThan: pointer(time.Minute)}).Notes; len(notes) != 2 {
		t.Errorf("spared for the raised age: notes %q", notes)
	}
	for name, opts := range map[string]ReapOptions{"forced": {OlderThan: pointer(time.Minute), ForceAge: true}, "longer": {OlderThan: hours(1)}, "none": {}} {
		if notes := strings.Join(PlanReap(fleet, planNow(), opts).Notes, "; "); strings.Contains(notes, "raised") {
			t.Errorf("%s: notes: %q", name, notes)
		}
	}
}

func TestReapPutsWhatGoesFirst(t *testing.T) {
	fleet := planFleet(workSandbox("aa", tooYoung), workSandbox("bb", func(s *Sandbox) { s.Problem = "odd" }), workSandbox("cc"), workSandbox("dd"))
	plan := PlanReap(fleet, planNow(), ReapOptions{})
	order := ""
	for i := range plan.Targets {
		order += string(plan.Targets[i].ID[:2]) + string(plan.Targets[i].Decision) + " "
	}
	if order != "ccact ddact bbrefuse aaskip " {
		t.Errorf("order: %s", order)
	}
}
