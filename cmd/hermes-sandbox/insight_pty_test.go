//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
)

func TestDashboardLooksIntoASandboxOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	spec := engine.Sandbox(engine.Mark, "inside")
	spec.Command = []string{"sh", "-c", "echo written-to-the-log; exec sleep 12345"}
	id := engine.Run(t, spec)
	s := start(t, 160, 40, sandboxEnv(t, engine.Host), "--profile", engine.Mark)
	s.awaitText("inside")
	s.press("/task:inside\r")
	s.press("G")
	s.press("l")
	s.awaitText("written-to-the-log")
	s.press("7")
	s.awaitText("sleep 12345")
	s.press("5")
	s.awaitText("no command is known yet")
	made, err := engine.Client.ExecCreate(t.Context(), string(id), client.ExecCreateOptions{Cmd: []string{"false", "--token", "hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Client.ExecStart(t.Context(), made.ID, client.ExecStartOptions{Detach: true}); err != nil {
		t.Fatal(err)
	}
	s.await("the command, its secret masked", func(text string) bool {
		return strings.Contains(text, "exit 1") && strings.Contains(text, "false --token ***") && !strings.Contains(text, "hunter2")
	})
	s.press("2")
	s.awaitText("Connections")
	s.press("q")
	s.end(exitDone)
}
