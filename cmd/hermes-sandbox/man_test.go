package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestManualPage looks for what the page has to hold: whole descriptions, the
// flags of commands, and every exit code.
func TestManualPage(t *testing.T) {
	got := newBench(t).run(t, "man")
	if got.code != exitDone {
		t.Fatalf("exit code %d\n%s", got.code, got.stderr)
	}
	for _, part := range []string{
		".TH HERMES-SANDBOX 1", ".SH EXIT STATUS", ".SH ENVIRONMENT", ".SH FILES", "130, 143: interrupted",
		"policy, and what Hermes' reuse guard", "internal network whose only way out", "force-age", "egress-proxy",
	} {
		if !strings.Contains(strings.ReplaceAll(got.stdout, `\&`, ""), part) {
			t.Errorf("the page lacks %q:\n%s", part, got.stdout)
		}
	}
	if hit := regexp.MustCompile(`(?m)^.*[a-z,:]\n\.PP\n[a-gi-z]`).FindString(got.stdout); hit != "" {
		t.Errorf("a sentence is broken: %q", hit)
	}
}
