package model

import (
	"testing"
	"time"
)

// idleWorld is one running sandbox of a profile, started three days ago, in
// which a command ended three hours ago. Events were seen for a day, and its
// Hermes' last heartbeat is an hour old.
func idleWorld(t testing.TB) Input {
	t.Helper()
	in := truthWorld(t, "default bridge running open G4")
	c := in.Snapshots[0].Containers[0]
	c.StartedAt = Stamp{Time: idleNow(&in).Add(-72 * time.Hour)}
	in.Snapshots[0].Engine.State = Live
	in.Uses = map[string]EngineUse{in.Snapshots[0].Engine.Name: {
		From: idleNow(&in).Add(-24 * time.Hour),
		Of:   map[ID]Use{c.ID: {LastAt: idleNow(&in).Add(-3 * time.Hour)}},
	}}
	in.Sessions = map[string]SessionBook{truthHome: {
		Readable: true, Backends: []BackendHeartbeat{{ID: NewText("b"), LastAt: truthNow().Add(-time.Hour)}},
	}}
	return in
}

// idleNow is the time of the engine.
func idleNow(in *Input) time.Time { return in.Snapshots[0].Engine.Now(in.Now) }

func TestIdle(t *testing.T) {
	yes, no := true, false
	use := func(change func(*EngineUse, *Use)) func(*Input) {
		return func(in *Input) {
			c := in.Snapshots[0].Containers[0]
			engine := in.Uses[in.Snapshots[0].Engine.Name]
			last := engine.Of[c.ID]
			change(&engine, &last)
			engine.Of[c.ID] = last
			in.Uses[in.Snapshots[0].Engine.Name] = engine
		}
	}
	book := func(change func(*SessionBook)) func(*Input) {
		return func(in *Input) {
			b := in.Sessions[truthHome]
			change(&b)
			in.Sessions[truthHome] = b
		}
	}
	cases := map[string]struct {
		change  func(in *Input)
		marked  *bool
		idle    time.Duration // -1: not known
		atLeast bool
	}{
		"nothing for three hours":     {func(*Input) {}, &yes, 3 * time.Hour, false},
		"exactly as long as it takes": {func(in *Input) { in.IdleAfter = 3 * time.Hour }, &yes, 3 * time.Hour, false},
		"a longer age was chosen":     {func(in *Input) { in.IdleAfter = 4 * time.Hour }, &no, 3 * time.Hour, false},
		"a command runs":              {use(func(_ *EngineUse, u *Use) { u.Running = 1 }), &no, 0, false},
		"a command a minute ago":      {use(func(_ *EngineUse, u *Use) { u.LastAt = truthNow().Add(-time.Minute) }), &no, time.Minute, false},
		"started an hour ago, no command since": {func(in *Input) {
			in.Snapshots[0].Containers[0].StartedAt = Stamp{Time: idleNow(in).Add(-time.Hour)}
		}, &no, time.Hour, false},
		"no command was seen all day":  {use(func(_ *EngineUse, u *Use) { u.LastAt = time.Time{} }), &yes, 24 * time.Hour, true},
		"the last one is before a gap": {use(func(_ *EngineUse, u *Use) { u.LastAt = truthNow().Add(-48 * time.Hour) }), &yes, 24 * time.Hour, true},
		"watched for a minute only":    {use(func(e *EngineUse, u *Use) { e.From, u.LastAt = truthNow().Add(-time.Minute), time.Time{} }), nil, time.Minute, true},
		"nothing was seen":             {func(in *Input) { in.Uses = nil }, nil, -1, false},
		"the engine is silent":         {func(in *Input) { in.Snapshots[0].Engine.State = Stale }, nil, -1, false},
		"a backend is alive":           {book(func(b *SessionBook) { b.Backends[0].LastAt = truthNow().Add(-time.Minute) }), &no, 3 * time.Hour, false},
		"a backend without a time":     {book(func(b *SessionBook) { b.Backends[0].LastAt = time.Time{} }), &yes, 3 * time.Hour, false},
		"a turn runs in its home":      {book(func(b *SessionBook) { b.Leases = map[Text]time.Time{NewText("s"): truthNow().Add(time.Second)} }), &no, 3 * time.Hour, false},
		"a turn's lease is over":       {book(func(b *SessionBook) { b.Leases = map[Text]time.Time{NewText("s"): truthNow().Add(-time.Second)} }), &yes, 3 * time.Hour, false},
		"a schema without heartbeats":  {book(func(b *SessionBook) { b.Backends, b.BackendsUnknown = nil, true }), nil, 3 * time.Hour, false},
		"the database cannot be read":  {book(func(b *SessionBook) { *b = SessionBook{Problem: "damaged"} }), nil, 3 * time.Hour, false},
		"on another machine":           {func(in *Input) { in.Snapshots[0].Engine.Remote = true }, nil, 3 * time.Hour, false},
		"it serves a session that ended": {func(in *Input) {
			in.Snapshots[0].Containers[0].Labels[NewText(LabelTask)] = NewText("session_s1")
			b := in.Sessions[truthHome]
			b.Sessions = []SessionRecord{record("s1", func(r *SessionRecord) { r.EndedAt = truthNow().Add(-time.Hour) })}
			in.Sessions[truthHome] = b
		}, &no, 3 * time.Hour, false},
		"foreign":       {func(in *Input) { delete(in.Snapshots[0].Containers[0].Labels, NewText(LabelTask)) }, &no, 3 * time.Hour, false},
		"it is stopped": {func(in *Input) { in.Snapshots[0].Containers[0].State = StateExited }, &no, -1, false},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			in := idleWorld(t)
			tt.change(&in)
			s := Assess(in).Sandboxes[0]
			idle, known := s.Idle.For(idleNow(&in))
			if !known {
				idle = -1
			}
			if idle != tt.idle || s.Idle.AtLeast != tt.atLeast {
				t.Errorf("idle for %s (at least: %v), want %s (%v)", idle, s.Idle.AtLeast, tt.idle, tt.atLeast)
			}
			if (s.Idle.Marked == nil) != (tt.marked == nil) || tt.marked != nil && *s.Idle.Marked != *tt.marked {
				t.Errorf("marked %v, %q", s.Idle.Marked, s.Idle.Reason)
			}
			if s.Idle.Marked == nil && s.Idle.Reason == "" {
				t.Error("it is not said why that is not known")
			}
			if s.Stranded && s.Idle.Marked != nil && *s.Idle.Marked {
				t.Error("it is stranded and idle")
			}
			if s.Stranded != (name == "it serves a session that ended") {
				t.Errorf("stranded %v", s.Stranded)
			}
		})
	}
}

