package model

import (
	"cmp"
	"time"
)

// DefaultIdleAfter is how long no command has to run in a sandbox before it
// counts as idle.
const DefaultIdleAfter = 2 * time.Hour

// backendSilence is how old a heartbeat can be while its backend counts as
// alive.
const backendSilence = 2 * time.Minute

// EngineUse is what is known of the commands in one engine's sandboxes. All
// times are the engine's. The zero value knows nothing.
type EngineUse struct {
	// From is since when no command can have gone unseen; zero: never.
	From time.Time
	// Of holds the sandboxes in which commands were seen.
	Of map[ID]Use
}

// Use is the last use of a sandbox.
type Use struct {
	Running int       // commands that may run now
	LastAt  time.Time // the last time that is known of any command
}

// Idle is since when no command has run in a running sandbox.
type Idle struct {
	// Running means that a command may run now; Since is zero then.
	Running bool
	// Since is on the engine's clock; zero when nothing is known.
	Since time.Time
	// AtLeast means that it can have been idle since before Since.
	AtLeast bool
	// Marked is whether it counts as idle: a persistent sandbox without a
	// command for longer than the chosen age, whose Hermes has no live backend
	// (contract 11). Nil: not known. It is no reason to take a sandbox away.
	Marked *bool
	// Reason says what decides Marked.
	Reason string
}

// For returns how long a sandbox has been idle, or at least so, on the engine's
// clock. It is zero while a command runs.
func (i Idle) For(engineNow time.Time) (idle time.Duration, known bool) {
	switch {
	case i.Running:
		return 0, true
	case i.Since.IsZero():
		return 0, false
	default:
		return max(0, engineNow.Sub(i.Since)), true
	}
}

// persistentUse reports whether a sandbox outlives the sessions that use it and
// runs, so that it can be idle without being stranded.
func persistentUse(s *Sandbox) bool {
	return s.State == StateRunning && !s.Foreign &&
		(s.Scope == ScopeProfile || s.Scope == ScopeShared || s.Scope == ScopeRollout)
}

// idleOf says since when no command has run in a sandbox, and whether it counts
// as idle.
func (a *assessor) idleOf(s *Sandbox, engine *Engine) Idle {
	idle := lastUse(s, engine, a.in.Uses[engine.Name])
	a.markIdle(&idle, s, engine)
	return idle
}

// lastUse works out the last use of a running sandbox. A start is a use; before
// the time from which on commands were seen, nothing is guessed.
func lastUse(s *Sandbox, engine *Engine, known EngineUse) Idle {
	use := known.Of[s.ID]
	switch {
	case s.State != StateRunning || engine.State != Live || known.From.IsZero():
		return Idle{}
	case use.Running > 0:
		return Idle{Running: true}
	}
	last := use.LastAt
	if s.StartedAt.Known() && s.StartedAt.Time.After(last) {
		last = s.StartedAt.Time
	}
	if last.Before(known.From) {
		return Idle{Since: known.From, AtLeast: true}
	}
	return Idle{Since: last}
}

// markIdle decides whether a sandbox counts as idle.
func (a *assessor) markIdle(idle *Idle, s *Sandbox, engine *Engine) {
	decide := func(marked bool, reason string) { idle.Marked, idle.Reason = &marked, reason }
	limit := cmp.Or(a.in.IdleAfter, DefaultIdleAfter)
	age, known := idle.For(engine.Now(a.in.Now))
	switch {
	case s.Scope == ScopeUnknown && s.State == StateRunning && !s.Foreign:
		idle.Reason = "whether it outlives its session is not known"
	case !persistentUse(s):
		decide(false, "")
	case idle.Running:
		decide(false, "a command may be running in it")
	case !known:
		idle.Reason = "since when no command runs in it is not known"
	case age < limit && idle.AtLeast:
		idle.Reason = "commands before " + idle.Since.UTC().Format(time.RFC3339) + " are not known"
	case age < limit:
		decide(false, "a command ran in it less than "+ShortAge(limit)+" ago")
	default:
		a.markSilent(idle, s, limit)
	}
}

// markSilent decides on a persistent sandbox without commands, by what its home
// says of the backends of its Hermes.
func (a *assessor) markSilent(idle *Idle, s *Sandbox, limit time.Duration) {
	index := a.sessions[s.Home]
	marked := false
	switch {
	case index == nil || !index.book.Readable:
		idle.Reason = "whether a Hermes backend is alive is not known: its session database was not read"
		return
	case backendAlive(&index.book, a.in.Now):
		idle.Reason = "a backend of its Hermes is alive"
	case index.book.BackendsUnknown:
		idle.Reason = "whether a Hermes backend is alive is not known: its database keeps no heartbeats"
		return
	default:
		marked = true
		idle.Reason = "no command for " + ShortAge(limit) + " or longer, and no backend of its Hermes is alive"
	}
	idle.Marked = &marked
}

// backendAlive reports whether a Hermes of the home is at work: by its heartbeat,
// or by a turn that runs.
func backendAlive(book *SessionBook, now time.Time) bool {
	for i := range book.Backends {
		if at := book.Backends[i].LastAt; !at.IsZero() && now.Sub(at) <= backendSilence {
			return true
		}
	}
	for _, end := range book.Leases {
		if end.After(now) {
			return true
		}
	}
	return false
}
