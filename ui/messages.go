package ui

import (
	"time"

	"hermes-sandbox/model"
)

// FleetMsg brings everything known at one time. The program's owner sends it
// whenever the watchers have something new. The fleet must not be changed
// after it was sent.
type FleetMsg struct{ Fleet model.Fleet }

// ticked says that a shown age reads differently from now on.
type ticked struct {
	generation int
	at         time.Time
}

// dialogSettled says that a dialog has been on the screen, without a key, for
// long enough to take a confirmation.
type dialogSettled struct{ generation int }

// targetFinished is one finished target of a running plan.
type targetFinished struct {
	run    int
	target model.Target
}

// planFinished is a plan that has been carried out, with its outcomes.
type planFinished struct {
	run  int
	plan model.Plan
	err  error
	at   time.Time
}

// planPrepared is an open plan with what its configuration files say.
type planPrepared struct {
	number int
	plan   model.Plan
	err    error
}

// auditRead brings the actions taken so far.
type auditRead struct {
	entries []model.AuditEntry
	err     error
}

// noted is a message for the line above the footer, with its time.
type noted struct {
	text string
	kind noteKind
	at   time.Time
}

// clockRead brings the time to the model.
type clockRead struct{ at time.Time }
