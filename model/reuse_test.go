package model

import (
	"strings"
	"testing"
)

func assessRow(t testing.TB, left string) Sandbox {
	t.Helper()
	fleet := Assess(truthWorld(t, left))
	if len(fleet.Sandboxes) != 1 {
		t.Fatalf("%q gives %d sandboxes", left, len(fleet.Sandboxes))
	}
	return fleet.Sandboxes[0]
}

func TestReuseAlternatives(t *testing.T) {
	cases := map[string]struct {
		left string
		want string // verdicts of the alternatives, in order
	}{
		"no environment label, running":      {"default bridge running open G2-G3", "reused"},
		"no environment label, locked":       {"default bridge running locked G2-G3", "replaced"},
		"no environment label, paused":       {"default bridge paused open G2-G3", "duplicated"},
		"no egress label, running":           {"default bridge running open G1", "reused"},
		"no egress label, no guard in G1":    {"default bridge running locked G1", "reused"},
		"no egress label, stopped long ago":  {"default bridge exited:1h open G1", "reaped-first"},
		"same for every version":             {"default bridge running open G4", ""},
		"one verdict for sessions":           {"default bridge running open G1/session", ""},
		"G5 is certain of its version":       {"default bridge paused open G5", ""},
		"G4 is not doubted":                  {"default bridge paused open G4", ""},
		"pinned image that cannot be pulled": {"default bridge running open+pin2 G3-G4", "reused reused"},
		"pinned image, network guard first":  {"default bridge running locked+pin2 G3-G4", ""},
		"container_network off, bridge":      {"default bridge running locked+cn-off G4", ""},
		"container_network off over network": {"default bridge running open+cn-off G4", "replaced"},
		"container_network off, none":        {"none none running open+cn-off G4", ""},
		"container_network allowlist":        {"egress egress running allowlist+cn-allowlist G4", ""},
		"allowlist, on the bridge":           {"default bridge running allowlist+cn-allowlist G4", "replaced"},
		"allowlist, unreadable":              {"default bridge running allowlist+cn-allowlist G4/uninspected", "replaced"},
		"off, on an allowlist network":       {"egress egress running open+cn-off G4", "replaced"},
		"on, stuck on an allowlist network":  {"egress egress running open+cn-on G4", "replaced"},
		"on, none is kept":                   {"none none running open+cn-on G4", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			reuse := assessRow(t, c.left).Reuse
			if reuse.Alternatives == nil {
				t.Fatal("the alternatives are nil, which JSON writes as null")
			}
			var got []string
			for _, alternative := range reuse.Alternatives {
				if alternative.When == "" || alternative.Reason == "" {
					t.Errorf("alternative %+v lacks its words", alternative)
				}
				got = append(got, string(alternative.Verdict))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got alternatives %q to %s, want %q", got, reuse.Verdict, c.want)
			}
		})
	}
}

func TestReuseReasonSaysWhatItRestsOn(t *testing.T) {
	cases := map[string]struct {
		left   string
		caveat bool
	}{
		"an environment fingerprint":         {"default bridge running open G4", true},
		"an egress fingerprint":              {"default bridge running open+proxy G4/proxied", true},
		"nothing under a shared key":         {"default bridge running open G3-G4", false},
		"nothing for a session":              {"default bridge running open G4/session", false},
		"a missing label is missing for all": {"default bridge running open G2-G3", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			reason := assessRow(t, c.left).Reuse.Reason
			if got := strings.HasSuffix(reason, "(if image, mounts and home are as when it was made)"); got != c.caveat {
				t.Errorf("reason %q, want the proviso: %v", reason, c.caveat)
			}
		})
	}
}

// A shared sandbox lies in the home of whoever came first, and is found by all.
func TestReuseOfASharedSandboxInAnotherHome(t *testing.T) {
	in := truthWorld(t, "default bridge running open+proxy G3-G4/proxied")
	c := in.Snapshots[0].Containers[0]
	for i, name := range []string{"home", "workspace"} {
		c.Mounts[i].Source = NewText("/srv/bot/sandboxes/docker/" + DirName("shared:team") + "/" + name)
	}
	got := Assess(in).Sandboxes[0]
	if got.Home != "/srv/bot" || got.Reuse.Verdict != ReuseReused {
		t.Errorf("got home %q, verdict %s: %s", got.Home, got.Reuse.Verdict, got.Reuse.Reason)
	}
}

// The rules are shown one by one, so their outcomes must tell which one decided.
func TestRulesTellWhichOneDecided(t *testing.T) {
	s := assessRow(t, "default bridge exited:5m locked G4")
	for name, checks := range map[string][]RuleCheck{"reuse": s.Reuse.Rules.Checks(), "reap": s.Reap.Rules.Checks()[:len(reapRules())]} {
		failed := -1
		for i, check := range checks {
			switch {
			case check.Rule == "":
				t.Errorf("%s: rule %d has no name", name, i)
			case check.Outcome == RuleFail:
				failed = i
			case failed >= 0 && check.Outcome != RuleNotReached:
				t.Errorf("%s: rule %q is %s after the one that decided", name, check.Rule, check.Outcome)
			case failed < 0 && check.Outcome != RulePass:
				t.Errorf("%s: rule %q is %s before the one that decided", name, check.Rule, check.Outcome)
			}
		}
		if failed < 0 {
			t.Errorf("%s: no rule decided", name)
		}
	}
	decided := ""
	for _, check := range s.Reuse.Rules.Checks() {
		if check.Outcome == RuleFail {
			decided = check.Rule
		}
	}
	if decided != "network guard (C.6)" {
		t.Errorf("the reuse verdict was decided by %q", decided)
	}
}

func TestReasonsEscapeWhatTheEngineSays(t *testing.T) {
	in, _ := groupWorld(t, "open a:G4/stranger:running b:G4:exited:5m")
	hostile := NewText("evil\x1b[2J\u202e")
	for i := range in.Snapshots[0].Containers {
		c := in.Snapshots[0].Containers[i]
		c.Name, c.Image = hostile, hostile
		c.Labels[NewText(LabelEgress)] = hostile
		c.Labels[NewText(LabelProfile)] = hostile
		c.State = State(hostile.Raw())
	}
	for _, s := range Assess(in).Sandboxes {
		for _, line := range append([]string{s.Reuse.Reason, s.Reap.Detail}, ruleDetails(&s)...) {
			if strings.ContainsAny(line, "\x1b\u202e") {
				t.Errorf("raw text in %q", line)
			}
		}
	}
}

func ruleDetails(s *Sandbox) []string {
	var details []string
	for _, check := range append(s.Reuse.Rules.Checks(), s.Reap.Rules.Checks()...) {
		details = append(details, check.Detail)
	}
	return details
}
