package model

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// Memory assesses the same engines again and again, and works out only what
// changed since the last time: a sandbox keeps what was found as long as its
// container, the profiles and everything beside it that the finding rests on
// are as they were. The outcome is always that of [Assess]. The zero value is
// ready; it is not safe for concurrent use.
type Memory struct {
	profiles []Profile
	given    map[string][]Profile
	engines  map[string]*engineMemory
}

// engineMemory is one engine as it was last, with what was found.
type engineMemory struct {
	snapshot Snapshot     // without its containers, which found has
	root     string       // of the installation, for an engine on another machine
	now      time.Time    // by the engine's clock
	found    []remembered // in the order of the list
	groupOf  []int        // by place in found, the group of those with the same labels
	places   map[ID]int   // in found; nil before one was looked for
	next     int          // where the one looked for next is, if the order stayed
	// sameList: the new snapshot has the same containers in the same order.
	sameList bool
}

// remembered is a sandbox as it was found, with what the next assessment has to
// know besides.
type remembered struct {
	sandbox *Sandbox  // in the fleet found last; never changed
	scope   Scope     // before its session was looked up
	alone   []Finding // those that do not come of comparing sandboxes
	// position and size are its place among the sandboxes with the same labels,
	// and how many these are.
	position, size int
	// writes: it binds paths of the host that count as written by it.
	writes bool
	// ticking: the reuse verdict can change with nothing but the time.
	ticking bool
	// stale: something besides the container changed that it depends on.
	stale bool
}

// Assess is [Assess], faster where little changed.
func (m *Memory) Assess(in Input) Fleet {
	m.settle(&in)
	a := newAssessor(&in)
	a.memory = m
	fleet := a.assess()
	for name := range m.engines {
		if fleet.Engine(name) == nil {
			delete(m.engines, name)
		}
	}
	return fleet
}

// settle puts the profiles of the last time in the place of those that are the
// same, since what was found refers to them. Others void everything.
func (m *Memory) settle(in *Input) {
	if m.engines == nil || !reflect.DeepEqual(m.profiles, in.Profiles) || !reflect.DeepEqual(m.given, in.Given) {
		m.profiles, m.given, m.engines = in.Profiles, in.Given, map[string]*engineMemory{}
	}
	in.Profiles, in.Given = m.profiles, m.given
}

// SessionHomes is [SessionHomes], faster where little changed.
func (m *Memory) SessionHomes(in Input) []string {
	m.settle(&in)
	return sessionHomes(in, func(snap *Snapshot, c *Container) (Sandbox, bool) {
		was := m.recall(snap).of(c)
		if was == nil {
			return Sandbox{}, false
		}
		return Sandbox{Container: c, Foreign: was.sandbox.Foreign, Scope: was.scope, Home: was.sandbox.Home}, true
	})
}

// recall returns what is known of a snapshot's engine; nil when nothing is.
func (m *Memory) recall(snap *Snapshot) *engineMemory {
	if m == nil {
		return nil
	}
	return m.engines[snap.Engine.Name]
}

// of returns what was found of a container, if that still holds, else nil.
func (e *engineMemory) of(c *Container) *remembered {
	if e == nil {
		return nil
	}
	was := e.find(c.ID)
	if was == nil || was.stale || !sameAnswer(was.sandbox.Container, c) || !e.settled(c) {
		return nil
	}
	return was
}

// find returns what was found of a container; nil when it was not there. One
// after the other in the order they had, they are found without looking.
func (e *engineMemory) find(id ID) *remembered {
	if e.next == len(e.found) {
		e.next = 0
	}
	if e.next < len(e.found) && e.found[e.next].sandbox.ID == id {
		e.next++
		return &e.found[e.next-1]
	}
	if e.places == nil {
		e.places = make(map[ID]int, len(e.found))
		for i := range e.found {
			e.places[e.found[i].sandbox.ID] = i
		}
	}
	at, known := e.places[id]
	if !known {
		return nil
	}
	e.next = at + 1
	return &e.found[at]
}

// settled reports whether nothing said of a container changes by itself: it
// uses nobody else's network, and its times were past at the last look, and so
// are now.
func (e *engineMemory) settled(c *Container) bool {
	for _, mode := range []Text{c.Networks.Mode, c.Host.NetworkMode} {
		if strings.HasPrefix(mode.Raw(), containerPrefix) {
			return false
		}
	}
	last := e.snapshot.Engine.Now(e.snapshot.At)
	for _, stamp := range []Stamp{c.CreatedAt, c.StartedAt, c.FinishedAt} {
		if stamp.Time.After(last) {
			return false
		}
	}
	return true
}

