//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hermes-sandbox/dockerx/enginetest"
)

// TestDashboardRaisesTheAlarmOnARealEngine lets another client undo a cut while
// the dashboard runs. The key that the alarm names cuts the sandbox off again.
func TestDashboardRaisesTheAlarmOnARealEngine(t *testing.T) {
	cases := map[string]string{
		"locked by its profile": "terminal:\n  docker_network: false\n",
		"cut off alone":         "terminal:\n  docker_network: true\n",
	}
	for name, policy := range cases {
		t.Run(name, func(t *testing.T) {
			engine := enginetest.Require(t)
			id := engine.Run(t, engine.Sandbox(engine.Mark, "watched"))
			env := sandboxEnv(t, engine.Host)
			file := filepath.Join(strings.TrimPrefix(env[1], "HERMES_HOME="), "profiles", engine.Mark, "config.yaml")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
				t.Fatal(err)
			}
			row := func(posture string) func(string) bool {
				return regexp.MustCompile(`watched +running.*` + posture).MatchString
			}
			again := func() bool {
				attached, _ := networksOf(t, engine, id)
				return attached == "none"
			}

			s := start(t, 140, 40, env, "--profile", engine.Mark)
			s.await("an open sandbox", row("open"))
			s.press("/task:watched\rG")
			s.cut()
			s.await("the same one cut off", row("cut off"))
			if !again() {
				t.Fatal("the dashboard shows a cut that the engine does not have")
			}

			engine.Leave(t, "none", id)
			engine.Join(t, "bridge", id)
			s.awaitText("a way out again")
			s.cut()
			s.await("the same one cut off again", row("cut off"))
			if text, _ := s.text(); !again() || strings.Contains(text, "a way out again") {
				t.Errorf("after the second cut:\n%s", text)
			}
			s.press("q")
			s.end(exitDone)
		})
	}
}

// cut takes the key that cuts off, confirms its plan and closes the result.
func (s *screen) cut() {
	s.t.Helper()
	s.press("C")
	s.awaitText("latched on network none")
	// Keys typed before the dialog was on the screen are dropped.
	s.await("the confirmed cut", func(text string) bool {
		done := strings.Contains(text, "1 done")
		if !done {
			s.press("y")
		}
		return done
	})
	s.press("\x1b")
	s.await("the list without the result", func(text string) bool { return !strings.Contains(text, "esc closes") })
}
