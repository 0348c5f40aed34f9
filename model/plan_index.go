package model

import "slices"

// planIndex holds what a plan looks up for every row, so that a plan over
// thousands of rows does not search the fleet for each of them.
type planIndex struct {
	fleet     *Fleet
	sandboxes map[Key]*Sandbox
	guests    map[Key][]string       // names of those that share its network namespace
	twins     map[identityKey]*Fleet // only identities with several sandboxes
}

// identityKey is what Hermes finds a sandbox by on one engine.
type identityKey struct {
	engine        string
	profile, task Text
}

func newPlanIndex(fleet *Fleet) *planIndex {
	index := &planIndex{
		fleet: fleet, sandboxes: make(map[Key]*Sandbox, len(fleet.Sandboxes)), guests: map[Key][]string{},
		twins: map[identityKey]*Fleet{},
	}
	alike := map[identityKey][]*Sandbox{}
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		index.sandboxes[s.Key()] = s
		if host := (Key{s.Engine, s.Posture.Target}); host.ID != "" && host != s.Key() {
			index.guests[host] = append(index.guests[host], s.Name.Display())
		}
		identity := identityKey{s.Engine, s.Profile, s.Task}
		alike[identity] = append(alike[identity], s)
	}
	for _, names := range index.guests {
		slices.Sort(names)
	}
	for identity, sandboxes := range alike {
		if len(sandboxes) > 1 {
			index.twins[identity] = subFleet(fleet, sandboxes)
		}
	}
	return index
}

// subFleet is a fleet with only some of the sandboxes.
func subFleet(fleet *Fleet, sandboxes []*Sandbox) *Fleet {
	part := &Fleet{GeneratedAt: fleet.GeneratedAt, Engines: fleet.Engines, Profiles: fleet.Profiles}
	for _, s := range sandboxes {
		part.Sandboxes = append(part.Sandboxes, *s)
	}
	return part
}

// recoveryWarning is [RecoveryWarning], asked only where there are twins.
func (x *planIndex) recoveryWarning(s *Sandbox) string {
	twins := x.twins[identityKey{s.Engine, s.Profile, s.Task}]
	if twins == nil {
		return ""
	}
	return RecoveryWarning(twins, s)
}
