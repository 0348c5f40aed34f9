package model

import "reflect"

// sameLabels reports whether a list is the one of the last time, with the same
// profile and task labels.
func (e *engineMemory) sameLabels(sandboxes []Sandbox) bool {
	if e == nil || !e.sameList {
		return false
	}
	for i := range sandboxes {
		if was := e.found[i].sandbox; sandboxes[i].Profile != was.Profile || sandboxes[i].Task != was.Task {
			return false
		}
	}
	return true
}

// changed returns the containers that came, went or changed, or whose networks
// tell otherwise of them, as they were and as they are.
func (e *engineMemory) changed(snap *Snapshot) []*Container {
	var changed []*Container
	for _, c := range snap.Containers {
		was := e.find(c.ID)
		if was != nil && !was.stale && sameAnswer(was.sandbox.Container, c) {
			continue
		}
		changed = append(changed, c)
		if was != nil {
			changed = append(changed, was.sandbox.Container)
		}
	}
	if e.sameList {
		return changed
	}
	here := make(map[ID]bool, len(snap.Containers))
	for _, c := range snap.Containers {
		here[c.ID] = true
	}
	for i := range e.found {
		if was := e.found[i].sandbox.Container; !here[was.ID] {
			changed = append(changed, was)
		}
	}
	return changed
}

func (e *engineMemory) spoil(ids []ID) {
	for _, id := range ids {
		if was := e.find(id); was != nil {
			was.stale = true
		}
	}
}

func (e *engineMemory) spoilWhere(match func(*Container) bool) {
	for i := range e.found {
		if match(e.found[i].sandbox.Container) {
			e.found[i].stale = true
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
