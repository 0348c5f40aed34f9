package main

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

// sessionsEvery is how often a followed fleet looks whether a session database
// changed. As long as none did, that is a few looks at files.
const sessionsEvery = 5 * time.Second

// input puts together what an assessment starts from: what was read before, the
// last use of the sandboxes where a book of that is kept, and the sessions of
// those homes that it needs.
func (w *workspace) input(ctx context.Context, memory *model.Memory, snapshots []model.Snapshot, profiles []model.Profile, book *dockerx.ActivityBook) model.Input {
	in := model.Input{
		Now: w.app.now(), Snapshots: snapshots, Profiles: profiles, Sessions: map[string]model.SessionBook{},
		Uses: usesOf(book, snapshots), IdleAfter: w.settings.IdleAfter,
	}
	in.Given, in.Problems = w.givenProfiles(profiles)
	for _, home := range memory.SessionHomes(in) {
		in.Sessions[home] = w.sessions.Read(ctx, home)
	}
	var err error
	if in.Cuts, err = w.knownCuts(snapshots); err != nil {
		in.Problems = append(in.Problems, model.Problem{Part: "cut records", Error: errorLine(err)})
	}
	return in
}

// sessionsChanged reports whether any of the books that were read before would
// be read differently now.
func (w *workspace) sessionsChanged(ctx context.Context, books map[string]model.SessionBook) bool {
	for home, before := range books {
		now := w.sessions.Read(ctx, home)
		if now.Readable != before.Readable || now.Problem != before.Problem || now.Readable && !now.ReadAt.Equal(before.ReadAt) {
			return true
		}
	}
	return false
}

// usesOf looks the last use of all running sandboxes up. The events of Podman
// have other names, so nothing is known there.
func usesOf(book *dockerx.ActivityBook, snapshots []model.Snapshot) map[string]model.EngineUse {
	uses := map[string]model.EngineUse{}
	if book == nil {
		return uses
	}
	for i := range snapshots {
		if engine := &snapshots[i].Engine; engine.Kind == "docker" {
			uses[engine.Name] = book.Use(engine.Name, snapshots[i].Containers)
		}
	}
	return uses
}

// pastUse reads what the engines still remember of commands, for a fleet that
// is looked at once. An engine that does not tell leaves it unknown.
func (w *workspace) pastUse(ctx context.Context, client *dockerx.Client, snapshot *model.Snapshot, book *dockerx.ActivityBook) {
	if snapshot.Engine.State != model.Live || !slices.ContainsFunc(snapshot.Containers, func(c *model.Container) bool {
		return c.State == model.StateRunning
	}) {
		return
	}
	from, err := client.PastEvents(ctx, func(event dockerx.Event) { book.Note(client.Name(), event) })
	if err != nil {
		slog.Debug("past events cannot be read", "engine", client.Name(), "error", err)
		return
	}
	book.Caught(client.Name(), from)
}
