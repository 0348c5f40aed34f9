package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/ui/widget"
)

// dialog is a box over the screen that takes every key.
type dialog interface {
	// key handles a key press.
	key(m *Model, msg tea.KeyPressMsg) tea.Cmd
	// draw returns the box's parts for at most width by height columns and
	// lines of text.
	draw(m *Model, width, height int) box
}

// box is what a dialog shows.
type box struct {
	title string
	lines []string
	note  string
	alarm bool // what it asks destroys something
}

// guarded is a dialog that confirms something: keys typed before it was on the
// screen must not.
type guarded interface{ guards() bool }

// quiet is how long a guarded dialog has to be on the screen, without a key,
// before it takes one. It outlasts a held-down key's repetition.
const quiet = 400 * time.Millisecond

// show opens a dialog.
func (m *Model) show(d dialog) tea.Cmd {
	m.dialog = d
	m.note = noted{}
	if g, ok := d.(guarded); ok && g.guards() {
		return m.startQuiet()
	}
	m.settled.begin()
	m.settled.done = true
	return nil
}

func (m *Model) startQuiet() tea.Cmd {
	generation := m.settled.begin()
	return tea.Tick(quiet, func(time.Time) tea.Msg { return dialogSettled{generation: generation} })
}

func (m *Model) closeDialog() { m.dialog = nil }

// dialogKey hands a key to the dialog. While a guarded one is new, keys but
// esc are dropped, and each starts the quiet time again.
func (m *Model) dialogKey(msg tea.KeyPressMsg) tea.Cmd {
	if !m.settled.done {
		if msg.String() == "esc" {
			m.closeDialog()
			return nil
		}
		return m.startQuiet()
	}
	return m.dialog.key(m, msg)
}

// Sizes of a dialog's text.
const (
	dialogWidth  = 104
	dialogMargin = 8
)

// dialogBox draws the open dialog.
func (m *Model) dialogBox() []string {
	small := m.width < minWidth || m.height < minHeight
	width := min(dialogWidth, m.width-dialogMargin)
	height := m.height - 4
	if small {
		width, height = m.width-2, m.height-2
	}
	b := m.dialog.draw(m, max(0, width), max(0, height))
	frame := m.edges(true)
	title := m.theme.Styles.Title
	if b.alarm {
		frame.Style, title = m.theme.Styles.Alarm, m.theme.Styles.Alarm
	}
	frame.Title = title.Render(widget.Clip(b.title, max(0, width-4), m.theme.Glyphs.Ellipsis))
	if b.note != "" {
		frame.Note = m.theme.Styles.Dim.Render(b.note)
	}
	if small {
		return frame.Draw(b.lines, m.width, m.height)
	}
	lines := make([]string, len(b.lines))
	for i, line := range b.lines {
		lines[i] = " " + line
	}
	return frame.Draw(lines, width+4, min(height, len(lines))+2)
}

// listKey moves a cursor over a list and reports whether the key was one that
// does.
func listKey(key string, cursor *int, total, page int) bool {
	switch key {
	case "up", "k":
		*cursor--
	case "down", "j":
		*cursor++
	case "pgup", "ctrl+u":
		*cursor -= max(1, page)
	case "pgdown", "ctrl+d":
		*cursor += max(1, page)
	case "home", "g":
		*cursor = 0
	case "end", "G":
		*cursor = total - 1
	default:
		return false
	}
	*cursor = widget.Clamp(*cursor, 0, max(0, total-1))
	return true
}

// textDialog shows a text to read, such as the help.
type textDialog struct {
	title  string
	lines  func(m *Model, width int) []string
	scroll widget.Scroll
	page   int
	under  dialog // what closing it comes back to; nil: none
}

func (d *textDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc", "enter", "q", "?", "A", viewAll:
		if d.under != nil {
			return m.show(d.under)
		}
		m.closeDialog()
	case "up", "k":
		d.scroll.By(-1)
	case "down", "j":
		d.scroll.By(1)
	case "pgup", "ctrl+u":
		d.scroll.By(-max(1, d.page))
	case "pgdown", "ctrl+d", "space":
		d.scroll.By(max(1, d.page))
	case "home", "g":
		d.scroll.To(0)
	case "end", "G":
		d.scroll.Bottom()
	}
	return nil
}

func (d *textDialog) draw(m *Model, width, height int) box {
	lines := d.lines(m, width)
	d.page = height
	d.scroll.SetSize(width, min(height, len(lines)))
	d.scroll.SetLines(lines)
	note := "esc closes"
	if d.scroll.Overflows() {
		note = "more with the arrow keys, esc closes"
	}
	return box{title: d.title, lines: d.scroll.View(m.theme.Glyphs.Ellipsis), note: note}
}
