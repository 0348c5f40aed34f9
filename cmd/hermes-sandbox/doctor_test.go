package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx/simengine"
)

// leftovers adds to the fleet what belongs to no profile.
func (b *bench) leftovers(t *testing.T) {
	t.Helper()
	old := time.Now().Add(-2 * time.Hour)
	for _, spec := range []simengine.Spec{
		{
			Name: "quirky_hopper", Image: "hello-world", Command: []string{"/hello"}, State: "created", Created: old,
			Host: simengine.HostConfig{StorageOpt: map[string]string{"size": "1m"}},
		},
		{Name: "somebody_elses", Image: "hello-world", Command: []string{"/hello"}, State: "created", Created: old},
		{Name: "hermes-0123abcd", Command: []string{"sleep", "2h"}, Created: old},
		{Name: "odd", Labels: map[string]string{"hermes-agent": "yes"}, Created: old},
	} {
		if _, err := b.engine.Add(spec); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(b.home, "sandboxes", "docker", "session_a_b-6783a31eabf6", "home")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "notes"), make([]byte, 2048), 0o600); err != nil {
		t.Fatal(err)
	}
}

// findingsBy lists the subjects of a document's findings by code.
func findingsBy(t *testing.T, text string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, value := range decode(t, text)["findings"].([]any) {
		finding := value.(map[string]any)
		code := finding["code"].(string)
		found[code] = append(found[code], finding["subject"].(string)+": "+finding["detail"].(string))
	}
	return found
}

func TestDoctorFindsWhatIsThere(t *testing.T) {
	b := newBench(t)
	b.leftovers(t)
	got := b.run(t, "doctor", "--output", "json")
	if got.code != exitFailed {
		t.Errorf("exit code %d although isolation is void: %s", got.code, got.stderr)
	}
	found := findingsBy(t, got.stdout)
	for code, want := range map[string][]string{
		"engine":                {"API 1.41", "DOCKER_HOST"},
		"violation":             {"hermes-a8301f9d", "hermes-72b9c4e8"},
		"void-privileged":       {"hermes-e64c11aa"},
		"probe-leftover":        {"quirky_hopper"},
		"lookalike":             {"hermes-0123abcd"},
		"label-value":           {"container odd"},
		"egress-network-unused": {"hermes-egress-e3b0c44298"},
		"folder-unused":         {"session_a_b-6783a31eabf6", "2.0 KiB"},
		"probe-running":         {"hermes-0b5dd3e1"},
	} {
		for _, part := range want {
			if !strings.Contains(strings.Join(found[code], "\n"), part) {
				t.Errorf("%s lacks %s: %v", code, part, found[code])
			}
		}
	}
	if text := strings.Join(found["probe-leftover"], "\n"); strings.Contains(text, "somebody_elses") {
		t.Errorf("a container of somebody else counts as a leftover: %s", text)
	}
	if sent := b.mutations(); len(sent) > 0 {
		t.Errorf("a check sent %v", sent)
	}
	if _, err := os.Stat(filepath.Join(b.state, "hermes-sandbox")); err == nil {
		t.Error("a check made a state folder")
	}
}

