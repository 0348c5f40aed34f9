package model

import (
	"strings"
	"time"
)

// labelKey is what Hermes looks a sandbox up by.
type labelKey struct{ profile, task Text }

// engineIndex holds the sandboxes of one engine by what Hermes looks for, so
// that a verdict need not walk the whole list.
type engineIndex struct {
	engine    Engine
	now       time.Time // ours
	sandboxes []Sandbox
	groups    []labelGroup
	groupOf   []int // by place in the list, the group
	byProfile map[Text][]*Sandbox
	writers   map[Text][]*Sandbox // running sandboxes by host path bound read-write
	askers    map[*Profile]*asker
	reapRules []reapRule
	match     []reuseRule
}

// newEngineIndex indexes the sandboxes, which are in list order; of each it is
// known whether it writes to the host.
func newEngineIndex(a *assessor, engine Engine, now time.Time, sandboxes []Sandbox, found []remembered, memory *engineMemory) *engineIndex {
	index := &engineIndex{
		engine: engine, now: now, sandboxes: sandboxes,
		byProfile: map[Text][]*Sandbox{},
		writers:   map[Text][]*Sandbox{},
		askers:    map[*Profile]*asker{},
		reapRules: a.reapRules, match: a.matchRules,
	}
	if memory.sameLabels(sandboxes) {
		index.groupOf = memory.groupOf
	} else {
		index.groupOf = groupByLabels(sandboxes)
	}
	index.fillGroups()
	for i := range sandboxes {
		s := &sandboxes[i]
		index.byProfile[s.Profile] = append(index.byProfile[s.Profile], s)
		if s.State != StateRunning || !found[i].writes {
			continue
		}
		for _, source := range writtenPaths(s) {
			index.writers[source] = append(index.writers[source], s)
		}
	}
	return index
}

// groupByLabels numbers the groups by their first members, and returns the
// number of each sandbox's.
func groupByLabels(sandboxes []Sandbox) []int {
	numbers := make(map[labelKey]int, len(sandboxes))
	groupOf := make([]int, len(sandboxes))
	for i := range sandboxes {
		key := labelKey{sandboxes[i].Profile, sandboxes[i].Task}
		number, known := numbers[key]
		if !known {
			number = len(numbers)
			numbers[key] = number
		}
		groupOf[i] = number
	}
	return groupOf
}

// fillGroups makes the groups. Most have one member, so that all of them share
// the memory for their lists.
func (e *engineIndex) fillGroups() {
	var sizes []int
	for i, number := range e.groupOf {
		if number == len(e.groups) {
			key := labelKey{e.sandboxes[i].Profile, e.sandboxes[i].Task}
			e.groups, sizes = append(e.groups, labelGroup{index: e, key: key}), append(sizes, 0)
		}
		sizes[number]++
	}
	members, places := make([]*Sandbox, len(e.sandboxes)), make([]int, len(e.sandboxes))
	for i, size := range sizes {
		e.groups[i].members, members = members[:0:size], members[size:]
		e.groups[i].places, places = places[:0:size], places[size:]
	}
	for i, number := range e.groupOf {
		group := &e.groups[number]
		group.members, group.places = append(group.members, &e.sandboxes[i]), append(group.places, i)
	}
}

// foreignHolder returns a running sandbox other than s that writes to a host
// path which s writes to as well (contract 3.2.6), and that path.
func (e *engineIndex) foreignHolder(s *Sandbox) (*Sandbox, Text) {
	for _, source := range writtenPaths(s) {
		for _, holder := range e.writers[source] {
			if holder.ID != s.ID {
				return holder, source
			}
		}
	}
	return nil, Text{}
}

// writtenPaths are the host paths a sandbox binds read-write, apart from
// sandbox directories and temporary ones, which Hermes leaves out.
func writtenPaths(s *Sandbox) []Text {
	var paths []Text
	for _, m := range s.Mounts {
		source := m.Source.Raw()
		if m.Type.Raw() != "bind" || !m.RW || source == "" || strings.HasPrefix(source, "/tmp/") ||
			strings.Contains(source, "/sandboxes/docker/") || underSandboxDir(source, s.Policy) {
			continue
		}
		paths = append(paths, m.Source)
	}
	return paths
}

// underSandboxDir reports whether a path lies in a configured sandbox root.
func underSandboxDir(source string, policy *Policy) bool {
	return policy != nil && policy.SandboxDir != "" &&
		strings.HasPrefix(source, strings.TrimSuffix(policy.SandboxDir, "/")+"/docker/")
}

// labelGroup is the sandboxes of one engine with the same profile and task
// label, in list order.
type labelGroup struct {
	index   *engineIndex
	key     labelKey
	members []*Sandbox
	places  []int // of the members in the list
	ticking bool  // a verdict rests on how long ago something was
	choices map[choiceKey]choice
	newests map[choiceKey]*Sandbox
}

