package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// eightEngines are followed together: one hangs, one goes away and comes back,
// one lets nothing be changed.
type eightEngines struct {
	t       *testing.T
	engines []*simengine.Engine
	work    *workspace
	env     map[string]string
	config  string
	fleets  chan model.Fleet
}

// The engines that are out of the ordinary, by their place.
const (
	hanging  = 0
	flapping = 1
	guarded8 = 2
)

func followEight(t *testing.T) *eightEngines {
	e := openEight(t)
	followed := e.work.follow()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		followed.run(ctx, func(fleet model.Fleet, _ []string) {
			select {
			case <-e.fleets: // only the newest counts
			default:
			}
			e.fleets <- fleet
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		e.work.Close()
	})
	return e
}

// openEight starts the engines and writes their settings.
func openEight(t *testing.T) *eightEngines {
	e := &eightEngines{t: t, fleets: make(chan model.Fleet, 1)}
	settings := "engines:\n"
	for i := range 8 {
		engine := simengine.New(simengine.Options{Seed: fmt.Sprint(i)})
		if err := engine.Populate(5); err != nil {
			t.Fatal(err)
		}
		if err := engine.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = engine.Close() })
		e.engines = append(e.engines, engine)
		settings += fmt.Sprintf("  - {name: e%d, host: %q}\n", i, engine.Host())
	}
	e.engines[hanging].Faults().Set(simengine.Any, simengine.Fault{Kind: simengine.Silence})
	for _, operation := range []simengine.Operation{simengine.Remove, simengine.Stop, simengine.Kill, simengine.Start} {
		e.engines[guarded8].Faults().Set(operation, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusForbidden, Message: "not allowed here"})
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "settings.yaml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	e.env = map[string]string{"HOME": folder, "HERMES_HOME": folder, "XDG_STATE_HOME": state}
	e.config = file
	work, err := e.program(io.Discard).open()
	if err != nil {
		t.Fatal(err)
	}
	e.work = work
	return e
}

// program is the program with the settings of the eight engines.
func (e *eightEngines) program(out io.Writer) *app {
	program := &app{stdin: strings.NewReader(""), stdout: out, stderr: io.Discard, now: time.Now, getenv: func(name string) string { return e.env[name] }}
	for name, value := range e.env {
		program.environ = append(program.environ, name+"="+value)
	}
	program.flags.config = e.config
	return program
}

// command runs one command line on the eight engines.
func (e *eightEngines) command(args ...string) (code int, stdout string) {
	var out bytes.Buffer
	code = e.program(&out).run(e.t.Context(), append([]string{"--config", e.config}, args...))
	return code, out.String()
}

// await waits for a fleet that fits.
func (e *eightEngines) await(what string, fits func(*model.Fleet) bool) model.Fleet {
	e.t.Helper()
	deadline := time.After(patience)
	var last model.Fleet
	for {
		select {
		case last = <-e.fleets:
			if fits(&last) {
				return last
			}
		case <-deadline:
			e.t.Fatalf("never came: %s; the engines are %+v", what, last.Engines)
		}
	}
}

// live reports whether all engines but some are live with their sandboxes.
func live8(fleet *model.Fleet, but ...int) bool {
	for i := range fleet.Engines {
		name := fleet.Engines[i].Name
		count := 0
		for k := range fleet.Sandboxes {
			if s := &fleet.Sandboxes[k]; s.Engine == name && s.Inspected {
				count++
			}
		}
		if !slices.Contains(but, i) && (fleet.Engines[i].State != model.Live || count < 4) {
			return false
		}
	}
	return len(fleet.Engines) == 8
}

// find returns a sandbox of an engine; nil when it is not there.
func find8(fleet *model.Fleet, engine int, name string) *model.Sandbox {
	for i := range fleet.Sandboxes {
		if s := &fleet.Sandboxes[i]; s.Engine == fmt.Sprintf("e%d", engine) && s.Name.Raw() == name {
			return s
		}
	}
	return nil
}

