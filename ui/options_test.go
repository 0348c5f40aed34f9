package ui

import (
	"errors"
	"strings"
	"testing"

	"hermes-sandbox/model"
)

func TestKeyRemapping(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		bindings []KeyBinding
		refused  string // part of the error; empty: accepted
	}{
		"another key":          {[]KeyBinding{{"remove", []string{"ctrl+x"}}}, ""},
		"swapped keys":         {[]KeyBinding{{"remove", []string{"R"}}, {"reap", []string{"D"}}}, ""},
		"no key at all":        {[]KeyBinding{{"reap", nil}}, ""},
		"clash with a default": {[]KeyBinding{{"remove", []string{"j"}}}, `"j" is bound to down and to remove`},
		"clash of two":         {[]KeyBinding{{"remove", []string{"f9"}}, {"reap", []string{"f9"}}}, `"f9" is bound`},
		"unknown action":       {[]KeyBinding{{"explode", []string{"f9"}}}, `no action "explode"`},
		"bound twice":          {[]KeyBinding{{"reap", []string{"f8"}}, {"reap", []string{"f9"}}}, "bound twice"},
		"the way out":          {[]KeyBinding{{"quit-now", []string{"f9"}}}, "always a way out"},
		"control character":    {[]KeyBinding{{"reap", []string{"\x1b"}}}, "is no key"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(Options{Keys: c.bindings})
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.refused != "" && (!errors.Is(err, ErrKeys) || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRemappedKeysWorkAndAreShown(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), func(o *Options) {
		o.Keys = []KeyBinding{{"remove", []string{"f9"}}}
	})
	s.reads([]string{"f9 remove"})
	s.press("D")
	if s.m.dialog != nil {
		t.Error("the old key still works")
	}
}

func TestOptionsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		options Options
		says    string
	}{
		"theme":    {Options{Theme: "neon"}, `no theme "neon"`},
		"sort key": {Options{Sort: "luck"}, `no sort key "luck"`},
		"grouping": {Options{Group: "luck"}, `no grouping "luck"`},
		"column":   {Options{Columns: []string{"name", "luck"}}, `no column "luck"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := New(c.options); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestOptionsTakeEffect(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), func(o *Options) {
		o.Sort, o.Group, o.Columns, o.Profiles = "-age", "flat", []string{"id", "posture"}, []string{"work"}
	})
	if s.m.view.sort != model.SortAge || !s.m.view.descending || s.m.view.grouping != model.GroupFlat {
		t.Errorf("view is %+v", s.m.view)
	}
	s.reads([]string{"NAME", "POSTURE", "ID"}, []string{"3 sandboxes"})
	s.readsNot("STATE")
}

// Every action can be reached, and no two have one name.
func TestActionsAreWellFormed(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, a := range allActions() {
		if seen[a.name] || a.name == "" || a.help == "" || a.run == nil {
			t.Errorf("action %+v", a.name)
		}
		seen[a.name] = true
		for _, key := range a.keys {
			if a.acts && strings.ToUpper(key) != key {
				t.Errorf("%s changes something on the lower-case key %s", a.name, key)
			}
		}
	}
}
