package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx/simengine"
)

// patience bounds every wait; it is never reached when all is well.
const patience = 3 * time.Minute

// bench is a simulated engine with the demonstration fleet, and everything a
// run of the program needs besides.
type bench struct {
	engine *simengine.Engine
	home   string
	state  string
	env    map[string]string
	stdin  string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchIn(t, t.TempDir())
}

// newBenchIn is a bench with its homes in a folder.
func newBenchIn(t *testing.T, folder string) *bench {
	t.Helper()
	engine := simengine.New(simengine.Options{})
	if err := engine.Start(); err != nil {
		t.Fatalf("start the simulated engine: %v", err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	root, err := simengine.Demo(engine, folder)
	if err != nil {
		t.Fatalf("make the fleet: %v", err)
	}
	state := t.TempDir()
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	return &bench{engine: engine, home: root, state: state, env: map[string]string{
		"DOCKER_HOST": engine.Host(), "HERMES_HOME": root, "HOME": t.TempDir(), "XDG_STATE_HOME": state, "TERM": "xterm",
	}}
}

// outcome is what one run of the program left.
type outcome struct {
	code   int
	stdout string
	stderr string
}

func (b *bench) run(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := b.program(&stdout, &stderr).run(context.Background(), args)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// program is one run of the program, with its environment.
func (b *bench) program(stdout, stderr io.Writer) *app {
	program := &app{
		stdin: strings.NewReader(b.stdin), stdout: stdout, stderr: stderr, now: time.Now,
		getenv: func(name string) string { return b.env[name] },
	}
	for name, value := range b.env {
		program.environ = append(program.environ, name+"="+value)
	}
	return program
}

// mutations are the requests that could have changed the engine.
func (b *bench) mutations() []string {
	var found []string
	for _, request := range b.engine.Requests() {
		if request.Method != http.MethodGet && request.Method != http.MethodHead {
			found = append(found, request.Method+" "+request.Path)
		}
	}
	return found
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return document
}

func TestExitCodes(t *testing.T) {
	cases := map[string]struct {
		args   []string
		env    map[string]string
		want   int
		stdout string // part of it
		stderr string
	}{
		"list":                         {args: []string{"list"}, want: exitDone, stdout: "hermes-72b9c4e8"},
		"list of one profile":          {args: []string{"list", "--profile", "work"}, want: exitDone, stdout: "hermes-5c2f8d13"},
		"unknown profile":              {args: []string{"list", "--profile", "nobody"}, want: exitUsage, stderr: `no profile "nobody"`},
		"check finds violations":       {args: []string{"list", "--check"}, want: exitViolations},
		"check in line":                {args: []string{"list", "--check", "--profile", "default"}, want: exitDone},
		"check that cannot be judged":  {args: []string{"list", "--check", "--filter", "foreign"}, want: exitFailed},
		"strict check of the unknown":  {args: []string{"list", "--check", "--strict", "--filter", "foreign"}, want: exitViolations},
		"unknown filter key":           {args: []string{"list", "--filter", "colour:red"}, want: exitUsage, stderr: "colour"},
		"unknown filter value":         {args: []string{"list", "--filter", "posture:shut"}, want: exitUsage, stderr: "shut"},
		"unknown flag":                 {args: []string{"list", "--nonsense"}, want: exitUsage, stderr: "nonsense"},
		"unknown command":              {args: []string{"lits"}, want: exitUsage, stderr: "lits"},
		"unknown position":             {args: []string{"lockdown", "onn", "--profile", "work"}, want: exitUsage, stderr: "onn"},
		"unknown output":               {args: []string{"list", "--output", "xml"}, want: exitUsage, stderr: "xml"},
		"no such sandbox":              {args: []string{"show", "hermes-nothing"}, want: exitUsage, stderr: "no such sandbox"},
		"missing reference":            {args: []string{"remove"}, want: exitUsage},
		"dashboard without terminal":   {args: nil, want: exitUsage, stderr: "terminal"},
		"remove not confirmed":         {args: []string{"remove", "hermes-5c2f8d13"}, want: exitRefused, stdout: "kill, remove", stderr: "not confirmed"},
		"remove in read-only mode":     {args: []string{"remove", "hermes-5c2f8d13", "--yes", "--read-only"}, want: exitRefused, stdout: "kill, remove", stderr: "read-only"},
		"dry run beats yes":            {args: []string{"remove", "hermes-5c2f8d13", "--yes", "--dry-run"}, want: exitDone, stdout: "dry run"},
		"remove of another profile's":  {args: []string{"remove", "hermes-5c2f8d13", "--profile", "default", "--yes"}, want: exitRefused, stderr: "belongs to profile work"},
		"reap dry run":                 {args: []string{"reap", "--dry-run"}, want: exitDone, stdout: "hermes-91d07e44"},
		"reap of an unknown class":     {args: []string{"reap", "--include", "everything"}, want: exitUsage, stderr: "everything"},
		"engine that is not there":     {args: []string{"list", "--host", "unix:///nonexistent.sock"}, want: exitFailed, stderr: "/nonexistent.sock"},
		"engine address that is none":  {args: []string{"list", "--host", "rubbish"}, want: exitUsage, stderr: "rubbish"},
		"unknown settings key":         {args: []string{"list"}, env: map[string]string{"HERMES_SANDBOX_COLOUR": "1"}, want: exitFailed, stderr: "COLOUR"},
		"version":                      {args: []string{"version"}, want: exitDone, stdout: "hermes-sandbox "},
		"frame":                        {args: []string{"frame", "--width", "100", "--height", "30"}, want: exitDone, stdout: "Sandboxes"},
		"frame without an engine":      {args: []string{"frame", "--host", "unix:///nonexistent.sock"}, want: exitFailed, stdout: "/nonexistent.sock"},
		"frame of an impossible size":  {args: []string{"frame", "--width", "0"}, want: exitUsage},
		"frame with a key of no name":  {args: []string{"frame", "--keys", "<nokey>"}, want: exitUsage, stderr: "nokey"},
		"container that is no sandbox": {args: []string{"remove", "hermes-egress-proxy-b9ca2e323c", "--yes"}, want: exitRefused, stderr: "not a hermes sandbox"},
	}
	shared := newBench(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := *shared
			b.env = map[string]string{}
			for key, value := range shared.env {
				b.env[key] = value
			}
			for key, value := range c.env {
				b.env[key] = value
			}
			got := b.run(t, c.args...)
			if got.code != c.want {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", got.code, c.want, got.stdout, got.stderr)
			}
			if !strings.Contains(got.stdout, c.stdout) {
				t.Errorf("stdout lacks %q:\n%s", c.stdout, got.stdout)
			}
			if !strings.Contains(got.stderr, c.stderr) {
				t.Errorf("stderr lacks %q:\n%s", c.stderr, got.stderr)
			}
		})
	}
	if sent := shared.mutations(); len(sent) > 0 {
		t.Errorf("none of these may change the engine, but %v were sent", sent)
	}
}

func TestListJSON(t *testing.T) {
	b := newBench(t)
	got := b.run(t, "list", "--output", "json")
	document := decode(t, got.stdout)
	if document["schema"] != float64(1) {
		t.Errorf("schema is %v", document["schema"])
	}
	found := map[string]map[string]any{}
	for _, value := range document["sandboxes"].([]any) {
		sandbox := value.(map[string]any)
		found[sandbox["name"].(string)] = sandbox
	}
	posture := func(name string) map[string]any { return found[name]["posture"].(map[string]any) }
	for name, level := range map[string]string{
		"hermes-5c2f8d13": "air-gapped", "hermes-d94a0e6b": "cut-off", "hermes-1fd6e370": "internal", "hermes-6d18ef02": "allowlist",
		"hermes-8be2470f": "credential-proxied", "hermes-3fa1b20c": "open", "hermes-29e5ad48": "host", "hermes-f20b7c96": "shared",
	} {
		if got := posture(name)["level"]; got != level {
			t.Errorf("%s is %v, want %s", name, got, level)
		}
	}
	if drifted := posture("hermes-72b9c4e8"); drifted["drifted"] != true || drifted["level"] != "open" {
		t.Errorf("a sandbox declared without network and attached to one is %v", drifted)
	}
	if strings.ContainsAny(got.stdout, "\x1b\u202e\u200b") {
		t.Error("the output holds raw control or bidi characters")
	}
	if task := found["hermes-7e0d52bb"]["task"]; task != "default\x1b[31m\u202e\u200btluafed" {
		t.Errorf("the raw label did not survive: %q", task)
	}
}

func TestRemoveThenAudit(t *testing.T) {
	b := newBench(t)
	got := b.run(t, "remove", "hermes-91d07e44", "hermes-5c2f8d13", "--yes", "--output", "json")
	if got.code != exitDone {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	plan := decode(t, got.stdout)
	for _, value := range plan["targets"].([]any) {
		if target := value.(map[string]any); target["outcome"] != "done" {
			t.Errorf("%v is %v: %v", target["name"], target["outcome"], target["error"])
		}
	}
	if left := b.run(t, "list").stdout; strings.Contains(left, "hermes-91d07e44") || strings.Contains(left, "hermes-5c2f8d13") {
		t.Errorf("still there:\n%s", left)
	}
	for _, sent := range b.mutations() {
		if !strings.HasPrefix(sent, "DELETE ") {
			t.Errorf("removing sends %s", sent)
		}
	}
	audit := b.run(t, "audit", "--output", "jsonl").stdout
	lines := strings.Split(strings.TrimSpace(audit), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"intent"`) || strings.Count(audit, `"phase":"result"`) != 2 {
		t.Errorf("the audit is not one intent and two results:\n%s", audit)
	}
	info, err := os.Stat(filepath.Join(b.state, "hermes-sandbox", "audit.jsonl"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the audit file: %v %v", info, err)
	}
}

func TestActionsWithoutAuditAreRefused(t *testing.T) {
	b := newBench(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.env["XDG_STATE_HOME"] = blocked
	got := b.run(t, "remove", "hermes-91d07e44", "--yes")
	if got.code != exitRefused || len(b.mutations()) > 0 {
		t.Errorf("exit code %d, sent %v: %s", got.code, b.mutations(), got.stderr)
	}
}

func TestWatchListsThenFollows(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines := make(chan string, 1000)
	program := b.program(lineWriter(lines), io.Discard)
	done := make(chan int, 1)
	go func() { done <- program.run(ctx, []string{"watch"}) }()
	await := func(part string) {
		for {
			select {
			case line := <-lines:
				if strings.Contains(line, part) {
					return
				}
			case <-time.After(patience):
				t.Fatalf("no line with %s", part)
			}
		}
	}
	await(`"event":"synced"`)
	await(`"fields":["deny","telemetry.example.net:443","not-listed"]`)
	if got := b.run(t, "pause", "hermes-5c2f8d13", "--yes"); got.code != exitDone {
		t.Fatalf("pause: %d %s", got.code, got.stderr)
	}
	// Other sandboxes may change as well, when their details come in late.
	await(`"name":"hermes-5c2f8d13","image":"nousresearch/hermes-sandbox:desktop","state":"paused"`)
	cancel()
	<-done
}

// lineWriter hands every line written to a channel.
type lineWriter chan string

func (l lineWriter) Write(data []byte) (int, error) {
	for line := range strings.SplitSeq(strings.TrimRight(string(data), "\n"), "\n") {
		l <- line
	}
	return len(data), nil
}
