package model

import (
	"strings"
	"testing"
	"time"
)

func TestReapSecondsToGo(t *testing.T) {
	seconds := func(n int64) *int64 { return &n }
	cases := map[string]struct {
		left string
		want *int64
	}{
		"whole seconds":                {"default bridge exited:599s open G4", seconds(1)},
		"a fraction is rounded up":     {"default bridge exited:598500ms open G4", seconds(2)},
		"exactly at the limit":         {"default bridge exited:600s open G4", seconds(0)},
		"past the limit":               {"default bridge exited:1h open G4", seconds(0)},
		"a clock that reads seconds":   {"default bridge exited:-1s open G4", seconds(600)},
		"the engine's clock is ahead":  {"default bridge exited:5m open G4/skew60s", seconds(240)},
		"short idle windows count 60s": {"default bridge exited:90s open+life30 G4", seconds(30)},
		"running":                      {"default bridge running open G4", nil},
		"disabled":                     {"default bridge exited:5m open+noreaper G4", nil},
		"age not known":                {"default bridge exited:zero open G4", nil},
		"ahead of the clock":           {"default bridge exited:-1h open G4", nil},
		"policy not known":             {"default bridge exited:5m unknown G4", nil},
		"another home's":               {"default bridge exited:5m open G4/other-home", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := assessRow(t, c.left).Reap.InSeconds
			switch {
			case (got == nil) != (c.want == nil):
				t.Errorf("got %v, want %v", got, c.want)
			case got != nil && *got != *c.want:
				t.Errorf("got %d, want %d", *got, *c.want)
			}
		})
	}
}

