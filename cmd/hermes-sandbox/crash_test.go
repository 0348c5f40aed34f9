//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAPanicAnywhereLeavesTheTerminalInOrder plants a panic in a goroutine of
// each kind of the real program, once it is drawing on a terminal.
func TestAPanicAnywhereLeavesTheTerminalInOrder(t *testing.T) {
	cases := map[string]struct {
		fault string
		stack string // a function that the note names
		bring func(b *bench, s *screen)
	}{
		"dockerx, reader of the event stream": {"GET /events", "dockerx.(*Client).events", func(b *bench, _ *screen) { b.engine.Faults().CutStreams() }},
		"dockerx, list":                       {"GET /containers/json", "dockerx.(*collector).list", func(_ *bench, s *screen) { s.press("r") }},
		"dockerx, details": {"GET /containers/[0-9a-f]{64}/json", "dockerx.(*cache", func(b *bench, s *screen) {
			if err := b.engine.StopContainer("hermes-3fa1b20c"); err != nil {
				s.t.Fatal(err)
			}
		}},
		"dockerx, an action": {"DELETE /containers/", "dockerx.(*Actor)", func(_ *bench, s *screen) {
			s.press("/task:rollout\r")
			s.await("the filtered list", func(text string) bool { return strings.Contains(text, "filter: task:rollout") })
			s.press("GD")
			s.awaitText("type 1 to confirm")
			defer s.repeat("1\r", 700*time.Millisecond)()
			s.awaitText("internal error")
		}},
		"ui, a command": {"GET /containers/.*/top", "ui.(*Model)", func(_ *bench, s *screen) {
			s.press("/hermes-3fa1b20c\r")
			s.await("the filtered list", func(text string) bool { return strings.Contains(text, "filter: hermes-3fa1b20c") })
			s.press("G7")
		}},
		"cmd, what makes a fleet": {"hermes-sandbox/cmd/hermes-sandbox.(*workspace).input", "(*live).run", func(_ *bench, s *screen) { s.press("r") }},
		"cmd, samples":            {"GET /containers/.*/stats", "(*backend).Samples", func(_ *bench, s *screen) { s.press("w") }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			trigger := filepath.Join(t.TempDir(), "now")
			fault := c.fault
			if strings.Contains(fault, " ") { // others send such requests too
				fault += " " + c.stack
			}
			env := append(sandboxEnv(t, b.engine.Host()), faultVariable+"="+fault, triggerVariable+"="+trigger)
			s, _ := startChild(t, 120, 40, env)
			s.awaitText("running")
			if err := os.WriteFile(trigger, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			c.bring(b, s)
			s.awaitText("internal error")
			s.end(exitUsage)
			text, _ := s.text()
			if !strings.Contains(text, `planted \x1b]0;title\a\u202e`) && !strings.Contains(text, `planted \x1b]0;title\x07\u202e`) {
				t.Errorf("the panic is not told, or told raw:\n%s", text)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if strings.Contains(s.raw.String(), "\x1b]0;title") || strings.Contains(s.raw.String(), "Caught panic") {
				t.Error("the panic was written raw to the terminal")
			}
			note := crashNote(t, env)
			if !strings.Contains(note, c.stack) || strings.ContainsAny(note, "\x1b\x07\u202e") {
				t.Errorf("the note does not name %s, or holds raw text:\n%s", c.stack, note)
			}
		})
	}
}

// crashNote returns the one crash note in the state folder.
func crashNote(t *testing.T, env []string) string {
	t.Helper()
	folder := ""
	for _, variable := range env {
		if value, ok := strings.CutPrefix(variable, "XDG_STATE_HOME="); ok {
			folder = filepath.Join(value, "hermes-sandbox")
		}
	}
	notes, err := filepath.Glob(filepath.Join(folder, "crash-*.txt"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("%d crash notes in %s: %v", len(notes), folder, err)
	}
	info, err := os.Stat(notes[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the note: %v %v", info, err)
	}
	data, err := os.ReadFile(notes[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
