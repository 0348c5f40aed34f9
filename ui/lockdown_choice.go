package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// lockdownChoice is what a plan for a position is asked to do.
type lockdownChoice struct {
	action  model.Action
	options model.LockdownOptions
	keys    []model.Key // sandboxes alone; nil: whole profiles
}

func (c *lockdownChoice) plan(fleet *model.Fleet) model.Plan {
	options := c.options
	if c.action != model.ActionLockdownAllowlist {
		options.Allow, options.Deny = nil, nil
	}
	if c.keys != nil {
		return model.PlanLockdownOf(fleet, c.action, c.keys, options)
	}
	return model.PlanLockdown(fleet, c.action, options)
}

// entries returns the allowlist there is before the changes of the choice:
// that of the profile, or those the sandboxes are on, each entry once. Several
// tells that not all sandboxes are on the same.
func (c *lockdownChoice) entries(fleet *model.Fleet) (entries []string, several bool) {
	lists := 0
	take := func(list []string) {
		if lists > 0 && !slices.Equal(entries, list) {
			several = true
		}
		lists++
		entries = model.EditAllowlist(entries, list, nil)
	}
	for i := range fleet.Profiles {
		if p := &fleet.Profiles[i]; c.keys == nil && slices.Contains(c.options.Homes, p.Home) {
			list, _ := model.AllowlistOf(fleet, p)
			take(list)
		}
	}
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if !slices.Contains(c.keys, s.Key()) {
			continue
		}
		list, known := model.AllowlistOn(fleet, s)
		if !known && s.Policy != nil {
			list = s.Policy.Allowlist
		}
		take(list)
	}
	return entries, several
}

// positionKey is a position with the letter that takes it.
type positionKey struct {
	key    string
	action model.Action
	word   string // for a profile
	alone  string // for sandboxes alone, whose configuration stays
}

// positionKeys are the three positions, from the most open one.
func positionKeys() []positionKey {
	return []positionKey{
		{"o", model.ActionLockdownOff, "open", "open again"},
		{"a", model.ActionLockdownAllowlist, "allowlist", "allowlist"},
		{"l", model.ActionLockdownOn, "locked down", "cut off"},
	}
}

// runningKeys are the letters that choose what becomes of the sandboxes.
func runningKeys() map[string]model.Running {
	return map[string]model.Running{
		"m": model.RunningMove, "c": model.RunningCut, "b": model.RunningRebuild, "r": model.RunningRemove, "e": model.RunningKeep,
		"t": model.RunningRestart, "h": model.RunningHot,
	}
}

// editHosts and its twin open the list of hosts.
const editHosts, editHostsToo = "+", "-"

// choiceKey takes a position, what becomes of the sandboxes, or opens the list
// of hosts.
func (d *planDialog) choiceKey(m *Model, key string) (tea.Cmd, bool) {
	if d.lockdown == nil {
		return nil, false
	}
	for _, position := range positionKeys() {
		if position.key == key {
			return d.takePosition(m, position.action), true
		}
	}
	running, ok := runningKeys()[key]
	switch {
	case ok && slices.Contains(model.RunningChoices(d.lockdown.action), running):
		d.lockdown.options.Running = running
		return d.replan(m), true
	case d.lockdown.action == model.ActionLockdownAllowlist && (key == editHosts || key == editHostsToo):
		return m.show(newHostsDialog(m, d)), true
	}
	return nil, false
}

// takePosition chooses a position. An allowlist without any host is asked for
// its hosts first.
func (d *planDialog) takePosition(m *Model, action model.Action) tea.Cmd {
	if action == d.lockdown.action {
		return nil
	}
	d.lockdown.action = action
	d.lockdown.options.Running = model.RunningChoices(action)[0]
	command := d.replan(m)
	if action == model.ActionLockdownAllowlist && len(d.hosts(m)) == 0 {
		return tea.Batch(command, m.show(newHostsDialog(m, d)))
	}
	return command
}

// hosts is the list as it will be.
func (d *planDialog) hosts(m *Model) []string {
	entries, _ := d.lockdown.entries(m.fleet)
	return model.EditAllowlist(entries, d.lockdown.options.Allow, d.lockdown.options.Deny)
}

