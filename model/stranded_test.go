package model

import (
	"slices"
	"testing"
	"time"
)

// A persistent sandbox is a home's own and waits for the next Hermes, so however
// long nobody used it and whoever is gone, it is idle and nothing more.
func TestPersistentSandboxIsNeverStranded(t *testing.T) {
	t.Parallel()
	longAgo := truthNow().Add(-1000 * time.Hour)
	over := record(sessionID, func(r *SessionRecord) { r.LastActivityAt, r.EndedAt = longAgo, longAgo })
	silent := record(sessionID, func(r *SessionRecord) { r.LastActivityAt = longAgo })
	dead := []BackendHeartbeat{{ID: NewText("gateway"), LastAt: longAgo}}
	books := map[string]SessionBook{
		"no backend, session over":     {Readable: true, Sessions: []SessionRecord{over}},
		"no backend, session silent":   {Readable: true, Sessions: []SessionRecord{silent}},
		"dead backend, session silent": {Readable: true, Sessions: []SessionRecord{silent}, Backends: dead},
		"no sessions at all":           {Readable: true, Backends: dead},
	}
	persistent := map[string]string{"default": "default bridge running open G5", "of a profile": "default bridge running open G5/profile-task", "older": "default bridge running open G4"}
	for name, book := range books {
		for kind, world := range persistent {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				book := book // several kinds share it
				in := truthWorld(t, world)
				in.Snapshots[0].Containers[0].CreatedAt = Stamp{Time: longAgo}
				in.Snapshots[0].Containers[0].StartedAt = Stamp{Time: longAgo}
				// Even a session whose key reads like the task changes nothing.
				book.Sessions = slices.Clone(book.Sessions)
				for i := range book.Sessions {
					book.Sessions[i].Key = in.Snapshots[0].Containers[0].Labels[NewText(LabelTask)]
				}
				in.Sessions = map[string]SessionBook{truthHome: book}
				fleet := Assess(in)
				s := &fleet.Sandboxes[0]
				if s.State != StateRunning || s.Stranded || s.Session.State != SessionNone {
					t.Errorf("it is %s, stranded %v, its session %s", s.State, s.Stranded, s.Session.State)
				}
				query, err := ParseQuery("stranded")
				if err != nil || query.Match(s, truthNow()) {
					t.Errorf("the filter takes it, %v", err)
				}
				age := time.Hour
				plan := PlanReap(&fleet, truthNow(), ReapOptions{Include: []ReapClass{ClassStranded}, OlderThan: &age, ForceAge: true})
				for _, target := range plan.Targets {
					if target.Decision == DecisionAct {
						t.Errorf("it would be reaped: %+v", target)
					}
				}
			})
		}
	}
}
