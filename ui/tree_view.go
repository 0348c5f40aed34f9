package ui

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// markerWidth is what the cursor and the mark take at the start of a line.
const markerWidth = 2

// treePane draws the tree in its frame.
func (m *Model) treePane(width, height int) []string {
	focused := m.focus == paneTree
	frame := m.edges(focused)
	title := m.theme.Styles.Bold.Render("Sandboxes")
	if focused {
		title = m.theme.Styles.Title.Render("Sandboxes")
	}
	frame.Title = title + m.theme.Styles.Dim.Render(" "+m.theme.Glyphs.Dot+" by "+groupingWords(m.view.grouping))
	if m.tree.height > 0 && len(m.tree.rows) > m.tree.height {
		frame.Note = m.theme.Styles.Dim.Render(fmt.Sprintf("%d of %d", m.tree.cursor+1, len(m.tree.rows)))
	}
	return frame.Draw(m.treeLines(width-2), width, height)
}

// treeBare draws the tree without a frame, for the smallest screens.
func (m *Model) treeBare(width, height int) []string {
	return widget.FitLines(m.treeLines(width), width, height, m.theme.Glyphs.Ellipsis)
}

// groupingWords says a grouping as a person would.
func groupingWords(g model.Grouping) string {
	return strings.ReplaceAll(safe(string(g)), "-", " ")
}

func (m *Model) treeLines(width int) []string {
	columns := m.placedColumns(width)
	lines := []string{m.columnTitles(columns, width)}
	rows, first := m.tree.visible()
	for i := range rows {
		lines = append(lines, m.rowLine(&rows[i], first+i == m.tree.cursor, columns, width))
	}
	if len(m.tree.rows) == 0 {
		lines = append(lines, m.nothingShown()...)
	}
	return lines
}

// nothingShown says why the list is empty although there are sandboxes.
func (m *Model) nothingShown() []string {
	text := "  No sandbox matches."
	if m.filter.text() != "" {
		text = "  No sandbox matches the filter. esc clears it."
	} else if len(m.view.profiles) > 0 {
		text = "  The chosen profiles have no sandboxes. " + m.keys.keyOf("all-profiles") + " shows all."
	}
	return []string{"", m.theme.Styles.Dim.Render(text)}
}

func (m *Model) placedColumns(width int) []placed {
	columns := m.view.columns
	if m.width < narrow && !m.view.wide && len(m.options.Columns) == 0 {
		var kept []column
		for _, c := range columns {
			if c.name != "age" && c.name != "network" {
				kept = append(kept, c)
			}
		}
		columns = kept
	}
	return place(columns, width-markerWidth)
}

func (m *Model) columnTitles(columns []placed, width int) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		title := c.title
		if c.sort == string(m.view.sort) && c.sort != "" {
			arrow := m.theme.Glyphs.Ascending
			if m.view.descending {
				arrow = m.theme.Glyphs.Descending
			}
			title += arrow
		}
		parts[i] = m.fitCell(title, c)
	}
	return m.theme.Styles.Dim.Render(widget.Fit(widget.Spaces(markerWidth)+strings.Join(parts, " "), width, ""))
}

func (m *Model) fitCell(text string, c placed) string {
	if c.right {
		return widget.FitRight(text, c.width, m.theme.Glyphs.Ellipsis)
	}
	return widget.Fit(text, c.width, m.theme.Glyphs.Ellipsis)
}

// rowLine draws one line. The one under the cursor has a sign at its start and
// one style over its whole width.
func (m *Model) rowLine(r *row, current bool, columns []placed, width int) string {
	marker := " "
	if current {
		marker = m.theme.Glyphs.Cursor
	}
	marked := false
	if r.head == nil {
		marked = m.tree.marks[r.key.sandbox]
	}
	if marked {
		marker += m.theme.Glyphs.Mark
	} else {
		marker += " "
	}
	plain := current
	var text string
	if r.head != nil {
		text = m.groupLine(r, width-markerWidth, plain)
	} else {
		text = m.sandboxLine(r, columns, plain)
	}
	if current {
		style := m.theme.Styles.Selected
		if m.focus != paneTree {
			style = m.theme.Styles.SelectedQuiet
		}
		return style.Render(widget.Fit(marker+text, width, m.theme.Glyphs.Ellipsis))
	}
	return m.theme.Styles.Accent.Render(marker) + text
}

func (m *Model) sandboxLine(r *row, columns []placed, plain bool) string {
	s := m.tree.shown[r.at]
	stale := m.engineStale(s.Engine)
	parts := make([]string, len(columns))
	for i, c := range columns {
		text := c.text(m, s)
		switch {
		case c.name == "name":
			text = widget.Spaces(indent(r.depth, c.width)) + text
		case c.name == "task" && r.titled && !s.Session.Source.Empty(): // the title is in the line above
			text = identity(s.Session.Source, m.theme.Glyphs.Escaped)
		}
		text = m.fitCell(text, c)
		if !plain {
			text = m.toneOf(c, s, stale).Render(text)
		}
		parts[i] = text
	}
	return strings.Join(parts, " ")
}