func TestEightEnginesStandSideBySide(t *testing.T) {
	e := followEight(t)
	fleet := e.await("all but the hanging one", func(fleet *model.Fleet) bool { return live8(fleet, hanging) })
	if stuck := fleet.Engines[hanging]; stuck.State == model.Live || stuck.Error == "" {
		t.Errorf("the engine that hangs is %s (%q)", stuck.State, stuck.Error)
	}
	// The same labels on another engine are another sandbox.
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if slices.ContainsFunc(s.Findings, func(f model.Finding) bool { return f.Code == "twin" }) {
			t.Errorf("%s on %s counts sandboxes of other engines: %+v", s.Name.Raw(), s.Engine, s.Findings)
		}
	}

	e.engines[flapping].Crash()
	if err := e.engines[5].StopContainer("hermes-00000000"); err != nil {
		t.Fatal(err)
	}
	e.await("the change beside two engines that are away", func(fleet *model.Fleet) bool {
		changed := find8(fleet, 5, "hermes-00000000")
		return fleet.Engines[flapping].State != model.Live && live8(fleet, hanging, flapping) &&
			changed != nil && changed.State == model.StateExited
	})
	if err := e.engines[flapping].Recover(); err != nil {
		t.Fatal(err)
	}
	fleet = e.await("the engine that came back", func(fleet *model.Fleet) bool { return live8(fleet, hanging) })
	e.removeOnThree(&fleet)
}

// removeOnThree removes the same name on three engines in one plan.
func (e *eightEngines) removeOnThree(fleet *model.Fleet) {
	t := e.t
	const name = "hermes-00000003" // exited
	var keys []model.Key
	for _, engine := range []int{guarded8, 3, flapping} {
		keys = append(keys, find8(fleet, engine, name).Key())
	}
	executor, err := e.work.executor()
	if err != nil {
		t.Fatal(err)
	}
	result, err := executor.Execute(t.Context(), model.PlanRemove(fleet, keys, model.RemoveOptions{}), func(model.Target) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range result.Targets {
		target := &result.Targets[i]
		want := model.OutcomeDone
		if target.Engine == fmt.Sprintf("e%d", guarded8) {
			want = model.OutcomeFailed
			if !strings.Contains(target.Error, "not allowed here") {
				t.Errorf("the read-only engine's reason is lost: %q", target.Error)
			}
		}
		if target.Outcome != want {
			t.Errorf("%s: %s (%s), want %s", target.Engine, target.Outcome, target.Error, want)
		}
	}
	e.await("the list after the removal", func(fleet *model.Fleet) bool {
		return find8(fleet, 3, name) == nil && find8(fleet, flapping, name) == nil &&
			find8(fleet, guarded8, name) != nil && find8(fleet, 4, name) != nil
	})
}

// TestWatchPrintsEnginesAsTheyAnswer does not wait for the engine that hangs:
// the others are printed before anything is known of it.
func TestWatchPrintsEnginesAsTheyAnswer(t *testing.T) {
	e := openEight(t)
	e.work.Close()
	ctx, cancel := context.WithCancel(t.Context())
	lines := make(chan string, 1000)
	done := make(chan int, 1)
	go func() { done <- e.program(lineWriter(lines)).run(ctx, []string{"--config", e.config, "watch"}) }()
	appeared, hung := map[string]int{}, false
	for synced := false; !synced; {
		line := ""
		select {
		case line = <-lines:
		case <-time.After(patience):
			t.Fatal("it never said that all have answered")
		}
		var event struct {
			Event, Engine, State, Error string
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		switch synced = event.Event == "synced"; {
		case event.Event == "appeared":
			appeared[event.Engine]++
			if hung {
				t.Errorf("%s waited for the engine that hangs", event.Engine)
			}
		case event.Event == "engine" && event.Engine == "e0":
			hung = true
			if event.State != "down" || event.Error == "" {
				t.Errorf("the engine that hangs is %s: %s", event.State, event.Error)
			}
		case event.Event == "engine" && event.State != "live":
			t.Errorf("%s is %s: %s", event.Engine, event.State, event.Error)
		}
	}
	if !hung || len(appeared) != 7 {
		t.Errorf("appeared on %v, the engine that hangs was told: %t", appeared, hung)
	}
	cancel()
	<-done
}

// TestCommandsOnEightEngines say what they know of seven engines and that one
// does not answer.
func TestCommandsOnEightEngines(t *testing.T) {
	e := openEight(t)
	e.work.Close()
	code, out := e.command("list")
	if rows := strings.Count(out, "hermes-00000000"); code != exitFailed || rows != 7 {
		t.Errorf("list: code %d, %d engines\n%s", code, rows, out)
	}
	code, out = e.command("doctor")
	if code == exitDone || !strings.Contains(out, "e0") || !strings.Contains(out, "e7") {
		t.Errorf("doctor: code %d\n%s", code, out)
	}
	home := filepath.Join(e.env["HERMES_HOME"], "profiles", "profile03")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte("terminal: {backend: docker}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out = e.command("reap", "--dry-run", "--profile", "profile03")
	if rows := strings.Count(out, "hermes-00000003"); code != exitFailed || rows != 7 {
		t.Errorf("reap: code %d\n%s", code, out)
	}
}
