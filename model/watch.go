package model

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// WatchKind is what happened to a sandbox, an engine or an egress network.
type WatchKind string

// Kinds of watch events.
const (
	WatchAppeared  WatchKind = "appeared"
	WatchChanged   WatchKind = "changed"
	WatchGone      WatchKind = "gone"
	WatchSynced    WatchKind = "synced"
	WatchViolation WatchKind = "violation"
	WatchEngine    WatchKind = "engine"
	WatchEgress    WatchKind = "egress"
)

// WatchEvent is one line of `watch`.
type WatchEvent struct {
	Schema int        `json:"schema"`
	Time   *time.Time `json:"time"`
	Event  WatchKind  `json:"event"`
	Engine string     `json:"engine"`
	ID     string     `json:"id"` // empty for engines and networks
	// Sandbox is its JSON form as in the list, nil when the event is not about
	// one; for one that is gone, as it was last.
	Sandbox any `json:"sandbox"`
	// Fields are the JSON names of what changed.
	Fields []string `json:"fields"`
	// State and Error are an engine's own, in its events alone.
	State Health `json:"state,omitempty"`
	Error string `json:"error,omitempty"`
}

// DiffFleets returns what changed between two looks at the fleet: engines
// first, then sandboxes in the new order, then those that are gone, then
// egress networks. A sandbox that begins to break its policy gets a violation
// event beside the other. Without an old fleet everything has appeared.
// Counting down to the reaper is no change.
func DiffFleets(old, now *Fleet) []WatchEvent {
	if old == nil {
		old = &Fleet{}
	}
	diff := fleetDiff{now: now}
	diff.engines(old)
	diff.sandboxes(old)
	diff.egress(old)
	return diff.events
}

// SyncedEvent closes the first look: every engine has told what it has, or why
// it cannot.
func SyncedEvent(now *Fleet) WatchEvent {
	diff := fleetDiff{now: now}
	diff.add(WatchEvent{Event: WatchSynced})
	return diff.events[0]
}

type fleetDiff struct {
	now    *Fleet
	events []WatchEvent
}

func (d *fleetDiff) add(event WatchEvent) {
	event.Schema, event.Time, event.Fields = Schema, documentTime(d.now.GeneratedAt), present(event.Fields)
	d.events = append(d.events, event)
}

func (d *fleetDiff) engines(old *Fleet) {
	for i := range d.now.Engines {
		name := d.now.Engines[i].Name
		var before engineDocument
		if engine := old.Engine(name); engine != nil {
			before = newEngineDocument(engine)
		}
		if fields := changedFields(before, newEngineDocument(&d.now.Engines[i])); len(fields) > 0 {
			d.add(WatchEvent{
				Event: WatchEngine, Engine: name, Fields: fields, State: d.now.Engines[i].State, Error: d.now.Engines[i].Error,
			})
		}
	}
	for i := range old.Engines {
		if name := old.Engines[i].Name; d.now.Engine(name) == nil {
			d.add(WatchEvent{Event: WatchEngine, Engine: name, Fields: []string{"reachable"}})
		}
	}
}

func (d *fleetDiff) sandboxes(old *Fleet) {
	before := make(map[Key]*Sandbox, len(old.Sandboxes))
	for i := range old.Sandboxes {
		before[old.Sandboxes[i].Key()] = &old.Sandboxes[i]
	}
	for i := range d.now.Sandboxes {
		s := &d.now.Sandboxes[i]
		doc := newSandboxDocument(s)
		event := WatchEvent{Engine: s.Engine, ID: string(s.ID), Sandbox: doc}
		was := before[s.Key()]
		delete(before, s.Key())
		if was == nil {
			event.Event = WatchAppeared
			d.add(event)
		} else if event.Fields = changedFields(timeless(newSandboxDocument(was)), timeless(doc)); len(event.Fields) > 0 {
			event.Event = WatchChanged
			d.add(event)
		}
		if violates(s) && (was == nil || !violates(was)) {
			event.Event, event.Fields = WatchViolation, []string{"violation"}
			d.add(event)
		}
	}
	for i := range old.Sandboxes {
		if s := &old.Sandboxes[i]; before[s.Key()] == s {
			d.add(WatchEvent{Event: WatchGone, Engine: s.Engine, ID: string(s.ID), Sandbox: newSandboxDocument(s)})
		}
	}
}

func violates(s *Sandbox) bool { return s.Violation != nil && *s.Violation }

// timeless leaves out what changes with the clock alone.
func timeless(doc sandboxDocument) sandboxDocument {
	doc.Reap.InSeconds, doc.Reap.Detail, doc.Reap.Rules = nil, "", Trail{}
	doc.Reuse.Rules = Trail{}
	doc.Posture.Target = ""
	doc.IdleSince, doc.IdleAtLeast = nil, false
	return doc
}

func (d *fleetDiff) egress(old *Fleet) {
	before := map[[2]string]egressDocument{}
	for i := range old.Egress {
		doc := newEgressDocument(&old.Egress[i])
		before[egressKey(doc)] = doc
	}
	for i := range d.now.Egress {
		doc := newEgressDocument(&d.now.Egress[i])
		was := before[egressKey(doc)]
		delete(before, egressKey(doc))
		if fields := changedFields(was, doc); len(fields) > 0 {
			d.add(WatchEvent{Event: WatchEgress, Engine: doc.Engine, Fields: fields})
		}
	}
	for i := range old.Egress {
		doc := newEgressDocument(&old.Egress[i])
		if _, gone := before[egressKey(doc)]; gone {
			d.add(WatchEvent{Event: WatchEgress, Engine: doc.Engine, Fields: []string{"network"}})
		}
	}
}

func egressKey(doc egressDocument) [2]string { return [2]string{doc.Engine, doc.Network.Raw()} }

// changedFields returns the JSON names of the fields in which two documents of
// one type differ, in the order of the type.
func changedFields[T any](a, b T) []string {
	var fields []string
	left, right := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range left.NumField() {
		if reflect.DeepEqual(left.Field(i).Interface(), right.Field(i).Interface()) {
			continue
		}
		name, _, _ := strings.Cut(left.Type().Field(i).Tag.Get("json"), ",")
		fields = append(fields, name)
	}
	return slices.Clip(fields)
}
