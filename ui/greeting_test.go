package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"hermes-sandbox/model"
)

// The greeting stands where alerts do until a key is pressed, and the next run
// can know that it was shown.
func TestTheGreetingStaysUntilAKey(t *testing.T) {
	t.Parallel()
	const greeting = "upper-case keys show their plan first"
	s := shown(t, 120, 40, smallFleet(), func(o *Options) { o.Greeting = greeting })
	s.reads([]string{greeting}, []string{"2 ▲"})
	s.press("j")
	s.reads([]string{"2 violations"})
	s.readsNot(greeting)
	if !s.m.Look().Greeted {
		t.Error("the look does not say that somebody was greeted")
	}
	if silent := shown(t, 120, 40, smallFleet(), nil); silent.m.Look().Greeted {
		t.Error("the look says that somebody was greeted who was not")
	}
}

// A group's line keeps what is wrong when there is no room for all its counts.
func TestCountsOfAGroupKeepWhatIsWrong(t *testing.T) {
	t.Parallel()
	m := shown(t, 120, 40, smallFleet(), nil).m
	head := &groupHead{Group: &model.Group{Counts: model.Counts{Total: 7, Running: 5, Orphans: 1, Violations: 2}}}
	for room, want := range map[int]string{
		80: "7 · 5 up · 1 orphan · 2 violations",
		30: "7 · 1 orphan · 2 violations",
		20: "7 · 2 violations",
		3:  "7",
	} {
		if got := m.groupCounts(head, room); got != want {
			t.Errorf("in %d columns %q, want %q", room, got, want)
		}
	}
	// A narrow tree still has the counts at its edge.
	s := shown(t, 60, 20, smallFleet(), nil)
	for line := range strings.Lines(s.plainFrame()) {
		if strings.Contains(line, "work") && strings.Contains(line, "~") && !strings.Contains(line, "2 violations") {
			t.Errorf("the line of the profile lacks its violations: %s", line)
		}
	}
}

// The cursor starts on the first sandbox, whether the first look had any or not.
func TestTheCursorStartsOnASandbox(t *testing.T) {
	t.Parallel()
	nothing := smallFleet()
	nothing.Sandboxes = nil
	s := shown(t, 120, 40, nothing, nil)
	s.send(FleetMsg{Fleet: smallFleet()})
	want := shown(t, 120, 40, smallFleet(), nil).cursorName()
	if name := s.cursorName(); name != want || !strings.HasPrefix(want, "hermes-") {
		t.Errorf("the cursor is on %q, want %q", name, want)
	}
}

// A terminal with sixteen colours gets no other.
func TestSixteenColoursAreKeptTo(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	if !strings.Contains(s.m.View().Content, "38;2;") {
		t.Fatal("no fine colour is used at all")
	}
	s.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if content := s.m.View().Content; strings.Contains(content, "38;2;") || strings.Contains(content, "48;2;") {
		t.Error("a fine colour is used on sixteen")
	}
}
