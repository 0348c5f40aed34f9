package model

import (
	"slices"
	"strings"
	"testing"
)

func findingsNamed(s *Sandbox, code string) []Finding {
	var found []Finding
	for _, f := range s.Findings {
		if f.Code == code {
			found = append(found, f)
		}
	}
	return found
}

func TestTwins(t *testing.T) {
	cases := map[string]struct {
		left string
		want string // part of the detail on the first sandbox, empty for no finding
	}{
		"alone":                            {"open a:G4:running", ""},
		"two of one task":                  {"open a:G4:running b:G4:exited:5m", "2 sandboxes have these profile and task labels"},
		"two tasks of one profile":         {"open a:G4:running b:G4/profile-task:running", ""},
		"two homes, one task":              {"open a:G4:running b:G4/other-home:running", "of 2 homes"},
		"two homes, two tasks":             {"open a:G4/profile-task:running b:G4/other-home:running", "2 homes use this profile label"},
		"foreign ones have no identity":    {"open a:G4/no-task:running b:G4/no-task:running", ""},
		"probes are expected to pile up":   {"open a:G4/probe:running b:G4/probe:running", ""},
		"another profile with the task":    {"open a:G4:running b:G4/stranger:running", ""},
		"sessions with one label":          {"open a:G4/session:running b:G4/session:running", "2 sandboxes"},
		"three of one task in two of them": {"open a:G4:running b:G4:running c:G4/other-home:running", "3 sandboxes have these profile and task labels, of 2 homes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in, _ := groupWorld(t, c.left)
			found := findingsNamed(&Assess(in).Sandboxes[0], "twin")
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("unexpected finding %+v", found)
			case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Detail, c.want) || found[0].Severity != SeverityWeak):
				t.Errorf("got %+v, want one weak finding with %q", found, c.want)
			}
		})
	}
}

// Labels fold task ids into one; the directories bound at /root do not.
func TestTwinsOfDifferentTasksUnderOneLabel(t *testing.T) {
	in, _ := groupWorld(t, "open a:G4:running b:G4:running")
	for i, task := range []string{"a:b", "a_b"} {
		c := in.Snapshots[0].Containers[i]
		c.Labels[NewText(LabelTask)] = NewText(Sanitize(task))
		c.Mounts[0].Source = NewText(truthHome + "/sandboxes/docker/" + DirName(task) + "/home")
	}
	found := findingsNamed(&Assess(in).Sandboxes[0], "twin")
	if len(found) != 1 || !strings.Contains(found[0].Detail, "different tasks under one label") {
		t.Errorf("got %+v", found)
	}
}

func TestForeignHolders(t *testing.T) {
	cases := map[string]struct {
		left string
		want string // names of the sandboxes with the finding
	}{
		"blocked by a running writer":     {"open a:G5/data:exited:5m b:G4/data,profile-task:running", "a b"},
		"a running G5 is not blocked":     {"open a:G5/data:running b:G4/data,profile-task:running", ""},
		"a stopped writer blocks nothing": {"open a:G5/data:exited:5m b:G4/data,profile-task:exited:5m", ""},
		"G4 does not look":                {"open a:G4/data:exited:5m b:G4/data,profile-task:running", ""},
		"an adopted one is G5's":          {"open a:G4/adopted,data:paused b:G4/data,profile-task:running", "a b"},
		"sandbox directories are shared":  {"open a:G5:exited:5m b:G4:running", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in, names := groupWorld(t, c.left)
			var got []string
			fleet := Assess(in)
			for i := range fleet.Sandboxes {
				if len(findingsNamed(&fleet.Sandboxes[i], "foreign-holder")) > 0 {
					got = append(got, names[i])
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFindingsStayWorstFirst(t *testing.T) {
	in, _ := groupWorld(t, "open a:G4:running b:G4:running")
	in.Snapshots[0].Containers[0].Host.Privileged = true
	in.Snapshots[0].Containers[0].Host.ExtraHosts = []Text{NewText("a:1.2.3.4")}
	findings := Assess(in).Sandboxes[0].Findings
	if !slices.IsSortedFunc(findings, func(a, b Finding) int { return a.Severity.Rank() - b.Severity.Rank() }) {
		t.Errorf("out of order: %+v", findings)
	}
}

func TestRecoveryWarning(t *testing.T) {
	cases := map[string]struct {
		left string
		warn bool
	}{
		"an open one is running":        {"locked a:G4/none:running b:G4:running", true},
		"an open one can be started":    {"locked a:G4/none:running b:G4:exited:5m", true},
		"an open one is paused":         {"locked a:G4/none:running b:G4:paused", false},
		"none beside it":                {"locked a:G4/none:running", false},
		"the other is air-gapped too":   {"locked a:G4/none:running b:G4/none:running", false},
		"another environment":           {"locked a:G4/none:running b:G4/env2:running", false},
		"another egress label":          {"locked a:G4/none:running b:G4/fingerprint:running", false},
		"another task":                  {"locked a:G4/none:running b:G4/profile-task:running", false},
		"it is open itself":             {"locked a:G4:running b:G4:running", false},
		"a session does not recover":    {"locked a:G4/none,session:running b:G4/session:running", false},
		"G5 goes through all its rules": {"locked a:G5/none:running b:G5/renamed:running", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in, _ := groupWorld(t, c.left)
			fleet := Assess(in)
			if got := RecoveryWarning(&fleet, &fleet.Sandboxes[0]); (got != "") != c.warn {
				t.Errorf("got %q, want a warning: %v", got, c.warn)
			}
		})
	}
}

func TestSiblingsKeepListOrderAndStayOnTheEngine(t *testing.T) {
	in, _ := groupWorld(t, "open a:G4:running b:G4:exited:5m c:G4:paused d:G4/profile-task:running")
	second, _ := groupWorld(t, "open a:G4:running")
	second.Snapshots[0].Engine.Name = "other"
	second.Snapshots[0].Containers[0].Engine = "other"
	in.Snapshots = append(in.Snapshots, second.Snapshots...)
	fleet := Assess(in)
	siblings := Siblings(&fleet, &fleet.Sandboxes[1])
	if len(siblings) != 2 || siblings[0].ID != fleet.Sandboxes[0].ID || siblings[1].ID != fleet.Sandboxes[2].ID {
		t.Errorf("got %d siblings", len(siblings))
	}
}