// sameAnswer reports whether a container's facts rest on the same inspect, and
// nothing of the list or the kernel changed them since.
func sameAnswer(a, b *Container) bool {
	return a.Inspected && b.Inspected && !b.InspectedAt.IsZero() && a.InspectedAt.Equal(b.InspectedAt) &&
		a.State == b.State && a.Problem == b.Problem && a.Kernel == b.Kernel &&
		a.ImageLabelsKnown == b.ImageLabelsKnown && len(a.ImageLabels) == len(b.ImageLabels)
}

// refresh marks what no longer holds beside a new snapshot, and returns what is
// left; nil when nothing is.
func (e *engineMemory) refresh(snap *Snapshot, root string, now time.Time) *engineMemory {
	if e == nil || e.root != root || !sameSurroundings(&e.snapshot, snap) {
		return nil
	}
	if snap.Engine.Now(now).Before(e.now) || snap.Engine.Now(snap.At).Before(e.snapshot.Engine.Now(e.snapshot.At)) {
		return nil // a clock was set back: what was past may be to come, what was old young
	}
	e.sameList = len(e.found) == len(snap.Containers)
	for i := range snap.Containers {
		e.sameList = e.sameList && e.found[i].sandbox.ID == snap.Containers[i].ID
	}
	moved := make([][]ID, len(snap.Networks))
	for i := range snap.Networks {
		moved[i] = movedMembers(e.snapshot.Networks[i].Containers, snap.Networks[i].Containers)
		e.spoil(moved[i])
	}
	changed := e.changed(snap)
	for i := range snap.Networks {
		before, now := &e.snapshot.Networks[i], &snap.Networks[i]
		switch level, _ := levelOfNetwork(*now); level {
		case LevelOpen, LevelHost, LevelAirGapped:
			continue // who else is there makes no difference
		default:
		}
		on := func(c *Container) bool { return attachedTo(c, *now) || attachedTo(c, *before) }
		if len(moved[i]) > 0 || slices.ContainsFunc(changed, on) {
			e.spoilWhere(on)
		}
	}
	return e
}

// remember keeps what was found for the next time.
func (m *Memory) remember(snap *Snapshot, root string, index *engineIndex, found []remembered) {
	if m == nil {
		return
	}
	next := &engineMemory{snapshot: *snap, root: root, now: snap.Engine.Now(index.now), found: found, groupOf: index.groupOf}
	next.snapshot.peers, next.snapshot.Containers = nil, nil
	for i := range index.groups {
		group := &index.groups[i]
		for position, at := range group.places {
			found[at].position, found[at].size, found[at].ticking = position, len(group.members), group.ticking
		}
	}
	for i := range found {
		found[i].sandbox = &index.sandboxes[i]
	}
	m.engines[snap.Engine.Name] = next
}

// reuseHolds reports whether the reuse verdicts of a group still hold: its
// members are the same in the same order, and none of them answers to the
// clock or to sandboxes outside the group.
func (g *labelGroup) reuseHolds(memory *engineMemory, recalled []*remembered, moved map[Text]bool) bool {
	for position, s := range g.members {
		was := recalled[g.places[position]]
		if was == nil || was.position != position || was.size != len(g.members) || was.ticking {
			return false
		}
		beside := !memory.sameList || moved[s.Profile]
		if beside && behindProxy(s) || was.writes {
			return false
		}
	}
	return true
}

// movedLabels returns the profile labels of sandboxes that changed: which
// fingerprint of the egress proxy is the newest is looked for among all that
// have the label.
func (e *engineIndex) movedLabels(recalled []*remembered) map[Text]bool {
	moved := map[Text]bool{}
	for i := range e.sandboxes {
		if recalled[i] == nil {
			moved[e.sandboxes[i].Profile] = true
		}
	}
	return moved
}

// behindProxy reports whether a sandbox may be looked for by a fingerprint of
// the egress proxy.
func behindProxy(s *Sandbox) bool {
	return s.Policy == nil || s.Policy.ProxyEnabled != nil && *s.Policy.ProxyEnabled
}
