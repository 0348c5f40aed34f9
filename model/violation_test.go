package model

import (
	"strings"
	"testing"
)

func TestViolation(t *testing.T) {
	t.Parallel()
	levels := []Level{
		LevelAirGapped, LevelCutOff, LevelInternal, LevelAllowlist, LevelCredentialProxied, LevelOpen, LevelHost, LevelUnknown,
	}
	// One letter for each of the levels above: y violates, n is in line, ? is
	// not known.
	for name, test := range map[string]struct {
		policy *Policy
		want   string
	}{
		"no policy":         {nil, "????????"},
		"position unknown":  {&Policy{Position: PositionUnknown}, "????????"},
		"position not read": {&Policy{}, "????????"},
		"open":              {&Policy{Position: PositionOpen}, "nnnnnnnn"},
		"allowlist":         {&Policy{Position: PositionAllowlist}, "nnnnyyy?"},
		"locked":            {&Policy{Position: PositionLocked}, "nnyyyyy?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, level := range levels {
				for _, own := range []Level{level, LevelShared} {
					s := &Sandbox{Container: &Container{}, Policy: test.policy, Posture: Posture{Level: own, Effective: level}}
					violation, reason := violationOf(s)
					got := byte('?')
					if violation != nil {
						got = map[bool]byte{true: 'y', false: 'n'}[*violation]
					}
					if got != test.want[i] {
						t.Errorf("effective %s (%s): violation %c, want %c", level, own, got, test.want[i])
					}
					if reason == "" {
						t.Errorf("effective %s (%s): no reason", level, own)
					}
				}
			}
		})
	}
}

func TestViolationThatTheGuardDoesNotSee(t *testing.T) {
	t.Parallel()
	const passes = "Hermes' guard passes it"
	for name, test := range map[string]struct {
		mode    string
		drifted bool
		want    bool
	}{
		"attached after it was made without": {"none", true, true},
		"made with a network":                {"bridge", false, false},
		"attached to a second one":           {"bridge", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &Sandbox{Container: &Container{}, Policy: &Policy{Position: PositionLocked}, Posture: Posture{Level: LevelOpen, Effective: LevelOpen, Drifted: test.drifted}}
			s.Networks.Mode = NewText(test.mode)
			if _, reason := violationOf(s); strings.Contains(reason, passes) != test.want {
				t.Errorf("reason is %q", reason)
			}
		})
	}
}
