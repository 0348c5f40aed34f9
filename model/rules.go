package model

import "slices"

// decision is what one rule of a table says about its subject: it stops with a
// value, or lets the next rule look.
type decision[V any] struct {
	stopped bool
	value   V
	detail  string
}

// pass lets the next rule look; detail says what the rule saw.
func pass[V any](detail string) decision[V] { return decision[V]{detail: detail} }

// stop ends the evaluation with a value; detail is the reason.
func stop[V any](value V, detail string) decision[V] {
	return decision[V]{stopped: true, value: value, detail: detail}
}

// rule is one row of a decision table: a short name with its contract section,
// and the check. Tables are slices of rules in the order of the contract; the
// first rule that stops decides.
type rule[S, V any] struct {
	name  string
	check func(subject S) decision[V]
}

// decide returns the decision of the first rule that stops.
func decide[S, V any](rules []rule[S, V], subject S) decision[V] {
	for _, r := range rules {
		if d := r.check(subject); d.stopped {
			return d
		}
	}
	return decision[V]{}
}

// explain decides and also tells how every rule came out.
func explain[S, V any](rules []rule[S, V], subject S) (decision[V], Trail) {
	var found decision[V]
	details := make([]string, 0, 24) // on the stack: no table is longer
	for _, r := range rules {
		found = r.check(subject)
		details = append(details, found.detail)
		if found.stopped {
			break
		}
	}
	if !found.stopped {
		found = decision[V]{}
	}
	return found, Trail{details: slices.Clone(details), stopped: found.stopped}
}

// named gives the trail of a table the names of its rules, which all trails of
// the table share.
func (t Trail) named(names []string) Trail {
	t.names = names
	return t
}

// namesOf are the names of a table's rules.
func namesOf[S, V any](rules []rule[S, V]) []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}
