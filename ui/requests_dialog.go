package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// requestsDialog lists the hosts that sandboxes asked for, to decide on them.
type requestsDialog struct {
	title   string
	keys    []model.Key
	on      HostDecision // the host under the cursor, wherever it stands by now
	offset  int
	page    int
	refusal string
}

// openHosts lists what the sandboxes of the row under the cursor asked for; of
// a sandbox with a profile, what all of that profile did.
func (m *Model) openHosts() tea.Cmd {
	if m.fleet == nil {
		return nil
	}
	c := m.target()
	d := &requestsDialog{title: "Hosts asked for", keys: c.keys}
	if s := m.tree.sandbox(); s != nil && len(m.tree.marks) == 0 {
		if profile := m.profileOf(s); profile != nil {
			d.title += " by " + raw(profile.Name.Raw())
			for i := range m.fleet.Sandboxes {
				if other := &m.fleet.Sandboxes[i]; model.Belongs(other, profile) {
					d.keys = append(d.keys, other.Key())
				}
			}
		}
	}
	return m.show(d)
}

// hosts returns the list, and where the cursor is in it.
func (d *requestsDialog) hosts(m *Model) (hosts []askedHost, cursor int) {
	hosts = m.asked(func(key model.Key) bool { return slices.Contains(d.keys, key) })
	cursor = max(0, slices.IndexFunc(hosts, func(h askedHost) bool { return h.decision == d.on }))
	if len(hosts) > 0 {
		d.on = hosts[cursor].decision
	}
	return hosts, cursor
}

func (d *requestsDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	hosts, cursor := d.hosts(m)
	key := msg.String()
	if listKey(key, &cursor, len(hosts), d.page) {
		d.refusal = ""
		if len(hosts) > 0 {
			d.on = hosts[cursor].decision
		}
		return nil
	}
	switch key {
	case "esc", "q", "enter":
		m.closeDialog()
		return nil
	}
	if len(hosts) == 0 {
		return nil
	}
	switch h := &hosts[cursor]; key {
	case "a":
		return d.allow(m, h)
	case "d":
		return d.deny(m, h)
	}
	return nil
}

// allow opens the plan that puts a host on the list.
func (d *requestsDialog) allow(m *Model, h *askedHost) tea.Cmd {
	switch {
	case h.host.Empty():
		d.refusal = "the request could not be read, so there is no host to allow"
		return nil
	case h.covered && h.reason.Raw() == "address-refused":
		d.refusal = "it is on the list; its name leads to an address that is not public, which only the setting egress.allow_cidrs admits"
		return nil
	case h.covered:
		d.refusal = "it is on the list already"
		return nil
	}
	entries, err := m.checkHosts([]string{model.EntryFor(h.host.Raw(), h.port, m.options.EgressPorts)})
	if err != nil {
		d.refusal = safe(err.Error())
		return nil
	}
	choice := m.listChoice(h)
	choice.options.Allow = entries
	return d.plan(m, choice, nil)
}

// deny opens the plan that takes a host off the list; one that is denied as it
// is stays so, and nobody is asked again.
func (d *requestsDialog) deny(m *Model, h *askedHost) tea.Cmd {
	if !h.covered {
		return d.leave(m, h)
	}
	choice := m.listChoice(h)
	entries, _ := choice.entries(m.fleet)
	covering, wide := model.CoveringEntries(entries, h.host.Raw(), h.port, m.options.EgressPorts)
	if len(covering) == 0 {
		d.refusal = "it goes through by a list that is not its profile's; " + m.keys.keyOf("cut") + " changes that of the sandbox alone"
		return nil
	}
	var notes []string
	if wide {
		notes = []string{"what lets it through covers more: " + raw(strings.Join(covering, ", ")) + " is taken off, so the other names below it are denied as well"}
	}
	choice.options.Deny = covering
	return d.plan(m, choice, notes)
}

