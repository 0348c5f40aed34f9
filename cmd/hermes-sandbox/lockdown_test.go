package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// configOf is the config.yaml of a profile of the bench.
func (b *bench) configOf(profile string) string {
	if profile == "default" {
		return filepath.Join(b.home, "config.yaml")
	}
	return filepath.Join(b.home, "profiles", profile, "config.yaml")
}

func (b *bench) read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// levels are the postures of all sandboxes by name.
func (b *bench) levels(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, value := range decode(t, b.run(t, "list", "--output", "json").stdout)["sandboxes"].([]any) {
		sandbox := value.(map[string]any)
		found[sandbox["name"].(string)] = sandbox["posture"].(map[string]any)["level"].(string)
	}
	return found
}

// rows are a plan's targets by name.
func rows(t *testing.T, document map[string]any) map[string]map[string]any {
	t.Helper()
	found := map[string]map[string]any{}
	for _, value := range document["targets"].([]any) {
		target := value.(map[string]any)
		found[target["name"].(string)] = target
	}
	return found
}

func TestLockdownOnThenOff(t *testing.T) {
	b := newBench(t)
	before := b.read(t, b.configOf("default"))
	got := b.run(t, "lockdown", "on", "--yes", "--output", "json")
	if got.code != exitDone {
		t.Fatalf("on: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	plan := decode(t, got.stdout)
	edit := plan["config"].([]any)[0].(map[string]any)
	if edit["outcome"] != "done" || edit["from"] != "true" || edit["to"] != "false" || edit["profile"] != "default" {
		t.Errorf("the edit is %v", edit)
	}
	if want := strings.Replace(before, "docker_network: true", "docker_network: false", 1); b.read(t, b.configOf("default")) != want {
		t.Errorf("config.yaml is\n%s", b.read(t, b.configOf("default")))
	}
	for name, target := range rows(t, plan) {
		if target["method"] == "cut" && (target["outcome"] != "done" || b.levels(t)[name] != "cut-off") {
			t.Errorf("%s: %v, %v", name, target["outcome"], b.levels(t)[name])
		}
	}
	if _, listed := rows(t, plan)["hermes-3fa1b20c"]; !listed {
		t.Error("an open sandbox of the profile is not in the plan")
	}
	status := b.run(t, "lockdown", "status", "--profile", "default", "--output", "json")
	standing := decode(t, status.stdout)["profiles"].([]any)[0].(map[string]any)
	if standing["violations"] != float64(0) || standing["in_line"] != float64(len(rows(t, plan))) {
		t.Errorf("in line %v, violations %v of %d", standing["in_line"], standing["violations"], len(rows(t, plan)))
	}
	got = b.run(t, "lockdown", "off", "--yes", "--output", "json")
	if got.code != exitDone {
		t.Fatalf("off: exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if b.read(t, b.configOf("default")) != before {
		t.Errorf("config.yaml did not come back:\n%s", b.read(t, b.configOf("default")))
	}
	for name, target := range rows(t, decode(t, got.stdout)) {
		if target["method"] != "reconnect" || target["outcome"] != "done" || b.levels(t)[name] == "cut-off" {
			t.Errorf("%s: %v %v, %v", name, target["method"], target["outcome"], b.levels(t)[name])
		}
	}
	if left, err := os.ReadDir(filepath.Join(b.state, "hermes-sandbox", "cuts")); err != nil || len(left) > 0 {
		t.Errorf("%d cut records are left, error %v", len(left), err)
	}
}

func TestLockdownSparesWhatIsInLineAndKeepsThePolicyThere(t *testing.T) {
	b := newBench(t)
	before := b.read(t, b.configOf("work"))
	got := b.run(t, "lockdown", "on", "--profile", "work", "--yes", "--output", "json")
	plan := decode(t, got.stdout)
	if got.code != exitDone || b.read(t, b.configOf("work")) != before {
		t.Fatalf("exit code %d, stderr %s", got.code, got.stderr)
	}
	if edit := plan["config"].([]any)[0].(map[string]any); edit["outcome"] != "skipped" {
		t.Errorf("the edit is %v", edit)
	}
	found := rows(t, plan)
	if target := found["hermes-5c2f8d13"]; target["decision"] != "skip" || target["reason"] != "air-gapped already" {
		t.Errorf("an air-gapped one: %v", target)
	}
	if target := found["hermes-72b9c4e8"]; target["outcome"] != "done" || b.levels(t)["hermes-72b9c4e8"] != "air-gapped" {
		t.Errorf("one that drifted: %v, %s", target, b.levels(t)["hermes-72b9c4e8"])
	}
}

func TestLockdownIsRefused(t *testing.T) {
	cases := map[string]struct {
		contents string // of the default profile's config.yaml
		args     []string
		code     int
		part     string
	}{
		"broken file":      {"terminal: [", []string{"--yes"}, exitRefused, "does not parse"},
		"network argument": {"terminal:\n  backend: docker\n  docker_extra_args: [--network=lan]\n", []string{"--yes"}, exitRefused, "network lan"},
		"shared value":     {"x: &v true\ny: *v\nterminal:\n  backend: docker\n  docker_network: &w true\nz: *w\n", []string{"--yes"}, exitRefused, "anchor"},
		"unknown choice":   {"", []string{"--running", "hide"}, exitUsage, "hide"},
		"not confirmed":    {"", nil, exitRefused, "not confirmed"},
		"read-only":        {"", []string{"--yes", "--read-only"}, exitRefused, "read-only"},
		"dry run":          {"", []string{"--yes", "--dry-run"}, exitDone, "docker_network: false"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			if c.contents != "" {
				if err := os.WriteFile(b.configOf("default"), []byte(c.contents), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := b.read(t, b.configOf("default"))
			got := b.run(t, append([]string{"lockdown", "on"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.part) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", got.code, c.code, c.part, got.stdout, got.stderr)
			}
			if sent := b.mutations(); len(sent) > 0 || b.read(t, b.configOf("default")) != before {
				t.Errorf("nothing may be done, but %v was sent", sent)
			}
		})
	}
}

func TestLockdownOfSingleSandboxes(t *testing.T) {
	b := newBench(t)
	before := b.read(t, b.configOf("default"))
	if got := b.run(t, "lockdown", "on", "--sandbox", "hermes-3fa1b20c", "--yes"); got.code != exitDone {
		t.Fatalf("cut: %d %s%s", got.code, got.stdout, got.stderr)
	}
	if level := b.levels(t)["hermes-3fa1b20c"]; level != "cut-off" || b.read(t, b.configOf("default")) != before {
		t.Errorf("it is %s", level)
	}
	if got := b.run(t, "lockdown", "off", "--sandbox", "hermes-3fa1b20c", "--running", "hot", "--yes", "--output", "json"); got.code != exitDone ||
		rows(t, decode(t, got.stdout))["hermes-3fa1b20c"]["method"] != "reconnect-hot" {
		t.Fatalf("reconnect: %d %s%s", got.code, got.stdout, got.stderr)
	}
	if level := b.levels(t)["hermes-3fa1b20c"]; level != "open" {
		t.Errorf("it is %s", level)
	}
	if got := b.run(t, "lockdown", "on", "--sandbox", "hermes-29e5ad48", "--yes"); got.code != exitRefused || !strings.Contains(got.stdout, "rebuild or remove") {
		t.Errorf("host network: %d %s%s", got.code, got.stdout, got.stderr)
	}
	if got := b.run(t, "lockdown", "off", "--sandbox", "hermes-d94a0e6b", "--yes"); got.code != exitDone || !strings.Contains(got.stdout, "left alone") {
		t.Errorf("cut off by another: %d %s%s", got.code, got.stdout, got.stderr)
	}
}

func TestForeignChangeBetweenPlanAndEdit(t *testing.T) {
	b := newBench(t)
	w := b.workspace(t)
	fleet := w.fleet(context.Background())
	plan := w.prepare(t.Context(), model.PlanLockdown(&fleet, model.ActionLockdownOn, model.LockdownOptions{}))
	changed := b.read(t, b.configOf("default")) + "# a note\n"
	if err := os.WriteFile(b.configOf("default"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	executor, err := w.executor()
	if err != nil {
		t.Fatal(err)
	}
	result, err := executor.Execute(context.Background(), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	if edit := result.Config[0]; edit.Outcome != model.OutcomeRefused || !strings.Contains(edit.Error, "changed meanwhile") {
		t.Errorf("the edit is %+v", edit)
	}
	for _, target := range result.Targets {
		if target.Outcome != model.OutcomeRefused {
			t.Errorf("%s is %s: nothing may happen without the policy", target.Name, target.Outcome)
		}
	}
	if sent := b.mutations(); len(sent) > 0 || b.read(t, b.configOf("default")) != changed {
		t.Errorf("%v was sent", sent)
	}
	audit := b.run(t, "audit").stdout
	if strings.Count(audit, "refused") != len(result.Targets)+1 {
		t.Errorf("every row has its result in the audit, the edit too:\n%s", audit)
	}
}

// workspace opens what a command works with.
func (b *bench) workspace(t *testing.T) *workspace {
	t.Helper()
	program := &app{stdin: strings.NewReader(""), stdout: &strings.Builder{}, stderr: &strings.Builder{}, now: time.Now, getenv: func(name string) string { return b.env[name] }}
	for name, value := range b.env {
		program.environ = append(program.environ, name+"="+value)
	}
	w, err := program.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func TestNoEditWithoutItsIntent(t *testing.T) {
	b := newBench(t)
	w := b.workspace(t)
	fleet := w.fleet(context.Background())
	plan := w.prepare(t.Context(), model.PlanLockdown(&fleet, model.ActionLockdownOn, model.LockdownOptions{}))
	executor, err := w.executor()
	if err != nil {
		t.Fatal(err)
	}
	// A folder where the audit file should be: it can be opened by nobody.
	if err := os.MkdirAll(filepath.Join(w.stateDir, "audit.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := b.read(t, b.configOf("default"))
	result, err := executor.Execute(context.Background(), plan, nil)
	if !errors.Is(err, dockerx.ErrNoAudit) || result.Config[0].Outcome != model.OutcomeRefused {
		t.Errorf("error %v, edit %+v", err, result.Config[0])
	}
	if sent := b.mutations(); len(sent) > 0 || b.read(t, b.configOf("default")) != before {
		t.Errorf("%v was sent", sent)
	}
}

func TestUndo(t *testing.T) {
	b := newBench(t)
	original := b.read(t, b.configOf("default"))
	number := func() string {
		lines := strings.Split(strings.TrimSpace(b.run(t, "audit").stdout), "\n")
		return strings.Fields(lines[len(lines)-1])[0]
	}
	if got := b.run(t, "lockdown", "on", "--yes"); got.code != exitDone {
		t.Fatalf("on: %d %s%s", got.code, got.stdout, got.stderr)
	}
	got := b.run(t, "undo", number(), "--yes", "--output", "json")
	if got.code != exitDone || b.read(t, b.configOf("default")) != original {
		t.Fatalf("undo of a lockdown: %d %s%s", got.code, got.stdout, got.stderr)
	}
	for name, target := range rows(t, decode(t, got.stdout)) {
		if target["outcome"] != "done" || target["method"] != "reconnect" {
			t.Errorf("%s: %v", name, target)
		}
	}
	for name, action := range map[string]struct{ do, state string }{
		"hermes-3fa1b20c": {"pause", "running"}, "hermes-e64c11aa": {"stop", "running"},
	} {
		if got := b.run(t, action.do, name, "--yes"); got.code != exitDone {
			t.Fatalf("%s: %d %s", action.do, got.code, got.stderr)
		}
		if got := b.run(t, "undo", number(), "--yes"); got.code != exitDone {
			t.Errorf("undo of %s: %d %s%s", action.do, got.code, got.stdout, got.stderr)
		}
		if listed := b.run(t, "list", "--filter", "state:"+action.state).stdout; !strings.Contains(listed, name) {
			t.Errorf("%s is not %s:\n%s", name, action.state, listed)
		}
	}
	if got := b.run(t, "remove", "hermes-91d07e44", "--yes"); got.code != exitDone {
		t.Fatal(got.stderr)
	}
	if got := b.run(t, "undo", number(), "--yes"); got.code != exitRefused || !strings.Contains(got.stdout, "is gone") {
		t.Errorf("undo of a removal: %d %s%s", got.code, got.stdout, got.stderr)
	}
	for _, n := range []string{"99", "zero", "0"} {
		if got := b.run(t, "undo", n, "--yes"); got.code != exitUsage {
			t.Errorf("undo %s: %d %s", n, got.code, got.stderr)
		}
	}
}

func TestUndoLeavesAPolicyThatOthersChanged(t *testing.T) {
	cases := map[string]struct {
		change func(string) string
		code   int
		want   func(original string) string
	}{
		"the value itself": {
			func(s string) string { return strings.Replace(s, "docker_network: false", "docker_network: true", 1) }, exitRefused, nil,
		},
		"something else": {
			func(s string) string { return s + "# a note\n" }, exitDone, func(original string) string { return original + "# a note\n" },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			original := b.read(t, b.configOf("default"))
			if got := b.run(t, "lockdown", "on", "--running", "keep", "--yes"); got.code != exitDone {
				t.Fatalf("on: %d %s%s", got.code, got.stdout, got.stderr)
			}
			changed := c.change(b.read(t, b.configOf("default")))
			if err := os.WriteFile(b.configOf("default"), []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			got := b.run(t, "undo", "1", "--yes")
			want := changed
			if c.want != nil {
				want = c.want(original)
			}
			if got.code != c.code || b.read(t, b.configOf("default")) != want {
				t.Errorf("exit code %d: %s%s\nthe file is\n%s", got.code, got.stdout, got.stderr, b.read(t, b.configOf("default")))
			}
		})
	}
}

func TestAPartOfALockdownFailsAndIsTriedAgain(t *testing.T) {
	b := newBench(t)
	repair := b.engine.Faults().Set(simengine.Disconnect, simengine.Fault{
		Kind: simengine.StatusCode, Status: http.StatusInternalServerError, Message: "no such luck", Times: 1,
	})
	defer repair()
	got := b.run(t, "lockdown", "on", "--yes", "--output", "json")
	if got.code != exitIncomplete {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	outcomes := map[any]int{}
	for _, target := range rows(t, decode(t, got.stdout)) {
		outcomes[target["outcome"]]++
		if target["outcome"] == "failed" && !strings.Contains(target["error"].(string), "no such luck") {
			t.Errorf("the reason is %v", target["error"])
		}
	}
	if outcomes["failed"] != 1 || outcomes["done"] < 2 {
		t.Errorf("outcomes %v", outcomes)
	}
	// It fails closed: what Hermes makes from now on has no network.
	if text := b.read(t, b.configOf("default")); !strings.Contains(text, "docker_network: false") {
		t.Errorf("config.yaml is\n%s", text)
	}
	got = b.run(t, "lockdown", "on", "--yes", "--output", "json")
	again := rows(t, decode(t, got.stdout))
	acted := 0
	for _, target := range again {
		if target["outcome"] == "done" {
			acted++
		}
	}
	if got.code != exitDone || acted != 1 {
		t.Errorf("exit code %d, %d acted on: %s", got.code, acted, got.stdout)
	}
}

func TestRebuildKeepsTheSandboxInLine(t *testing.T) {
	b := newBench(t)
	got := b.run(t, "lockdown", "on", "--profile", "work", "--running", "rebuild", "--yes", "--output", "json")
	if got.code != exitDone {
		t.Fatalf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	target := rows(t, decode(t, got.stdout))["hermes-a8301f9d"]
	if target["method"] != "rebuild" || target["outcome"] != "done" || target["new_id"] == "" || target["new_id"] == target["id"] {
		t.Errorf("%v", target)
	}
	if level := b.levels(t)["hermes-a8301f9d"]; level != "air-gapped" {
		t.Errorf("it is %s", level)
	}
}

func TestPolicyIsWrittenBeforeAnySandboxIsTouched(t *testing.T) {
	for action, value := range map[string]string{"on": "false", "off": "true"} {
		t.Run(action, func(t *testing.T) {
			b := newBench(t)
			if action == "off" {
				if got := b.run(t, "lockdown", "on", "--yes"); got.code != exitDone {
					t.Fatal(got.stderr)
				}
			}
			gate := b.engine.Faults().Gate(simengine.Any, func(r simengine.Request) bool {
				return r.Method == http.MethodPost && !strings.Contains(r.Path, "/exec")
			})
			defer gate.Open()
			done := make(chan outcome, 1)
			go func() { done <- b.run(t, "lockdown", action, "--yes") }()
			select {
			case <-gate.Arrived():
			case got := <-done:
				t.Fatalf("nothing was sent: %d %s%s", got.code, got.stdout, got.stderr)
			}
			if text := b.read(t, b.configOf("default")); !strings.Contains(text, "docker_network: "+value) {
				t.Errorf("at the first call config.yaml is\n%s", text)
			}
			gate.Open()
			if got := <-done; got.code != exitDone {
				t.Errorf("exit code %d: %s", got.code, got.stderr)
			}
		})
	}
}
