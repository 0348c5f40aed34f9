package main

import "testing"

// TestDemoHasAnAllowlist takes a profile of --demo into the allowlist position,
// for which the proxy must not be made of the program that runs: go run links it
// dynamically.
func TestDemoHasAnAllowlist(t *testing.T) {
	b := newBench(t)
	got := b.run(t, "--demo", "lockdown", "allowlist", "--profile", "work", "--allow", "pypi.org", "--running", "rebuild", "--yes", "--output", "json")
	if got.code != exitDone {
		t.Fatalf("exit code %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	result := decode(t, got.stdout)
	for _, part := range []string{"config", "egress", "targets"} {
		rows, _ := result[part].([]any)
		if len(rows) == 0 {
			t.Errorf("the result has no %s", part)
		}
		for _, row := range rows {
			if outcome := row.(map[string]any)["outcome"]; outcome != "done" {
				t.Errorf("%s: %v", part, row)
			}
		}
	}
	if sent := b.mutations(); len(sent) > 0 {
		t.Errorf("the engine of the environment was asked for %v", sent)
	}
}