// replan makes the plan anew from the fleet as it is now.
func (d *planDialog) replan(m *Model) tea.Cmd {
	d.base = d.again()
	d.rebuild()
	d.cursor = 0
	return m.prepare(d)
}

// positionLines show the position, its hosts, and what becomes of the
// sandboxes, each with the letters that choose. Where it is tight the names of
// the lines go, and most of the hosts.
func (d *planDialog) positionLines(m *Model, width int, tight bool) []string {
	styles, glyphs := m.theme.Styles, m.theme.Glyphs
	var positions, fates []string
	for _, position := range positionKeys() {
		word, sign, look := position.word, glyphs.NotChosen, styles.Text
		if d.lockdown.keys != nil {
			word = position.alone
		}
		if position.action == d.lockdown.action {
			sign, look = glyphs.Chosen, styles.Bold
		}
		positions = append(positions, styles.Key.Render(position.key)+" "+look.Render(sign+" "+word))
	}
	letters := make(map[model.Running]string)
	for key, running := range runningKeys() {
		letters[running] = key
	}
	for _, running := range model.RunningChoices(d.lockdown.action) {
		tick := glyphs.Unticked
		if running == d.lockdown.options.Running {
			tick = glyphs.Ticked
		}
		fates = append(fates, styles.Key.Render(letters[running])+" "+tick+" "+string(running))
	}
	names, gap := [3]string{"position   ", "hosts      ", "sandboxes  "}, "   "
	if tight {
		names, gap = [3]string{}, "  "
	}
	lines := flow(names[0], gap, positions, width)
	if d.lockdown.action == model.ActionLockdownAllowlist {
		lines = append(lines, d.hostLines(m, names[1], width, tight)...)
	}
	return append(lines, flow(names[2], gap, fates, width)...)
}

// flow lays parts out behind a name, on as many lines as they need.
func flow(name, gap string, parts []string, width int) []string {
	var lines []string
	line := name
	for i, part := range parts {
		if i > 0 && widget.Width(line)+len(gap)+widget.Width(part) > width {
			lines = append(lines, line)
			line = strings.Repeat(" ", widget.Width(name))
		} else if i > 0 {
			line += gap
		}
		line += part
	}
	return append(lines, line)
}

// hostLineLimit is how many lines of hosts a plan shows.
const hostLineLimit = 3

// hostLines show the list: what is added and taken off first.
func (d *planDialog) hostLines(m *Model, name string, width int, tight bool) []string {
	styles := m.theme.Styles
	entries, several := d.lockdown.entries(m.fleet)
	options := &d.lockdown.options
	var parts []string
	for _, host := range options.Allow {
		if !slices.Contains(entries, host) {
			parts = append(parts, m.style(toneCalm).Render("+"+raw(host)))
		}
	}
	for _, host := range options.Deny {
		if slices.Contains(entries, host) {
			parts = append(parts, m.style(toneWarn).Render("-"+raw(host)))
		}
	}
	for _, host := range entries {
		if !slices.Contains(options.Deny, host) {
			parts = append(parts, raw(host))
		}
	}
	edit := styles.Key.Render(editHosts) + " edits"
	if len(parts) == 0 {
		return []string{name + styles.Warn.Render("no host yet; ") + edit}
	}
	limit := hostLineLimit
	if tight {
		limit = 1
	}
	for i, part := range parts {
		parts[i] = widget.Clip(part, max(1, width-widget.Width(name)), m.theme.Glyphs.Ellipsis)
	}
	lines := flow(name, "  ", append(parts, edit), width)
	if len(lines) > limit {
		count := plural(len(d.hosts(m)), "host", "hosts") + changeWords(len(options.Allow), len(options.Deny))
		lines = append(lines[:limit-1:limit-1], widget.Spaces(widget.Width(name))+count+"  "+edit)
		if limit == 1 {
			lines[0] = name + count + "  " + edit
		}
	}
	if several {
		lines = append(lines, styles.Dim.Render(widget.Spaces(widget.Width(name))+"not all are on the same list; a change is made to each list"))
	}
	return lines
}