// indent is how far a name stands in; less where the column is narrow.
func indent(depth, width int) int {
	const roomy = 19
	if width < roomy {
		return depth
	}
	return 2 * depth
}

func (m *Model) toneOf(c placed, s *model.Sandbox, stale bool) theme.Look {
	if stale {
		return m.theme.Styles.Dim
	}
	if c.tone == nil {
		return m.theme.Styles.Text
	}
	return m.style(c.tone(s))
}

// style returns the look of a tone.
func (m *Model) style(t tone) theme.Look {
	switch t {
	case toneDim:
		return m.theme.Styles.Dim
	case toneCalm:
		return m.theme.Styles.Calm
	case toneWarn:
		return m.theme.Styles.Warn
	case toneAlarm:
		return m.theme.Styles.Alarm
	default:
		return m.theme.Styles.Text
	}
}

// groupLine draws the head of a group: what it is, where it lives, what is in
// it.
func (m *Model) groupLine(r *row, width int, plain bool) string {
	fold := m.theme.Glyphs.Unfolded
	if r.head.folded {
		fold = m.theme.Glyphs.Folded
	}
	title := widget.Spaces(2*r.depth) + fold + " " + m.groupTitle(r.head)
	lock := m.positionSign(r.head.Profile)
	if lock != "" {
		lock = "  " + lock
	}
	about := m.groupAbout(r.head)
	counts := m.groupCounts(r.head, width-widget.Width(title)-widget.Width(lock)-2) + " "
	room := width - widget.Width(title) - widget.Width(lock) - widget.Width(counts) - 1
	const telling = 12
	if room < telling && widget.Width(about) > room {
		about = "" // a stump of it says nothing
	}
	about = widget.Clip(about, room, m.theme.Glyphs.Ellipsis)
	if plain {
		return widget.Spread(title+lock+about, counts, width, m.theme.Glyphs.Ellipsis)
	}
	styles := m.theme.Styles
	countStyle := styles.Dim
	if r.head.Counts.Violations > 0 && r.head.tells() {
		countStyle = styles.Alarm
	}
	titleStyle := styles.Bold
	if r.depth > 0 { // quiet, so that the sandboxes stand out
		titleStyle = styles.Dim
	}
	left := titleStyle.Render(title) + styles.Calm.Render(lock) + styles.Dim.Render(about)
	return widget.Spread(left, countStyle.Render(counts), width, m.theme.Glyphs.Ellipsis)
}

// groupTitle names a group. One whose label Hermes cannot have written carries
// a mark.
func (m *Model) groupTitle(head *groupHead) string {
	switch {
	case head.Title.Empty() && head.Depth == 0 && m.view.grouping == model.GroupProfile:
		return "(no profile)"
	case head.Title.Empty():
		return "(none)"
	case head.Odd && !head.Title.Escaped():
		return m.theme.Glyphs.Escaped + cell(head.Title)
	case m.view.grouping == model.GroupPosture && !head.Foreign:
		return m.posture(model.Level(head.Title.Raw()))
	}
	return identity(head.Title, m.theme.Glyphs.Escaped)
}

// groupAbout says what stands behind the title: the session a task serves, the
// home of a profile, that a label is shared.
func (m *Model) groupAbout(head *groupHead) string {
	switch {
	case head.Foreign:
		return "  without a profile or task label"
	case !head.Session.Empty():
		return `  "` + cell(head.Session) + `"`
	case head.Home != "" && len(head.Homes) > 1:
		return "  " + m.homePath(head.Home) + " (one of " + plural(len(head.Homes), "home", "homes") + ")"
	case head.Home != "":
		return "  " + m.homePath(head.Home)
	default:
		return ""
	}
}

// tells reports whether a group's line says what is wrong inside: where the
// rows under it do not.
func (h *groupHead) tells() bool { return h.Depth == 0 || h.folded }

// groupCounts says how many sandboxes of what kind there are. Where there is no
// room for all of it, what runs goes first and what is wrong stays longest.
func (m *Model) groupCounts(head *groupHead, room int) string {
	dot := " " + m.theme.Glyphs.Dot + " "
	counts := head.Counts
	parts := []string{fmt.Sprint(counts.Total)}
	if counts.Running > 0 {
		parts = append(parts, fmt.Sprintf("%d up", counts.Running))
	}
	if head.tells() {
		parts = append(parts, m.troubles(head)...)
	}
	for len(parts) > 1 && widget.Width(strings.Join(parts, dot)) > room {
		parts = slices.Delete(parts, 1, 2)
	}
	return strings.Join(parts, dot)
}

// troubles counts what is wrong in a group, the worst last.
func (m *Model) troubles(head *groupHead) []string {
	var parts []string
	if head.Counts.Orphans > 0 {
		parts = append(parts, plural(head.Counts.Orphans, "orphan", "orphans"))
	}
	if count := m.undecidedIn(head); count > 0 {
		parts = append(parts, fmt.Sprintf("%d denied", count))
	}
	if head.Counts.Violations > 0 {
		parts = append(parts, plural(head.Counts.Violations, "violation", "violations"))
	}
	return parts
}
