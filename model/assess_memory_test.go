package model

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// memoryWorld is a fleet that changes at random: one engine with sandboxes in
// all states and on all kinds of networks.
type memoryWorld struct {
	t       *testing.T
	random  *rand.Rand
	in      Input
	made    int
	inspect int // counts the inspects, which have a time each
}

func newMemoryWorld(t *testing.T, seed uint64) *memoryWorld {
	w := &memoryWorld{t: t, random: rand.New(rand.NewPCG(seed, 8))}
	shared := truthProfile(t, "open", "")
	proxied := truthProfile(t, "open", "")
	yes := true
	policy := *proxied.Policy
	policy.ProxyEnabled = &yes
	proxied.Policy, proxied.Home, proxied.Name, proxied.Label = &policy, "/srv/proxied", NewText("proxied"), "proxied"
	w.in = Input{
		Now: truthNow(), Snapshots: []Snapshot{truthSnapshot()}, Profiles: []Profile{shared, proxied},
		Sessions: map[string]SessionBook{}, Cuts: map[ID]CutRecord{},
	}
	w.snap().At = w.in.Now
	for i := range w.snap().Containers {
		w.inspected(w.snap().Containers[i])
	}
	for i := range w.snap().Others {
		w.inspected(w.snap().Others[i])
	}
	for range 12 {
		w.add()
	}
	w.attach()
	return w
}

func (w *memoryWorld) snap() *Snapshot { return &w.in.Snapshots[0] }

// inspected gives a container an answer of its own.
func (w *memoryWorld) inspected(c *Container) {
	w.inspect++
	c.Inspected, c.InspectedAt = true, truthNow().Add(time.Duration(w.inspect))
}

// attach makes the networks' members agree with the containers.
func (w *memoryWorld) attach() {
	snap := w.snap()
	for i := range snap.Networks {
		snap.Networks[i].Containers = map[ID]Text{}
	}
	truthAttach(snap)
}

func (w *memoryWorld) pick() *Container {
	containers := w.snap().Containers
	if len(containers) == 0 {
		w.add()
		containers = w.snap().Containers
	}
	return containers[w.random.IntN(len(containers))]
}

func (w *memoryWorld) add() {
	w.made++
	c := truthContainer(5000+w.made, []string{"G4", "G2", "G5"}[w.random.IntN(3)])
	c.Labels[NewText(LabelTask)] = NewText(fmt.Sprintf("task-%d", w.random.IntN(6)))
	if w.random.IntN(3) == 0 {
		c.Labels[NewText(LabelProfile)] = NewText("proxied")
		c.Labels[NewText(LabelEgress)] = NewText(fmt.Sprintf("%016x", w.random.IntN(2)))
	}
	w.network(&c)
	w.inspected(&c)
	containers := w.snap().Containers
	at := w.random.IntN(len(containers) + 1)
	w.snap().Containers = slices.Insert(slices.Clone(containers), at, &c)
}

func (w *memoryWorld) network(c *Container) {
	networks := []string{"bridge", "none", "internal", "egress", "bridge"}
	declared, attached := networks[w.random.IntN(len(networks))], networks[w.random.IntN(len(networks))]
	truthNetwork(c, declared, attached)
	if containers := w.snap().Containers; len(containers) > 0 && w.random.IntN(6) == 0 {
		owner := containers[w.random.IntN(len(containers))].ID
		c.Networks.Mode = NewText(containerPrefix + string(owner))
		c.Host.NetworkMode = c.Networks.Mode
	}
}

// anew copies containers, since those of an earlier snapshot stay as they are.
func anew(containers []*Container) []*Container {
	copies := make([]*Container, len(containers))
	for i, c := range containers {
		one := *c
		copies[i] = &one
	}
	return copies
}

// step changes one thing, or nothing but the time.
func (w *memoryWorld) step() string {
	w.in.Now = w.in.Now.Add(time.Duration(w.random.IntN(90)) * time.Second)
	switch w.random.IntN(12) { // now and then a long time passes, or a clock is set back
	case 0:
		w.in.Now = w.in.Now.Add(time.Duration(w.random.IntN(120)) * time.Minute)
	case 1:
		w.in.Now = w.in.Now.Add(-time.Duration(w.random.IntN(30)) * time.Minute)
	}
	snap := w.snap()
	snap.At = w.in.Now
	snap.Containers = anew(snap.Containers)
	snap.Networks = slices.Clone(snap.Networks)
	snap.Others = anew(snap.Others)
	changes := w.changes()
	name := []string{
		"time", "state", "state", "network", "network", "add", "remove", "reorder", "status", "mount",
		"skew", "profile", "session", "cut", "other", "flag", "engine", "member",
	}[w.random.IntN(18)]
	changes[name]()
	if name != "member" {
		w.attach()
	}
	return name
}

