package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// click remembers the row of the last click: a second one opens it.
type click struct{ row rowKey }

// wheelLines is how far one step of the wheel goes.
const wheelLines = 3

func (m *Model) wheeled(msg tea.MouseWheelMsg) {
	step := 0
	switch msg.Button {
	case tea.MouseWheelUp:
		step = -wheelLines
	case tea.MouseWheelDown:
		step = wheelLines
	default:
	}
	switch {
	case m.dialog != nil:
	case m.inDetail(msg.X):
		m.detail.scroll.By(step)
	default:
		m.tree.moveTo(widget.Clamp(m.tree.cursor+step, 0, max(0, len(m.tree.rows)-1)))
		m.selectionMoved()
	}
}

// inDetail reports whether a column of the screen belongs to the detail pane.
func (m *Model) inDetail(x int) bool {
	if m.split() {
		return x >= m.treeWidth()
	}
	return m.focus == paneDetail
}

// clicked selects a row, opens it on the second click, chooses a tab or sorts
// by a column.
func (m *Model) clicked(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || m.dialog != nil || m.fleet == nil {
		return nil
	}
	top, left := 2, 1 // header and frame
	if m.bare() {
		top, left = 0, 0
	}
	if m.inDetail(msg.X) {
		m.focus = paneDetail
		if msg.Y == top && m.tree.sandbox() != nil {
			m.clickTab(msg.X)
		}
		return nil
	}
	m.focus = paneTree
	switch line := msg.Y - top; {
	case line == 0:
		m.clickTitle(msg.X - left - markerWidth)
	case line > 0:
		return m.clickRow(m.tree.offset + line - 1)
	}
	return nil
}

func (m *Model) clickRow(at int) tea.Cmd {
	if at >= len(m.tree.rows) || at >= m.tree.offset+m.tree.height {
		return nil
	}
	m.tree.moveTo(at)
	m.selectionMoved()
	row := m.tree.rows[at]
	if m.click.row == row.key {
		m.click = click{}
		return m.open()
	}
	m.click = click{row: row.key}
	return nil
}

// clickTitle sorts by the column under the pointer; a second click turns the
// order round.
func (m *Model) clickTitle(x int) {
	edges := 2
	if m.bare() {
		edges = 0
	}
	from := 0
	for _, c := range m.placedColumns(m.treeWidth() - edges) {
		if x >= from && x < from+c.width && c.sort != "" {
			if m.view.sort == model.SortKey(c.sort) {
				m.view.descending = !m.view.descending
			} else {
				m.view.sort, m.view.descending = model.SortKey(c.sort), false
			}
			m.rebuild()
		}
		from += c.width + 1
	}
}

func (m *Model) clickTab(x int) {
	from, width := 2, m.width
	if m.split() {
		from, width = from+m.treeWidth(), m.width-m.treeWidth()
	}
	first, end := m.tabsShown(width - 4)
	for _, t := range m.tabs()[first:end] {
		width := widget.Width(t.title)
		if x >= from && x < from+width {
			m.showTab(t.name)
			return
		}
		from += width + 2
	}
}
