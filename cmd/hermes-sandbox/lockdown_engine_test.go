package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// networksOf asks the engine, past the code under test, what a container is
// attached to, and for its process.
func networksOf(t *testing.T, engine *enginetest.Engine, id model.ID) (attached string, pid int) {
	t.Helper()
	answer, err := engine.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range answer.Container.NetworkSettings.Networks {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " "), answer.Container.State.Pid
}

// interfacesOf are the network interfaces that the kernel shows for a process.
func interfacesOf(t *testing.T, pid int) []string {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/dev", pid))
	if err != nil {
		t.Skipf("the engine does not run on this kernel: %v", err)
	}
	var names []string
	for _, line := range strings.Split(string(data), "\n") {
		if name, _, found := strings.Cut(line, ":"); found {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

func TestEngineLockdownOnThenOff(t *testing.T) {
	engine := enginetest.Require(t)
	profile := "p" + engine.Mark
	b := &bench{home: t.TempDir(), state: t.TempDir()}
	b.env = map[string]string{
		"DOCKER_HOST": engine.Host, "HERMES_HOME": b.home, "HOME": t.TempDir(), "XDG_STATE_HOME": b.state, "TERM": "xterm",
		"HERMES_MANAGED_DIR": filepath.Join(b.home, "managed"),
	}
	if err := os.Chmod(b.state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(b.configOf(profile)), 0o700); err != nil {
		t.Fatal(err)
	}
	original := "terminal:\n  backend: docker  # where commands run\n"
	if err := os.WriteFile(b.configOf(profile), []byte(original), 0o600); err != nil {
		t.Fatal(err)
	}
	id := engine.Run(t, engine.Sandbox(profile, "default"))
	attached, pid := networksOf(t, engine, id)
	if attached != "bridge" {
		t.Fatalf("attached to %q", attached)
	}
	before := interfacesOf(t, pid)

	got := b.run(t, "lockdown", "on", "--profile", profile, "--yes")
	if got.code != exitDone {
		t.Fatalf("on: %d %s%s", got.code, got.stdout, got.stderr)
	}
	if attached, _ := networksOf(t, engine, id); attached != "none" {
		t.Errorf("attached to %q after the cut", attached)
	}
	// Kernels with tunnel modules show their idle interfaces in every namespace.
	left := interfacesOf(t, pid)
	if !slices.Contains(before, "eth0") || slices.Contains(left, "eth0") {
		t.Errorf("interfaces %v before, %v after", before, left)
	}
	if text := b.read(t, b.configOf(profile)); text != strings.Replace(original, "\n", "\n  docker_network: false\n", 1) {
		t.Errorf("config.yaml is\n%s", text)
	}
	standing := decode(t, b.run(t, "lockdown", "status", "--profile", profile, "--output", "json").stdout)["profiles"].([]any)[0].(map[string]any)
	if standing["in_line"] != float64(1) || standing["violations"] != float64(0) {
		t.Errorf("in line %v, violations %v", standing["in_line"], standing["violations"])
	}

	got = b.run(t, "lockdown", "off", "--profile", profile, "--yes")
	if got.code != exitDone {
		t.Fatalf("off: %d %s%s", got.code, got.stdout, got.stderr)
	}
	attached, again := networksOf(t, engine, id)
	if attached != "bridge" || again == pid || !slices.Contains(interfacesOf(t, again), "eth0") {
		t.Errorf("attached to %q, interfaces %v, process %d before and %d now", attached, interfacesOf(t, again), pid, again)
	}
	if text := b.read(t, b.configOf(profile)); text != strings.Replace(original, "\n", "\n  docker_network: true\n", 1) {
		t.Errorf("config.yaml is\n%s", text)
	}
}
