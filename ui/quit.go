package ui

import tea "charm.land/bubbletea/v2"

// quit ends the program. While an action runs it asks first.
func (m *Model) quit() tea.Cmd {
	if m.run == nil || m.run.finished {
		return tea.Quit
	}
	return m.show(&quitDialog{})
}

// quitNow ends the program at once; a running action is cancelled.
func (m *Model) quitNow() tea.Cmd {
	if m.run != nil && !m.run.finished {
		m.run.cancel()
	}
	return tea.Quit
}

// quitDialog asks whether to leave a running action behind.
type quitDialog struct{ leave bool }

func (d *quitDialog) guards() bool { return true }

func (d *quitDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc", "n":
		m.closeDialog()
	case "tab", "shift+tab", "left", "right":
		d.leave = !d.leave
	case "y":
		return m.quitNow()
	case "enter":
		if d.leave {
			return m.quitNow()
		}
		m.closeDialog()
	}
	return nil
}

func (d *quitDialog) draw(m *Model, _, _ int) box {
	styles := m.theme.Styles
	stay, leave := styles.ButtonFocus, styles.Button
	if d.leave {
		stay, leave = styles.Button, styles.ButtonFocus
	}
	return box{
		title: "An action is running",
		lines: []string{
			styles.Text.Render(m.run.summary()),
			styles.Dim.Render("Quitting stops what has not started; what has begun may end unknown."),
			"",
			stay.Render("[ Stay ]") + "  " + leave.Render("[ Quit ]") + "  " + styles.Dim.Render("y quits"),
		},
	}
}
