package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hermes-sandbox/model"
)

// hostileName is what a folder can be called.
const hostileName = "h\x1b[31m\n\t\u202e\u200b\u009b31m\xff\x9b31m%s\\x1b"

// newHostileBench is a bench whose engine, homes and sessions say hostile things
// wherever they can say anything.
func newHostileBench(t *testing.T, h hostileEngine) *bench {
	t.Helper()
	folder := filepath.Join(t.TempDir(), hostileName)
	b := newBenchIn(t, folder)
	h.engine = b.engine
	b.env["DOCKER_HOST"] = serveHostile(t, &h)
	spoilHomes(t, b.home)
	id, err := b.engine.Begin("hermes-3fa1b20c", "sh", "-c", "\x1b]52;c;eA==\x07\u202e: \n"+hostileText)
	if err != nil {
		t.Fatal(err)
	}
	b.engine.End(id)
	request := fmt.Sprintf(`{"time":"%s","sandbox":"172.28.91.3","method":%s,"host":%s,"port":443,"verdict":"deny","reason":%[2]s,"detail":%[2]s}`,
		time.Now().UTC().Format(time.RFC3339), quoted(t, hostileText), quoted(t, "evil.example"+hostileText))
	for name, lines := range map[string][]string{
		"hermes-3fa1b20c":                {asBytes(hostileText), strings.Repeat("A", 100_000) + "\x1b[2J"},
		"hermes-egress-proxy-b9ca2e323c": {request, asBytes(hostileText)},
	} {
		if err := b.engine.Print(name, lines...); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// spoilHomes puts hostile text into what Hermes keeps: names of folders, keys and
// values of its configuration, its variables and its sessions.
func spoilHomes(t *testing.T, root string) {
	t.Helper()
	if err := writeDemoSessions(root, time.Now()); err != nil {
		t.Fatal(err)
	}
	database, err := sql.Open("sqlite", "file:"+strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.Join(root, "state.db")))
	if err != nil {
		t.Fatal(err)
	}
	text := asBytes(hostileText)
	if _, err := database.ExecContext(t.Context(), `UPDATE sessions SET title = ?, source = ?, display_name = ?, end_reason = ?`, "t"+text, "s"+text, text, text); err != nil {
		t.Fatal(err)
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	value := quoted(t, "v"+strings.ReplaceAll(hostileText, "\uffff", ""))
	extra := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	profiles := filepath.Join(root, "profiles")
	extra(filepath.Join(root, "config.yaml"), value+": "+value+"\nproxy:\n  "+value+": "+value+"\n  enforce_on_docker: "+value+"\n")
	extra(filepath.Join(root, ".env"), "TERMINAL_CWD="+text+"\nTERMINAL_DOCKER_IMAGE="+text+"\n\x1b]0;x\x07=1\n")
	extra(filepath.Join(profiles, hostileName, "config.yaml"), "terminal:\n  backend: docker\n  docker_image: "+value+"\n  docker_extra_args: ["+value+"]\n  docker_network: "+value+"\n  docker_env: {"+value+": "+value+"}\n")
	extra(filepath.Join(profiles, "broken", "config.yaml"), "terminal: [\x1b[31m\xff\n"+text)
	extra(filepath.Join(profiles, "duplicate", "config.yaml"), value+": 1\n"+value+": 2\nterminal: *"+"nowhere\n")
	extra(filepath.Join(profiles, "odd", "config.yaml"), "terminal:\n  lifetime_seconds: "+value+"\n  backend: "+value+"\n  container_persistent: ["+value+"]\n")
	extra(filepath.Join(root, "sandboxes", "docker", hostileName, "x"), "x")
}

// onlyText reports what in a text is neither printable nor the end of a line.
func onlyText(text string) error {
	for at, r := range text {
		if r == utf8.RuneError || r != '\n' && !model.Printable(r) {
			return fmt.Errorf("%q near %q", r, text[max(0, at-60):min(len(text), at+20)])
		}
	}
	if regexp.MustCompile(`%![a-zA-Z]\(`).MatchString(text) {
		return errors.New("a text was taken for a format")
	}
	return nil
}

// onlyDocuments reports what in the output of a command is no JSON that can be
// printed on a terminal.
func onlyDocuments(text string) error {
	if err := onlyText(text); err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var document any
		if err := decoder.Decode(&document); err != nil {
			return fmt.Errorf("no JSON: %w", err)
		}
	}
	return nil
}
