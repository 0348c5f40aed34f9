package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// ReapOptions says what a reap may take.
type ReapOptions struct {
	// Include are classes beside [ClassExited], which is always looked at.
	Include []ReapClass
	// OlderThan is the least age of what is taken; nil: each profile's own
	// reap_after_seconds. For exited sandboxes Hermes' own age counts when it
	// is larger, unless ForceAge is set.
	OlderThan *time.Duration
	ForceAge  bool
	// Profiles are profile names or raw labels; none: the active profiles.
	Profiles []Text
	// Explicit says that a person named the profiles. With OlderThan it takes
	// sandboxes of a profile that has no known home.
	Explicit bool
}

// ReapClasses returns the classes a person can include.
func ReapClasses() []ReapClass {
	return []ReapClass{ClassCreated, ClassDead, ClassStranded, ClassDuplicates, ClassProbes}
}

// PlanReap says what a reap takes, and why it spares every other sandbox of
// the profiles: Hermes' own rule for exited ones, and the classes chosen.
// Nothing is ever forced: running ones of a chosen class are stopped first.
// Foreign sandboxes, inherited labels and sandboxes of other homes are always
// spared. Acted rows come first, then refused and spared ones.
func PlanReap(fleet *Fleet, now time.Time, opts ReapOptions) Plan {
	planner := newReapPlanner(fleet, now, opts)
	plan := newPlan(ActionReap)
	outside := 0
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if !planner.covers(s) {
			outside++
			continue
		}
		plan.Targets = append(plan.Targets, planner.target(s))
	}
	slices.SortStableFunc(plan.Targets, func(a, b Target) int {
		return cmp.Compare(decisionRank(a.Decision), decisionRank(b.Decision))
	})
	plan.Notes = planner.notes(outside)
	return plan
}

func decisionRank(decision Decision) int {
	return slices.Index([]Decision{DecisionAct, DecisionRefuse, DecisionSkip}, decision)
}

// reapPlanner decides on one sandbox after the other.
type reapPlanner struct {
	fleet    *Fleet
	index    *planIndex
	now      time.Time
	opts     ReapOptions
	profiles []*Profile    // known profiles in scope
	unknown  []Text        // names in scope that no known profile bears
	raised   time.Duration // Hermes' age that took the place of OlderThan; 0: none
}

func newReapPlanner(fleet *Fleet, now time.Time, opts ReapOptions) *reapPlanner {
	planner := &reapPlanner{fleet: fleet, index: newPlanIndex(fleet), now: now, opts: opts}
	planner.profiles, planner.unknown = profilesInScope(fleet, opts.Profiles)
	return planner
}

// covers reports whether a sandbox is of a profile in scope, by its label or
// by its home.
func (r *reapPlanner) covers(s *Sandbox) bool {
	if slices.Contains(r.unknown, s.Profile) {
		return true
	}
	return slices.ContainsFunc(r.profiles, func(p *Profile) bool {
		return samePath(p.Home, s.Home) || !s.Profile.Empty() && named(p, s.Profile)
	})
}

// notes says what was looked at.
func (r *reapPlanner) notes(outside int) []string {
	notes := []string{scopeNote(r.profiles, r.unknown, len(r.opts.Profiles) == 0)}
	if outside > 0 {
		notes = append(notes, plural(outside, "sandbox", "sandboxes")+" of other profiles left out")
	}
	if r.raised > 0 {
		notes = append(notes, fmt.Sprintf("exited sandboxes: the age of %s was raised to Hermes' own %s",
			ShortAge(*r.opts.OlderThan), ShortAge(r.raised)))
	}
	return notes
}

// target decides on one sandbox. Only what would otherwise go is refused for
// facts that are old or broken.
func (r *reapPlanner) target(s *Sandbox) Target {
	target := newTarget(s)
	if reason := r.guard(s); reason != "" {
		target.skip(reason)
		return target
	}
	class, reason, take := r.choose(s)
	target.Class = class
	if !take {
		target.skip(reason)
		return target
	}
	if broken := untouchable(r.fleet, s); broken != "" {
		target.refuse(broken)
		return target
	}
	fillRemoval(r.index, s, &target, false)
	method := MethodRemove
	if s.State == StateRunning {
		method = MethodStopRemove
	}
	target.act(method, reason+kept(s))
	return target
}

// guard says why a sandbox is never reaped whatever was chosen; empty when
// nothing speaks against it.
func (r *reapPlanner) guard(s *Sandbox) string {
	switch {
	case s.Foreign:
		return "foreign: without a profile or task label it may be nobody's sandbox"
	case s.Inherited:
		return "its hermes labels come from its image, so it may be nobody's sandbox"
	case s.Home == "":
		return r.homeless(s)
	case !slices.ContainsFunc(r.profiles, func(p *Profile) bool { return samePath(p.Home, s.Home) }):
		return "it belongs to another home: " + NewText(s.Home).Display()
	}
	return ""
}

// homeless says why a sandbox whose home is not known is spared. One may go
// when a person named its profile and an age, and no known home could be it.
func (r *reapPlanner) homeless(s *Sandbox) string {
	for i := range r.fleet.Profiles {
		if p := &r.fleet.Profiles[i]; p.Home != "" && named(p, s.Profile) {
			return "which of several homes it belongs to is not known"
		}
	}
	if r.opts.Explicit && r.opts.OlderThan != nil && slices.Contains(r.opts.Profiles, s.Profile) {
		return ""
	}
	return "no known home uses its profile label; it goes only when the profile is named and an age given"
}
