package model

import "time"

// AuditPhase tells the two lines of an action's target apart.
type AuditPhase string

// Phases. An intent is on disk before the engine is called; one without a
// result means that the outcome is not known.
const (
	PhaseIntent AuditPhase = "intent"
	PhaseResult AuditPhase = "result"
)

// AuditEntry is one line of the audit file. An intent carries the plan, a
// result one target with its outcome.
type AuditEntry struct {
	N       int64      `json:"n"` // action number, shared by an intent and its results
	Time    time.Time  `json:"time"`
	User    string     `json:"user"`
	Action  Action     `json:"action"`
	Phase   AuditPhase `json:"phase"`
	Plan    *Plan      `json:"plan,omitempty"`
	Target  *Target    `json:"target,omitempty"`
	Outcome Outcome    `json:"outcome"`
	Undo    bool       `json:"undo"` // the action can be taken back
}
