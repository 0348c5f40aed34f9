package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// filterLimit bounds what can be typed, in characters.
const filterLimit = 500

// filter is the list's filter and, while it is being typed, its text field.
type filter struct {
	field    widget.Field
	typing   bool
	query    model.Query
	problems []string
}

// text returns the filter as typed.
func (f *filter) text() string { return f.field.Value() }

func (m *Model) startFilter() tea.Cmd {
	m.filter.typing = true
	m.focus = paneTree
	return nil
}

// filterKey takes every key while the filter is being typed.
func (m *Model) filterKey(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "enter":
		m.filter.typing = false
	case "esc":
		m.clearFilter()
	case "up", "down":
		m.filter.typing = false
		if msg.String() == "down" {
			m.move(1)
		}
	default:
		if m.filter.field.Update(msg) {
			m.applyFilter()
		}
	}
}

func (m *Model) clearFilter() {
	m.filter.typing = false
	m.filter.field.SetValue("")
	m.applyFilter()
}

// applyFilter reads the text and makes the rows anew. A half-typed filter is
// never an error.
func (m *Model) applyFilter() {
	m.filter.query, m.filter.problems = model.ParseQueryLenient(m.filter.text())
	m.rebuild()
}

// filterLine draws the text field in place of the footer.
func (m *Model) filterLine() string {
	before, after := m.filter.field.Parts()
	prompt := m.theme.Styles.Key.Render(" /")
	left := prompt + raw(before) + cursorCell(m, after)
	right := plural(m.matches(), "match", "matches") + " "
	style := m.theme.Styles.Dim
	if len(m.filter.problems) > 0 {
		right, style = safe(strings.Join(m.filter.problems, "; "))+" ", m.theme.Styles.Warn
	}
	right = widget.Clip(right, max(10, m.width/2), m.theme.Glyphs.Ellipsis)
	return widget.Spread(left, style.Render(right), m.width, m.theme.Glyphs.Ellipsis)
}

// cursorCell draws what stands under and after the cursor of a text field.
func cursorCell(m *Model, after string) string {
	under, rest := " ", ""
	if after != "" {
		runes := []rune(after)
		under, rest = raw(string(runes[:1])), raw(string(runes[1:]))
	}
	return m.theme.Styles.Cursor.Render(under) + rest
}

func (m *Model) matches() int { return len(m.tree.shown) }
