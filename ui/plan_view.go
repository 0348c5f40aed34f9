package ui

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// draw shows the plan: notes, classes, one line per target, more about the one
// under the cursor, and what confirms it.
func (d *planDialog) draw(m *Model, width, height int) box {
	foot := d.footLines(m, width)
	about := d.aboutLines(m, width)
	const tableLines = 3 // at least, so that there is something to choose in
	top := d.topLines(m, width, height-len(foot)-min(tableLines, max(1, len(d.plan.Targets))))
	room := height - len(top) - len(foot)
	list := widget.Clamp(len(d.plan.Targets), 1, max(1, room-min(len(about), max(3, room/3))))
	if rest := max(0, room-list); len(about) > rest {
		about = about[:rest]
	}
	d.page = list
	d.offset = widget.Follow(d.cursor, d.offset, list, len(d.plan.Targets))
	lines := top
	for i := d.offset; i < min(len(d.plan.Targets), d.offset+list); i++ {
		lines = append(lines, d.targetLine(m, i, width))
	}
	if len(d.plan.Targets) == 0 {
		lines = append(lines, m.theme.Styles.Dim.Render("nothing to do"))
	}
	lines = append(lines, about...)
	lines = append(lines, foot...)
	destroys := d.plan.Action == model.ActionRemove || d.plan.Action == model.ActionReap
	note := ""
	if len(d.plan.Targets) > list {
		note = fmt.Sprintf("%d of %d", d.cursor+1, len(d.plan.Targets))
	}
	return box{title: d.title(), lines: lines, note: note, alarm: destroys && d.acts() > 0 && !d.preview}
}

// topLines are what stands above the table, in at most room lines: what is
// chosen, then what else there is to read, as far as it fits.
func (d *planDialog) topLines(m *Model, width, room int) []string {
	styles := m.theme.Styles
	var asked, after []string
	if d.reap != nil {
		asked = d.classLines(m, width)
	}
	if d.lockdown != nil {
		tight := width < tightWidth
		asked = append(d.positionLines(m, width, tight), d.beforeAfterLines(m, width)...)
		if tight { // what will be says enough
			asked = slices.Delete(asked, len(asked)-2, len(asked)-1)
		}
	}
	if n := d.changedCount(m); n > 0 {
		after = append(after, styles.Warn.Render(m.theme.Glyphs.Alert+" "+plural(n, "target has", "targets have")+
			" changed since this plan was made and will be skipped"))
	}
	read := fitting(m, d.readLines(m, width), room-len(asked)-len(after)-2, width)
	var lines []string
	if d.lockdown != nil {
		lines = append(append(asked, read...), after...)
	} else {
		lines = append(append(read, asked...), after...)
	}
	if len(lines) > 0 && len(lines)+2 <= room {
		lines = append(lines, "")
	}
	return append(lines, styles.Dim.Render(d.row(m, width, "    NAME", "PROFILE", "STATE", "METHOD", "LOST / REASON")))
}

// readLines are what there is to read of a plan beside its table: its notes,
// the networks it makes sure of, and its changes of configuration.
func (d *planDialog) readLines(m *Model, width int) []string {
	var lines []string
	for _, note := range d.plan.Notes {
		for _, line := range widget.Wrap(safe(note), width) {
			lines = append(lines, m.theme.Styles.Dim.Render(line))
		}
	}
	return append(append(lines, d.egressLines(m, width)...), d.configLines(m, width)...)
}

// tightWidth is the width of a dialog below which a plan says less at a time.
const tightWidth = 60

// viewAll opens all that there is to read of a plan, where not all fits above
// its table.
const viewAll = "v"

// fitting cuts lines to a room, and says how many are left out.
func fitting(m *Model, lines []string, room, width int) []string {
	if len(lines) <= max(1, room) {
		return lines
	}
	kept := lines[:max(0, room-1):max(0, room-1)]
	return append(kept, m.theme.Styles.Dim.Render(widget.Clip(
		fmt.Sprintf("%s and %s; %s shows all", m.theme.Glyphs.Ellipsis, plural(len(lines)-len(kept), "line more", "lines more"), viewAll),
		width, m.theme.Glyphs.Ellipsis)))
}

func (d *planDialog) changedCount(m *Model) int {
	count := 0
	for i := range d.plan.Targets {
		if t := &d.plan.Targets[i]; t.Decision == model.DecisionAct && m.changed(t) != "" {
			count++
		}
	}
	return count
}

// classLines shows the classes of a reap with the letters that switch them.
func (d *planDialog) classLines(m *Model, width int) []string {
	keys := make(map[model.ReapClass]string)
	for key, class := range classKeys() {
		keys[class] = key
	}
	chosen := map[model.ReapClass]bool{model.ClassExited: d.reap.exited}
	for _, class := range d.reap.options.Include {
		chosen[class] = true
	}
	var parts []string
	for _, class := range append([]model.ReapClass{model.ClassExited}, model.ReapClasses()...) {
		tick := m.theme.Glyphs.Unticked
		if chosen[class] {
			tick = m.theme.Glyphs.Ticked
		}
		parts = append(parts, m.theme.Styles.Key.Render(keys[class])+" "+tick+" "+safe(string(class)))
	}
	var lines []string
	line := ""
	for _, part := range parts {
		if line != "" && widget.Width(line)+widget.Width(part)+3 > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += "   "
		}
		line += part
	}
	return append(lines, line)
}

