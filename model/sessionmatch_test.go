package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const sessionID = "20260610_161415_61bb69"

// sessionWorld is one sandbox with a task and /root on tmpfs, and a readable
// session database of its home.
func sessionWorld(t testing.TB, task string, records ...SessionRecord) Input {
	t.Helper()
	in := truthWorld(t, "default bridge running open G4/tmpfs")
	in.Snapshots[0].Containers[0].Labels[NewText(LabelTask)] = NewText(task)
	in.Sessions = map[string]SessionBook{truthHome: {Readable: true, Sessions: records}}
	return in
}

func record(id string, change ...func(*SessionRecord)) SessionRecord {
	r := SessionRecord{ID: NewText(id), Title: NewText("fix the parser"), LastActivityAt: truthNow().Add(-time.Minute)}
	for _, c := range change {
		c(&r)
	}
	return r
}

// withoutActivity makes the database one of an old schema.
func withoutActivity(in *Input) {
	book := in.Sessions[truthHome]
	book.ActivityUnknown = true
	in.Sessions[truthHome] = book
}

func TestSessionHomes(t *testing.T) {
	cases := map[string]struct {
		change func(*Input)
		want   []string
	}{
		"of a session": {func(*Input) {}, []string{truthHome}},
		"two of one home": {func(in *Input) {
			containers := &in.Snapshots[0].Containers
			*containers = append(*containers, (*containers)[0])
		}, []string{truthHome}},
		"of a probe":         {func(in *Input) { relabel(in, "prompt-backend-probe") }, nil},
		"on another machine": {func(in *Input) { in.Snapshots[0].Engine.Remote = true }, nil},
		"home not known":     {func(in *Input) { in.Profiles = nil }, nil},
		"nothing there":      {func(in *Input) { in.Snapshots[0].Containers = nil }, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := sessionWorld(t, sessionID)
			c.change(&in)
			if got := SessionHomes(in); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func relabel(in *Input, task string) {
	in.Snapshots[0].Containers[0].Labels[NewText(LabelTask)] = NewText(task)
}

func TestSessionStates(t *testing.T) {
	ended := func(r *SessionRecord) { r.EndedAt = truthNow().Add(-time.Hour) }
	last := func(ago time.Duration) func(*SessionRecord) {
		return func(r *SessionRecord) { r.LastActivityAt = truthNow().Add(-ago) }
	}
	lease := func(in *Input, until time.Duration) {
		book := in.Sessions[truthHome]
		book.Leases = map[Text]time.Time{NewText(sessionID): truthNow().Add(until)}
		in.Sessions[truthHome] = book
	}
	cases := map[string]struct {
		record   SessionRecord
		change   func(*Input)
		want     SessionState
		stranded bool
	}{
		"active just now":              {record(sessionID), nil, SessionLive, false},
		"exactly at the idle window":   {record(sessionID, last(300*time.Second)), nil, SessionLive, false},
		"past the idle window":         {record(sessionID, last(301*time.Second)), nil, SessionIdle, true},
		"active in the future":         {record(sessionID, last(-time.Hour)), nil, SessionLive, false},
		"ended":                        {record(sessionID, ended), nil, SessionEnded, true},
		"ended, but a turn is running": {record(sessionID, ended), func(in *Input) { lease(in, time.Minute) }, SessionEnded, false},
		"silent, but a turn is running": {
			record(sessionID, last(time.Hour)), func(in *Input) { lease(in, time.Second) }, SessionLive, false,
		},
		"silent, and the lease is over": {
			record(sessionID, last(time.Hour)), func(in *Input) { lease(in, -time.Second) }, SessionIdle, true,
		},
		"no activity recorded, started long ago": {
			record(sessionID, func(r *SessionRecord) {
				r.LastActivityAt, r.StartedAt = time.Time{}, truthNow().Add(-time.Hour)
			}), nil, SessionIdle, true,
		},
		"no time at all": {record(sessionID, func(r *SessionRecord) { r.LastActivityAt = time.Time{} }), nil, SessionUnknown, false},
		"idle window not known": {
			record(sessionID, last(time.Hour)), func(in *Input) { in.Profiles[0].Policy.LifetimeSeconds = nil }, SessionUnknown, false,
		},
		"schema without activity, started long ago": {
			record(sessionID, last(time.Hour)), withoutActivity, SessionUnknown, false,
		},
		"schema without activity, started just now": {
			record(sessionID), withoutActivity, SessionLive, false,
		},
		"schema without activity, ended": {
			record(sessionID, ended), withoutActivity, SessionEnded, true,
		},
		"another session":  {record("20260610_161415_ffffff", ended), nil, SessionNone, false},
		"database unread":  {record(sessionID, ended), func(in *Input) { in.Sessions = nil }, SessionUnknown, false},
		"database damaged": {record(sessionID, ended), func(in *Input) { in.Sessions[truthHome] = SessionBook{Problem: "damaged"} }, SessionUnknown, false},
		"silent, but stopped": {
			record(sessionID, ended), func(in *Input) { in.Snapshots[0].Containers[0].State = StateExited }, SessionEnded, false,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := sessionWorld(t, sessionID, c.record)
			if c.change != nil {
				c.change(&in)
			}
			got := Assess(in).Sandboxes[0]
			if got.Session.State != c.want || got.Stranded != c.stranded {
				t.Errorf("got %s, stranded %v, want %s, %v", got.Session.State, got.Stranded, c.want, c.stranded)
			}
		})
	}
}

func TestSessionMatchesByTaskLabel(t *testing.T) {
	long := strings.Repeat("a", 63)
	cases := map[string]struct {
		task    string
		records []SessionRecord
		want    string   // id of the session
		several []string // candidates when ambiguous
	}{
		"plain id":              {sessionID, []SessionRecord{record(sessionID)}, sessionID, nil},
		"qualified by profile":  {"profile_work_s1", []SessionRecord{record("s1")}, "s1", nil},
		"of another profile":    {"profile_else_s1", []SessionRecord{record("s1")}, "", nil},
		"qualified by home":     {Sanitize("home:" + truthHome + ":s1"), []SessionRecord{record("s1")}, "s1", nil},
		"session key":           {"session_agent_main_telegram_dm_1", []SessionRecord{record("s1", keyed("agent:main:telegram:dm:1"))}, "s1", nil},
		"key without a prefix":  {"agent_main_cli", []SessionRecord{record("s1", keyed("agent:main:cli"))}, "s1", nil},
		"id and key agree":      {"s1", []SessionRecord{record("s1", keyed("s1"))}, "s1", nil},
		"lossy characters":      {"a_b", []SessionRecord{record("a:b"), record("a/b"), record("ab")}, "", []string{"a:b", "a/b"}},
		"cut at 63 code points": {long, []SessionRecord{record(long + "1"), record(long + "2")}, "", []string{long + "1", long + "2"}},
		"one key, two sessions": {"session_k", []SessionRecord{record("s1", keyed("k")), record("s2", keyed("k"))}, "", []string{"s1", "s2"}},
		"case matters":          {"S1", []SessionRecord{record("s1")}, "", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Assess(sessionWorld(t, c.task, c.records...)).Sandboxes[0].Session
			var several []string
			for _, candidate := range got.Candidates {
				several = append(several, candidate.Raw())
			}
			if got.ID.Raw() != c.want || !slices.Equal(several, c.several) {
				t.Errorf("got %q and candidates %q, want %q, %q", got.ID.Raw(), several, c.want, c.several)
			}
			if (len(c.several) > 0) != (got.State == SessionUnknown) {
				t.Errorf("the state is %s", got.State)
			}
		})
	}
}

func keyed(key string) func(*SessionRecord) {
	return func(r *SessionRecord) { r.Key = NewText(key) }
}

func TestSessionMatchSettlesTheScope(t *testing.T) {
	cases := map[string]struct {
		left  string
		task  string
		scope Scope
		state SessionState
	}{
		"bound root, a session's id":     {"default bridge running open G4", sessionID, ScopeSession, SessionLive},
		"bound root, nobody's id":        {"default bridge running open G4", "rollout-7", ScopeRollout, SessionNone},
		"a profile's task stays one":     {"default bridge running open G4", "default", ScopeProfile, SessionNone},
		"the probe is nobody's":          {"default bridge running open G4/probe", probeTask, ScopeProbe, SessionNone},
		"without a task label":           {"default bridge running open G4/no-task", "", ScopeUnknown, SessionNone},
		"tmpfs, no match":                {"default bridge running open G4/tmpfs", "gone", ScopeSession, SessionNone},
		"a shared sandbox is everyone's": {"default bridge running open G3-G4", "shared_team", ScopeShared, SessionNone},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := truthWorld(t, c.left)
			if c.task != "" {
				in.Snapshots[0].Containers[0].Labels[NewText(LabelTask)] = NewText(c.task)
			}
			in.Sessions = map[string]SessionBook{truthHome: {Readable: true, Sessions: []SessionRecord{
				record(sessionID), record("default"), record(probeTask), record("shared_team"),
			}}}
			got := Assess(in).Sandboxes[0]
			if got.Scope != c.scope || got.Session.State != c.state {
				t.Errorf("got scope %s, session %s, want %s, %s", got.Scope, got.Session.State, c.scope, c.state)
			}
		})
	}
}
