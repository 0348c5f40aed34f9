package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/simengine"
)

// readingCommands are command lines that print what comes from outside.
func readingCommands() map[string][]string {
	return map[string][]string{
		"list": {"list"}, "list, check": {"list", "--check"}, "show": {"show", "hermes-3f", "--profile", "default"}, "show by ID": nil,
		"profiles": {"profiles"}, "doctor": {"doctor"}, "prune": {"doctor", "--prune", "--dry-run"}, "lockdown status": {"lockdown", "status"},
		"reap":        {"reap", "--dry-run", "--include", "created,dead,stranded,duplicates,probes"},
		"reap, all":   {"reap", "--dry-run", "--profile", "work", "--profile", "research", "--force-age", "--older-than", "1s"},
		"lockdown on": {"lockdown", "on", "--dry-run"}, "lockdown off": {"lockdown", "off", "--dry-run", "--profile", "work"},
		"lockdown allowlist": {"lockdown", "allowlist", "--dry-run", "--profile", "work", "--allow", "pypi.org"},
	}
}

// hostileKinds are engines that lie in different ways.
func hostileKinds() map[string]hostileEngine {
	return map[string]hostileEngine{"matching": {matching: true}, "strange": {}, "odd": {odd: true}, "broken": {broken: true}}
}

// TestNoCommandPrintsHostileTextRaw runs every command against engines, homes and
// sessions that are hostile in every field.
func TestNoCommandPrintsHostileTextRaw(t *testing.T) {
	t.Parallel()
	for kind, engine := range hostileKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newHostileBench(t, engine)
			said := ""
			for name, args := range readingCommands() {
				if args == nil {
					args = []string{"show", b.idOf(t, "hermes-3fa1b20c")}
				}
				got := b.run(t, args...)
				if err := errors.Join(onlyText(got.stdout), onlyText(got.stderr)); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				said += got.stdout + got.stderr
				if name == "list, check" || name == "prune" {
					continue // the same document as without
				}
				got = b.run(t, append(args, "--output", "json")...)
				if err := errors.Join(onlyDocuments(got.stdout), onlyText(got.stderr)); err != nil {
					t.Errorf("%s as JSON: %v", name, err)
				}
			}
			if !strings.Contains(said, `\x1b[2J`) {
				t.Error("nothing hostile was printed at all")
			}
		})
	}
}

// idOf finds a container of the engine behind.
func (b *bench) idOf(t *testing.T, name string) string {
	t.Helper()
	answer := httptest.NewRecorder()
	b.engine.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1.41/containers/"+name+"/json", nil))
	var found struct{ ID string }
	if err := json.Unmarshal(answer.Body.Bytes(), &found); err != nil || found.ID == "" {
		t.Fatalf("%s: %v %s", name, err, answer.Body)
	}
	return found.ID
}

