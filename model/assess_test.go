package model

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestAssessKeepsEnginesApart(t *testing.T) {
	first, _ := groupWorld(t, "open a:G4:running")
	second, _ := groupWorld(t, "open a:G4:exited:5m")
	second.Snapshots[0].Engine.Name = "pod\x1bman"
	second.Snapshots[0].Containers[0].Engine = second.Snapshots[0].Engine.Name
	second.Snapshots[0].Problems = []Problem{{Part: "networks", Error: "timed out"}}
	first.Snapshots = append(first.Snapshots, second.Snapshots...)

	fleet := Assess(first)
	if len(fleet.Engines) != 2 || len(fleet.Sandboxes) != 2 {
		t.Fatalf("got %d engines, %d sandboxes", len(fleet.Engines), len(fleet.Sandboxes))
	}
	// The running one is on another engine, so it shadows nothing.
	if got := fleet.Sandboxes[1].Reuse.Verdict; got != ReuseStarted {
		t.Errorf("the second engine's sandbox is %s", got)
	}
	want := []Problem{{Part: `pod\x1bman: networks`, Error: "timed out"}}
	if !reflect.DeepEqual(fleet.Problems, want) {
		t.Errorf("got problems %+v, want %+v", fleet.Problems, want)
	}
	if len(fleet.Egress) != 2 {
		t.Errorf("got %d allowlist networks, want one per engine", len(fleet.Egress))
	}
}

func TestAssessAddsProfilesKnownFromLabels(t *testing.T) {
	in, _ := groupWorld(t, "open a:G4:running b:G4/stranger:running c:G4/no-profile:running d:G4/stranger:exited:5m e:G3-G4:running")
	fleet := Assess(in)
	var got []string
	for _, p := range fleet.Profiles {
		got = append(got, fmt.Sprintf("%s home=%q policy=%v", p.Name.Raw(), p.Home, p.Policy != nil))
	}
	want := []string{
		`work home="` + truthHome + `" policy=true`,
		`stranger home="" policy=false`,
		SharedIdentity("team") + ` home="" policy=false`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAssessOfNothing(t *testing.T) {
	fleet := Assess(Input{Now: truthNow()})
	if fleet.Engines == nil || fleet.Sandboxes == nil || fleet.Egress == nil || fleet.Problems == nil {
		t.Errorf("an empty fleet has nil lists, which JSON writes as null: %+v", fleet)
	}
}

func TestAssessNamesUnreadableSessionDatabases(t *testing.T) {
	cases := map[string]struct {
		left string
		want int
	}{
		"a session is served":          {"default bridge running open G4/tmpfs,session", 1},
		"no session, nothing to say":   {"default bridge running open G4", 0},
		"a session of an unknown home": {"default bridge running open G4/other-home,session", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := truthWorld(t, c.left)
			in.Sessions = map[string]SessionBook{truthHome: {Problem: "file is not a database"}}
			if got := Assess(in).Problems; len(got) != c.want {
				t.Errorf("got problems %+v", got)
			}
		})
	}
}

func TestAssessLeavesItsInputAlone(t *testing.T) {
	build := func() Input {
		in, _ := groupWorld(t, "locked a:G4:running b:G4/none:exited:1h c:G5/data:paused d:G4/data,session:running")
		return in
	}
	in := build()
	Assess(in)
	if !reflect.DeepEqual(in, build()) {
		t.Error("the input changed")
	}
}

func TestAssessIsDeterministic(t *testing.T) {
	in, _ := groupWorld(t, "locked a:G4:running b:G4/none:exited:1h c:G5/data:paused d:G4/data,session:running e:G4/data:running")
	first := Assess(in)
	for range 20 {
		if !reflect.DeepEqual(first, Assess(in)) {
			t.Fatal("two assessments of the same facts differ")
		}
	}
}

// FuzzAssess looks for panics on labels and times nobody foresaw, and holds
// that an orphan has always exited.
func FuzzAssess(f *testing.F) {
	f.Add("default", "work", "off", truthEnvironment, "hermes-00000001", "exited", "none", int64(3600))
	f.Add("session_x", "work", truthFingerprint, "", "hermes-eeeeeeeeeeee", "running", "container:x", int64(0))
	f.Add("", "", "", "e", "", "\x1b", "host", int64(-1))
	f.Fuzz(func(t *testing.T, task, profile, egress, environment, name, state, mode string, age int64) {
		in, _ := groupWorld(t, "locked+proxy a:G5/data:exited:1h b:G4/data:exited:1h c:G4:running")
		for i := range in.Snapshots[0].Containers[:2] {
			c := in.Snapshots[0].Containers[i]
			c.Labels[NewText(LabelTask)], c.Labels[NewText(LabelProfile)] = NewText(task), NewText(profile)
			c.Labels[NewText(LabelEgress)], c.Labels[NewText(LabelEnvironment)] = NewText(egress), NewText(environment)
			c.Name, c.State = NewText(name), State(state)
			c.Host.NetworkMode, c.Networks.Mode = NewText(mode), NewText(mode)
			c.FinishedAt = Stamp{Time: truthNow().Add(-time.Duration(age))}
		}
		in.Sessions = map[string]SessionBook{truthHome: {Readable: true, Sessions: []SessionRecord{record(task, keyed(profile))}}}
		for _, s := range Assess(in).Sandboxes {
			if s.Orphan && s.State != StateExited {
				t.Errorf("an orphan in state %q", s.State)
			}
			if s.Reuse.Verdict == "" || s.Reuse.Reason == "" || s.Reap.Verdict == "" || s.Reap.Detail == "" {
				t.Errorf("a verdict without words: %+v %+v", s.Reuse, s.Reap)
			}
		}
	})
}

// benchmarkInput is a fleet with tasks that are alone, a few crowded ones and
// some stopped sandboxes, on one engine.
func benchmarkInput(b *testing.B, sandboxes int, network string, task func(int) string) Input {
	b.Helper()
	snap := truthSnapshot()
	for i := range sandboxes {
		c := truthContainer(1000+i, "G4")
		c.Labels[NewText(LabelTask)] = NewText(task(i))
		truthNetwork(&c, network, network)
		if i%3 == 0 {
			truthState(b, &c, "exited:5m")
		}
		snap.Containers = append(snap.Containers, &c)
	}
	truthAttach(&snap)
	return Input{Now: truthNow(), Snapshots: []Snapshot{snap}, Profiles: []Profile{truthProfile(b, "open", "")}}
}

func BenchmarkAssess(b *testing.B) {
	own := func(i int) string { return fmt.Sprintf("rollout-%d", i/2) }
	cases := map[string]struct {
		network string
		task    func(int) string
	}{
		"many tasks":            {"bridge", own},
		"one task":              {"bridge", func(int) string { return "default" }},
		"one allowlist network": {"egress", own},
	}
	for name, c := range cases {
		for _, n := range []int{10, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				in := benchmarkInput(b, n, c.network, c.task)
				b.ReportAllocs()
				for b.Loop() {
					Assess(in)
				}
			})
		}
	}
}