type choiceKey struct {
	asker   *asker
	version hermesVersion
}

// choice is what a look-up would take, as positions in the group; -1 is none.
// Possible is the best one of which it is not known whether it matches.
type choice struct{ certain, possible int }

// before reports whether the look-up would take member i rather than j: running
// ones first, then in list order (contract 3.1.3). False when i is none.
func (g *labelGroup) before(i, j int) bool {
	if i < 0 || i == j {
		return false
	}
	first, second := g.members[i].State == StateRunning, g.members[j].State == StateRunning
	if first != second {
		return first
	}
	return i < j
}

// choice finds what a look-up takes. It asks each member once per asker and
// version, so that a long group costs no more than its length.
func (g *labelGroup) choice(from *asker, version hermesVersion) choice {
	key := choiceKey{from, version}
	if found, ok := g.choices[key]; ok {
		return found
	}
	best := choice{certain: -1, possible: -1}
	for i, s := range g.members {
		subject := reuseSubject{sandbox: s, version: version, asker: from, group: g, position: i}
		d := decide(g.index.match, &subject)
		switch {
		case !d.stopped && (best.certain < 0 || g.before(i, best.certain)):
			best.certain = i
		case d.stopped && d.value == ReuseUnknown && (best.possible < 0 || g.before(i, best.possible)):
			best.possible = i
		}
	}
	if g.choices == nil {
		g.choices = map[choiceKey]choice{}
	}
	g.choices[key] = best
	return best
}

// newest is the sandbox whose environment the asker's next process is taken to
// want: the newest of the group with the same home and an environment label
// (contract C). For G5 only one with a name of G5 counts.
func (g *labelGroup) newest(from *asker, version hermesVersion) *Sandbox {
	key := choiceKey{from, version}
	if found, ok := g.newests[key]; ok {
		return found
	}
	var found *Sandbox
	for _, s := range g.members {
		if _, labelled := s.Labels.Get(LabelEnvironment); !labelled || !from.owns(s) {
			continue
		}
		if version == hermesG5 && s.Generation != GenerationG5 && !adopted(s) {
			continue
		}
		found = s
		break
	}
	if g.newests == nil {
		g.newests = map[choiceKey]*Sandbox{}
	}
	g.newests[key] = found
	return found
}

// asker is the next Hermes process of one home on one engine, as far as its
// look-up depends on it.
type asker struct {
	engine  *engineIndex
	profile *Profile // nil: not known
	policy  *Policy  // nil: not known
	home    string
	label   string // value it looks for in hermes-profile
	name    string // for reasons, safe to show
	egress  *Text  // wanted egress label, once looked up
}

// shared reports whether the asker uses a shared container key.
func (a *asker) shared() bool { return sharedKey(a.policy) != "" }

// owns reports whether a sandbox is of the asker's home. One under a shared key
// is everyone's who has the key, whichever home its directories are in.
func (a *asker) owns(s *Sandbox) bool { return a.shared() || s.Home == a.home }

// unknown says why nothing is known of what the asker is set to do.
func (a *asker) unknown() string {
	if a.profile == nil {
		return "no profile is known here that it belongs to"
	}
	return "the configuration of " + a.name + " could not be read"
}

// wantedEgress is the egress label the asker looks for: off without the proxy,
// else the newest fingerprint of its sandboxes; empty when there is none yet.
// Known is false when the configuration does not tell.
func (a *asker) wantedEgress() (wanted Text, known bool) {
	switch {
	case a.policy == nil || a.policy.ProxyEnabled == nil:
		return Text{}, false
	case !*a.policy.ProxyEnabled:
		return NewText("off"), true
	case a.egress != nil:
		return *a.egress, true
	}
	a.egress = &Text{}
	for _, s := range a.engine.byProfile[NewText(a.label)] {
		label := s.Labels.Value(LabelEgress)
		if a.owns(s) && hexDigits(label.Raw(), fingerprintDigits) {
			*a.egress = label
			break
		}
	}
	return *a.egress, true
}

// reap asks the asker's own reaper, which runs before its look-up.
func (a *asker) reap(s *Sandbox) decision[reapValue] {
	subject := reapSubject{sandbox: s, reaper: a.profile, now: a.engine.engine.Now(a.engine.now)}
	if a.engine.engine.SkewKnown {
		subject.skew = a.engine.engine.Skew
	}
	return decide(a.engine.reapRules, &subject)
}

// nameOf is a sandbox's name for a reason, or its short ID when it has none.
func nameOf(s *Sandbox) string {
	if s.Name.Empty() {
		return s.ID.Short()
	}
	return s.Name.Display()
}
