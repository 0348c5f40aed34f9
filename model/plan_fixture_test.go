package model

import (
	"fmt"
	"strings"
	"time"
)

// planNow is the time of all fixtures of plans, groups and documents.
func planNow() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }

func ago(age time.Duration) Stamp { return Stamp{Time: planNow().Add(-age)} }

// planID is a valid ID that begins with the given hex digits.
func planID(prefix string) ID { return ID(prefix + strings.Repeat("0", 64-len(prefix))) }

func pointer[T any](value T) *T { return &value }

// workHome is the home of the fixtures' profile.
const workHome = "/home/u/.hermes/profiles/work"

func workProfile(changes ...func(*Profile)) Profile {
	profile := Profile{
		Name: NewText("work"), Label: "work", Home: workHome, ConfigFile: workHome + "/config.yaml", Active: true,
		Policy: &Policy{
			Position: PositionLocked, DockerNetwork: pointer(false), OrphanReaper: pointer(true),
			LifetimeSeconds: pointer(300), ReapAfterSeconds: pointer(600),
		},
	}
	for _, change := range changes {
		change(&profile)
	}
	return profile
}

// workSandbox is an inspected sandbox of the profile, exited 14 minutes ago
// and eligible for Hermes' reaper, before the changes.
func workSandbox(prefix string, changes ...func(*Sandbox)) Sandbox {
	s := Sandbox{Container: &Container{
		Engine: "local", ID: planID(prefix), Name: NewText("hermes-" + prefix), Image: NewText("sandbox:desktop"),
		State: StateExited, Inspected: true, CreatedAt: ago(3 * time.Hour), StartedAt: ago(2 * time.Hour),
		FinishedAt: ago(14 * time.Minute),
		Labels:     Labels{NewText("hermes-agent"): NewText("1")},
		Networks:   NetworkSettings{Known: true, Mode: NewText("none"), Endpoints: []Endpoint{{Network: NewText("none")}}},
	}}
	s.Profile, s.Task, s.Home, s.Scope = NewText("work"), NewText("default"), workHome, ScopeProfile
	s.Generation, s.Violation = GenerationG4, pointer(false)
	s.Session.State = SessionNone
	s.Policy = workProfile().Policy
	s.Posture = Posture{Level: LevelAirGapped, Effective: LevelAirGapped, Evidence: EvidenceAttached}
	s.Reuse = Reuse{Verdict: ReuseReapedFirst, Reason: "the reaper runs first"}
	s.Reap = Reap{Verdict: ReapReaped, Reason: ReapEligible, InSeconds: pointer(int64(0)), Detail: "exited 14m ago"}
	s.Orphan = true
	for _, change := range changes {
		change(&s)
	}
	return s
}

// inState moves a sandbox to another state with the verdicts that follow.
func inState(state State) func(*Sandbox) {
	return func(s *Sandbox) {
		s.State = state
		if state == StateExited {
			return
		}
		s.Orphan = false
		s.Reap = Reap{Verdict: ReapSpared, Reason: ReapNotExited, Detail: string(state) + ": never reaped"}
		s.Reuse = Reuse{Verdict: ReuseReused, Reason: "running"}
		if hasProcesses(state) {
			s.FinishedAt = Stamp{}
		}
		if state == StateCreated {
			s.StartedAt, s.FinishedAt = Stamp{}, Stamp{}
		}
	}
}

func tmpfsRoot(s *Sandbox) {
	s.Host.Tmpfs = map[Text]Text{NewText("/root"): NewText("rw"), NewText("/tmp"): NewText("rw")}
	s.Scope = ScopeSession
}

func planFleet(sandboxes ...Sandbox) *Fleet {
	return &Fleet{
		GeneratedAt: planNow(),
		Engines:     []Engine{{Name: "local", Host: "unix:///var/run/docker.sock", Kind: "docker", State: Live}},
		Profiles:    []Profile{workProfile()},
		Sandboxes:   sandboxes,
	}
}

func keysOf(sandboxes []Sandbox) []Key {
	keys := make([]Key, len(sandboxes))
	for i := range sandboxes {
		keys[i] = sandboxes[i].Key()
	}
	return keys
}

// planRow writes what matters of a plan's row in one line.
func planRow(target *Target) string {
	return fmt.Sprintf("%s %s %v", target.Decision, target.Method, target.Loses)
}
