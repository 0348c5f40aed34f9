package model

import "slices"

// RuleOutcome is how one rule of a decision table came out.
type RuleOutcome string

// Rule outcomes.
const (
	RulePass       RuleOutcome = "pass"
	RuleFail       RuleOutcome = "fail"
	RuleNotReached RuleOutcome = "not reached"
)

// RuleCheck is one rule of a decision table with its outcome. Fail means the
// rule stopped the evaluation: its verdict is the verdict.
type RuleCheck struct {
	Rule    string // short name with the contract section, such as "network guard (C.6)"
	Outcome RuleOutcome
	Detail  string
}

// Trail tells how the rules of a decision table came out. Every sandbox has
// two, so it keeps only what differs between sandboxes. The zero value has no
// rules.
type Trail struct {
	names   []string // of the table's rules, shared by all trails of the table
	details []string // of the rules that were looked at
	stopped bool     // the last of these decided
	extra   []RuleCheck
}

// with returns the trail with one more check behind the table's own.
func (t Trail) with(check RuleCheck) Trail {
	t.extra = append(slices.Clip(t.extra), check)
	return t
}

// Checks lists every rule of the table in order, then what was looked at
// besides.
func (t Trail) Checks() []RuleCheck {
	checks := make([]RuleCheck, 0, len(t.names)+len(t.extra))
	for i, name := range t.names {
		check := RuleCheck{Rule: name, Outcome: RuleNotReached}
		if i < len(t.details) {
			check.Outcome, check.Detail = RulePass, t.details[i]
		}
		if t.stopped && i == len(t.details)-1 {
			check.Outcome = RuleFail
		}
		checks = append(checks, check)
	}
	return append(checks, t.extra...)
}
