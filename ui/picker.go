package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// choice is one line of a picker; text and hint are safe to show.
type choice struct {
	text, hint string
	value      string
}

// picker chooses from a list by typing a part of a name.
type picker struct {
	title   string
	choices []choice
	several bool
	ticked  map[string]bool // by value, when several can be chosen
	field   widget.Field
	cursor  int
	offset  int
	page    int
	done    func(m *Model, values []string) tea.Cmd
}

const pickerLimit = 120

func newPicker(title string, choices []choice, done func(*Model, []string) tea.Cmd) *picker {
	return &picker{
		title: title, choices: choices, done: done,
		field: widget.NewField(pickerLimit), ticked: make(map[string]bool),
	}
}

// found returns the choices that match what was typed, best first.
func (d *picker) found() []choice {
	if d.field.Value() == "" {
		return d.choices
	}
	names := make([]string, len(d.choices))
	for i, c := range d.choices {
		names[i] = c.text + " " + c.hint
	}
	matches := fuzzy.Find(d.field.Value(), names)
	out := make([]choice, len(matches))
	for i, match := range matches {
		out[i] = d.choices[match.Index]
	}
	return out
}

func (d *picker) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	found := d.found()
	switch key := msg.String(); key {
	case "esc":
		m.closeDialog()
	case "enter":
		return d.choose(m, found)
	case "space", "tab":
		if d.several && d.cursor < len(found) {
			v := found[d.cursor].value
			d.ticked[v] = !d.ticked[v]
		}
	case "up", "down", "pgup", "pgdown":
		listKey(key, &d.cursor, len(found), d.page)
	default:
		if d.field.Update(msg) {
			d.cursor = 0
		}
	}
	return nil
}

func (d *picker) paste(_ *Model, msg tea.PasteMsg) {
	if d.field.Update(msg) {
		d.cursor = 0
	}
}

// choose takes the ticked ones, else the one under the cursor.
func (d *picker) choose(m *Model, found []choice) tea.Cmd {
	var values []string
	for _, c := range d.choices {
		if d.ticked[c.value] {
			values = append(values, c.value)
		}
	}
	if len(values) == 0 {
		if d.cursor >= len(found) {
			return nil
		}
		values = []string{found[d.cursor].value}
	}
	m.closeDialog()
	return d.done(m, values)
}

func (d *picker) draw(m *Model, width, height int) box {
	found := d.found()
	d.cursor = widget.Clamp(d.cursor, 0, max(0, len(found)-1))
	d.page = max(1, min(len(d.choices), height-2, 18))
	d.offset = widget.Follow(d.cursor, d.offset, d.page, len(found))
	before, after := d.field.Parts()
	lines := []string{m.theme.Styles.Key.Render("> ") + raw(before) + cursorCell(m, after), ""}
	for i := d.offset; i < d.offset+d.page; i++ {
		if i >= len(found) {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, d.line(m, found[i], i == d.cursor, width))
	}
	if len(found) == 0 && len(lines) > 2 {
		lines[2] = m.theme.Styles.Dim.Render("  nothing matches")
	}
	note := "enter chooses, esc closes"
	if d.several {
		note = "space ticks, enter shows them, esc closes"
	}
	return box{title: d.title, lines: lines, note: note}
}

func (d *picker) line(m *Model, c choice, current bool, width int) string {
	marker := "  "
	if current {
		marker = m.theme.Glyphs.Cursor + " "
	}
	if d.several {
		tick := m.theme.Glyphs.Unticked
		if d.ticked[c.value] {
			tick = m.theme.Glyphs.Ticked
		}
		marker += tick + " "
	}
	left := marker + c.text
	if current {
		return m.theme.Styles.Selected.Render(widget.Spread(left, c.hint+" ", width, m.theme.Glyphs.Ellipsis))
	}
	return widget.Spread(left, m.theme.Styles.Dim.Render(c.hint+" "), width, m.theme.Glyphs.Ellipsis)
}

// openPalette lists every action by name; those for moving about, which one
// does not look up, come last.
func (m *Model) openPalette() tea.Cmd {
	choices := make([]choice, 0, len(m.keys.actions))
	actions := slices.Clone(m.keys.actions)
	slices.SortStableFunc(actions, func(a, b action) int {
		return slices.Index(paletteOrder(), a.section) - slices.Index(paletteOrder(), b.section)
	})
	for _, a := range actions {
		hint := a.help
		if len(a.keys) > 0 {
			hint += "  " + safe(a.keys[0])
		}
		choices = append(choices, choice{text: a.name, hint: hint, value: a.name})
	}
	return m.show(newPicker("Actions", choices, func(m *Model, values []string) tea.Cmd {
		a, ok := m.keys.named(values[0])
		if !ok {
			return nil
		}
		return a.run(m)
	}))
}

// chooseProfiles lists the profiles, those known from labels alone included.
func (m *Model) chooseProfiles() tea.Cmd {
	if m.fleet == nil {
		return nil
	}
	var choices []choice
	seen := make(map[string]bool)
	add := func(name model.Text, hint string) {
		if !seen[name.Raw()] && !name.Empty() {
			seen[name.Raw()] = true
			choices = append(choices, choice{text: label(name, m.theme.Glyphs.Escaped), hint: hint, value: name.Raw()})
		}
	}
	for i := range m.fleet.Profiles {
		add(m.fleet.Profiles[i].Name, m.positionHint(&m.fleet.Profiles[i])+"  "+m.homePath(m.fleet.Profiles[i].Home))
	}
	labels := make(map[string]bool)
	for i := range m.fleet.Profiles {
		labels[m.fleet.Profiles[i].Label] = true
	}
	for i := range m.fleet.Sandboxes {
		if s := &m.fleet.Sandboxes[i]; !labels[s.Profile.Raw()] {
			add(s.Profile, "known from its label alone")
		}
	}
	if len(choices) == 0 {
		m.say(noteWarn, "there is no profile to choose")
		return nil
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return strings.Compare(a.text, b.text) })
	d := newPicker("Profiles", choices, func(m *Model, values []string) tea.Cmd {
		clear(m.view.profiles)
		for _, v := range values {
			m.view.profiles[v] = true
		}
		m.rebuild()
		return nil
	})
	d.several = true
	for name := range m.view.profiles {
		d.ticked[name] = true
	}
	return m.show(d)
}

func paletteOrder() []section {
	return []section{sectionAct, sectionView, sectionMark, sectionDetail, sectionOther, sectionMove}
}
