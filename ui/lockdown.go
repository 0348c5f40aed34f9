package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// planLockdown opens the plan for the position of the profile under the cursor.
// It begins with the position a person most likely wants, and offers all three.
func (m *Model) planLockdown() tea.Cmd {
	if !m.ready() {
		return nil
	}
	choice := &lockdownChoice{action: model.ActionLockdownOn}
	profile, found := m.profileHere()
	switch {
	case profile != nil:
		choice.options.Homes = []string{profile.Home}
		choice.action = m.likelyAction(profile)
	case found:
		m.say(noteWarn, "no home on this machine has this profile, so there is no policy to change; "+
			m.keys.keyOf("cut")+" cuts its sandboxes alone")
		return nil
	default:
		m.say(noteWarn, "put the cursor on a profile, or on a sandbox of one")
		return nil
	}
	return m.showLockdown(choice, nil)
}

// likelyAction is the position a plan begins with: an open profile is locked
// down, one that is locked and in line is opened up, one that is broken is
// brought into line, and of an allowlist its hosts are shown.
func (m *Model) likelyAction(profile *model.Profile) model.Action {
	policy := profile.Policy
	switch {
	case policy != nil && policy.Position == model.PositionAllowlist:
		return model.ActionLockdownAllowlist
	case policy != nil && policy.DockerNetwork != nil && !*policy.DockerNetwork && model.StandingOf(m.fleet, profile).Violations == 0:
		return model.ActionLockdownOff
	default:
		return model.ActionLockdownOn
	}
}

// profileHere returns the profile of the row under the cursor. Found tells that
// there is a row; without a profile no known home has it.
func (m *Model) profileHere() (profile *model.Profile, found bool) {
	r, ok := m.tree.current()
	if !ok {
		return nil, false
	}
	if r.head != nil && r.head.Profile != nil {
		return m.homeOf(func(p *model.Profile) bool { return p.Home == r.head.Profile.Home }), true
	}
	members := membersOf(r)
	if len(members) == 0 || r.head != nil && (m.view.grouping != model.GroupProfile || r.depth == 0) {
		return nil, r.head != nil && m.view.grouping == model.GroupProfile
	}
	s := m.tree.shown[members[0]]
	return m.homeOf(func(p *model.Profile) bool { return model.Belongs(s, p) }), true
}

func (m *Model) homeOf(is func(*model.Profile) bool) *model.Profile {
	for i := range m.fleet.Profiles {
		if p := &m.fleet.Profiles[i]; p.Home != "" && is(p) {
			return p
		}
	}
	return nil
}

// planCut opens the plan that cuts what is chosen off, or reconnects it when
// all of it was cut off here; the allowlist can be chosen instead. An alarm on the screen chooses its sandboxes.
func (m *Model) planCut() tea.Cmd {
	if !m.ready() {
		return nil
	}
	c := m.target()
	if lost := m.lost.keys; len(lost) > 0 {
		c = chosen{keys: lost, bulk: len(lost) > 1, notes: []string{"what the alarm is about"}}
		m.lost = lostLockdown{}
	}
	if len(c.keys) == 0 {
		m.say(noteWarn, "nothing is chosen: put the cursor on a sandbox, or mark some")
		return nil
	}
	choice := &lockdownChoice{action: model.ActionLockdownOn, keys: c.keys, options: model.LockdownOptions{Bulk: c.bulk}}
	if m.allCutHere(c.keys) {
		choice.action = model.ActionLockdownOff
	}
	return m.showLockdown(choice, c.notes)
}

func (m *Model) allCutHere(keys []model.Key) bool {
	return !slices.ContainsFunc(keys, func(key model.Key) bool {
		at, known := m.index[key]
		return !known || m.fleet.Sandboxes[at].Cut == nil || !closedLevel(m.fleet.Sandboxes[at].Posture.Effective)
	})
}

func (m *Model) showLockdown(choice *lockdownChoice, notes []string) tea.Cmd {
	choice.options.Running = model.RunningChoices(choice.action)[0]
	d := m.newLivePlan(func() model.Plan { return withNotes(choice.plan(m.fleet), notes) })
	d.lockdown = choice
	return m.showPrepared(d)
}
