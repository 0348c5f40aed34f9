package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
)

// unpack reads the files of an archive.
func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	reader := tar.NewReader(bytes.NewReader(data))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if header.Mode != 0o600 || strings.Contains(header.Name, "..") {
			t.Errorf("file %s has mode %o", header.Name, header.Mode)
		}
		files[header.Name] = string(content)
	}
}

func TestExportHoldsEverythingButSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, err := b.engine.Add(simengine.Spec{
		Name: "hermes-00c0ffee", Labels: map[string]string{"hermes-agent": "1", "hermes-profile": "work", "hermes-task-id": "../../escape"},
		Env: []string{"API_TOKEN=hunter2", "PLAIN=hunter2"}, Command: []string{"serve", "--password", "hunter2"},
		Logs: []string{"login with password=hunter2", "\x1b[2Jplain"},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out.tar")
	got := b.run(t, "show", "hermes-00c0ffee", "--export", path)
	if got.code != exitDone || !strings.Contains(got.stderr, "wrote") {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	files := unpack(t, path)
	for name, says := range map[string]string{
		"sandbox.json": `"reap"`, "inspect.json": `"HostConfig"`, "processes.json": `"Titles"`, "commands.json": `"Commands"`,
		"log.txt": `\x1b[2Jplain`, "diff.txt": "", "audit.jsonl": "",
	} {
		content, ok := files[id[:12]+"/"+name]
		if !ok || !strings.Contains(content, says) {
			t.Errorf("%s is there %v: %.300s", name, ok, content)
		}
	}
	for name, content := range files {
		if strings.Contains(content, "hunter2") {
			t.Errorf("%s shows a secret: %s", name, content)
		}
	}
	if !strings.Contains(files["problems.txt"], "connections.json") {
		t.Errorf("problems: %q, of files %d", files["problems.txt"], len(files))
	}
}

func TestExportHidesWhatTheSettingsSay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id, err := b.engine.Add(simengine.Spec{
		Name: "hermes-00c0ffee", Labels: map[string]string{"hermes-agent": "1", "hermes-profile": "work", "hermes-task-id": "masked"},
		Command: []string{"serve", "ACME-4711"}, Logs: []string{"started with ACME-4711"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, shown := range map[string]bool{"": true, `ACME-\d+`: false} {
		b.env["HERMES_SANDBOX_MASK"] = name
		path := filepath.Join(t.TempDir(), "out.tar")
		if got := b.run(t, "show", "hermes-00c0ffee", "--export", path); got.code != exitDone {
			t.Fatalf("exit %d: %s", got.code, got.stderr)
		}
		files := unpack(t, path)
		for _, file := range []string{"inspect.json", "log.txt"} {
			if strings.Contains(files[id[:12]+"/"+file], "ACME-4711") != shown {
				t.Errorf("with mask %q, %s: %.300s", name, file, files[id[:12]+"/"+file])
			}
		}
	}
}

func TestExportKeepsAFileThatIsThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.box(t, "one")
	path := filepath.Join(t.TempDir(), "out.tar")
	if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := b.run(t, "show", "hermes-00c0ffee", "--export", path); got.code != exitRefused || !strings.Contains(got.stderr, "--overwrite") {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "precious" {
		t.Errorf("the file is %q now, %v", data, err)
	}
	if got := b.run(t, "show", "hermes-00c0ffee", "--export", path, "--overwrite"); got.code != exitDone {
		t.Errorf("exit %d: %s", got.code, got.stderr)
	}
	if len(unpack(t, path)) == 0 {
		t.Error("the archive is empty")
	}
}

func TestExportOfARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	spec := engine.Sandbox(engine.Mark, "export")
	spec.Env = []string{"API_TOKEN=hunter2"}
	spec.Command = []string{"sh", "-c", "echo ready; touch /tmp/new; exec sleep infinity"}
	id := engine.Run(t, spec)
	b := newBench(t)
	b.env["DOCKER_HOST"] = engine.Host
	path := filepath.Join(t.TempDir(), "out.tar")
	var files map[string]string
	// The command's output and file are there a moment after its start.
	for range 100 {
		if got := b.run(t, "show", string(id), "--export", path, "--overwrite"); got.code != exitDone {
			t.Fatalf("exit %d: %s", got.code, got.stderr)
		}
		if files = unpack(t, path); strings.Contains(files[id.Short()+"/diff.txt"], "A /tmp/new") {
			break
		}
	}
	for name, says := range map[string]string{
		"log.txt": "stdout ready", "diff.txt": "A /tmp/new", "processes.json": "sleep", "connections.json": `"Connections"`, "inspect.json": "API_TOKEN=***",
	} {
		if content := files[id.Short()+"/"+name]; !strings.Contains(content, says) {
			t.Errorf("%s: %.300s", name, content)
		}
	}
	if strings.Contains(strings.Join([]string{files[id.Short()+"/inspect.json"], files[id.Short()+"/sandbox.json"]}, ""), "hunter2") {
		t.Error("a secret is shown")
	}
}
