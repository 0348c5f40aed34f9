package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// detailHead is what the tab bar takes of the detail pane, in lines.
const detailHead = 2

// detail is the pane about the row under the cursor.
type detail struct {
	width, height int // of the text
	tab           string
	scroll        widget.Scroll
	reveal        bool // environment values are shown
	// stale means that the text has to be made anew.
	stale bool
	of    rowKey // the row and tab the text is about
	ofTab string
	waits []time.Duration // how long the ages in the text stay true
}

func newDetail() detail { return detail{tab: "overview", stale: true} }

func (d *detail) setSize(width, height int) {
	if width == d.width && height == d.height {
		return
	}
	d.width, d.height = max(0, width), max(0, height)
	d.scroll.SetSize(d.width, d.height)
	d.stale = true
}

// tab is one view of a sandbox.
type tab struct {
	name, title, key string
	write            func(*Model, *page, *model.Sandbox)
	// look begins what keeps the tab up to date while it is shown; nil: the
	// fleet has it all. With idle it waits while the terminal has no focus.
	look func(*Model, context.Context, model.Key) tea.Cmd
	idle bool
	// there says whether a backend can fill the tab; nil: each can.
	there func(Backend) bool
}

// tabs returns the tabs in order.
func tabs() []tab {
	return []tab{
		{name: "overview", title: "Overview", key: "1", write: (*Model).writeOverview},
		{name: "egress", title: "Egress", key: "2", write: (*Model).writeEgress, look: (*Model).followConnections, idle: true},
		{name: "verdicts", title: "Verdicts", key: "3", write: (*Model).writeVerdicts},
		{name: "session", title: "Session", key: "4", write: (*Model).writeSession},
		{name: "activity", title: "Activity", key: "5", write: (*Model).writeActivity, look: (*Model).followActivity, there: canRead[ActivitySource]},
		{name: "logs", title: "Logs", key: "6", write: (*Model).writeLogs, look: (*Model).followLogs, there: canRead[LogSource]},
		{name: "processes", title: "Processes", key: "7", write: (*Model).writeProcesses, look: (*Model).followProcesses, idle: true, there: canRead[UsageSource]},
		{name: "mounts", title: "Mounts & env", key: "8", write: (*Model).writeMounts, look: (*Model).lookForPaths},
		{name: "raw", title: "Raw", key: "9", write: (*Model).writeRaw, look: (*Model).readRaw, there: canRead[InspectSource]},
	}
}

// showTab shows a tab; below two panes it opens the detail page.
func (m *Model) showTab(name string) tea.Cmd {
	if m.tree.sandbox() == nil {
		return nil
	}
	m.detail.tab = name
	m.detail.stale = true
	if !m.split() {
		m.focus = paneDetail
	}
	return nil
}

// openTab shows a tab and goes there.
func (m *Model) openTab(name string) tea.Cmd {
	if m.tree.sandbox() != nil {
		m.focus = paneDetail
	}
	return m.showTab(name)
}

func (m *Model) stepTab(step int) {
	all := m.tabs()
	m.showTab(all[(m.activeTab()+step+len(all))%len(all)].name)
}

func (m *Model) toggleReveal() tea.Cmd {
	if m.tree.sandbox() == nil {
		return nil
	}
	m.detail.reveal = !m.detail.reveal
	m.detail.stale = true
	if m.detail.reveal && !slices.Contains([]string{"mounts", "raw", "activity", "processes"}, m.detail.tab) {
		return m.openTab("mounts")
	}
	return nil
}

