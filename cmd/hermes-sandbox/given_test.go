package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// TestHomesNamedForEngines are homes of this machine for an engine here, and
// those of the engine's sandboxes alone for one elsewhere.
func TestHomesNamedForEngines(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("own/config.yaml", "terminal: {backend: docker}\n")
	write("here/config.yaml", "terminal: {backend: docker}\n")
	write("far/config.yaml", "terminal: {backend: docker, docker_network: false}\n")
	write("far/profiles/work/config.yaml", "terminal: {backend: docker}\n")
	settings := write("settings.yaml", `engines:
  - {name: here, host: "unix:///nowhere.sock", hermes_home: `+filepath.Join(folder, "here")+`}
  - {name: far, host: "tcp://198.51.100.7:2376", hermes_home: `+filepath.Join(folder, "far")+`}
  - {name: both, host: "tcp://198.51.100.8:2376", hermes_home: `+filepath.Join(folder, "own")+`}
  - {name: none, host: "tcp://198.51.100.9:2376", hermes_home: `+filepath.Join(folder, "nothing")+`}
`)
	env := map[string]string{"HOME": folder, "HERMES_HOME": filepath.Join(folder, "own")}
	program := &app{stdout: io.Discard, stderr: io.Discard, now: time.Now, getenv: func(name string) string { return env[name] }}
	for name, value := range env {
		program.environ = append(program.environ, name+"="+value)
	}
	program.flags.config = settings
	w, err := program.open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	here, problems := w.profiles()
	if homes := homesOf(here); len(problems) > 0 || !slices.Equal(homes, []string{filepath.Join(folder, "own"), filepath.Join(folder, "here")}) {
		t.Errorf("homes of this machine: %v, problems %v", homes, problems)
	}
	var memory model.Memory
	in := w.input(t.Context(), &memory, nil, here, nil)
	if homes := homesOf(in.Given["far"]); !slices.Equal(homes, []string{filepath.Join(folder, "far"), filepath.Join(folder, "far/profiles/work")}) {
		t.Errorf("homes of the engine elsewhere: %v", homes)
	} else if p := in.Given["far"][0]; p.Active || p.Policy == nil || p.Policy.Position != model.PositionLocked {
		t.Errorf("its profile: %+v", p)
	}
	if p := in.Given["both"]; len(p) != 1 || !p[0].Active {
		t.Errorf("a home of this machine for an engine elsewhere: %+v", p)
	}
	if len(in.Given["none"]) == 0 && len(in.Problems) == 0 {
		t.Error("a home that is not there is not said")
	}
}

func homesOf(profiles []model.Profile) []string {
	homes := make([]string, len(profiles))
	for i := range profiles {
		homes[i] = profiles[i].Home
	}
	return homes
}