func TestIdleFilter(t *testing.T) {
	now := truthNow()
	marked := true
	exact := Sandbox{Container: &Container{}, Idle: Idle{Since: now.Add(-3 * time.Hour), Marked: &marked}}
	atLeast := Sandbox{Container: &Container{}, Idle: Idle{Since: now.Add(-3 * time.Hour), AtLeast: true}}
	running := Sandbox{Container: &Container{}, Idle: Idle{Running: true}}
	cases := map[string]struct{ exact, atLeast, running, unknown bool }{
		"idle>2h":  {true, true, false, false},
		"idle>3h":  {false, false, false, false},
		"idle>=3h": {true, true, false, false},
		"idle<4h":  {true, false, true, false}, // it can have been idle for longer
		"idle<=3h": {true, false, true, false},
		"idle<3h":  {false, false, true, false},
		"!idle>2h": {false, false, true, true},
		"idle":     {true, false, false, false},
		"IDLE>2H":  {true, true, false, false},
	}
	for text, want := range cases {
		t.Run(text, func(t *testing.T) {
			query, err := ParseQuery(text)
			if err != nil {
				t.Fatal(err)
			}
			for name, pair := range map[string]struct {
				s    Sandbox
				want bool
			}{"exact": {exact, want.exact}, "at least": {atLeast, want.atLeast}, "running": {running, want.running}, "unknown": {Sandbox{Container: &Container{}}, want.unknown}} {
				if got := query.Match(&pair.s, now); got != pair.want {
					t.Errorf("%s: %v", name, got)
				}
			}
		})
	}
	for _, text := range []string{"idle>", "idle>2", "idle>x"} {
		if _, err := ParseQuery(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
	if query, problems := ParseQueryLenient("idle>2"); !query.Empty() || len(problems) > 0 {
		t.Errorf("half a term: %v", problems)
	}
}