// fillDetail makes the text anew when it is out of date. The place in the text
// stays as long as it is about the same row and tab; revealed values are
// masked again for the next row.
func (m *Model) fillDetail() {
	r, ok := m.tree.current()
	if !ok || m.fleet == nil {
		m.detail.scroll.SetLines(nil)
		m.detail.waits = nil
		m.detail.of = rowKey{}
		if m.focus == paneDetail {
			m.focus = paneTree
		}
		return
	}
	same := m.detail.of == r.key && m.detail.ofTab == m.detail.tab
	if same && !m.detail.stale {
		return
	}
	if m.detail.of != r.key {
		m.detail.reveal = false
	}
	p := &page{theme: m.theme, width: m.detail.width, now: m.now}
	if r.head != nil {
		m.writeGroup(p, r.head)
	} else {
		s := m.tree.shown[r.at]
		p.now = m.engineNow(s.Engine)
		for _, t := range m.tabs() {
			if t.name == m.detail.tab {
				t.write(m, p, s)
			}
		}
	}
	m.detail.of, m.detail.ofTab, m.detail.stale = r.key, m.detail.tab, false
	m.detail.waits = p.waits
	if m.detail.tab == "logs" && r.head == nil {
		m.setLogText(p.lines, !same)
		return
	}
	m.detail.scroll.SetLines(p.lines)
	if !same {
		m.detail.scroll.To(0)
	}
}

// detailWaits returns how long the ages in the detail pane stay true, when it
// is on the screen.
func (m *Model) detailWaits() []time.Duration {
	if m.split() || m.focus == paneDetail {
		return m.detail.waits
	}
	return nil
}

// detailPane draws the pane in its frame.
func (m *Model) detailPane(width, height int) []string {
	focused := m.focus == paneDetail
	frame := m.edges(focused)
	title := m.detailTitle()
	if focused {
		if width < m.width { // beside the list
			title = m.theme.Glyphs.Cursor + " " + title
		}
		frame.Title = m.theme.Styles.Title.Render(title)
	} else {
		frame.Title = m.theme.Styles.Bold.Render(title)
	}
	note := m.logNote()
	if last, total := m.detail.scroll.Seen(); m.detail.scroll.Overflows() && total > 0 {
		note = strings.TrimLeft(fmt.Sprintf("%s %d/%d", note, last, total), " ")
	}
	if note != "" {
		frame.Note = m.theme.Styles.Dim.Render(note)
	}
	lines := make([]string, 0, height)
	if m.tree.sandbox() != nil {
		lines = append(lines, " "+m.tabBar(width-4), "")
	}
	for _, line := range m.detail.scroll.View(m.theme.Glyphs.Ellipsis) {
		lines = append(lines, " "+line)
	}
	return frame.Draw(lines, width, height)
}

func (m *Model) detailTitle() string {
	r, ok := m.tree.current()
	switch {
	case !ok:
		return "nothing selected"
	case r.head != nil:
		return m.groupTitle(r.head)
	default:
		return m.nameCell(m.tree.shown[r.at])
	}
}

// tabsShown says which tabs fit into a width: all, else those around the
// active one.
func (m *Model) tabsShown(width int) (from, to int) {
	all := m.tabs()
	active := m.activeTab()
	to = len(all)
	for from < to-1 && tabsWidth(all[from:to]) > width {
		if active-from > to-1-active {
			from++
		} else {
			to--
		}
	}
	return from, to
}

func (m *Model) activeTab() int {
	return max(0, slices.IndexFunc(m.tabs(), func(t tab) bool { return t.name == m.detail.tab }))
}

// tabBar draws the tabs.
func (m *Model) tabBar(width int) string {
	all := m.tabs()
	from, to := m.tabsShown(width)
	parts := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		style := m.theme.Styles.Tab
		if i == m.activeTab() {
			style = m.theme.Styles.TabActive
		}
		parts = append(parts, style.Render(all[i].title))
	}
	bar := strings.Join(parts, "  ")
	if to-from < len(all) {
		bar += m.theme.Styles.Dim.Render("  " + m.theme.Glyphs.Ellipsis)
	}
	return widget.Clip(bar, width, "")
}

func tabsWidth(list []tab) int {
	width := 3
	for _, t := range list {
		width += widget.Width(t.title) + 2
	}
	return width
}
