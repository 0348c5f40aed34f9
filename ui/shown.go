package ui

import (
	"slices"
	"time"

	"hermes-sandbox/model"
)

// setFleet takes a new fleet in: the rows are made anew, the cursor stays on
// its sandbox, marks of vanished sandboxes go.
func (m *Model) setFleet(fleet *model.Fleet) {
	old, places := m.fleet, m.index
	first := old == nil || len(old.Sandboxes) == 0
	m.fleet = fleet
	m.setNow(fleet.GeneratedAt)
	if !sameKeys(old, fleet) {
		m.index = make(map[model.Key]int, len(fleet.Sandboxes))
		for i := range fleet.Sandboxes {
			m.index[fleet.Sandboxes[i].Key()] = i
		}
	}
	m.watchLockdown(old, places)
	m.watchProxies(old)
	m.tree.prune(m.index)
	m.showColumns()
	m.rebuild()
	if first {
		m.tree.firstSandbox()
	}
}

// sameKeys reports whether two fleets have the same sandboxes in the same
// places, as most often.
func sameKeys(a, b *model.Fleet) bool {
	if a == nil || len(a.Sandboxes) != len(b.Sandboxes) {
		return false
	}
	for i := range a.Sandboxes {
		if a.Sandboxes[i].Key() != b.Sandboxes[i].Key() {
			return false
		}
	}
	return true
}

// rebuild works out which rows there are. It runs when the fleet, the filter,
// the order or the grouping changes; drawing needs none of it.
func (m *Model) rebuild() {
	m.detail.stale = true
	if m.fleet == nil {
		return
	}
	m.counts = m.countFleet()
	m.countRequests()
	clocks := m.clocks()
	shown := make([]*model.Sandbox, 0, len(m.fleet.Sandboxes))
	for i := range m.fleet.Sandboxes {
		s := &m.fleet.Sandboxes[i]
		if m.inScope(s) && (m.filter.query.Empty() || m.filter.query.Match(s, clocks[s.Engine])) {
			shown = append(shown, s)
		}
	}
	model.SortSandboxes(shown, m.view.sort, m.view.descending, m.now)
	m.sortByUsage(shown)
	groups := model.GroupSandboxes(shown, m.view.grouping, m.scopedProfiles())
	builder := rowBuilder{shown: shown, grouping: m.view.grouping, folded: m.tree.folded, found: m.filter.text() != ""}
	builder.rows = make([]row, 0, len(m.tree.rows)+1) // most often as many as before
	builder.add(groups, 0)
	m.tree.setRows(shown, builder.rows)
}

// clocks returns what time it is for every engine.
func (m *Model) clocks() map[string]time.Time {
	clocks := make(map[string]time.Time, len(m.fleet.Engines))
	for _, e := range m.fleet.Engines {
		clocks[e.Name] = e.Now(m.now)
	}
	return clocks
}

// engineNow returns what time it is for an engine.
func (m *Model) engineNow(engine string) time.Time {
	if m.fleet != nil {
		if e := m.fleet.Engine(engine); e != nil {
			return e.Now(m.now)
		}
	}
	return m.now
}

// inScope reports whether a sandbox belongs to a chosen profile.
func (m *Model) inScope(s *model.Sandbox) bool {
	if len(m.view.profiles) == 0 || m.view.profiles[s.Profile.Raw()] {
		return true
	}
	return slices.ContainsFunc(m.fleet.Profiles, func(p model.Profile) bool {
		return m.view.profiles[p.Name.Raw()] && belongs(s, &p)
	})
}

// belongs reports whether a sandbox is of a profile: by its home, else by the
// label Hermes writes.
func belongs(s *model.Sandbox, p *model.Profile) bool {
	if s.Home != "" && p.Home != "" {
		return s.Home == p.Home
	}
	return s.Profile.Raw() == p.Label || s.Profile == p.Name
}

// scopedProfiles returns the profiles that are shown even without a sandbox:
// the chosen ones, and none while a filter looks for something.
func (m *Model) scopedProfiles() []model.Profile {
	if m.filter.text() != "" {
		return m.knownHomes()
	}
	if len(m.view.profiles) == 0 {
		return m.fleet.Profiles
	}
	var chosen []model.Profile
	for _, p := range m.fleet.Profiles {
		if m.view.profiles[p.Name.Raw()] {
			chosen = append(chosen, p)
		}
	}
	return chosen
}

// knownHomes returns the profiles that have sandboxes at all.
func (m *Model) knownHomes() []model.Profile {
	homes := make(map[string]bool)
	for i := range m.fleet.Sandboxes {
		homes[m.fleet.Sandboxes[i].Home] = true
	}
	var out []model.Profile
	for _, p := range m.fleet.Profiles {
		if p.Home == "" || homes[p.Home] {
			out = append(out, p)
		}
	}
	return out
}

// rowBuilder flattens groups into rows.
type rowBuilder struct {
	shown    []*model.Sandbox
	grouping model.Grouping
	folded   map[string]bool
	// found leaves out empty groups and opens the folded ones: a filter shows
	// what it found.
	found bool
	rows  []row
}

// add appends groups with everything under them. Rows under a folded group
// are left out; its head still counts them.
func (b *rowBuilder) add(groups []model.Group, depth int) {
	for i := range groups {
		g := &groups[i]
		if b.found && g.Counts.Total == 0 {
			continue
		}
		if b.grouping == model.GroupFlat && !g.Foreign { // a flat list has no heads
			b.addSandboxes(g, depth)
			continue
		}
		folded := b.folded[g.Key] && !b.found
		b.rows = append(b.rows, row{
			key: rowKey{group: g.Key}, at: -1, depth: depth,
			head: &groupHead{Group: g, members: g.All(), folded: folded},
		})
		if !folded {
			b.add(g.Children, depth+1)
			b.addSandboxes(g, depth+1)
		}
	}
}

func (b *rowBuilder) addSandboxes(g *model.Group, depth int) {
	for _, at := range g.Sandboxes {
		b.rows = append(b.rows, row{key: rowKey{sandbox: b.shown[at].Key()}, at: at, depth: depth, titled: !g.Session.Empty()})
	}
}