// TestNoActionPrintsOrRecordsHostileTextRaw acts on hostile containers and looks
// at what is said, recorded, exported and completed.
func TestNoActionPrintsOrRecordsHostileTextRaw(t *testing.T) {
	t.Parallel()
	for kind, engine := range hostileKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newHostileBench(t, engine)
			open, exited := b.idOf(t, "hermes-3fa1b20c"), b.idOf(t, "hermes-91d07e44")
			archive := filepath.Join(t.TempDir(), "out.tar")
			log := filepath.Join(t.TempDir(), "log")
			commands := [][]string{
				{"pause", open, "--yes"},
				{"unpause", open, "--yes"},
				{"stop", open, "--yes"},
				{"start", open, "--yes"},
				{"lockdown", "on", "--sandbox", open, "--yes"},
				{"lockdown", "off", "--sandbox", open, "--running", "hot", "--yes"},
				{"lockdown", "allowlist", "--sandbox", open, "--allow", "pypi.org", "--yes"},
				{"lockdown", "on", "--sandbox", open, "--running", "rebuild", "--yes"},
				{"lockdown", "on", "--profile", "work", "--yes"},
				{"undo", "1", "--yes"},
				{"undo", "5", "--yes"},
				{"remove", exited, "--yes", "--output", "json"},
				{"reap", "--yes", "--include", "created,dead,stranded,duplicates,probes"},
				{"doctor", "--prune", "--yes"},
				{"shell", open},
				{"show", open, "--export", archive},
				{"list", "--verbose", "--log-file", log},
				{"logs", open},
				{"logs", open, "--timestamps", "--tail", "1"},
				{"audit"},
				{"audit", "--output", "json"},
				{"audit", "--output", "jsonl"},
				{"list", "--output", "jsonl"},
			}
			for _, args := range commands {
				got := b.run(t, args...)
				if err := errors.Join(onlyText(got.stdout), onlyText(got.stderr)); err != nil {
					t.Errorf("%v: %v", args, err)
				}
				if len(args) > 2 && args[len(args)-2] == "--output" {
					if err := onlyDocuments(got.stdout); err != nil {
						t.Errorf("%v: %v", args, err)
					}
				}
			}
			for _, words := range [][]string{{"show", ""}, {"logs", ""}, {"list", "--profile", ""}, {"lockdown", "on", "--sandbox", ""}} {
				for _, word := range b.proposed(t, words...) {
					if err := onlyText(word); err != nil {
						t.Errorf("completing %q: %v", words, err)
					}
				}
			}
			checkLeftBehind(t, b, archive, engine.broken)
			if data, err := os.ReadFile(log); err != nil || strings.ContainsAny(string(data), "\x1b\x07\u202e\u009b") || !utf8.Valid(data) {
				t.Errorf("the log: %v\n%.300q", err, data)
			}
		})
	}
}

// checkLeftBehind looks at every file that was written.
func checkLeftBehind(t *testing.T, b *bench, archive string, broken bool) {
	t.Helper()
	if _, err := os.Stat(archive); err == nil {
		for name, content := range unpack(t, archive) {
			if err := errors.Join(onlyText(name), onlyText(content)); err != nil {
				t.Errorf("exported %s: %v", name, err)
			}
		}
	} else if !broken {
		t.Errorf("nothing was exported: %v", err)
	}
	recorded := 0
	err := filepath.WalkDir(b.state, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(b.state, path)
		if strings.Contains(relative, "backup") {
			data = nil // the file as it was
		}
		recorded += len(data)
		if err := errors.Join(onlyText(relative), onlyText(string(data))); err != nil {
			t.Errorf("%s: %v", relative, err)
		}
		return nil
	})
	if err != nil || recorded == 0 && !broken {
		t.Errorf("%d bytes recorded: %v", recorded, err)
	}
}

