//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

func TestShellOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	id := engine.Run(t, engine.Sandbox(engine.Mark, "shell"))
	env := sandboxEnv(t, engine.Host)
	s := start(t, 80, 24, env, "shell", string(id))
	s.awaitText("#")
	s.press("echo marker-$((6*7)); busybox stty size\r")
	s.awaitText("marker-42")
	s.awaitText("24 80")
	if err := pty.Setsize(s.pty, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	s.await("the new size", func(text string) bool {
		if !strings.Contains(text, "30 100") {
			s.press("busybox stty size\r")
		}
		return strings.Contains(text, "30 100")
	})
	s.press("exit 7\r")
	s.end(7)
	wantShellAudited(t, env, id, model.OutcomeDone, "ended with exit code 7")
}

func TestShellCodesOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	bare := engine.Run(t, engine.Sandbox(engine.Mark, "bare"))
	remove, err := engine.Client.ExecCreate(t.Context(), string(bare), client.ExecCreateOptions{Cmd: []string{"busybox", "rm", "/bin/sh"}, AttachStdout: true})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := engine.Client.ExecAttach(t.Context(), remove.ID, client.ExecAttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, attached.Reader) // until it has ended
	attached.Close()
	whole := engine.Run(t, engine.Sandbox(engine.Mark, "whole"))
	cases := map[string]struct {
		id      model.ID
		types   string
		code    int
		says    string
		outcome model.Outcome
		how     string
	}{
		"no shell in it":            {bare, "", exitFailed, "has none that can be started", model.OutcomeFailed, ""},
		"the last command is none":  {whole, "no-such-command; exit\r", 127, "not found", model.OutcomeDone, "ended with exit code 127"},
		"a code like one of ours":   {whole, "exit 5\r", 5, "exit 5", model.OutcomeDone, "ended with exit code 5"},
		"ended by the end of input": {whole, "\x04", exitDone, "#", model.OutcomeDone, "ended with exit code 0"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			env := sandboxEnv(t, engine.Host)
			s := start(t, 160, 24, env, "shell", string(tt.id))
			if tt.types != "" {
				s.awaitText("#")
				s.press(tt.types)
			}
			s.end(tt.code)
			if text, _ := s.text(); !strings.Contains(text, tt.says) {
				t.Errorf("no %q on the screen:\n%s", tt.says, text)
			}
			wantShellAudited(t, env, tt.id, tt.outcome, tt.how)
		})
	}
}

// wantShellAudited checks the two lines of a shell in the audit.
func wantShellAudited(t *testing.T, env []string, id model.ID, outcome model.Outcome, how string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), path, "audit", "--output", "json")
	command.Env = env
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var audit struct{ Actions []model.AuditEntry }
	if err := json.Unmarshal(out, &audit); err != nil || len(audit.Actions) != 2 {
		t.Fatalf("%v in\n%s", err, out)
	}
	opened, closed := audit.Actions[0], audit.Actions[1]
	if opened.Action != model.ActionShell || opened.Phase != model.PhaseIntent || opened.User == "" || opened.Undo ||
		len(opened.Plan.Targets) != 1 || opened.Plan.Targets[0].ID != id || opened.Plan.Targets[0].Engine == "" {
		t.Errorf("opened: %+v", opened)
	}
	if closed.N != opened.N || closed.Phase != model.PhaseResult || closed.Outcome != outcome || closed.Target.ID != id || closed.Target.Reason != how {
		t.Errorf("closed: %+v %+v", closed, closed.Target)
	}
	if (outcome == model.OutcomeDone) != (closed.Target.Error == "") {
		t.Errorf("its error is %q", closed.Target.Error)
	}
	for _, typed := range []string{"marker", "no-such-command", "busybox stty"} {
		if strings.Contains(string(out), typed) {
			t.Errorf("what was typed is in the audit:\n%s", out)
		}
	}
}

func TestShellIsRefusedOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	spec := engine.Sandbox(engine.Mark, "stopped")
	spec.Created = true
	stopped := engine.Run(t, spec)
	running := engine.Run(t, engine.Sandbox(engine.Mark, "running"))
	exited := engine.Run(t, engine.Sandbox(engine.Mark, "exited"))
	engine.Stop(t, exited)
	paused := engine.Run(t, engine.Sandbox(engine.Mark, "paused"))
	if _, err := engine.Client.ContainerPause(t.Context(), string(paused), client.ContainerPauseOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = engine.Client.ContainerUnpause(context.WithoutCancel(t.Context()), string(paused), client.ContainerUnpauseOptions{})
	})
	cases := map[string]struct {
		args  []string
		state string // of the folder for states; empty: a usual one
		says  string
	}{
		"created":     {[]string{"shell", string(stopped)}, "", "start it first"},
		"exited":      {[]string{"shell", string(exited)}, "", "it is exited; start it first"},
		"paused":      {[]string{"shell", string(paused)}, "", "it is paused; unpause it first"},
		"read-only":   {[]string{"shell", string(running), "--read-only"}, "", "read-only mode opens no shell"},
		"not audited": {[]string{"shell", string(running)}, "/dev/null", "could not be recorded"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			env := sandboxEnv(t, engine.Host)
			if tt.state != "" {
				env = append(env, "XDG_STATE_HOME="+tt.state)
			}
			s := start(t, 160, 24, env, tt.args...)
			s.awaitText(tt.says)
			s.end(exitRefused)
		})
	}
}

func TestDashboardComesBackAfterAShellOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	id := engine.Run(t, engine.Sandbox(engine.Mark, "inside"))
	env := sandboxEnv(t, engine.Host)
	s := start(t, 120, 40, env, "--profile", engine.Mark)
	s.awaitText("inside")
	s.press("/task:inside\r")
	s.press("G")
	s.press("x")
	s.awaitText("/ #")
	s.press("echo marker-$((6*7))\r")
	s.awaitText("marker-42")
	s.press("exit\r")
	s.awaitText("left the shell in")
	s.press("A")
	s.awaitText("ended with exit code 0")
	s.press("\x1b")
	s.await("the list without the audit", func(text string) bool { return !strings.Contains(text, "esc closes") })
	s.press("q")
	s.end(exitDone)
	wantShellAudited(t, env, id, model.OutcomeDone, "ended with exit code 0")
}
