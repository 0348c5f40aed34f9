package model

import (
	"slices"
	"strings"
	"time"
)

// QueryKeys returns the keys of key:value terms, in the order help shows them.
// Keys without fixed values hold when the value is part of the property, for
// the ID when it is its start; posture is the effective level, reap a verdict
// or its reason, finding a code or a severity.
func QueryKeys() []string {
	return []string{
		"state", "posture", "profile", "task", "session", "image", "network", "engine", "scope",
		"generation", "reuse", "reap", "finding", "label", "id", "name",
	}
}

// QueryFlags returns the words that stand for a yes-or-no property: orphan is
// what Hermes' reaper takes now, idle a persistent sandbox that nothing uses,
// drifted and latched are of the posture.
func QueryFlags() []string {
	return []string{"orphan", "stranded", "idle", "violation", "drifted", "latched", "foreign", "inherited"}
}

// QueryValues returns the fixed values of a key, for completion; nil for keys
// that take any text, and for unknown ones.
func QueryValues(key string) []string {
	switch key {
	case "state":
		// The last two are Podman's.
		return words(StateRunning, StateExited, StateCreated, StatePaused, StateRestarting, StateRemoving, StateDead,
			State("stopped"), State("stopping"))
	case "posture":
		return words(LevelAirGapped, LevelCutOff, LevelInternal, LevelAllowlist, LevelCredentialProxied, LevelOpen,
			LevelHost, LevelShared, LevelUnknown)
	case "scope":
		return words(ScopeProbe, ScopeShared, ScopeSession, ScopeProfile, ScopeRollout, ScopeUnknown)
	case "generation":
		return words(GenerationG1, GenerationG2G3, GenerationG3G4, GenerationG4, GenerationG5)
	case "reuse":
		return words(ReuseReused, ReuseStarted, ReuseReplaced, ReuseReapedFirst, ReuseShadowed, ReuseDuplicated,
			ReuseAttachedBroken, ReuseUnmatched, ReuseNever, ReuseRefused, ReuseUnknown)
	case "reap":
		return append(words(ReapReaped, ReapSpared, ReapUnknown),
			words(ReapEligible, ReapDisabled, ReapNotExited, ReapTooYoung, ReapAgeUnknown, ReapClockSkew, ReapOtherHome,
				ReapInherited, ReapForeign, ReapNoProfile)...)
	case "finding":
		return append(words(SeverityVoid, SeverityWeak, SeverityInfo), findingCodes()...)
	default:
		return nil
	}
}