// row lays out one line of the table.
func (d *planDialog) row(m *Model, width int, name, profile, state, method, rest string) string {
	fit := func(s string, w int) string { return widget.Fit(s, w, m.theme.Glyphs.Ellipsis) }
	nameWidth := widget.Clamp(width*28/100, 12, 30)
	profileWidth := widget.Clamp(width*14/100, 7, 16)
	line := fit(name, nameWidth) + " " + fit(profile, profileWidth) + " " + fit(state, 9) + " " + fit(method, 13) + " "
	return fit(line+rest, width)
}

func (d *planDialog) targetLine(m *Model, at, width int) string {
	t := &d.plan.Targets[at]
	tick := "    "
	if at < len(d.base.Targets) && d.base.Targets[at].Decision == model.DecisionAct {
		tick = m.theme.Glyphs.Ticked + " "
		if t.Decision != model.DecisionAct {
			tick = m.theme.Glyphs.Unticked + " "
		}
	}
	name := label(t.Name, m.theme.Glyphs.Escaped)
	if name == "" {
		name = t.ID.Short()
	}
	method, rest, style := targetWords(t, m.theme.Glyphs.Alert)
	if why := m.changed(t); why != "" && t.Decision == model.DecisionAct {
		rest, style = "changed: "+why, toneWarn
	}
	line := d.row(m, width, tick+name, label(t.Profile, m.theme.Glyphs.Escaped), stateWord(t.State), method, rest)
	look := m.style(style)
	if at == d.cursor {
		look = m.theme.Styles.Selected
	}
	return look.Render(line)
}

// targetWords says what happens to a target: the method and what is lost, or
// that nothing happens and why. The alert sign with a count tells that there
// are warnings, which are read below the table.
func targetWords(t *model.Target, alert string) (method, rest string, look tone) {
	switch t.Decision {
	case model.DecisionAct:
		losses := make([]string, len(t.Loses))
		for i, l := range t.Loses {
			losses[i] = safe(string(l))
		}
		rest = strings.Join(losses, ", ")
		if rest == "" {
			rest = "nothing"
		}
		if len(t.Warnings) > 0 {
			rest = fmt.Sprintf("%s%d %s", alert, len(t.Warnings), rest)
		}
		return t.Method.Words(), rest, toneText
	case model.DecisionRefuse:
		return "refused", safe(t.Reason), toneWarn
	default:
		return "kept", safe(t.Reason), toneDim
	}
}

// aboutLines says everything about the target under the cursor.
func (d *planDialog) aboutLines(m *Model, width int) []string {
	if d.cursor >= len(d.plan.Targets) {
		return nil
	}
	t := &d.plan.Targets[d.cursor]
	lines := []string{""}
	add := func(text string, style theme.Look) {
		for _, line := range widget.Wrap(text, width) {
			lines = append(lines, style.Render(line))
		}
	}
	about := label(t.Name, m.theme.Glyphs.Escaped) + "  " + t.ID.Short() + "  task " + orNone(label(t.Task, m.theme.Glyphs.Escaped))
	if m.severalEngines() {
		about += "  on " + raw(t.Engine)
	}
	add(about, m.theme.Styles.Bold)
	if t.Reason != "" {
		add(m.homePaths(safe(t.Reason)), m.theme.Styles.Text)
	}
	for _, w := range t.Warnings {
		add(m.theme.Glyphs.Alert+" "+safe(w), m.theme.Styles.Warn)
	}
	return lines
}

func (m *Model) severalEngines() bool { return m.fleet != nil && len(m.fleet.Engines) > 1 }

// footLines are the buttons and, where asked for, the count.
func (d *planDialog) footLines(m *Model, width int) []string {
	styles := m.theme.Styles
	lines := []string{""}
	if d.refusal != "" {
		lines = append(lines, styles.Warn.Render(widget.Clip(d.refusal, width, m.theme.Glyphs.Ellipsis)))
	}
	switch {
	case d.preview:
		return append(lines, styles.Badge.Render("read-only: nothing can be carried out")+"  "+styles.ButtonFocus.Render("[ Close ]"))
	case !d.works(m):
		return append(lines, styles.ButtonFocus.Render("[ Close ]"))
	}
	cancel, confirm := styles.ButtonFocus, styles.Button
	if d.confirm {
		cancel, confirm = styles.Button, styles.ButtonFocus
	}
	line := cancel.Render("[ Cancel ]") + "  " + confirm.Render("[ "+d.title()+" ]")
	hint := styles.Dim.Render("y confirms, space takes a row out")
	if d.mustType(m) {
		hint = styles.Warn.Render(fmt.Sprintf("type %d to confirm: ", d.acts())) + styles.Bold.Render(d.typed) + styles.Cursor.Render(" ")
	}
	if widget.Width(line)+2+widget.Width(hint) > width { // what is typed has to be seen
		return append(lines, hint, line)
	}
	return append(lines, line+"  "+hint)
}
