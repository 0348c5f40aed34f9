package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestIdleReachesListAndDashboard(t *testing.T) {
	b := newBench(t)
	if err := writeDemoSessions(b.home, time.Now()); err != nil {
		t.Fatal(err)
	}
	ago := func(age time.Duration, name string) {
		t.Helper()
		b.engine.SetClockOffset(-age)
		defer b.engine.SetClockOffset(0)
		exec, err := b.engine.Begin(name, "make", "test")
		if err != nil {
			t.Fatal(err)
		}
		b.engine.End(exec)
	}
	ago(4*time.Hour, "hermes-5c2f8d13")  // of profile work, whose home has no live backend
	ago(3*time.Hour, "hermes-e64c11aa")  // of the default profile, where a turn runs
	ago(time.Minute, "hermes-4e7716c2")  // of profile work, in use
	ago(30*time.Hour, "hermes-a8301f9d") // of a session that is silent
	idle := func(args ...string) []string {
		t.Helper()
		got := b.run(t, append([]string{"list", "--output", "json"}, args...)...)
		if got.code != exitDone {
			t.Fatalf("exit code %d: %s", got.code, got.stderr)
		}
		var names []string
		for name := range sandboxesOf(t, got.stdout) {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	// Nothing went unseen for 30 hours, so those without a command count too.
	marked := idle("--filter", "idle")
	if !slices.Contains(marked, "hermes-5c2f8d13") || slices.Contains(marked, "hermes-4e7716c2") ||
		slices.Contains(marked, "hermes-e64c11aa") || slices.Contains(marked, "hermes-a8301f9d") {
		t.Errorf("idle are %v", marked)
	}
	if got := idle("--filter", "idle<5h idle>2h"); !slices.Equal(got, []string{"hermes-5c2f8d13", "hermes-e64c11aa", "hermes-f20b7c96"}) { // the last was started then
		t.Errorf("idle for 2 to 5 hours are %v", got)
	}
	sandbox := sandboxesOf(t, b.run(t, "list", "--output", "json").stdout)["hermes-5c2f8d13"]
	if since, err := time.Parse(time.RFC3339Nano, sandbox["idle_since"].(string)); err != nil ||
		time.Since(since).Round(time.Minute) != 4*time.Hour || sandbox["idle_at_least"] != false || sandbox["idle"] != true || sandbox["stranded"] != false {
		t.Errorf("%v %v %v %v", sandbox["idle"], sandbox["idle_since"], sandbox["idle_at_least"], sandbox["stranded"])
	}
	b.env["HERMES_SANDBOX_IDLE_AFTER"] = "5h"
	if marked := idle("--filter", "idle"); slices.Contains(marked, "hermes-5c2f8d13") {
		t.Errorf("with a longer age idle are %v", marked)
	}
	delete(b.env, "HERMES_SANDBOX_IDLE_AFTER")
	frame := b.run(t, "frame", "--width", "160", "--keys", "/5c2f8d13<enter>")
	if !strings.Contains(frame.stdout, "yes, for 4h: no command for 2h or longer") {
		t.Errorf("the dashboard says\n%s%s", frame.stdout, frame.stderr)
	}
}