func TestDoctorExitCodes(t *testing.T) {
	shared := newBench(t)
	for name, c := range map[string]struct {
		args   []string
		config string // of the profile work
		want   int
		stdout string
		stderr string
	}{
		"something is broken":      {args: []string{"doctor"}, want: exitFailed, stdout: "void-engine-socket"},
		"a policy is violated":     {args: []string{"doctor", "--profile", "work"}, want: exitViolations, stdout: "violation"},
		"remedies":                 {args: []string{"doctor", "--profile", "work"}, want: exitViolations, stdout: "-> hermes-sandbox lockdown on"},
		"no such profile":          {args: []string{"doctor", "--profile", "nobody"}, want: exitUsage, stderr: "nobody"},
		"no such output":           {args: []string{"doctor", "--output", "xml"}, want: exitUsage},
		"engine that is not there": {args: []string{"doctor", "--host", "unix:///nonexistent.sock"}, want: exitFailed, stdout: "engine-missing"},
		"prune of a profile":       {args: []string{"doctor", "--prune", "--profile", "work"}, want: exitUsage, stderr: "--profile"},
		"prune not confirmed":      {args: []string{"doctor", "--prune"}, want: exitRefused, stdout: "hermes-egress-e3b0c44298", stderr: "not confirmed"},
		"prune in read-only mode":  {args: []string{"doctor", "--prune", "--yes", "--read-only"}, want: exitRefused, stderr: "read-only"},
		"prune as a dry run":       {args: []string{"doctor", "--prune", "--yes", "--dry-run"}, want: exitDone, stdout: "dry run"},
		"quoted boolean": {
			args: []string{"doctor", "--profile", "work"}, want: exitViolations, stdout: "quoted-bool",
			config: "terminal:\n  backend: docker\n  docker_network: false\n  docker_orphan_reaper: \"on\"\n",
		},
		"conflicting network": {
			args: []string{"doctor", "--profile", "work"}, want: exitFailed, stdout: "network-conflict",
			config: "terminal:\n  backend: docker\n  docker_network: false\n  docker_extra_args: [\"--network=host\"]\n",
		},
		"configuration that does not parse": {
			args: []string{"doctor", "--profile", "work"}, want: exitFailed, stdout: "config-unreadable", config: "terminal: [",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.config != "" {
				path := filepath.Join(shared.home, "profiles", "work", "config.yaml")
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = os.WriteFile(path, before, 0o600) })
				if err := os.WriteFile(path, []byte(c.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := shared.run(t, c.args...)
			if got.code != c.want || !strings.Contains(got.stdout, c.stdout) || !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("exit code %d, want %d with %q and %q\nstdout: %s\nstderr: %s", got.code, c.want, c.stdout, c.stderr, got.stdout, got.stderr)
			}
		})
	}
	if sent := shared.mutations(); len(sent) > 0 {
		t.Errorf("none of these may change the engine, but %v were sent", sent)
	}
}

func TestPruneThenAudit(t *testing.T) {
	b := newBench(t)
	b.leftovers(t)
	got := b.run(t, "doctor", "--prune", "--yes", "--output", "json")
	if got.code != exitDone {
		t.Fatalf("exit code %d: %s\n%s", got.code, got.stderr, got.stdout)
	}
	names := map[string]any{}
	for _, value := range decode(t, got.stdout)["targets"].([]any) {
		target := value.(map[string]any)
		names[target["name"].(string)] = target["outcome"]
	}
	if len(names) != 2 || names["quirky_hopper"] != "done" || names["hermes-egress-e3b0c44298"] != "done" {
		t.Errorf("pruned %v", names)
	}
	for _, sent := range b.mutations() {
		if !strings.HasPrefix(sent, "DELETE ") {
			t.Errorf("pruning sends %s", sent)
		}
	}
	if again := b.run(t, "doctor", "--prune", "--yes"); again.code != exitDone || len(b.mutations()) != 2 {
		t.Errorf("a second time: exit code %d, sent %v", again.code, b.mutations())
	}
	if audit := b.run(t, "audit", "--output", "jsonl").stdout; strings.Count(audit, `"phase":"result"`) != 2 || !strings.Contains(audit, `"prune"`) {
		t.Errorf("the audit is %s", audit)
	}
	if left := b.run(t, "list").stdout; !strings.Contains(left, "hermes-6d18ef02") {
		t.Errorf("a sandbox is gone:\n%s", left)
	}
}

func TestPruneSaysWhatItCannotKnow(t *testing.T) {
	t.Run("containers of an engine", func(t *testing.T) {
		b := newBench(t)
		b.engine.Faults().Set(simengine.List, simengine.Fault{
			Kind: simengine.StatusCode, Status: http.StatusForbidden,
			When: func(r simengine.Request) bool { return r.Query.Get("filters") == "" },
		})
		got := b.run(t, "doctor", "--prune", "--yes")
		if got.code != exitFailed || !strings.Contains(got.stderr, "could not be listed") || len(b.mutations()) > 0 {
			t.Errorf("exit code %d, sent %v: %s", got.code, b.mutations(), got.stderr)
		}
	})
	t.Run("records of cut sandboxes", func(t *testing.T) {
		b := newBench(t)
		cuts := filepath.Join(b.state, "hermes-sandbox", "cuts")
		if err := os.MkdirAll(cuts, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cuts, strings.Repeat("a", 64)+".json"), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := b.run(t, "doctor", "--prune", "--yes"); got.code != exitRefused || len(b.mutations()) > 0 {
			t.Errorf("exit code %d, sent %v: %s", got.code, b.mutations(), got.stderr)
		}
		if got := b.run(t, "doctor"); !strings.Contains(got.stdout, "incomplete") {
			t.Errorf("a check does not say so:\n%s", got.stdout)
		}
	})
}
