package model

import (
	"slices"
	"strings"
)

// Grouping names how the tree is built.
type Grouping string

// Groupings. GroupProfile has two levels: profile, then task and session.
const (
	GroupProfile Grouping = "profile"
	GroupPosture Grouping = "posture"
	GroupState   Grouping = "state"
	GroupEngine  Grouping = "engine"
	GroupFlat    Grouping = "flat"
)

// Groupings returns all groupings in the order the dashboard walks through.
func Groupings() []Grouping {
	return []Grouping{GroupProfile, GroupPosture, GroupState, GroupEngine, GroupFlat}
}

// Group is a node of the tree.
type Group struct {
	// Key tells groups apart and stays the same between refreshes. It is built
	// from raw values and must not be shown.
	Key   string
	Title Text
	// Session is the title of the session a task group serves, empty unless
	// all of its sandboxes serve the same one.
	Session Text
	// Profile is the profile a profile group belongs to, nil when none is
	// known. It points into the list given to GroupSandboxes.
	Profile *Profile
	// Home is the HERMES_HOME of a profile group, "" when not known.
	Home string
	// Homes are all homes that have sandboxes with the profile's label, this
	// one included, "" for those whose home is not known. More than one means
	// that the label alone does not tell whose sandbox one is looking at.
	Homes []string
	// Odd marks a profile or task title with characters Hermes never writes:
	// it may look like another one.
	Odd bool
	// Foreign marks the group of foreign sandboxes, which stands last and is
	// never acted on as a whole.
	Foreign bool
	Depth   int
	// Sandboxes are the positions, in the list given, of those directly in
	// this group; those of its children are not repeated.
	Sandboxes []int
	Children  []Group
	Counts    Counts
}

// Counts are totals over a group, children included.
type Counts struct {
	Total      int
	Running    int
	Orphans    int
	Stranded   int
	Violations int
	// Unknown counts those of which it is not known whether they break their
	// policy.
	Unknown int
}

// Count returns the totals over a list of sandboxes.
func Count(list []Sandbox) Counts {
	var counts Counts
	for i := range list {
		counts.add(&list[i])
	}
	return counts
}

func (c *Counts) add(s *Sandbox) {
	c.Total++
	if s.State == StateRunning {
		c.Running++
	}
	if s.Orphan {
		c.Orphans++
	}
	if s.Stranded {
		c.Stranded++
	}
	switch {
	case s.Violation == nil:
		c.Unknown++
	case *s.Violation:
		c.Violations++
	}
}

// All returns the positions of all sandboxes of the group and its children.
func (g *Group) All() []int {
	all := slices.Clone(g.Sandboxes)
	for i := range g.Children {
		all = append(all, g.Children[i].All()...)
	}
	return all
}

// OddLabel reports whether a label value holds a character that Hermes, which
// writes only A-Z a-z 0-9 _ . - (contract 1.1), cannot have written.
func OddLabel(label Text) bool {
	return strings.ContainsFunc(label.Raw(), func(r rune) bool { return !safeRune(r) })
}