func words[T ~string](values ...T) []string {
	out := make([]string, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// findingCodes are the codes a finding can have, in the order of the JSON
// reference.
func findingCodes() []string {
	return []string{
		"privileged", "engine-socket", "host-pid", "cap-add", "sensitive-mount", "cap-drop-missing", "new-privileges",
		"seccomp-off", "apparmor-off", "selinux-off", "host-ipc", "host-uts", "host-userns", "host-cgroupns",
		"host-write", "devices", "published-port", "no-limits", "egress-label-untrue", "proxy-missing",
		"egress-conflict", "proxy-unreachable", "profile-mismatch", "twin", "foreign-holder", "inherited-labels",
		"host-reachable", "dns-leak", "peer-reachable", "runtime-opaque", "extra-hosts", "clock-skew",
		"escaped-label", "pre-egress",
	}
}

// flagCondition returns the condition of a flag word; nil for other words.
func flagCondition(word string) func(*Sandbox, time.Time) bool {
	switch word {
	case "orphan":
		return func(s *Sandbox, _ time.Time) bool { return s.Orphan }
	case "stranded":
		return func(s *Sandbox, _ time.Time) bool { return s.Stranded }
	case "idle":
		return func(s *Sandbox, _ time.Time) bool { return s.Idle.Marked != nil && *s.Idle.Marked }
	case "violation":
		return func(s *Sandbox, _ time.Time) bool { return violates(s) }
	case "drifted":
		return func(s *Sandbox, _ time.Time) bool { return s.Posture.Drifted }
	case "latched":
		return func(s *Sandbox, _ time.Time) bool { return s.Posture.Latched }
	case "foreign":
		return func(s *Sandbox, _ time.Time) bool { return s.Foreign }
	case "inherited":
		return func(s *Sandbox, _ time.Time) bool { return s.Inherited }
	default:
		return nil
	}
}

// keyCondition returns the condition of key:value, or why there is none.
func keyCondition(key, value string, lenient bool) (func(*Sandbox, time.Time) bool, string) {
	if !slices.Contains(QueryKeys(), key) {
		return nil, "unknown key " + NewText(key).Display() + ": (known: " + strings.Join(QueryKeys(), ", ") +
			"; put quotes around a word with a colon)"
	}
	value = strings.ToLower(value)
	if value == "" {
		return nil, key + ": has no value"
	}
	known := QueryValues(key)
	if known == nil {
		return func(s *Sandbox, _ time.Time) bool { return s.hasText(key, value) }, ""
	}
	wanted, unknown, ok := chooseValues(value, known, lenient)
	if !ok {
		return nil, "unknown value " + key + ":" + NewText(unknown).Display() + " (known: " + strings.Join(known, ", ") + ")"
	}
	return func(s *Sandbox, _ time.Time) bool {
		return slices.ContainsFunc(s.fixedValues(key), func(have string) bool {
			return slices.Contains(wanted, strings.ToLower(have))
		})
	}, ""
}

// chooseValues splits a list of fixed values and returns them in lower case,
// or the first that is not known and false. Leniently the beginning of a value stands
// for every value that begins so, and a value after a comma may be missing.
func chooseValues(list string, known []string, lenient bool) (wanted []string, unknown string, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		var exact, begun []string
		for _, value := range known {
			value = strings.ToLower(value)
			if value == part {
				exact = append(exact, value)
			} else if strings.HasPrefix(value, part) && part != "" {
				begun = append(begun, value)
			}
		}
		switch {
		case len(exact) > 0:
			wanted = append(wanted, exact...)
		case lenient && (len(begun) > 0 || part == ""):
			wanted = append(wanted, begun...)
		default:
			return nil, part, false
		}
	}
	return wanted, "", true
}

// fixedValues returns what a sandbox has for a key with fixed values.
func (s *Sandbox) fixedValues(key string) []string {
	switch key {
	case "state":
		return []string{string(s.State)}
	case "posture":
		return []string{string(s.Posture.Effective)}
	case "scope":
		return []string{string(s.Scope)}
	case "generation":
		return []string{string(s.Generation)}
	case "reuse":
		return []string{string(s.Reuse.Verdict)}
	case "reap":
		return []string{string(s.Reap.Verdict), string(s.Reap.Reason)}
	default: // finding
		var out []string
		for _, finding := range s.Findings {
			out = append(out, finding.Code, string(finding.Severity))
		}
		return out
	}
}

// hasText reports whether a key that takes any text holds the value, given in
// lower case.
func (s *Sandbox) hasText(key, value string) bool {
	switch key {
	case "profile":
		return holds(value, s.Profile)
	case "task":
		return holds(value, s.Task)
	case "session":
		return s.hasSession(value)
	case "image":
		return holds(value, s.Image)
	case "network":
		return holds(value, s.Networks.Mode) || slices.ContainsFunc(s.Networks.Endpoints, func(e Endpoint) bool {
			return holds(value, e.Network)
		})
	case "engine":
		return strings.Contains(strings.ToLower(s.Engine), value)
	case "label":
		for name, label := range s.Labels {
			if holds(value, NewText(name.Raw()+"="+label.Raw())) {
				return true
			}
		}
		return false
	case "id":
		return strings.HasPrefix(strings.ToLower(string(s.ID)), value)
	default: // name
		return holds(value, s.Name)
	}
}

func (s *Sandbox) hasSession(value string) bool {
	return holds(value, s.Session.ID) || holds(value, s.Session.Title) || value == string(s.Session.State) ||
		slices.ContainsFunc(s.Session.Candidates, func(id Text) bool { return holds(value, id) })
}

// hasWord reports whether a word, given in lower case, is found anywhere a
// person would look for it.
func (s *Sandbox) hasWord(word string) bool {
	return holds(word, s.Name) || holds(word, s.Task) || holds(word, s.Profile) || s.hasSession(word) ||
		holds(word, s.Image) || s.hasText("id", word) || strings.Contains(string(s.State), word) ||
		s.hasText("engine", word)
}

// holds reports whether a text contains a part, given in lower case: as it is,
// or as it is shown.
func holds(part string, text Text) bool {
	if strings.Contains(strings.ToLower(text.Raw()), part) {
		return true
	}
	shown := text.Display()
	return shown != text.Raw() && strings.Contains(strings.ToLower(shown), part)
}
