package dockerx_test

import (
	"context"
	"testing"

	mobyclient "github.com/moby/moby/client"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// TestLastUseOnARealEngine looks once, as a command does: a sandbox in which
// commands ran, one in which one runs, and one without any.
func TestLastUseOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	used := engine.Run(t, engine.Sandbox(engine.Mark, "used"))
	busy := engine.Run(t, engine.Sandbox(engine.Mark, "busy"))
	fresh := engine.Run(t, engine.Sandbox(engine.Mark, "fresh"))
	for id, command := range map[model.ID][]string{used: {"true"}, busy: {"sleep", "infinity"}} {
		made, err := engine.Client.ExecCreate(t.Context(), string(id), mobyclient.ExecCreateOptions{Cmd: command})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Client.ExecStart(t.Context(), made.ID, mobyclient.ExecStartOptions{Detach: true}); err != nil {
			t.Fatal(err)
		}
	}
	limited, stop := context.WithTimeout(t.Context(), enginetest.Wait)
	defer stop()
	for {
		if limited.Err() != nil {
			t.Fatal("the engine never told of both commands")
		}
		book := dockerx.NewActivityBook()
		from, err := client.PastEvents(limited, func(event dockerx.Event) { book.Note("test", event) })
		if err != nil {
			t.Fatal(err)
		}
		book.Caught("test", from)
		snapshot := client.Snapshot(limited)
		snapshot.Engine.Name = "test"
		uses := book.Use("test", snapshot.Containers)
		if uses.Of[busy].Running == 0 || uses.Of[used].LastAt.IsZero() || uses.Of[used].Running > 0 {
			continue // the running second belongs to the live stream
		}
		fleet := model.Assess(model.Input{Now: snapshot.At, Snapshots: []model.Snapshot{snapshot}, Uses: map[string]model.EngineUse{"test": uses}})
		for i := range fleet.Sandboxes {
			s := &fleet.Sandboxes[i]
			_, known := s.Idle.For(snapshot.Engine.Now(snapshot.At))
			switch s.ID {
			case used:
				if !known || s.Idle.AtLeast || !s.Idle.Since.Equal(uses.Of[used].LastAt) {
					t.Errorf("used: %+v", s.Idle)
				}
			case busy:
				if !s.Idle.Running {
					t.Errorf("busy: %+v", s.Idle)
				}
			case fresh:
				if !known || !s.Idle.AtLeast && !s.Idle.Since.Equal(s.StartedAt.Time) {
					t.Errorf("fresh: %+v, started %s", s.Idle, s.StartedAt.Time)
				}
			}
		}
		return
	}
}
