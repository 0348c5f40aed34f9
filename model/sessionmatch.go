package model

import (
	"maps"
	"slices"
	"time"
)

// sessionIndex finds the sessions of one home by the task labels they lead to.
type sessionIndex struct {
	book    SessionBook
	byLabel map[string][]int // positions in book.Sessions, each at most once
}

// newSessionIndex computes every task label that a session of the home can have
// led to. Labels are lossy, so nothing is undone: candidates are sanitized and
// compared (contract 11).
func newSessionIndex(home, profile string, book SessionBook) *sessionIndex {
	index := &sessionIndex{book: book, byLabel: map[string][]int{}}
	prefixes := []string{"", "session:", "home:" + home + ":"}
	if profile != "" {
		prefixes = append(prefixes, "profile:"+profile+":")
	}
	for i := range book.Sessions {
		for _, name := range []Text{book.Sessions[i].ID, book.Sessions[i].Key} {
			if name.Empty() {
				continue
			}
			for _, prefix := range prefixes {
				index.add(Sanitize(prefix+name.Raw()), i)
			}
		}
	}
	return index
}

// add files a session under a label, once.
func (x *sessionIndex) add(label string, session int) {
	found := x.byLabel[label]
	if len(found) > 0 && found[len(found)-1] == session {
		return
	}
	x.byLabel[label] = append(found, session)
}

// mayServeSession reports whether a sandbox serves a session, or may turn out to
// once the sessions of its home are known.
func mayServeSession(s *Sandbox) bool {
	return !s.Foreign && (s.Scope == ScopeSession || s.Scope == ScopeRollout || s.Scope == ScopeUnknown)
}

// SessionHomes returns the homes whose sessions an assessment of the input can
// use, sorted: those of sandboxes on this machine that serve a session or may,
// and of persistent ones that run.
// Only homes of profiles are named, never one that a container alone claims.
func SessionHomes(in Input) []string {
	return sessionHomes(in, func(*Snapshot, *Container) (Sandbox, bool) { return Sandbox{}, false })
}

// sessionHomes identifies what is not known already.
func sessionHomes(in Input, known func(*Snapshot, *Container) (Sandbox, bool)) []string {
	here := map[string]bool{}
	for i := range in.Profiles {
		here[in.Profiles[i].Home] = true
	}
	homes := map[string]bool{}
	for i := range in.Snapshots {
		snap := &in.Snapshots[i]
		if snap.Engine.Remote {
			continue
		}
		for k := range snap.Containers {
			s, ok := known(snap, snap.Containers[k])
			if !ok {
				s = identify(snap.Containers[k], in.Profiles)
			}
			if (mayServeSession(&s) || persistentUse(&s)) && s.Home != "" && here[s.Home] {
				homes[s.Home] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(homes))
}

// matchSession fills in the sandbox's session. A task that is a known session's
// makes the scope session, unless probe, shared key or profile task come first.
func matchSession(s *Sandbox, index *sessionIndex, now time.Time) {
	s.Session = Session{State: SessionNone}
	if !mayServeSession(s) {
		return
	}
	if index == nil || !index.book.Readable {
		if s.Scope == ScopeSession {
			s.Session.State = SessionUnknown
		}
		return
	}
	switch found := index.byLabel[s.Task.Raw()]; len(found) {
	case 0:
		return
	case 1:
		s.Session = sessionOf(&index.book.Sessions[found[0]], &index.book, s.Policy, now)
	default:
		s.Session.State = SessionUnknown
		for _, i := range found {
			s.Session.Candidates = append(s.Session.Candidates, index.book.Sessions[i].ID)
		}
	}
	s.Scope = ScopeSession
}

// sessionOf says how a session stands. It is live while a turn's lease runs or
// its last activity is within the idle window; where the window or the activity
// is not known, neither live nor idle is claimed.
func sessionOf(record *SessionRecord, book *SessionBook, policy *Policy, now time.Time) Session {
	session := Session{
		ID: record.ID, Title: record.Title, Source: record.Source, EndReason: record.EndReason,
		LastActivityAt: record.LastActivityAt,
	}
	if session.Title.Empty() {
		session.Title = record.DisplayName
	}
	if session.LastActivityAt.IsZero() {
		session.LastActivityAt = record.StartedAt
	}
	session.TurnRunning = leased(book, record, now)
	switch window, known := idleWindow(policy); {
	case !record.EndedAt.IsZero():
		session.State = SessionEnded
	case session.TurnRunning:
		session.State = SessionLive
	case session.LastActivityAt.IsZero() || !known:
		session.State = SessionUnknown
	case now.Sub(session.LastActivityAt) <= window:
		session.State = SessionLive
	case book.ActivityUnknown:
		session.State = SessionUnknown
	default:
		session.State = SessionIdle
	}
	return session
}

// leased reports whether a turn of the session is running. A lease names the
// conversation, which is the session's id or its key.
func leased(book *SessionBook, record *SessionRecord, now time.Time) bool {
	for _, conversation := range []Text{record.ID, record.Key} {
		if end, ok := book.Leases[conversation]; ok && !conversation.Empty() && end.After(now) {
			return true
		}
	}
	return false
}

// idleWindow is the policy's lifetime_seconds; known is false without one.
func idleWindow(policy *Policy) (window time.Duration, known bool) {
	if policy == nil || policy.LifetimeSeconds == nil {
		return 0, false
	}
	return time.Duration(*policy.LifetimeSeconds) * time.Second, true
}

// stranded reports whether a running sandbox serves a session that is over or
// has gone silent, which no reaper of Hermes ever reclaims (contract 11).
func stranded(s *Sandbox) bool {
	return s.State == StateRunning && s.Scope == ScopeSession && !s.Session.TurnRunning &&
		(s.Session.State == SessionEnded || s.Session.State == SessionIdle)
}