func (w *memoryWorld) changes() map[string]func() {
	snap := w.snap()
	return map[string]func(){
		"time": func() {},
		"state": func() {
			c := w.pick()
			truthState(w.t, c, []string{"running", "exited:5m", "exited:3h", "created", "paused"}[w.random.IntN(5)])
			w.inspected(c)
		},
		"network": func() { c := w.pick(); w.network(c); w.inspected(c) },
		"add":     w.add,
		"remove": func() {
			if at := w.random.IntN(len(snap.Containers) + 1); at < len(snap.Containers) {
				snap.Containers = slices.Delete(snap.Containers, at, at+1)
			}
		},
		"reorder": func() {
			w.random.Shuffle(len(snap.Containers), func(i, j int) {
				snap.Containers[i], snap.Containers[j] = snap.Containers[j], snap.Containers[i]
			})
		},
		"status": func() { w.pick().Status = NewText("Up " + w.in.Now.String()) },
		"mount": func() {
			c := w.pick()
			c.Mounts = append(slices.Clone(c.Mounts), Mount{Type: NewText("bind"), Source: NewText("/data/shared"), Destination: NewText("/data"), RW: true})
			w.inspected(c)
		},
		"skew": func() {
			snap.Engine.SkewKnown = true
			snap.Engine.Skew = []time.Duration{0, 300 * time.Millisecond, 40 * time.Second, -2 * time.Minute}[w.random.IntN(4)]
		},
		"profile": func() {
			policy := *w.in.Profiles[0].Policy
			on := w.random.IntN(2) == 0
			policy.PersistAcrossProcesses = &on
			w.in.Profiles = slices.Clone(w.in.Profiles)
			w.in.Profiles[0].Policy = &policy
		},
		"session": w.session,
		"cut": func() {
			id := w.pick().ID
			w.in.Cuts = map[ID]CutRecord{id: {CutAt: w.in.Now, Complete: true}}
		},
		"other": func() {
			if len(snap.Others) == 0 {
				return
			}
			c := snap.Others[w.random.IntN(len(snap.Others))]
			truthState(w.t, c, []string{"running", "exited:5m"}[w.random.IntN(2)])
			w.inspected(c)
		},
		"flag":   func() { c := w.pick(); c.Host.Privileged = !c.Host.Privileged; w.inspected(c) },
		"engine": func() { snap.Engine.Version = NewText(fmt.Sprintf("2%d.0.0", w.random.IntN(9))) },
		"member": func() { // the two sides disagree
			at := w.random.IntN(len(snap.Networks))
			members := map[ID]Text{w.pick().ID: NewText("somebody")}
			for id, name := range snap.Networks[at].Containers {
				members[id] = name
			}
			snap.Networks[at].Containers = members
		},
	}
}

func (w *memoryWorld) session() {
	book := SessionBook{Readable: true, ReadAt: w.in.Now}
	for range w.random.IntN(3) {
		book.Sessions = append(book.Sessions, SessionRecord{
			ID: NewText(fmt.Sprintf("task-%d", w.random.IntN(6))), Title: NewText("a title"),
			LastActivityAt: w.in.Now.Add(-time.Duration(w.random.IntN(100)) * time.Minute),
		})
	}
	w.in.Sessions = map[string]SessionBook{w.in.Profiles[0].Home: book}
}

// TestMemoryFindsWhatAssessFinds changes a fleet at random and compares every
// look with one that remembers nothing.
func TestMemoryFindsWhatAssessFinds(t *testing.T) {
	held := 0
	for seed := range uint64(40) {
		w := newMemoryWorld(t, seed)
		var memory Memory
		var done []string
		for range 60 {
			done = append(done, w.step())
			if got, want := memory.SessionHomes(w.in), SessionHomes(w.in); !slices.Equal(got, want) {
				t.Fatalf("seed %d after %v: session homes %v, want %v", seed, done, got, want)
			}
			got, want := memory.Assess(w.in), Assess(w.in)
			for i := range want.Sandboxes {
				if !reflect.DeepEqual(got.Sandboxes[i], want.Sandboxes[i]) {
					t.Fatalf("seed %d after %v: sandbox %d\n got %s\nwant %s", seed, done, i,
						memoryLine(&got.Sandboxes[i]), memoryLine(&want.Sandboxes[i]))
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d after %v: the fleets differ beside the sandboxes", seed, done)
			}
			for _, was := range memory.engines[w.snap().Engine.Name].found {
				if memory.engines[w.snap().Engine.Name].of(was.sandbox.Container) != nil {
					held++
				}
			}
		}
	}
	if held == 0 {
		t.Error("nothing was ever remembered")
	}
}

func memoryLine(s *Sandbox) string {
	return fmt.Sprintf("%s scope %s session %+v posture %+v violation %v %q findings %+v reuse %s %q %+v reap %+v", truthLine(s), s.Scope, s.Session,
		s.Posture, s.Violation, s.ViolationReason, s.Findings, s.Reuse.Verdict, s.Reuse.Reason, s.Reuse.Rules, s.Reap)
}

// TestMemoryForgetsEngines keeps nothing of an engine that is not followed any
// more.
func TestMemoryForgetsEngines(t *testing.T) {
	w := newMemoryWorld(t, 1)
	var memory Memory
	memory.Assess(w.in)
	w.in.Snapshots = nil
	memory.Assess(w.in)
	if len(memory.engines) != 0 {
		t.Errorf("still remembered: %d engines", len(memory.engines))
	}
}

// BenchmarkMemory measures a look at which one sandbox changed its state.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := benchmarkInput(b, n, "bridge", func(i int) string { return fmt.Sprintf("rollout-%d", i/2) })
			in.Now = in.Now.Add(2 * time.Hour) // what exited has been old enough for the reaper for long
			snap := &in.Snapshots[0]
			snap.At = in.Now
			for i := range snap.Containers {
				snap.Containers[i].Inspected, snap.Containers[i].InspectedAt = true, in.Now.Add(time.Duration(i))
			}
			var memory Memory
			memory.Assess(in)
			inspects := 0
			b.ReportAllocs()
			for b.Loop() {
				inspects++
				c := snap.Containers[inspects%n]
				c.InspectedAt = in.Now.Add(-time.Duration(inspects))
				memory.Assess(in)
			}
		})
	}
}
