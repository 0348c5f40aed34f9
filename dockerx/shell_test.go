package dockerx

import (
	"errors"
	"io"
	"strings"
	"testing"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

func TestShellTalksUntilItsEnd(t *testing.T) {
	t.Parallel()
	engine, client := onSimulated(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{Name: "box"})
	if err != nil {
		t.Fatal(err)
	}
	shell, err := client.OpenShell(t.Context(), model.ID(id), 40, 120)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shell.Close() }()
	if _, err := io.WriteString(shell, "ls\rexit\r"); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(shell)
	if err != nil || !strings.Contains(string(said), "simulated") {
		t.Errorf("it said %q, %v", said, err)
	}
	if code, err := shell.ExitCode(t.Context()); code != 0 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	resized := engine.RequestsOf(simengine.ExecResize)
	if len(resized) == 0 || resized[0].Query.Get("h") != "40" || resized[0].Query.Get("w") != "120" {
		t.Errorf("resized %+v", resized)
	}
}

func TestShellIsRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		prepare func(*simengine.Engine) error
		connect []ConnectOption
		kind    error
		says    string
	}{
		"exited":    {func(e *simengine.Engine) error { return e.StopContainer("box") }, nil, ErrNotRunning, "start it first"},
		"paused":    {func(e *simengine.Engine) error { return e.PauseContainer("box") }, nil, ErrNotRunning, "unpause it first"},
		"read-only": {func(*simengine.Engine) error { return nil }, []ConnectOption{ReadOnly()}, ErrReadOnly, "read-only"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, client := onSimulated(t, simengine.Options{}, tt.connect...)
			id, err := engine.Add(simengine.Spec{Name: "box"})
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.prepare(engine); err != nil {
				t.Fatal(err)
			}
			_, err = client.OpenShell(t.Context(), model.ID(id), 24, 80)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
			if made := engine.RequestsOf(simengine.ExecCreate); len(made) > 0 {
				t.Errorf("a command was made: %+v", made)
			}
		})
	}
}