func TestReapDetailSpeaksOfTheNextStart(t *testing.T) {
	cases := map[string]struct{ left, want string }{
		"too young":  {"default bridge exited:6m open G4", "will be deleted when work next starts, in 4m"},
		"eligible":   {"default bridge exited:1h open G4", "will be deleted when work next starts: exited 1h ago; bound directories stay"},
		"running":    {"default bridge running open G4", "running: the reaper takes exited sandboxes only"},
		"disabled":   {"default bridge exited:1h open+noreaper G4", "the orphan reaper of work is off"},
		"unreadable": {"default bridge exited:garbage open G4", "its finish time cannot be read: not a time"},
		"skew":       {"default bridge exited:1h open G4/skew61s", "the engine's clock is 1m off ours, and Hermes goes by the clock of its own host"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := assessRow(t, c.left).Reap.Detail; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A sandbox that runs again keeps the finish time of its last run, which says
// nothing about now.
func TestReapIgnoresTheFinishTimeOfARunningSandbox(t *testing.T) {
	in := truthWorld(t, "default bridge running open G4")
	in.Snapshots[0].Containers[0].FinishedAt = Stamp{Time: truthNow().Add(-48 * time.Hour)}
	if got := Assess(in).Sandboxes[0]; got.Orphan || got.Reap.Reason != ReapNotExited {
		t.Errorf("got orphan %v, reason %s", got.Orphan, got.Reap.Reason)
	}
}

// Hermes' reaper goes by the label alone, so each home with the label counts.
func TestReapAsksEveryHomeWithTheLabel(t *testing.T) {
	const bot = "/srv/bot"
	cases := map[string]struct {
		left    string
		other   string // policy of the other home under the same label
		verdict ReapVerdict
		reason  ReapReason
	}{
		"the own home first":                  {"default bridge exited:1h open G4", "open+noreaper", ReapReaped, ReapEligible},
		"the own reaper is off, not theirs":   {"default bridge exited:1h open+noreaper G4", "open", ReapReaped, ReapOtherHome},
		"theirs has the shorter window":       {"default bridge exited:5m open G4", "open+life30", ReapReaped, ReapOtherHome},
		"both off":                            {"default bridge exited:1h open+noreaper G4", "open+noreaper", ReapSpared, ReapDisabled},
		"of the other home, reaper off there": {"default bridge exited:1h open G4/other-home", "open+noreaper", ReapReaped, ReapOtherHome},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := truthWorld(t, c.left)
			other := truthProfile(t, c.other, "")
			other.Home, other.Root = bot, bot
			in.Profiles = append(in.Profiles, other)
			got := Assess(in).Sandboxes[0].Reap
			if got.Verdict != c.verdict || got.Reason != c.reason {
				t.Errorf("got %s, %s, want %s, %s", got.Verdict, got.Reason, c.verdict, c.reason)
			}
		})
	}
}

func TestReapWhereTheHomeCannotBeTold(t *testing.T) {
	in := truthWorld(t, "default bridge exited:1h open G4/tmpfs")
	other := truthProfile(t, "open", "")
	other.Home = "/srv/bot"
	in.Profiles = append(in.Profiles, other)
	got := Assess(in).Sandboxes[0]
	if got.Home != "" || got.Reap.Verdict != ReapReaped || got.Reap.Reason != ReapOtherHome {
		t.Errorf("got home %q, %s, %s", got.Home, got.Reap.Verdict, got.Reap.Reason)
	}
	if !strings.Contains(got.Reap.Detail, "several homes") {
		t.Errorf("the detail %q does not say why", got.Reap.Detail)
	}
}

func TestReapOfALabelThatNoHomeHereWrites(t *testing.T) {
	in := truthWorld(t, "default bridge exited:1h open G4/stranger,tmpfs")
	got := Assess(in).Sandboxes[0]
	if got.Reap.Verdict != ReapUnknown || got.Reap.Reason != ReapNoProfile || got.Orphan {
		t.Errorf("got %s, %s, orphan %v", got.Reap.Verdict, got.Reap.Reason, got.Orphan)
	}
}

// FuzzReap holds what must never break, whatever the times and the policy: a
// sandbox is an orphan only if it has exited and is as old as Hermes asks for.
func FuzzReap(f *testing.F) {
	f.Add("exited", int64(3600), int64(300), int64(0), true, true)
	f.Add("exited", int64(600), int64(300), int64(0), true, true)
	f.Add("exited", int64(119), int64(30), int64(0), true, true)
	f.Add("exited", int64(120), int64(30), int64(0), true, true)
	f.Add("running", int64(3600), int64(300), int64(0), true, true)
	f.Add("exited", int64(-5), int64(0), int64(61), true, true)
	f.Add("exited", int64(600), int64(300), int64(-60), true, false)
	f.Add("stopped", int64(1)<<40, int64(-1), int64(1)<<33, false, true)
	f.Fuzz(func(t *testing.T, state string, age, lifetime, skew int64, reaper, known bool) {
		in := truthWorld(t, "default bridge exited:1h open G4")
		const bound = 1 << 32 // seconds; beyond that durations overflow
		age, lifetime, skew = age%bound, lifetime%bound, skew%bound
		c := in.Snapshots[0].Containers[0]
		c.State = State(state)
		c.FinishedAt = Stamp{}
		if known {
			c.FinishedAt = Stamp{Time: truthNow().Add(-time.Duration(age) * time.Second)}
		}
		in.Snapshots[0].Engine.Skew = time.Duration(skew) * time.Second
		policy := in.Profiles[0].Policy
		seconds := int(lifetime)
		policy.OrphanReaper, policy.LifetimeSeconds, policy.ReapAfterSeconds = &reaper, &seconds, nil

		s := Assess(in).Sandboxes[0]
		limit := 2 * max(60, lifetime)
		mayReap := state == "exited" && known && reaper && skew >= -60 && skew <= 60 && age+skew >= limit
		if s.Orphan != mayReap {
			t.Errorf("orphan %v (%s), want %v", s.Orphan, s.Reap.Reason, mayReap)
		}
		if s.Orphan && s.Reuse.Verdict != ReuseReapedFirst {
			t.Errorf("an orphan is %s", s.Reuse.Verdict)
		}
		if s.Reap.InSeconds != nil && (*s.Reap.InSeconds < 0 || *s.Reap.InSeconds > limit) {
			t.Errorf("%d seconds to go of %d", *s.Reap.InSeconds, limit)
		}
	})
}
