package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// hostsDialog edits the hosts of the allowlist in a plan: a field adds some,
// the list takes some off. Nothing is done before the plan is confirmed.
type hostsDialog struct {
	plan    *planDialog
	rows    []hostRow
	field   widget.Field
	cursor  int
	offset  int
	page    int
	problem string
}

// hostRow is an entry of the list. Added ones are not on it yet.
type hostRow struct {
	host        string
	added, gone bool
}

// hostsLimit bounds what can be typed or pasted at once, in characters.
const hostsLimit = 4000

func newHostsDialog(m *Model, plan *planDialog) *hostsDialog {
	d := &hostsDialog{plan: plan, field: widget.NewField(hostsLimit)}
	entries, _ := plan.lockdown.entries(m.fleet)
	options := &plan.lockdown.options
	for _, host := range entries {
		d.rows = append(d.rows, hostRow{host: host, gone: slices.Contains(options.Deny, host)})
	}
	for _, host := range options.Allow {
		if !slices.Contains(entries, host) {
			d.rows = append(d.rows, hostRow{host: host, added: true})
		}
	}
	return d
}

func (d *hostsDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch key := msg.String(); key {
	case "esc":
		return m.show(d.plan)
	case "enter":
		if d.field.Value() != "" {
			d.add(m)
			return nil
		}
		return d.done(m)
	case "space", "delete":
		if d.field.Value() == "" {
			d.toggle()
			return nil
		}
		if key == "space" {
			d.add(m)
		}
	case "up", "down", "pgup", "pgdown":
		listKey(key, &d.cursor, len(d.rows), d.page)
	default:
		if d.field.Update(msg) {
			d.problem = ""
		}
	}
	return nil
}

func (d *hostsDialog) paste(_ *Model, msg tea.PasteMsg) {
	msg.Content = strings.Join(strings.Fields(msg.Content), " ")
	if d.field.Update(msg) {
		d.problem = ""
	}
}

// add puts what was typed on the list; what cannot be used stays in the field,
// with the reason.
func (d *hostsDialog) add(m *Model) {
	typed := strings.FieldsFunc(d.field.Value(), func(r rune) bool { return r == ',' || r == ' ' })
	hosts, err := m.checkHosts(typed)
	if err != nil {
		d.problem = safe(err.Error())
		return
	}
	d.problem = ""
	d.field.SetValue("")
	for _, host := range hosts {
		at := slices.IndexFunc(d.rows, func(row hostRow) bool { return row.host == host })
		if at < 0 {
			at = len(d.rows)
			d.rows = append(d.rows, hostRow{host: host, added: true})
		}
		d.rows[at].gone = false
		d.cursor = at
	}
}

// checkHosts returns entries as they are compared, or why one cannot be used.
func (m *Model) checkHosts(entries []string) ([]string, error) {
	if m.options.CheckHosts == nil {
		return model.EditAllowlist(nil, entries, nil), nil
	}
	return m.options.CheckHosts(entries)
}

// toggle takes the entry under the cursor off, or puts it back. One that was
// only just added goes without a trace.
func (d *hostsDialog) toggle() {
	if d.cursor >= len(d.rows) {
		return
	}
	if d.rows[d.cursor].added {
		d.rows = slices.Delete(d.rows, d.cursor, d.cursor+1)
		d.cursor = widget.Clamp(d.cursor, 0, max(0, len(d.rows)-1))
		return
	}
	d.rows[d.cursor].gone = !d.rows[d.cursor].gone
}

// done goes back to the plan, which is made anew with the changes.
func (d *hostsDialog) done(m *Model) tea.Cmd {
	options := &d.plan.lockdown.options
	options.Allow, options.Deny = nil, nil
	for _, row := range d.rows {
		switch {
		case row.added:
			options.Allow = append(options.Allow, row.host)
		case row.gone:
			options.Deny = append(options.Deny, row.host)
		}
	}
	return tea.Batch(m.show(d.plan), d.plan.replan(m))
}

func (d *hostsDialog) draw(m *Model, width, height int) box {
	styles := m.theme.Styles
	before, after := d.field.Parts()
	lines := []string{styles.Key.Render("add  ") + raw(before) + cursorCell(m, after)}
	if d.problem != "" {
		for _, line := range widget.Wrap(d.problem, width) {
			lines = append(lines, styles.Warn.Render(line))
		}
	} else {
		lines = append(lines, styles.Dim.Render(widget.Clip("a host, *.domain for the names below it, or either with :port", width, m.theme.Glyphs.Ellipsis)))
	}
	lines = append(lines, "")
	foot := styles.Dim.Render(widget.Clip("enter adds, then goes back to the plan; space takes off or back; esc leaves the list as it was", width, m.theme.Glyphs.Ellipsis))
	d.page = max(1, min(max(1, len(d.rows)), height-len(lines)-2))
	d.offset = widget.Follow(d.cursor, d.offset, d.page, len(d.rows))
	for i := d.offset; i < min(len(d.rows), d.offset+d.page); i++ {
		lines = append(lines, d.line(m, i, width))
	}
	if len(d.rows) == 0 {
		lines = append(lines, styles.Dim.Render("no host yet: without one nothing can be reached, which is what locked down is for"))
	}
	return box{title: d.title(), lines: append(lines, "", foot), note: hostsNote(d)}
}

func (d *hostsDialog) line(m *Model, at, width int) string {
	row := d.rows[at]
	sign, look := " ", m.theme.Styles.Text
	switch {
	case row.added:
		sign, look = "+", m.style(toneCalm)
	case row.gone:
		sign, look = "-", m.style(toneWarn)
	}
	marker := "  "
	if at == d.cursor {
		marker, look = m.theme.Glyphs.Cursor+" ", m.theme.Styles.Selected
	}
	return look.Render(widget.Fit(marker+sign+" "+raw(row.host), width, m.theme.Glyphs.Ellipsis))
}

func (d *hostsDialog) title() string { return "Hosts that can be reached" }

// hostsNote counts what changes.
func hostsNote(d *hostsDialog) string {
	added, gone := 0, 0
	for _, row := range d.rows {
		switch {
		case row.added:
			added++
		case row.gone:
			gone++
		}
	}
	return plural(len(d.rows)-gone, "host", "hosts") + changeWords(added, gone)
}
