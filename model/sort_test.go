package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// references returns pointers to the sandboxes of a list.
func references(list []Sandbox) []*Sandbox {
	out := make([]*Sandbox, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// sortedNames sorts sandboxes and returns their names without the prefix.
func sortedNames(list []Sandbox, key SortKey, descending bool) string {
	sorted := references(list)
	SortSandboxes(sorted, key, descending, planNow())
	names := make([]string, len(sorted))
	for i, s := range sorted {
		names[i] = strings.TrimPrefix(s.Name.Raw(), "hermes-")
	}
	return strings.Join(names, " ")
}

func TestSort(t *testing.T) {
	list := []Sandbox{
		workSandbox("c", func(s *Sandbox) {
			s.Task, s.Profile, s.Engine = NewText("b"), NewText("Xylo"), "alpha"
			s.CreatedAt, s.Image = ago(time.Hour), NewText("z")
			s.Posture.Effective, s.Violation = LevelOpen, pointer(true)
			s.Networks.Endpoints = []Endpoint{{Network: NewText("bridge")}}
		}, inState(StateRunning)),
		workSandbox("a", func(s *Sandbox) {
			s.Task, s.CreatedAt, s.Image = NewText("c"), Stamp{}, NewText("y")
			s.Posture.Effective, s.Violation = LevelCutOff, nil
			s.Scope, s.Generation, s.Session.Title = ScopeRollout, GenerationG5, NewText("t")
		}, inState(StateCreated)),
		workSandbox("b", func(s *Sandbox) {
			s.Task, s.CreatedAt, s.Image = NewText("a"), ago(2*time.Hour), NewText("x")
			s.Profile = NewText("alpha")
		}),
	}
	cases := map[string]struct {
		key        SortKey
		descending bool
		want       string
	}{
		"name":                 {SortName, false, "a b c"},
		"name down":            {SortName, true, "c b a"},
		"task":                 {SortTask, false, "b c a"},
		"profile without case": {SortProfile, false, "b a c"},
		"session":              {SortSession, false, "c b a"},
		"state":                {SortState, false, "c a b"},
		"age":                  {SortAge, false, "c b a"},
		"age down, unknown last": {
			SortAge, true, "b c a",
		},
		"network":    {SortNetwork, false, "c a b"},
		"posture":    {SortPosture, false, "b a c"},
		"violation":  {SortViolation, false, "c a b"},
		"engine":     {SortEngine, false, "c a b"},
		"image":      {SortImage, false, "b a c"},
		"scope":      {SortScope, false, "c b a"},
		"generation": {SortGeneration, false, "c b a"},
		"reuse":      {SortReuse, false, "b c a"},
		"reap":       {SortReap, false, "b c a"},
		"unknown":    {SortKey("colour"), false, "a b c"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := sortedNames(list, c.key, c.descending); got != c.want {
				t.Errorf("sorted: %s, want %s", got, c.want)
			}
		})
	}
	for _, key := range SortKeys() {
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		if forward, backward := sortedNames(list, key, false), sortedNames(reversed, key, false); forward != backward {
			t.Errorf("%s: the order depends on the list: %s and %s", key, forward, backward)
		}
	}
}

func TestSortTiesKeepTheirPlace(t *testing.T) {
	list := []Sandbox{workSandbox("b"), workSandbox("a"), workSandbox("c")}
	for i := range list {
		list[i].Name = NewText("same")
	}
	for _, descending := range []bool{false, true} {
		sorted := references(list)
		SortSandboxes(sorted, SortName, descending, planNow())
		if sorted[0].ID != planID("a") || sorted[2].ID != planID("c") {
			t.Errorf("descending %v: equal names are not in the order of their IDs", descending)
		}
	}
}

func TestSortUnknownStatesLast(t *testing.T) {
	list := []Sandbox{workSandbox("a", inState("stopping")), workSandbox("b", inState(StateRemoving)), workSandbox("c")}
	if got := sortedNames(list, SortState, false); got != "c b a" {
		t.Errorf("sorted: %s", got)
	}
}
