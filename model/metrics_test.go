package model

import (
	"strings"
	"testing"
	"time"
)

func TestMetrics(t *testing.T) {
	now := planNow()
	fleet := Fleet{
		Engines: []Engine{
			{Name: "local", State: Live, LastAnswer: now.Add(-1500 * time.Millisecond)},
			{Name: "odd\"\\\n\x1b", State: Down},
		},
		Sandboxes: []Sandbox{
			workSandbox("a", inState(StateRunning), func(s *Sandbox) {
				s.Posture.Effective, s.Violation, s.Stranded = LevelOpen, pointer(true), true
			}),
			workSandbox("b", func(s *Sandbox) { s.Orphan, s.Violation, s.Posture.Effective = true, nil, "nobody knows" }),
			workSandbox("c", inState("stopping"), func(s *Sandbox) {
				s.Posture.Effective, s.Violation, s.Name = LevelAirGapped, pointer(false), NewText("secret-name")
			}),
		},
		Problems: []Problem{{Part: "networks", Error: "secret"}},
	}
	for i := range fleet.Sandboxes {
		fleet.Sandboxes[i].Engine = "local"
	}
	got := string(Metrics(&fleet, now))
	for _, line := range []string{
		"# TYPE hermes_sandbox_engine_up gauge",
		`hermes_sandbox_engine_up{engine="local"} 1`,
		`hermes_sandbox_engine_up{engine="odd\"\\\\\\x0a\\x1b"} 0`,
		`hermes_sandbox_resync_age_seconds{engine="local"} 1.500`,
		`hermes_sandbox_sandboxes{engine="local",state="running",posture="open"} 1`,
		`hermes_sandbox_sandboxes{engine="local",state="exited",posture="unknown"} 1`,
		`hermes_sandbox_sandboxes{engine="local",state="other",posture="air-gapped"} 1`,
		`hermes_sandbox_sandboxes{engine="local",state="paused",posture="host"} 0`,
		`hermes_sandbox_violations{engine="local"} 1`,
		`hermes_sandbox_policy_unknown{engine="local"} 1`,
		`hermes_sandbox_stranded{engine="local"} 1`,
		`hermes_sandbox_orphans{engine="local"} 1`,
		"hermes_sandbox_problems 1",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(got, "secret") || strings.Count(got, "hermes_sandbox_resync_age_seconds{") != 1 {
		t.Errorf("too much is told:\n%s", got)
	}
}
