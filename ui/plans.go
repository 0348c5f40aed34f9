package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// chosen is what an action is about: the marks, else the row under the cursor,
// else its group.
type chosen struct {
	keys  []model.Key
	bulk  bool // marked or a group, not one sandbox named by the cursor
	notes []string
}

// target works out what an action is about. The set is fixed here: what
// happens to the rows afterwards does not change it.
func (m *Model) target() chosen {
	var c chosen
	if len(m.tree.marks) > 0 {
		c.keys = m.markedKeys()
		if hidden := m.hiddenMarks(); hidden > 0 {
			c.notes = append(c.notes, plural(hidden, "marked sandbox is", "marked sandboxes are")+" hidden by the filter or the profile scope, and in this plan all the same")
		}
		c.bulk = len(c.keys) > 1
		return c
	}
	r, ok := m.tree.current()
	if !ok {
		return c
	}
	c.bulk = r.head != nil
	for _, at := range membersOf(r) {
		c.keys = append(c.keys, m.tree.shown[at].Key())
	}
	if r.head != nil {
		c.notes = append(c.notes, "the whole group "+m.groupTitle(r.head))
	}
	return c
}

// markedKeys returns the marked sandboxes in the order of the screen, those
// that are hidden last.
func (m *Model) markedKeys() []model.Key {
	var keys []model.Key
	seen := make(map[model.Key]bool)
	for _, list := range [][]model.Key{m.tree.order(), fleetKeys(m.fleet)} {
		for _, key := range list {
			if m.tree.marks[key] && !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func fleetKeys(fleet *model.Fleet) []model.Key {
	keys := make([]model.Key, len(fleet.Sandboxes))
	for i := range fleet.Sandboxes {
		keys[i] = fleet.Sandboxes[i].Key()
	}
	return keys
}

// ready reports whether an action can be planned, and says why not.
func (m *Model) ready() bool {
	if why := m.acting(); why != "" {
		m.say(noteWarn, why)
		return false
	}
	if m.run != nil && !m.run.finished {
		m.say(noteWarn, "an action is running; "+m.keys.keyOf("last-result")+" shows it")
		return false
	}
	return true
}

// planFor opens the plan of an action over what is chosen.
func (m *Model) planFor(plans func(c chosen) model.Plan) tea.Cmd {
	if !m.ready() {
		return nil
	}
	c := m.target()
	if len(c.keys) == 0 {
		m.say(noteWarn, "nothing is chosen: put the cursor on a sandbox, or mark some")
		return nil
	}
	return m.show(m.newLivePlan(func() model.Plan { return withNotes(plans(c), c.notes) }))
}

// withNotes puts notes in front of a plan's own.
func withNotes(plan model.Plan, notes []string) model.Plan {
	plan.Notes = slices.Concat(notes, plan.Notes)
	return plan
}

// newLivePlan is a dialog about a plan that can be made again.
func (m *Model) newLivePlan(again func() model.Plan) *planDialog {
	d := newPlanDialog(again(), m.options.ReadOnly)
	d.again = again
	return d
}

// followFleet makes the plan on the screen again as long as there is nothing in
// it to confirm: what kept it from a sandbox, such as an inspect that had not
// come yet, may be over. One that can be confirmed stays as it was read, also
// with all of its rows taken out, which can come back.
func (m *Model) followFleet() tea.Cmd {
	d, ok := m.dialog.(*planDialog)
	if !ok || d.again == nil || d.works(m) || len(d.out) > 0 {
		return nil
	}
	d.base = d.again()
	d.rebuild()
	d.cursor = max(0, min(d.cursor, len(d.plan.Targets)-1))
	if !d.works(m) || !d.guards() {
		return nil
	}
	return tea.Batch(m.startQuiet(), m.prepare(d))
}

func (m *Model) planRemove() tea.Cmd {
	return m.planFor(func(c chosen) model.Plan {
		return model.PlanRemove(m.fleet, c.keys, model.RemoveOptions{Bulk: c.bulk})
	})
}

func (m *Model) planStart() tea.Cmd { return m.planState(model.ActionStart) }
func (m *Model) planStop() tea.Cmd  { return m.planState(model.ActionStop) }

// planPause unpauses when all that is chosen is paused, else it pauses.
func (m *Model) planPause() tea.Cmd {
	if m.fleet == nil {
		return m.planState(model.ActionPause)
	}
	keys := m.target().keys
	for i := range m.fleet.Sandboxes {
		s := &m.fleet.Sandboxes[i]
		if s.State != model.StatePaused && slices.Contains(keys, s.Key()) {
			return m.planState(model.ActionPause)
		}
	}
	return m.planState(model.ActionUnpause)
}

func (m *Model) planState(action model.Action) tea.Cmd {
	return m.planFor(func(c chosen) model.Plan { return model.PlanState(m.fleet, action, c.keys, c.bulk) })
}

// planReap opens the reap plan: of the chosen profiles, else of the profile
// whose head the cursor is on, else of the active one.
func (m *Model) planReap() tea.Cmd {
	if !m.ready() {
		return nil
	}
	options := model.ReapOptions{Profiles: m.reapProfiles()}
	options.Explicit = len(options.Profiles) > 0
	choice := &reapChoice{options: options, exited: true}
	d := m.newLivePlan(func() model.Plan { return model.PlanReap(m.fleet, m.now, choice.options) })
	d.reap = choice
	return m.show(d)
}

func (m *Model) reapProfiles() []model.Text {
	names := make([]string, 0, len(m.view.profiles))
	for name := range m.view.profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	if r, ok := m.tree.current(); ok && len(names) == 0 && r.head != nil && r.head.Depth == 0 &&
		m.view.grouping == model.GroupProfile && !r.head.Foreign && !r.head.Title.Empty() {
		name := r.head.Title
		if r.head.Profile != nil {
			name = r.head.Profile.Name
		}
		return []model.Text{name}
	}
	out := make([]model.Text, len(names))
	for i, name := range names {
		out[i] = model.NewText(name)
	}
	return out
}
