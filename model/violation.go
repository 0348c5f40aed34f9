package model

import "fmt"

// violationOf reports whether a sandbox is more open than its policy allows,
// nil when that is not known, with the reason in words. The effective level
// counts.
func violationOf(s *Sandbox) (violation *bool, reason string) {
	if s.Policy == nil {
		return nil, "the policy is not known"
	}
	level := s.Posture.Effective
	switch s.Policy.Position {
	case PositionOpen:
		return inLine("the policy allows every network")
	case PositionLocked:
		switch level {
		case LevelUnknown, "":
		case LevelAirGapped, LevelCutOff:
			return inLine("the policy is locked and nothing leads out")
		default:
			violation, reason = violated(PositionLocked, level)
			return violation, reason + unseenByGuard(s)
		}
	case PositionAllowlist:
		switch level {
		case LevelUnknown, "":
		case LevelOpen, LevelCredentialProxied, LevelHost:
			return violated(PositionAllowlist, level)
		default:
			return inLine("the policy is an allowlist and nothing goes around it")
		}
	default:
		return nil, "the policy is not known"
	}
	return nil, "the posture is not known"
}

func inLine(reason string) (violation *bool, why string) {
	no := false
	return &no, reason
}

func violated(position Position, level Level) (violation *bool, why string) {
	yes := true
	return &yes, fmt.Sprintf("the policy is %s, but the posture is %s", position, level.Word())
}

// unseenByGuard says that Hermes' own guard lets a sandbox through that breaks
// the policy: it reads the declared network mode alone (contract 3.1.5), and
// that stays none when the sandbox is attached to a network afterwards.
func unseenByGuard(s *Sandbox) string {
	if !s.Posture.Drifted || s.Networks.Mode.Raw() != "none" {
		return ""
	}
	return "; Hermes' guard passes it, since its declared network mode is still none"
}
