//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheNextRunLooksAsTheLast closes one dashboard after keys changed its look,
// and opens others: what is set wins, and a damaged file harms nothing.
func TestTheNextRunLooksAsTheLast(t *testing.T) {
	b := newBench(t)
	env := sandboxEnv(t, b.engine.Host())
	open := func(shown, keys string, set ...string) {
		t.Helper()
		s := start(t, 120, 40, append(set, env...))
		s.awaitText(shown)
		s.press(keys)
		if keys != "" {
			s.awaitText("by state")
		}
		s.press("q")
		s.end(exitDone)
	}
	open("by profile", "vv")
	open("by state", "")
	open("by posture", "", "HERMES_SANDBOX_GROUP=posture")
	open("by state", "")
	file := filepath.Join(env[2][len("XDG_STATE_HOME="):], "hermes-sandbox", lookName)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file is %v, %v", info, err)
	}
	if err := os.WriteFile(file, []byte(`{"group":`), 0o600); err != nil {
		t.Fatal(err)
	}
	open("by profile", "")
}

// TestOnlyTheFirstRunGreets opens the dashboard twice.
func TestOnlyTheFirstRunGreets(t *testing.T) {
	b := newBench(t)
	env := sandboxEnv(t, b.engine.Host())
	for run, greets := range []bool{true, false} {
		s := start(t, 120, 40, env)
		// The footer is drawn last.
		frame := s.await("the fleet", func(text string) bool {
			return strings.Contains(text, "hermes-3fa1b20c") && strings.Contains(text, "q quit")
		})
		if got := strings.Contains(frame, "lower-case keys change nothing"); got != greets {
			t.Errorf("run %d greets: %v, want %v\n%s", run+1, got, greets, frame)
		}
		s.press("q")
		s.end(exitDone)
	}
}
