//go:build unix

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes-sandbox/ui"
)

// pressed is a key with what the dashboard shows once it was pressed. Those
// without a name only lead to the next one.
type pressed struct {
	name  string // as a binding names it
	bytes string // as a terminal sends it; empty: the name itself
	fits  func(before, after string) bool
}

// shows waits for a part of the screen.
func shows(part string) func(before, after string) bool {
	return func(_, after string) bool { return strings.Contains(after, part) }
}

// hides waits until a part is gone.
func hides(part string) func(before, after string) bool {
	return func(_, after string) bool { return !strings.Contains(after, part) }
}

var cursorLine = regexp.MustCompile(`(\d+) of \d+`)

// line is the line of the list that the cursor is on, from 1.
func line(screen string) int {
	found := cursorLine.FindStringSubmatch(screen)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

func onLine(want int) func(before, after string) bool {
	return func(_, after string) bool { return line(after) == want }
}

func moved(by func(from, to int) bool) func(before, after string) bool {
	return func(before, after string) bool { return line(after) > 0 && by(line(before), line(after)) }
}

func down(from, to int) bool { return to > from+1 }

// moves are the keys that move about.
func moves() []pressed {
	return []pressed{
		{"g", "", onLine(1)},
		{"down", "\x1b[B", onLine(2)},
		{"j", "", onLine(3)},
		{"up", "\x1b[A", onLine(2)},
		{"k", "", onLine(1)},
		{"pgdown", "\x1b[6~", moved(down)},
		{"pgup", "\x1b[5~", onLine(1)},
		{"ctrl+d", "\x04", moved(down)},
		{"ctrl+u", "\x15", onLine(1)},
		{"end", "\x1b[F", moved(down)},
		{"home", "\x1b[H", onLine(1)},
		{"G", "", moved(down)},
		{"", "\x1b[H", onLine(1)},
		{"left", "\x1b[D", shows("▸ default")},
		{"right", "\x1b[C", shows("▾ default")},
		{"enter", "\r", shows("▸ default")},
		{"", "\r", shows("▾ default")},
		{"", "jj", onLine(3)},
		{"tab", "\t", shows("╭ › hermes")},
		{"", "j", scrolled},
		{"shift+tab", "\x1b[Z", hides("╭ › hermes")},
		{"", "\t", shows("╭ › hermes")},
		{"esc", "\x1b", hides("╭ › hermes")},
	}
}

var detailLine = regexp.MustCompile(`╰ (\d+)/\d+ ─`)

// scrolled waits until the detail pane shows lines further down, while the cursor
// of the list stays.
func scrolled(before, after string) bool {
	last := func(screen string) int {
		found := detailLine.FindStringSubmatch(screen)
		if found == nil {
			return 0
		}
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return line(after) == line(before) && last(after) > last(before)
}

// views are the keys that change what is shown.
func views() []pressed {
	return []pressed{
		{"/", "/zzz", shows("No sandbox matches")},
		{"", "\x1b", hides("No sandbox matches")},
		{"s", "", shows("sorted by task")},
		{"S", "", shows("SESSION↓")},
		{"v", "", shows("by posture")},
		{"", "vvvv", shows("by profile")},
		{"p", "", shows("Profiles")},
		{"", "work\r", shows("profile work")},
		{"P", "", shows("profile all")},
		{"w", "", shows("CPU%")},
		{"", "w", hides("CPU%")},
		{"T", "", shows("theme dark")},
		{"m", "", shows("mouse on")},
		{"", "m", shows("mouse off")},
		{"r", "", shows("looking at the engines")},
		{"", "g", onLine(1)},
		{"", "jj", onLine(3)},
		{"space", " ", shows("1 marked")},
		{"V", "jjjV", shows("3 marked")},
		{"u", "", hides("marked")},
		{"a", "", func(_, after string) bool { return regexp.MustCompile(`\d\d marked`).MatchString(after) }},
		{"", "u", hides("marked")},
	}
}

// stamp is the time before a line of a log.
var stamp = regexp.MustCompile(`\d\d:\d\d:\d\d.* vite build`)

// details are the keys of the detail pane.
func details() []pressed {
	return []pressed{
		{"", "/hermes-3fa1b20c\r", shows("hermes-3fa1b20c")},
		{"", "G", shows("╮╭ hermes-3fa1b20c")},
		{"2", "", shows("Attached")},
		{"3", "", shows("Next start of")},
		{"4", "", hides("Next start of")},
		{"5", "", shows("Verdicts  Session  Activity")},
		{"6", "", shows("following")},
		{"f", "", shows("log: standing still")},
		{"t", "", func(_, after string) bool { return stamp.MatchString(after) }},
		{"W", "", shows("log: long lines wrapped")},
		{"", "1", shows("created")},
		{"l", "", shows("vite build")},
		{"7", "", shows("PPID")},
		{"8", "", shows("Mounts")},
		{"9", "", shows("AppArmorProfile")},
		{"1", "", shows("created")},
		{"i", "", shows("AppArmorProfile")},
		{"e", "", hides("secrets    masked")},
		{"", "e", shows("secrets    masked")},
		{"y", "", shows("copied the id")},
		{"", "\x1b", hides("copied the id")},
	}
}

// acts are the keys that plan an action or show what was done.
func acts() []pressed {
	// The last line of a plan tells that all of it is drawn.
	plan := func(part string) func(before, after string) bool {
		return func(_, after string) bool {
			return strings.Contains(after, part) && strings.Contains(after, "[ Cancel ]")
		}
	}
	closed := hides("[ Cancel ]")
	return []pressed{
		{"D", "", plan("type 1 to confirm")},
		{"", "\x1b", closed},
		{"R", "", plan("Reap")},
		{"", "\x1b", closed},
		{"L", "", plan("position")},
		{"", "\x1b", closed},
		{"C", "", plan("position")},
		{"", "\x1b", closed},
		{"X", "", plan("Stop")},
		{"", "\x1b", closed},
		{"Z", "", plan("Pause")},
		{"", "\x1b", closed},
		{"O", "", shows("[ Close ]")},
		{"", "\x1b", hides("[ Close ]")},
		{"E", "", shows("allowlist prox")},
		{"H", "", shows("Hosts asked for")},
		{"", "\x1b", hides("Hosts asked for")},
		{"o", "", shows("nothing has been done yet")},
		{"A", "", shows("Actions")},
		{"", "\x1b", hides("Actions")},
		{"x", "", shows("Leave with exit")},
		{"", "exit\r", shows("left the shell")},
		{":", "", shows("enter chooses")},
		{"", "\x1b", hides("enter chooses")},
		{"?", "", shows("half a page up")},
		{"", "\x1b", hides("half a page up")},
		{"q", "", nil},
	}
}

// TestEveryKey presses every key of the key table in the built program, on the
// demo engine, and looks at what it shows.
func TestEveryKey(t *testing.T) {
	s := start(t, 160, 45, sandboxEnv(t, ""), "--demo")
	s.await("the list", func(text string) bool { return line(text) > 0 })
	known := map[string]bool{"ctrl+c": true, "ctrl+z": true} // tests of their own press these
	for _, step := range slices.Concat(moves(), views(), details(), acts()) {
		keys := step.bytes
		if keys == "" {
			keys = step.name
		}
		before, _ := s.text()
		s.press(keys)
		if step.fits != nil {
			s.await("what "+strconv.Quote(keys)+" does", func(text string) bool { return step.fits(before, text) })
		}
		known[step.name] = true
	}
	s.end(exitDone)
	for _, binding := range ui.DefaultKeys() {
		for _, key := range binding.Keys {
			if !known[key] {
				t.Errorf("%s, the key of %s, is not pressed", key, binding.Action)
			}
		}
	}
}