// listChoice is the list that lets a host through or not: that of the profile
// when it has one, else those the sandboxes are on alone.
func (m *Model) listChoice(h *askedHost) *lockdownChoice {
	choice := &lockdownChoice{action: model.ActionLockdownAllowlist}
	profile := m.homeOf(func(p *model.Profile) bool { return p.Home == h.decision.Home })
	if profile != nil && profile.Policy != nil && profile.Policy.Position == model.PositionAllowlist {
		choice.options.Homes = []string{profile.Home}
		return choice
	}
	choice.keys = h.sandboxes
	choice.options.Bulk = len(h.sandboxes) > 1
	return choice
}

func (d *requestsDialog) plan(m *Model, choice *lockdownChoice, notes []string) tea.Cmd {
	if why := m.acting(); why != "" {
		d.refusal = why
		return nil
	}
	if m.run != nil && !m.run.finished {
		d.refusal = "an action is running"
		return nil
	}
	return m.showLockdown(choice, notes)
}

// leave remembers that a denied host stays denied, or forgets that.
func (d *requestsDialog) leave(m *Model, h *askedHost) tea.Cmd {
	source, ok := m.options.Backend.(EgressSource)
	switch {
	case !ok:
		return nil
	case !h.byList():
		d.refusal = "its latest request was not denied by the list, so there is nothing to decide"
		return nil
	case m.options.ReadOnly:
		d.refusal = "read-only: no decision is remembered"
		return nil
	}
	d.refusal = ""
	decision, denied := h.decision, !h.left
	if denied {
		m.requests.denied[decision] = true
	} else {
		delete(m.requests.denied, decision)
	}
	m.countRequests()
	ctx, at := m.context, m.now
	return func() tea.Msg {
		if err := source.LeaveDenied(ctx, decision, denied); err != nil {
			return noted{kind: noteAlarm, at: at, text: "the decision holds until you quit alone: " + safe(err.Error())}
		}
		return nil
	}
}

func (d *requestsDialog) draw(m *Model, width, height int) box {
	styles := m.theme.Styles
	hosts, cursor := d.hosts(m)
	clip := func(text string) string { return widget.Clip(text, width, m.theme.Glyphs.Ellipsis) }
	foot := []string{"", styles.Dim.Render(clip("a allows, d denies or leaves denied, esc closes; a change of the list shows its plan first"))}
	for _, line := range widget.Wrap(d.refusal, width) {
		if line != "" {
			foot = append(foot, styles.Warn.Render(line))
		}
	}
	lines := []string{styles.Dim.Render(d.row(m, width, "", "LAST", "HOST", "REQUESTS"))}
	d.page = max(1, min(max(1, len(hosts)), height-len(lines)-len(foot)))
	d.offset = widget.Follow(cursor, d.offset, d.page, len(hosts))
	undecided := 0
	for i := range hosts {
		if hosts[i].undecided() {
			undecided++
		}
	}
	for i := d.offset; i < min(len(hosts), d.offset+d.page); i++ {
		sign, look := m.requestLook(&hosts[i])
		if i == cursor {
			look = styles.Selected
		}
		h := &hosts[i]
		lines = append(lines, look.Render(d.row(m, width, sign, h.last.UTC().Format("15:04:05"), hostPort(h), h.words())))
	}
	if len(hosts) == 0 {
		lines = append(lines, styles.Dim.Render(clip("no request through a proxy is known of these sandboxes")))
	}
	note := plural(len(hosts), "host", "hosts")
	if undecided > 0 {
		note += ", " + undecidedWords(undecided)
	}
	return box{title: d.title, lines: append(lines, foot...), note: note}
}

func (d *requestsDialog) row(m *Model, width int, sign, last, host, words string) string {
	fit := func(s string, w int) string { return widget.Fit(s, w, m.theme.Glyphs.Ellipsis) }
	name := widget.Clamp(width*45/100, 16, 46)
	return fit(fit(sign, 1)+" "+fit(last, 8)+"  "+fit(host, name)+"  "+words, width)
}

// undecidedWords says how many denied hosts wait for a decision.
func undecidedWords(count int) string {
	return plural(count, "denied host", "denied hosts") + " to decide on"
}
