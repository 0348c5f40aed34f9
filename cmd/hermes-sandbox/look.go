package main

import (
	"log/slog"

	"hermes-sandbox/config/state"
	"hermes-sandbox/ui"
)

const lookName = "look.json"

// rememberedLook returns the look of the last run; the usual one where none can
// be read, since nothing but comfort is lost.
func (w *workspace) rememberedLook() ui.Look {
	var look ui.Look
	folder, err := state.Open(w.stateDir)
	if err == nil {
		err = folder.Load(lookName, &look)
	}
	if err != nil {
		slog.Info("the look of the last run cannot be read", "error", err)
		return ui.Look{}
	}
	return look
}

// greeting is what somebody who sees the dashboard for the first time is told.
func (w *workspace) greeting(look ui.Look) string {
	switch {
	case w.demo != nil:
		return "a made-up fleet: nothing here touches anything of yours; ? lists the keys"
	case look.Greeted:
		return ""
	case w.settings.ReadOnly:
		return "read-only: plans are shown, nothing is carried out; ? lists the keys"
	}
	return "lower-case keys change nothing, upper-case ones show a plan; ? lists them"
}

// keepLook remembers a look for the next run, unless it is as it was.
func (w *workspace) keepLook(before, now ui.Look) {
	if before == now {
		return
	}
	folder, err := state.Open(w.stateDir)
	if err == nil {
		err = folder.Save(lookName, now)
	}
	if err != nil {
		slog.Info("the look cannot be remembered", "error", err)
	}
}
