package model

import (
	"slices"
	"time"
)

// Input is what an assessment starts from.
type Input struct {
	Now       time.Time // our clock
	Snapshots []Snapshot
	Profiles  []Profile              // those with a home on this machine
	Given     map[string][]Profile   // by engine on another machine: those of the home named for it
	Sessions  map[string]SessionBook // by home; a missing one was not read
	Cuts      map[ID]CutRecord       // of the sandboxes that this program cut off
	Uses      map[string]EngineUse   // by engine; a missing one is not known
	IdleAfter time.Duration          // 0: [DefaultIdleAfter]
	Problems  []Problem              // of what was read, kept in the fleet
}

// assessor holds what is the same for all sandboxes: the profiles by what they
// are found by, the sessions, and the decision tables.
type assessor struct {
	in         *Input
	profiles   []Profile
	byHome     map[string]*Profile
	byPolicy   map[*Policy]*Profile
	byIdentity map[string][]*Profile // by the profile label their processes look for
	sessions   map[string]*sessionIndex
	reapRules  []reapRule
	matchRules []reuseRule
	reuseRules []reuseRule // those that match, then those that take
	reapNames  []string
	reuseNames []string
	abroad     *abroad // of an engine on another machine
	memory     *Memory // nil: everything is worked out anew
}

func newAssessor(in *Input) *assessor {
	a := &assessor{
		in: in, profiles: slices.Clone(in.Profiles),
		byHome: map[string]*Profile{}, byPolicy: map[*Policy]*Profile{},
		byIdentity: map[string][]*Profile{}, sessions: map[string]*sessionIndex{},
		reapRules: reapRules(), matchRules: matchRules(),
	}
	a.reuseRules = slices.Concat(a.matchRules, takeRules())
	a.reapNames, a.reuseNames = namesOf(a.reapRules), namesOf(a.reuseRules)
	for i := range a.profiles {
		p := &a.profiles[i]
		if p.Home == "" {
			continue
		}
		a.byHome[p.Home] = p
		if p.Policy != nil {
			a.byPolicy[p.Policy] = p
		}
		if label := identityLabel(p); label != "" {
			a.byIdentity[label] = append(a.byIdentity[label], p)
		}
		if book, ok := in.Sessions[p.Home]; ok {
			a.sessions[p.Home] = newSessionIndex(p.Home, p.Name.Raw(), book)
		}
	}
	return a
}
