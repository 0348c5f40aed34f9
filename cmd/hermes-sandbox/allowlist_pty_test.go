//go:build unix

package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// TestDashboardTakesThreePositionsOnARealEngine takes a profile through the
// dialog of its lockdown: from open to an allowlist that the dialog asks the
// hosts of, to locked down, and back to open.
func TestDashboardTakesThreePositionsOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	profile, host := "p"+engine.Mark, engine.Mark+".example"
	b := engineBench(t, engine, profile, "terminal:\n  backend: docker\n")
	spec := engine.Sandbox(profile, "dialog")
	for _, setting := range model.EgressEnv() {
		spec.Env = append(spec.Env, setting.Name+"="+setting.Value)
	}
	id := engine.Run(t, spec)
	dropPairs(t, engine, []string{host})
	var env []string
	for _, name := range slices.Sorted(maps.Keys(b.env)) {
		env = append(env, name+"="+b.env[name])
	}
	s := start(t, 140, 45, env, "--profile", profile)
	stands := func(networkName, posture, config string) {
		t.Helper()
		if text := s.awaitText("esc closes"); !strings.Contains(text, "1 done") {
			t.Fatalf("%s: the result is\n%s", posture, text)
		}
		s.press("\x1b")
		s.await("the list without the result", func(text string) bool { return !strings.Contains(text, "esc closes") })
		s.await("the sandbox as "+posture, regexp.MustCompile(`dialog +running.*`+posture).MatchString)
		if got, _ := networksOf(t, engine, id); got != networkName {
			t.Errorf("%s: it is attached to %q, want %q", posture, got, networkName)
		}
		if text := b.read(t, b.configOf(profile)); !strings.Contains(text, config) {
			t.Errorf("%s: config.yaml is\n%s", posture, text)
		}
	}
	// Keys typed before a dialog was on the screen for a moment are dropped, so
	// they are typed until what they lead to is shown.
	until := func(shown, keys, while string) {
		t.Helper()
		s.await(shown, func(text string) bool {
			there := strings.Contains(text, shown)
			if !there && strings.Contains(text, while) {
				s.press(keys)
			}
			return there
		})
	}

	s.await("an open sandbox", regexp.MustCompile(`dialog +running.*open`).MatchString)
	s.press("L")
	until("no host yet", "a", "position")
	s.press(host + "\r\r")
	plan := s.awaitText("--network=") // the change of the file comes last
	for _, part := range []string{"open", "allowlist", "locked down", "move", "rebuild", "cut", "keep", "--network="} {
		if !strings.Contains(plan, part) {
			t.Errorf("the plan does not say %q:\n%s", part, plan)
		}
	}
	until("esc closes", "y", "position")
	networkName, _ := model.EgressNames([]string{host})
	stands(networkName, "allowlist", networkName)

	s.press("L")
	until("docker_network: false", "l", "position")
	until("esc closes", "y", "position")
	stands("none", "cut off", "docker_network: false")

	s.press("L")
	until("docker_network: true", "o", "position")
	until("esc closes", "y", "position")
	stands("bridge", "open", "docker_network: true")
	s.press("q")
	s.end(exitDone)
}
