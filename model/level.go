package model

// Openness orders levels by what they let out, 0 for nothing (contract B).
// Unknown sorts with open, and so does shared, whose own level says nothing:
// ask for the effective one.
func Openness(level Level) int {
	switch level {
	case LevelAirGapped:
		return 0
	case LevelCutOff:
		return 1
	case LevelInternal:
		return 2
	case LevelAllowlist:
		return 3
	case LevelHost:
		return 5
	default:
		return 4
	}
}

// contained reports whether a level promises less than open. Nothing unknown
// is contained.
func contained(level Level) bool { return Openness(level) < Openness(LevelOpen) }

// Word returns the level as a person reads it on the screen.
func (l Level) Word() string {
	switch l {
	case LevelCutOff:
		return "cut off"
	case LevelCredentialProxied:
		return "proxied"
	default:
		return string(l)
	}
}

// Rank orders severities, worst first from 0.
func (s Severity) Rank() int {
	switch s {
	case SeverityVoid:
		return 0
	case SeverityWeak:
		return 1
	default:
		return 2
	}
}
