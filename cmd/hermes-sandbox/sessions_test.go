package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// sandboxesOf returns the sandboxes of a list document by name.
func sandboxesOf(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for _, entry := range decode(t, text)["sandboxes"].([]any) {
		sandbox := entry.(map[string]any)
		found[sandbox["name"].(string)] = sandbox
	}
	return found
}

func TestSessionsReachEveryCommand(t *testing.T) {
	b := newBench(t)
	if err := writeDemoSessions(b.home, time.Now()); err != nil {
		t.Fatal(err)
	}
	listed := b.run(t, "list", "--output", "json")
	if listed.code != exitDone {
		t.Fatalf("exit code %d: %s", listed.code, listed.stderr)
	}
	sandboxes := sandboxesOf(t, listed.stdout)
	for name, want := range map[string]struct {
		title, state      string
		turning, stranded bool
	}{
		"hermes-c07be9a5": {"Migrate the invoice importer", "ended", false, true},
		"hermes-8be2470f": {"Fetch the model cards", "live", true, false},
		"hermes-a8301f9d": {"Reconcile the quarter", "idle", false, true},
	} {
		sandbox := sandboxes[name]
		session := sandbox["session"].(map[string]any)
		if session["title"] != want.title || session["state"] != want.state || session["turn_running"] != want.turning ||
			sandbox["stranded"] != want.stranded {
			t.Errorf("%s: session %v, stranded %v; want %+v", name, session, sandbox["stranded"], want)
		}
	}
	var stranded []string
	for name := range sandboxesOf(t, b.run(t, "list", "--filter", "stranded", "--output", "json").stdout) {
		stranded = append(stranded, name)
	}
	slices.Sort(stranded)
	if want := []string{"hermes-a8301f9d", "hermes-c07be9a5"}; !slices.Equal(stranded, want) {
		t.Errorf("the filter finds %v stranded, want %v", stranded, want)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"removal warns of a turn": {[]string{"remove", "--dry-run", "hermes-8be2470f"}, `turn is running in its session "Fetch the model cards"`},
		"stranded are reaped":     {[]string{"reap", "--dry-run", "--include", "stranded"}, "stranded: session ended"},
		"dashboard":               {[]string{"frame", "--keys", "/8be2470f<enter>4"}, "Fetch the model cards"},
	} {
		if got := b.run(t, c.args...); got.code != exitDone || !strings.Contains(got.stdout+got.stderr, c.want) {
			t.Errorf("%s: exit code %d, no %q in\n%s%s", name, got.code, c.want, got.stdout, got.stderr)
		}
	}
}

func TestUnreadableSessionsAreAProblemAlone(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.home, "state.db"), []byte(strings.Repeat("no database ", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	got := b.run(t, "list")
	if got.code != exitDone || !strings.Contains(got.stderr, "problem: sessions of "+b.home+": state.db cannot be read") {
		t.Errorf("exit code %d, stderr %s", got.code, got.stderr)
	}
	if got := b.run(t, "remove", "--dry-run", "hermes-8be2470f"); !strings.Contains(got.stdout+got.stderr, "whether its session is live is not known") {
		t.Errorf("the removal does not say what is not known: %s%s", got.stdout, got.stderr)
	}
	if got := b.run(t, "list", "--check", "--profile", "default"); got.code != exitDone {
		t.Errorf("the check ends with %d: %s", got.code, got.stderr)
	}
}

func TestFollowedSessionsAreReadAgainWhenTheyChange(t *testing.T) {
	b := newBench(t)
	if err := writeDemoSessions(b.home, time.Now()); err != nil {
		t.Fatal(err)
	}
	program := &app{now: time.Now, getenv: func(name string) string { return b.env[name] }}
	for name, value := range b.env {
		program.environ = append(program.environ, name+"="+value)
	}
	w, err := program.open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fleet := w.fleet(t.Context())
	books := w.input(t.Context(), new(model.Memory), nil, fleet.Profiles, nil).Sessions
	if len(books) != 0 {
		t.Errorf("sessions of %d homes were read for no sandboxes", len(books))
	}
	path := filepath.Join(b.home, "state.db")
	earlier := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, earlier, earlier); err != nil {
		t.Fatal(err)
	}
	books[b.home] = w.sessions.Read(t.Context(), b.home)
	if w.sessionsChanged(t.Context(), books) {
		t.Error("sessions changed although nobody wrote")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := writeDemoDatabase(path, nil, time.Now()); err != nil {
		t.Fatal(err)
	}
	if !w.sessionsChanged(t.Context(), books) {
		t.Error("the change of the sessions was not seen")
	}
}
