package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sandbox/ui/widget"
)

// find looks for words in the text of the detail pane.
type find struct {
	field  widget.Field
	typing bool
	hits   int
}

// startSearch filters the tree or, with the detail pane in focus, looks for
// words in its text.
func (m *Model) startSearch() tea.Cmd {
	if m.focus != paneDetail {
		return m.startFilter()
	}
	m.find = find{field: widget.NewField(filterLimit), typing: true}
	return nil
}

// findKey takes every key while a search is open.
func (m *Model) findKey(msg tea.KeyPressMsg) {
	switch msg.String() {
	case "esc":
		m.find.typing = false
	case "enter", "down":
		m.findFrom(m.detail.scroll.Top() + 1)
	case "up":
		m.detail.scroll.By(-1)
	default:
		if m.find.field.Update(msg) {
			m.findFrom(m.detail.scroll.Top())
		}
	}
}

// findFrom brings the next line that holds what is looked for to the top, from
// a line on and round again. Letter case does not count.
func (m *Model) findFrom(line int) {
	wanted := strings.ToLower(m.find.field.Value())
	m.find.hits = 0
	if wanted == "" {
		return
	}
	first, next := -1, -1
	for i, text := range m.detail.scroll.Lines() {
		if !strings.Contains(strings.ToLower(ansi.Strip(text)), wanted) {
			continue
		}
		m.find.hits++
		if first < 0 {
			first = i
		}
		if next < 0 && i >= line {
			next = i
		}
	}
	if next < 0 {
		next = first
	}
	if next >= 0 {
		m.detail.scroll.To(next)
	}
}

// findLine draws the search in place of the footer.
func (m *Model) findLine() string {
	before, after := m.find.field.Parts()
	left := m.theme.Styles.Key.Render(" find ") + raw(before) + cursorCell(m, after)
	right := plural(m.find.hits, "line", "lines") + ", enter for the next "
	return widget.Spread(left, m.theme.Styles.Dim.Render(right), m.width, m.theme.Glyphs.Ellipsis)
}
