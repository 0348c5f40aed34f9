package model

import (
	"cmp"
	"slices"
)

// Assess says what follows from the facts: every sandbox with its scope,
// posture, findings and verdicts, and over all engines the profiles, allowlist
// networks and problems. It changes nothing it is given; policies are shared.
// Sandboxes keep the order of the snapshots and, within one, of its list.
func Assess(in Input) Fleet {
	return newAssessor(&in).assess()
}

// assess looks at each engine by itself: nothing of Hermes crosses engines.
func (a *assessor) assess() Fleet {
	fleet := Fleet{
		GeneratedAt: a.in.Now, Engines: []Engine{}, Sandboxes: []Sandbox{}, Egress: []EgressPair{}, Problems: []Problem{},
	}
	for i := range a.in.Snapshots {
		snap := a.in.Snapshots[i]
		snap.peers = map[string]*peerSet{}
		viewer := a
		if snap.Engine.Remote {
			viewer = a.elsewhere(&snap)
		}
		sandboxes := viewer.sandboxes(&snap)
		fleet.Engines = append(fleet.Engines, snap.Engine)
		if len(fleet.Sandboxes) == 0 { // most often there is one engine, and nothing to copy
			fleet.Sandboxes = sandboxes
		} else {
			fleet.Sandboxes = append(fleet.Sandboxes, sandboxes...)
		}
		fleet.Egress = append(fleet.Egress, EgressPairs(&snap, sandboxes)...)
		for _, problem := range snap.Problems {
			problem.Part = NewText(snap.Engine.Name).Display() + ": " + problem.Part
			fleet.Problems = append(fleet.Problems, problem)
		}
	}
	fleet.Problems = append(fleet.Problems, a.in.Problems...)
	fleet.Problems = append(fleet.Problems, a.sessionProblems(fleet.Sandboxes)...)
	known := a.knownProfiles()
	fleet.Profiles = slices.Concat(known, labelProfiles(known, fleet.Sandboxes))
	return fleet
}

// sandboxes assesses the containers of one engine: first each by itself, then
// what depends on the others.
func (a *assessor) sandboxes(snap *Snapshot) []Sandbox {
	memory := a.memory.recall(snap).refresh(snap, a.root(), a.in.Now)
	sandboxes, found := make([]Sandbox, len(snap.Containers)), make([]remembered, len(snap.Containers))
	recalled := make([]*remembered, len(snap.Containers)) // nil where nothing holds
	for i := range snap.Containers {
		s := &sandboxes[i]
		was := memory.of(snap.Containers[i])
		if was != nil {
			*s = *was.sandbox
			s.Container, s.Scope, s.Findings, s.Cut = snap.Containers[i], was.scope, was.alone, nil
		} else {
			*s = a.identify(snap.Containers[i])
		}
		if s.Engine == "" {
			named := *s.Container
			named.Engine = snap.Engine.Name
			s.Container = &named
		}
		if cut, known := a.in.Cuts[s.ID]; known {
			s.Cut = &cut
		}
		found[i].scope = s.Scope
		matchSession(s, a.sessions[s.Home], a.in.Now)
		s.Stranded = stranded(s)
		s.Idle = a.idleOf(s, &snap.Engine)
		if was != nil && s.Scope == was.sandbox.Scope {
			recalled[i], found[i].writes = was, was.writes
		} else {
			a.look(s, snap)
			found[i].writes = len(writtenPaths(s)) > 0
		}
		s.Findings = slices.Clip(s.Findings) // adding to them makes a new list
		found[i].alone = s.Findings
		if recalled[i] == nil || s.State == StateExited {
			s.Reap = a.reap(s, snap.Engine, a.in.Now)
			s.Orphan = s.Reap.Verdict == ReapReaped
		}
	}
	index := newEngineIndex(a, snap.Engine, a.in.Now, sandboxes, found, memory)
	a.reuseVerdicts(index, memory, recalled)
	twinFindings(index)
	holderFindings(index)
	a.memory.remember(snap, a.root(), index, found)
	return sandboxes
}

// look says what follows from a container and its networks.
func (a *assessor) look(s *Sandbox, snap *Snapshot) {
	s.DeclaredMode = modeWords(s.Container, snap)
	s.AttachedTo = networksOf(s.Container, snap)
	s.Posture = ClassifyPosture(s.Container, snap)
	s.Violation, s.ViolationReason = violationOf(s)
	s.Findings = FindingsOf(s, snap)
}

// reuseVerdicts asks what is reused, but for groups whose verdicts still hold.
func (a *assessor) reuseVerdicts(index *engineIndex, memory *engineMemory, recalled []*remembered) {
	moved := index.movedLabels(recalled)
	for i := range index.groups {
		group := &index.groups[i]
		if group.reuseHolds(memory, recalled, moved) {
			continue
		}
		for position, s := range group.members {
			s.Reuse = a.reuse(group, position)
		}
	}
}

// networksOf finds the network of every endpoint. Its members are left out:
// they are many, and others than this one.
func networksOf(c *Container, snap *Snapshot) []Network {
	networks := make([]Network, len(c.Networks.Endpoints))
	for i := range c.Networks.Endpoints {
		e := &c.Networks.Endpoints[i]
		network, known := snap.Network(e.NetworkID, e.Network)
		if !known {
			network = Network{ID: e.NetworkID, Name: e.Network, Error: "the engine does not list this network"}
			if snap.Engine.Partial {
				network.Error = "the engine's networks are still being looked at"
			} else if !snap.NetworksKnown {
				network.Error = "the engine's networks could not be listed"
			}
		}
		network.Containers = nil
		networks[i] = network
	}
	return networks
}

// knownProfiles are those with a home: of this machine, then those named for
// engines on others.
func (a *assessor) knownProfiles() []Profile {
	known := slices.Clone(a.profiles)
	for i := range a.in.Snapshots {
		for _, p := range a.in.Given[a.in.Snapshots[i].Engine.Name] {
			if profileAt(p.Home, known) == nil {
				known = append(known, p)
			}
		}
	}
	return known
}

// labelProfiles returns a profile for every profile label that no known home
// writes, sorted by label. They have no home and no policy.
func labelProfiles(profiles []Profile, sandboxes []Sandbox) []Profile {
	known := map[string]bool{}
	for i := range profiles {
		known[profiles[i].Label] = true
		known[identityLabel(&profiles[i])] = true
	}
	var found []Profile
	for i := range sandboxes {
		label := sandboxes[i].Profile
		if label.Empty() || known[label.Raw()] {
			continue
		}
		known[label.Raw()] = true
		found = append(found, Profile{Name: label, Label: label.Raw()})
	}
	slices.SortFunc(found, func(x, y Profile) int { return cmp.Compare(x.Label, y.Label) })
	return found
}

// sessionProblems names the session databases that could not be read although a
// sandbox of their home serves a session.
func (a *assessor) sessionProblems(sandboxes []Sandbox) []Problem {
	var problems []Problem
	told := map[string]bool{}
	for i := range sandboxes {
		s := &sandboxes[i]
		index := a.sessions[s.Home]
		if index == nil || index.book.Problem == "" || index.book.Absent || s.Scope != ScopeSession || told[s.Home] {
			continue
		}
		told[s.Home] = true
		problems = append(problems, Problem{Part: "sessions of " + NewText(s.Home).Display(), Error: index.book.Problem})
	}
	return problems
}
