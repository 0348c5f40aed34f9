package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/ui/widget"
)

// keyPressed sends a key where it belongs: to the dialog, to the text field,
// else to the action it is bound to.
func (m *Model) keyPressed(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == m.keys.keyOf("quit-now") {
		return m.quitNow()
	}
	touch := m.touch()
	if key == m.keys.keyOf("suspend") {
		return tea.Batch(touch, m.suspend())
	}
	if m.dialog != nil {
		return tea.Batch(touch, m.dialogKey(msg))
	}
	if m.filter.typing {
		m.filterKey(msg)
		return touch
	}
	if m.find.typing {
		m.findKey(msg)
		return touch
	}
	m.note = noted{}
	if key == "esc" {
		m.lost = lostLockdown{}
	}
	if m.copying {
		m.copying = false
		if command, ok := m.copyMore(key); ok {
			return tea.Batch(touch, command)
		}
	}
	a, ok := m.keys.find(key)
	if !ok {
		return touch
	}
	return tea.Batch(touch, a.run(m))
}

// touch tells the backend that somebody is at the keys.
func (m *Model) touch() tea.Cmd {
	return m.tell(Backend.Touch)
}

// tell calls the backend outside of Update.
func (m *Model) tell(call func(Backend)) tea.Cmd {
	backend := m.options.Backend
	if backend == nil {
		return nil
	}
	return func() tea.Msg { call(backend); return nil }
}

// pasted takes pasted text into the text field in use; a dialog that confirms
// something takes none.
func (m *Model) pasted(msg tea.PasteMsg) {
	if taker, ok := m.dialog.(interface{ paste(*Model, tea.PasteMsg) }); ok {
		taker.paste(m, msg)
		return
	}
	switch {
	case m.dialog != nil:
	case m.filter.typing && m.filter.field.Update(msg):
		m.applyFilter()
	case m.find.typing && m.find.field.Update(msg):
		m.findFrom(m.detail.scroll.Top())
	}
}

// move moves the cursor, or the text of the detail pane, by lines.
func (m *Model) move(lines int) {
	if m.focus == paneDetail {
		m.detail.scroll.By(lines)
		return
	}
	m.tree.moveTo(widget.Clamp(m.tree.cursor+lines, 0, max(0, len(m.tree.rows)-1)))
	m.selectionMoved()
}

func (m *Model) moveTo(line int) {
	if m.focus == paneDetail {
		m.detail.scroll.To(line)
		return
	}
	m.tree.moveTo(line)
	m.selectionMoved()
}

func (m *Model) lastLine() int {
	if m.focus == paneDetail {
		_, total := m.detail.scroll.Seen()
		return total
	}
	return len(m.tree.rows) - 1
}

func (m *Model) page() int {
	if m.focus == paneDetail {
		return max(1, m.detail.scroll.Height())
	}
	return max(1, m.tree.height)
}

// selectionMoved brings the detail pane to its top for another sandbox.
func (m *Model) selectionMoved() {
	m.detail.stale = true
}

// left folds; in the detail pane it shows the previous tab.
func (m *Model) left() {
	if m.focus == paneDetail {
		m.stepTab(-1)
		return
	}
	r, ok := m.tree.current()
	if !ok {
		return
	}
	if r.head != nil && !r.head.folded {
		m.fold(r, true)
		return
	}
	if up := m.tree.parent(m.tree.cursor); up >= 0 {
		m.moveTo(up)
	}
}

// right unfolds; in the detail pane it shows the next tab.
func (m *Model) right() {
	if m.focus == paneDetail {
		m.stepTab(1)
		return
	}
	if r, ok := m.tree.current(); ok && r.head != nil {
		if r.head.folded {
			m.fold(r, false)
		} else {
			m.move(1)
		}
	}
}

func (m *Model) fold(r row, folded bool) {
	if folded {
		m.tree.folded[r.key.group] = true
	} else {
		delete(m.tree.folded, r.key.group)
	}
	m.rebuild()
}

// open shows the sandbox under the cursor, or folds and unfolds its group.
func (m *Model) open() tea.Cmd {
	r, ok := m.tree.current()
	switch {
	case !ok || m.focus == paneDetail:
	case r.head != nil:
		m.fold(r, !r.head.folded)
	default:
		m.focus = paneDetail
	}
	return nil
}

// back goes one level back: from the detail pane, the filter, the marks. It
// never quits.
func (m *Model) back() {
	switch {
	case m.focus == paneDetail:
		m.focus = paneTree
	case m.filter.text() != "":
		m.clearFilter()
	case len(m.tree.marks) > 0:
		m.unmarkAll()
	}
}

func (m *Model) otherPane() {
	if m.focus == paneTree {
		if m.tree.sandbox() != nil || m.split() {
			m.focus = paneDetail
		}
		return
	}
	m.focus = paneTree
}

func (m *Model) toggleMark() {
	if r, ok := m.tree.current(); ok {
		m.tree.toggle(membersOf(r))
		m.tree.moveTo(m.tree.cursor + 1)
		m.selectionMoved()
	}
}

// markRange marks everything between the last mark and the cursor.
func (m *Model) markRange() {
	r, ok := m.tree.current()
	if !ok {
		return
	}
	from := m.tree.cursor
	for i := range m.tree.rows {
		if m.tree.rows[i].at >= 0 && m.tree.rows[i].key.sandbox == m.tree.anchor {
			from = i
		}
	}
	low, high := min(from, m.tree.cursor), max(from, m.tree.cursor)
	for i := low; i <= high; i++ {
		if m.tree.rows[i].at >= 0 {
			m.tree.marks[m.tree.rows[i].key.sandbox] = true
		}
	}
	if r.at >= 0 {
		m.tree.anchor = r.key.sandbox
	}
}

func (m *Model) markAll() {
	for i := range m.tree.shown {
		m.tree.marks[m.tree.shown[i].Key()] = true
	}
}

func (m *Model) unmarkAll() {
	clear(m.tree.marks)
}

// hiddenMarks counts the marks on sandboxes that the filter or the profile
// scope hides.
func (m *Model) hiddenMarks() int {
	if len(m.tree.marks) == 0 {
		return 0
	}
	seen := 0
	for i := range m.tree.shown {
		if m.tree.marks[m.tree.shown[i].Key()] {
			seen++
		}
	}
	return len(m.tree.marks) - seen
}
