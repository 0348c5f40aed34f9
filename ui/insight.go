package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// The interfaces below are what a [Backend] can have besides. Tabs and keys
// that need one are there only when the backend has it. All their methods are
// called in commands and end with ctx.

// LogSource reads the logs of sandboxes.
type LogSource interface {
	// Logs reads the last tail lines of a sandbox's log and then follows it. It
	// returns when the log or ctx ends, or with the first error of each, which
	// may block.
	Logs(ctx context.Context, key model.Key, tail int, each func(model.LogLine) error) error
}

// canRead reports whether a backend has what a tab or an action needs.
func canRead[T any](backend Backend) bool {
	_, ok := backend.(T)
	return ok
}

// keep drops the actions that the backend has nothing for.
func (k *keymap) keep(backend Backend) {
	kept := keymap{byKey: make(map[string]int)}
	for _, a := range k.actions {
		if a.there != nil && !a.there(backend) {
			continue
		}
		for _, key := range a.keys {
			kept.byKey[key] = len(kept.actions)
		}
		kept.actions = append(kept.actions, a)
	}
	*k = kept
}

// tabs returns the tabs that the backend has something for, in order.
func (m *Model) tabs() []tab {
	all := tabs()
	kept := all[:0]
	for _, t := range all {
		if t.there == nil || t.there(m.options.Backend) {
			kept = append(kept, t)
		}
	}
	return kept
}

// lookKey is what a look is about. Another one begins when it differs.
type lookKey struct {
	tab     string
	sandbox model.Key
	started time.Time // a sandbox that was started again is looked at anew
	again   int       // how often a person asked for it
}

// looking is the work that keeps what a tab shows up to date. It runs only
// while the tab is on the screen; answers to an earlier look are dropped.
type looking struct {
	of         lookKey
	generation int
	cancel     context.CancelFunc
	waiting    bool // nothing has come of it yet
	asleep     bool // the program is suspended, or a shell has the terminal
	blurred    bool // the terminal says that it has not the focus
	again      int
}

// lookAnswer is what a look has found. Take runs when the look still counts.
type lookAnswer struct {
	generation int
	take       func(*Model) tea.Cmd
}

func (m *Model) takeLook(answer lookAnswer) tea.Cmd {
	if answer.generation != m.looking.generation || m.looking.cancel == nil {
		return nil
	}
	m.detail.stale = true
	m.looking.waiting = false
	return answer.take(m)
}

// keepLooking begins, changes or ends the look, as the screen has changed.
func (m *Model) keepLooking() tea.Cmd {
	look, of := m.wantedLook()
	if of == m.looking.of {
		return nil
	}
	m.stopLooking()
	m.looking.of = of
	if look == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(m.context)
	m.looking.cancel = cancel
	m.detail.stale = true
	command := look(m, ctx, of.sandbox)
	m.looking.waiting = command != nil
	return command
}

// Waiting reports whether the screen shows something that was asked for and has
// not come yet, a new dialog that takes no keys yet among it.
func (m *Model) Waiting() bool {
	return m.looking.waiting || m.sampling.cancel != nil && m.sampling.tracks == nil || m.dialog != nil && !m.settled.done
}

// wantedLook returns what the tab on the screen needs; nothing when nobody can
// see it.
func (m *Model) wantedLook() (func(*Model, context.Context, model.Key) tea.Cmd, lookKey) {
	s := m.tree.sandbox()
	if s == nil || m.looking.asleep || !m.split() && m.focus != paneDetail {
		return nil, lookKey{}
	}
	t := m.tabs()[m.activeTab()]
	if t.look == nil || t.idle && m.looking.blurred {
		return nil, lookKey{}
	}
	return t.look, lookKey{tab: t.name, sandbox: s.Key(), started: s.StartedAt.Time, again: m.looking.again}
}

// stopLooking ends the look on the screen; what still comes of it is dropped.
func (m *Model) stopLooking() {
	m.looking.generation++
	m.looking.waiting = false
	m.looking.of = lookKey{}
	if m.looking.cancel != nil {
		m.looking.cancel()
		m.looking.cancel = nil
	}
}
