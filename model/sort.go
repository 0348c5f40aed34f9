package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// SortKey names what a list is sorted by.
type SortKey string

// Sort keys. Posture sorts from closed to open, state from running to gone,
// violation from broken to in line; the rest as one would expect.
const (
	SortName       SortKey = "name"
	SortTask       SortKey = "task"
	SortProfile    SortKey = "profile"
	SortSession    SortKey = "session"
	SortState      SortKey = "state"
	SortAge        SortKey = "age"
	SortNetwork    SortKey = "network"
	SortPosture    SortKey = "posture"
	SortViolation  SortKey = "violation"
	SortEngine     SortKey = "engine"
	SortImage      SortKey = "image"
	SortScope      SortKey = "scope"
	SortGeneration SortKey = "generation"
	SortReuse      SortKey = "reuse"
	SortReap       SortKey = "reap"
	SortIdle       SortKey = "idle"
)

// SortKeys returns all sort keys in the order the dashboard walks through.
func SortKeys() []SortKey {
	return []SortKey{
		SortName, SortTask, SortProfile, SortSession, SortState, SortAge, SortNetwork, SortPosture, SortViolation,
		SortEngine, SortImage, SortScope, SortGeneration, SortReuse, SortReap, SortIdle,
	}
}

// SortSandboxes sorts a list in place. The order is total: equal ones follow
// by engine and ID whatever the direction, so rows never swap places between
// two refreshes. Unknown ages and idle times come last in
// both directions. An unknown key sorts by name. The sandboxes themselves are only read.
func SortSandboxes(list []*Sandbox, key SortKey, descending bool, now time.Time) {
	text := sortText(key)
	entries := make([]sortEntry, len(list))
	for i, s := range list {
		entries[i] = sortEntry{sandbox: s, at: i}
		if text != nil {
			entries[i].folded = strings.ToLower(text(s).Raw())
		}
	}
	slices.SortFunc(entries, func(a, b sortEntry) int {
		if result := directed(strings.Compare(a.folded, b.folded), descending); result != 0 {
			return result
		}
		if result := compareBy(a.sandbox, b.sandbox, key, descending, now); result != 0 {
			return result
		}
		return cmp.Or(cmp.Compare(a.sandbox.Engine, b.sandbox.Engine), cmp.Compare(a.sandbox.ID, b.sandbox.ID), cmp.Compare(a.at, b.at))
	})
	for i := range entries {
		list[i] = entries[i].sandbox
	}
}

// sortEntry is a sandbox with what it is sorted by, so that a comparison need
// not make it anew or look into the sandbox.
type sortEntry struct {
	sandbox *Sandbox
	folded  string // the text sorted by without letter case, when it is one
	at      int    // place in the list
}

// sortText returns the text that comes first in an order; nil when the order
// is by something else.
func sortText(key SortKey) func(*Sandbox) Text {
	switch key {
	case SortTask:
		return func(s *Sandbox) Text { return s.Task }
	case SortProfile:
		return func(s *Sandbox) Text { return s.Profile }
	case SortSession:
		return func(s *Sandbox) Text { return s.Session.Title }
	case SortImage:
		return func(s *Sandbox) Text { return s.Image }
	case SortState, SortAge, SortNetwork, SortPosture, SortViolation, SortEngine, SortScope, SortGeneration, SortReuse, SortReap, SortIdle:
		return nil
	default:
		return func(s *Sandbox) Text { return s.Name }
	}
}

func compareBy(a, b *Sandbox, key SortKey, descending bool, now time.Time) int {
	if key == SortAge || key == SortIdle {
		ageA, knownA := a.Age(now)
		ageB, knownB := b.Age(now)
		if key == SortIdle {
			ageA, knownA = a.Idle.For(now)
			ageB, knownB = b.Idle.For(now)
		}
		if !knownA || !knownB {
			return -compareBools(knownA, knownB)
		}
		return directed(cmp.Compare(ageA, ageB), descending)
	}
	return directed(compareKey(a, b, key), descending)
}

func directed(result int, descending bool) int {
	if descending {
		return -result
	}
	return result
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

func compareKey(a, b *Sandbox, key SortKey) int {
	switch key {
	case SortTask:
		return compareText(a.Task, b.Task)
	case SortProfile:
		return compareText(a.Profile, b.Profile)
	case SortSession:
		return cmp.Or(compareText(a.Session.Title, b.Session.Title), compareText(a.Session.ID, b.Session.ID))
	case SortState:
		return compareState(a.State, b.State)
	case SortNetwork:
		return compareNetworks(a.Networks, b.Networks)
	case SortPosture:
		return cmp.Or(compareLevels(a.Posture.Effective, b.Posture.Effective), cmp.Compare(a.Posture.Level, b.Posture.Level))
	case SortViolation:
		return cmp.Compare(violationRank(a), violationRank(b))
	case SortEngine:
		return cmp.Compare(a.Engine, b.Engine)
	case SortImage:
		return compareText(a.Image, b.Image)
	case SortScope:
		return cmp.Compare(a.Scope, b.Scope)
	case SortGeneration:
		return cmp.Compare(a.Generation, b.Generation)
	case SortReuse:
		return cmp.Compare(a.Reuse.Verdict, b.Reuse.Verdict)
	case SortReap:
		return compareReap(a.Reap, b.Reap)
	default:
		return compareText(a.Name, b.Name)
	}
}

// compareText orders without letter case first, so that names stand where one
// looks for them, then byte by byte.
func compareText(a, b Text) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Raw()), strings.ToLower(b.Raw())), strings.Compare(a.Raw(), b.Raw()))
}

func compareState(a, b State) int {
	return cmp.Or(cmp.Compare(stateRank(a), stateRank(b)), cmp.Compare(a, b))
}

func stateRank(state State) int {
	order := []State{StateRunning, StatePaused, StateRestarting, StateCreated, StateExited, StateDead, StateRemoving}
	if at := slices.Index(order, state); at >= 0 {
		return at
	}
	return len(order)
}

// compareLevels orders from closed to open.
func compareLevels(a, b Level) int {
	return cmp.Or(cmp.Compare(Openness(a), Openness(b)), cmp.Compare(a, b))
}

func violationRank(s *Sandbox) int {
	switch {
	case s.Violation == nil:
		return 1
	case *s.Violation:
		return 0
	default:
		return 2
	}
}

func compareNetworks(a, b NetworkSettings) int {
	byName := slices.CompareFunc(a.Endpoints, b.Endpoints, func(x, y Endpoint) int { return compareText(x.Network, y.Network) })
	return cmp.Or(byName, compareText(a.Mode, b.Mode))
}

// compareReap orders by how soon a sandbox goes: reaped ones, those with a
// time to go, the others.
func compareReap(a, b Reap) int {
	if a.InSeconds != nil && b.InSeconds != nil {
		return cmp.Compare(*a.InSeconds, *b.InSeconds)
	}
	return cmp.Or(-compareBools(a.InSeconds != nil, b.InSeconds != nil), cmp.Compare(a.Verdict, b.Verdict),
		cmp.Compare(a.Reason, b.Reason))
}