// TestNoArgumentIsPrintedRaw hands hostile text in on the command line and through
// the environment: it may come from a script that has it from elsewhere.
func TestNoArgumentIsPrintedRaw(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	text := strings.ReplaceAll(asBytes(hostileText), "\x00", "")
	arguments := map[string][]string{
		"filter": {"list", "--filter", "posture:" + text}, "filter key": {"list", "--filter", text + ":x"}, "reference": {"show", text}, "profile": {"list", "--profile", text},
		"host": {"list", "--host", text}, "host of a kind": {"list", "--host", "tcp://" + text}, "socket": {"list", "--host", "unix:///" + text}, "ssh": {"list", "--host", "ssh://" + text},
		"context": {"list", "--context", text}, "settings": {"list", "--config", "/" + text}, "output": {"list", "--output", text}, "home": {"list", "--hermes-home", "/" + text},
		"flag": {"list", "--" + text}, "flag, short": {"list", "-\x1b"}, "command": {text}, "command below": {"lockdown", text}, "argument": {"list", text},
		"keys": {"frame", "--keys", "<" + text + ">"}, "running": {"lockdown", "on", "--running", text}, "allow": {"lockdown", "allowlist", "--allow", text},
		"class": {"reap", "--include", text}, "age": {"reap", "--older-than", text}, "undo": {"undo", text}, "tail": {"logs", "x", "--tail", text},
		"since": {"logs", "x", "--since", text}, "export": {"show", "hermes-3fa1b20c", "--export", "/nowhere/" + text}, "metrics": {"watch", "--metrics", text},
		"log file": {"list", "--log-file", "/nowhere/" + text}, "number": {"frame", "--width", text}, "boolean": {"list", "--read-only=" + text},
		"logs of nobody": {"logs", text}, "shell of nobody": {"shell", text}, "help": {"help", text}, "completion": {"completion", text},
		"completing": {"__complete", text, ""}, "proxy": {"egress-proxy", "--address", text},
	}
	for name, args := range arguments {
		got := b.run(t, args...)
		if err := errors.Join(onlyText(got.stdout), onlyText(got.stderr)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "help" && name != "home" && name != "completing" && got.code == exitDone {
			t.Errorf("%s is taken: %s", name, got.stdout)
		}
	}
	for name, value := range map[string]string{
		"DOCKER_HOST": text, "DOCKER_CONTEXT": text, "DOCKER_CONFIG": "/" + text, "DOCKER_API_VERSION": text, "DOCKER_CERT_PATH": text, "HERMES_HOME": "/" + text, "XDG_STATE_HOME": "/nowhere/" + text,
		"XDG_CONFIG_HOME": "/" + text, "HERMES_SANDBOX_THEME": text, "HERMES_SANDBOX_MASK": "[" + text, "HERMES_SANDBOX_KEYS": `[{action: "` + text + `", keys: [x]}]`,
		"HERMES_SANDBOX_" + text: "1", "HERMES_SANDBOX_ENGINES": `[{name: "\e[31m\u202e", host: "unix:///x"}]`, "HERMES_SANDBOX_COLUMNS": text,
	} {
		b := newBench(t)
		b.env[name] = value
		if name == "DOCKER_CERT_PATH" {
			b.env["DOCKER_TLS_VERIFY"], b.env["DOCKER_HOST"] = "1", "tcp://127.0.0.1:1"
		}
		for _, args := range [][]string{{"list"}, {"frame", "--color"}, {"remove", "hermes-3fa1b20c", "--dry-run"}} {
			got := b.run(t, args...)
			if err := errors.Join(onlyText(uncoloured(got.stdout)), onlyText(got.stderr)); err != nil {
				t.Errorf("%.40q %v: %v", name, args, err)
			}
		}
	}
}

// Labels that a person takes for the same are told apart on the command line.
func TestLookalikesAreMarked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i, profile := range []string{"home", "home\u200b", "ho\u00adme", "h\u043eme", "home\xff"} {
		for _, labels := range []map[string]string{{"hermes-profile": profile, "hermes-task-id": "xyz"}, {"hermes-profile": "zyx", "hermes-task-id": profile}} {
			labels["hermes-agent"] = "1"
			if _, err := b.engine.Add(simengine.Spec{Labels: labels, State: "exited"}); err != nil {
				t.Fatal(i, err)
			}
		}
	}
	want := []string{"!!ho\\u00adme", "!!home\\u200b", "!!home\\ufffd", "!!h\u043eme", "home"}
	for name, c := range map[string]struct {
		args   []string
		column int
	}{
		"profile": {[]string{"list", "--filter", "task:xyz age<1m"}, 1}, "task": {[]string{"list", "--filter", "profile:zyx age<1m"}, 2},
	} {
		var seen []string
		for line := range strings.Lines(b.run(t, c.args...).stdout) {
			if cells := regexp.MustCompile(` {2,}`).Split(line, -1); cells[0] != "NAME" {
				seen = append(seen, cells[c.column])
			}
		}
		slices.Sort(seen)
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// uncoloured takes colours, and nothing else, out of a text.
func uncoloured(text string) string {
	return regexp.MustCompile("\x1b\\[[0-9;:]*m").ReplaceAllString(text, "")
}
