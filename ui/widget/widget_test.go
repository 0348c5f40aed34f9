package widget

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestFitIsExact(t *testing.T) {
	t.Parallel()
	texts := []string{"", "plain", "a longer text than fits", "界界界界", "e\u0301te\u0301", "\x1b[1mbold text\x1b[m", "👩‍👩‍👧 family"}
	for _, text := range texts {
		for width := -1; width < 30; width++ {
			want := max(0, width)
			if got := Fit(text, width, "…"); ansi.StringWidth(got) != want {
				t.Errorf("Fit(%q, %d) is %d wide: %q", text, width, ansi.StringWidth(got), got)
			}
			if got := FitRight(text, width, "…"); ansi.StringWidth(got) != want {
				t.Errorf("FitRight(%q, %d) is %d wide", text, width, ansi.StringWidth(got))
			}
			if got := Spread(text, "right", width, "…"); ansi.StringWidth(got) != want {
				t.Errorf("Spread(%q, %d) is %d wide", text, width, ansi.StringWidth(got))
			}
		}
	}
}

func TestClipShowsThatSomethingIsMissing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text  string
		width int
		want  string
	}{
		"fits":           {"abc", 3, "abc"},
		"cut":            {"abcdef", 4, "abc…"},
		"wide at border": {"界界界", 4, "界…"},
		"no room":        {"abc", 0, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Clip(c.text, c.width, "…"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSpreadDropsTheRightFirst(t *testing.T) {
	t.Parallel()
	if got := Spread("left", "right", 10, "…"); got != "left right" {
		t.Errorf("got %q", got)
	}
	if got := Spread("left", "right", 9, "…"); got != "left     " {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text  string
		width int
		want  []string
	}{
		"fits":             {"one two", 10, []string{"one two"}},
		"at spaces":        {"one two three", 8, []string{"one two", "three"}},
		"not at hyphens":   {"name it with --host now", 19, []string{"name it with --host", "now"}},
		"inside long word": {"abcdefgh", 3, []string{"abc", "def", "gh"}},
		"long word later":  {"a bcdefgh", 3, []string{"a", "bcd", "efg", "h"}},
		"no width":         {"abc", 0, []string{""}},
		"empty":            {"", 5, []string{""}},
		"indented":         {"  one two three", 9, []string{"  one two", "  three"}},
		"mostly indent":    {"      one two", 8, []string{"one two"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Wrap(c.text, c.width); strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFollowKeepsTheCursorInsideWithLittleMovement(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ cursor, offset, height, total, want int }{
		"inside":          {5, 3, 5, 20, 3},
		"above":           {2, 3, 5, 20, 2},
		"below":           {8, 3, 5, 20, 4},
		"list got short":  {2, 10, 5, 4, 0},
		"no room":         {3, 3, 0, 20, 0},
		"end of the list": {19, 0, 5, 20, 15},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Follow(c.cursor, c.offset, c.height, c.total); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestScroll(t *testing.T) {
	t.Parallel()
	var s Scroll
	s.SetSize(5, 2)
	s.SetLines([]string{"a", "b", "c", "d"})
	s.By(-5)
	if s.Top() != 0 {
		t.Errorf("scrolled above the start: %d", s.Top())
	}
	s.Bottom()
	if got := strings.Join(s.View(""), "|"); got != "c    |d    " {
		t.Errorf("the end shows %q", got)
	}
	s.SetLines([]string{"x"})
	if got := strings.Join(s.View(""), "|"); got != "x    |     " {
		t.Errorf("a shorter text shows %q", got)
	}
	if last, total := s.Seen(); last != 1 || total != 1 || s.Overflows() {
		t.Errorf("seen %d of %d", last, total)
	}
}

// plainLook adds nothing.
type plainLook struct{}

func (plainLook) Render(text string) string { return text }

func TestFrameAndOverlayKeepTheirSize(t *testing.T) {
	t.Parallel()
	frame := Frame{
		Style: plainLook{}, Edges: Edges{Horizontal: "-", Vertical: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+"},
		Title: "a title", Note: "1 of 2", Ellipsis: "…",
	}
	for width := range 40 {
		for height := range 8 {
			lines := frame.Draw([]string{"one", "two"}, width, height)
			if len(lines) != height {
				t.Fatalf("%dx%d has %d lines", width, height, len(lines))
			}
			screen := Overlay(Blank(30, 10), lines, 30, plainLook{})
			for i, line := range screen {
				if got := ansi.StringWidth(line); got != 30 {
					t.Errorf("line %d under a %dx%d box is %d wide", i, width, height, got)
				}
			}
			for _, line := range lines {
				if ansi.StringWidth(line) != width {
					t.Errorf("%dx%d has a line %q", width, height, line)
				}
			}
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		width, done, total int
		want               string
	}{
		"none":      {4, 0, 8, "...."},
		"half":      {4, 4, 8, "##.."},
		"all":       {4, 8, 8, "####"},
		"too many":  {4, 9, 8, "####"},
		"no total":  {4, 3, 0, "...."},
		"no room":   {0, 1, 2, ""},
		"negative":  {-3, 1, 2, ""},
		"first bit": {4, 1, 8, "...."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Progress(c.width, c.done, c.total, "#", "."); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFieldTakesKeysAndPastesWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	f := NewField(10)
	for _, r := range "héllo" {
		f.Update(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
	}
	f.Update(tea.KeyPressMsg(tea.Key{Code: tea.KeyLeft}))
	if before, after := f.Parts(); before != "héll" || after != "o" {
		t.Errorf("parts %q %q", before, after)
	}
	if changed := f.Update(tea.PasteMsg{Content: "\x1b]0;x\x07"}); !changed || strings.ContainsAny(f.Value(), "\x1b\x07") {
		t.Errorf("value %q", f.Value())
	}
	f.SetValue("")
	if changed := f.Update(tea.KeyPressMsg(tea.Key{Code: tea.KeyBackspace})); changed {
		t.Error("erasing nothing counts as a change")
	}
	for range 30 {
		f.Update(tea.KeyPressMsg(tea.Key{Code: 'x', Text: "x"}))
	}
	if len(f.Value()) != 10 {
		t.Errorf("the field took %d characters", len(f.Value()))
	}
}
