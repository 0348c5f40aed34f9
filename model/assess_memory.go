package model

import (
	"reflect"
	"slices"
	"strings"
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
	snapshot Snapshot // without its containers, which found has
	root     string   // of the installation, for an engine on another machine
	list     []ID     // the containers in their order
	found    map[ID]remembered
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
		was, ok := m.recall(snap).of(c)
		if !ok {
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

// of returns what was found of a container, if that still holds.
func (e *engineMemory) of(c *Container) (remembered, bool) {
	if e == nil {
		return remembered{}, false
	}
	was, known := e.found[c.ID]
	return was, known && !was.stale && sameAnswer(was.sandbox.Container, c) && e.settled(c)
}

// settled reports whether nothing said of a container changes by itself: it
// uses nobody else's network, and its times were past at the last look, so that
// no step of a clock puts them into the future.
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
func (e *engineMemory) refresh(snap *Snapshot, root string) *engineMemory {
	if e == nil || e.root != root || !sameSurroundings(&e.snapshot, snap) {
		return nil
	}
	e.sameList = len(e.list) == len(snap.Containers)
	for i := range snap.Containers {
		e.sameList = e.sameList && e.list[i] == snap.Containers[i].ID
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

// changed returns the containers that came, went or changed, or whose networks
// tell otherwise of them, as they were and as they are.
func (e *engineMemory) changed(snap *Snapshot) []*Container {
	var changed []*Container
	here := make(map[ID]bool, len(snap.Containers))
	for _, c := range snap.Containers {
		here[c.ID] = true
		was, known := e.found[c.ID]
		if known && !was.stale && sameAnswer(was.sandbox.Container, c) {
			continue
		}
		changed = append(changed, c)
		if known {
			changed = append(changed, was.sandbox.Container)
		}
	}
	for id, was := range e.found {
		if !here[id] {
			changed = append(changed, was.sandbox.Container)
		}
	}
	return changed
}

func (e *engineMemory) spoil(ids []ID) {
	for _, id := range ids {
		if was, known := e.found[id]; known {
			was.stale = true
			e.found[id] = was
		}
	}
}

func (e *engineMemory) spoilWhere(match func(*Container) bool) {
	for id, was := range e.found {
		if match(was.sandbox.Container) {
			was.stale = true
			e.found[id] = was
		}
	}
}

// movedMembers returns the containers that only one of two lists of a network's
// members has, or that changed their name.
func movedMembers(before, now map[ID]Text) []ID {
	var moved []ID
	for id, name := range before {
		if is, ok := now[id]; !ok || is != name {
			moved = append(moved, id)
		}
	}
	for id := range now {
		if _, ok := before[id]; !ok {
			moved = append(moved, id)
		}
	}
	return moved
}

// sameSurroundings reports whether everything besides the sandboxes is as it
// was: the engine, the networks apart from their members, the other containers.
func sameSurroundings(before, now *Snapshot) bool {
	a, b := before.Engine, now.Engine
	if a.Host != b.Host || a.Kind != b.Kind || a.Version != b.Version || a.Remote != b.Remote || a.Partial != b.Partial ||
		!reflect.DeepEqual(a.Rootless, b.Rootless) || !sameClock(a, b) || before.NetworksKnown != now.NetworksKnown ||
		len(before.Networks) != len(now.Networks) || len(before.Others) != len(now.Others) {
		return false
	}
	for i := range now.Networks {
		x, y := before.Networks[i], now.Networks[i]
		x.Containers, y.Containers = nil, nil
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	for i := range now.Others {
		x, y := before.Others[i], now.Others[i]
		if x.ID != y.ID || !sameAnswer(x, y) && !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// sameClock reports whether an engine's clock differs from ours as it did, and
// by so little that nothing is said of it.
func sameClock(a, b Engine) bool {
	return a.SkewKnown == b.SkewKnown && (a.Skew == b.Skew || a.Skew.Abs() < futureTolerance/2 && b.Skew.Abs() < futureTolerance/2)
}

// remember keeps what was found for the next time.
func (m *Memory) remember(snap *Snapshot, root string, index *engineIndex, found []remembered) {
	if m == nil {
		return
	}
	next := &engineMemory{snapshot: *snap, root: root, found: make(map[ID]remembered, len(found))}
	next.snapshot.peers, next.snapshot.Containers = nil, nil
	for _, group := range index.groups {
		for position, at := range group.places {
			found[at].position, found[at].size = position, len(group.members)
		}
	}
	for i := range found {
		found[i].sandbox = &index.sandboxes[i]
		next.found[found[i].sandbox.ID] = found[i]
		next.list = append(next.list, found[i].sandbox.ID)
	}
	m.engines[snap.Engine.Name] = next
}

// reuseHolds reports whether the reuse verdicts of a group still hold: its
// members are the same in the same order, and none of them answers to the
// clock or to sandboxes outside the group.
func (g *labelGroup) reuseHolds(memory *engineMemory, recalled []remembered, moved map[Text]bool) bool {
	for position, s := range g.members {
		was := recalled[g.places[position]]
		if was.sandbox == nil || was.position != position || was.size != len(g.members) {
			return false
		}
		beside := !memory.sameList || moved[s.Profile]
		if s.State == StateExited || beside && behindProxy(s) || len(writtenPaths(s)) > 0 {
			return false
		}
	}
	return true
}

// movedLabels returns the profile labels of sandboxes that changed: which
// fingerprint of the egress proxy is the newest is looked for among all that
// have the label.
func (e *engineIndex) movedLabels(recalled []remembered) map[Text]bool {
	moved := map[Text]bool{}
	for i := range e.sandboxes {
		if recalled[i].sandbox == nil {
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
