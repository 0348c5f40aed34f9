package ui

import (
	"hermes-sandbox/ui/widget"
)

// Sizes at which the screen folds.
const (
	minWidth  = 60  // below: the list alone
	minHeight = 15  // below: the list alone
	twoPanes  = 100 // from here on the detail stands beside the tree
	narrow    = 80  // below: no AGE and NETWORK columns
)

// bare reports whether there is room for the list alone.
func (m *Model) bare() bool { return m.width < minWidth || m.height < minHeight }

// split reports whether tree and detail stand side by side.
func (m *Model) split() bool { return m.width >= twoPanes && !m.bare() }

// bodyHeight is what header, alert line and footer leave.
func (m *Model) bodyHeight() int {
	if m.bare() {
		return m.height
	}
	return m.height - 3
}

// treeWidth is the tree pane's outer width.
func (m *Model) treeWidth() int {
	if !m.split() {
		return m.width
	}
	return max(66, m.width*63/100)
}

// layout sizes the panes and brings what they show up to date. It runs at the
// end of every Update, so View has nothing to work out.
func (m *Model) layout() {
	if m.bare() && m.focus == paneDetail && (m.width < 3 || m.height < 4) {
		m.focus = paneTree
	}
	treeHeight := m.bodyHeight()
	edges := 2
	if m.bare() {
		edges = 0
	}
	m.tree.setSize(m.treeWidth()-edges, treeHeight-edges-1) // the column titles take a line
	width := m.width - m.treeWidth()
	if !m.split() {
		width = m.width
	}
	m.detail.setSize(width-4, m.bodyHeight()-2-detailHead)
	m.fillDetail()
	m.find.typing = m.find.typing && m.focus == paneDetail
}

// screen draws everything but a dialog.
func (m *Model) screen() []string {
	switch {
	case m.bare() && m.focus == paneDetail:
		return m.detailPane(m.width, m.bodyHeight())
	case m.bare():
		return m.body(m.width, m.bodyHeight())
	}
	lines := make([]string, 0, m.height)
	lines = append(lines, m.header())
	lines = append(lines, m.body(m.width, m.bodyHeight())...)
	return append(lines, m.alertLine(), m.footer())
}

// body draws what stands between header and alert line.
func (m *Model) body(width, height int) []string {
	if page := m.emptyPage(width, height); page != nil {
		return page
	}
	switch {
	case m.bare():
		return m.treeBare(width, height)
	case m.split():
		left := m.treePane(m.treeWidth(), height)
		right := m.detailPane(width-m.treeWidth(), height)
		return widget.Beside(left, right)
	case m.focus == paneDetail:
		return m.detailPane(width, height)
	default:
		return m.treePane(width, height)
	}
}

// edges returns the frame of a pane.
func (m *Model) edges(focused bool) widget.Frame {
	box := m.theme.Glyphs.Box
	style := m.theme.Styles.Border
	if focused {
		style = m.theme.Styles.BorderFocus
	}
	return widget.Frame{
		Edges: widget.Edges{
			Horizontal: box.Horizontal, Vertical: box.Vertical, TopLeft: box.TopLeft,
			TopRight: box.TopRight, BottomLeft: box.BottomLeft, BottomRight: box.BottomRight,
		},
		Style: style, Ellipsis: m.theme.Glyphs.Ellipsis,
	}
}
