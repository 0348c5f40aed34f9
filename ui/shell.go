package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// ShellSource opens shells in sandboxes.
type ShellSource interface {
	// Shell returns what has the terminal while a shell in the sandbox runs.
	Shell(ctx context.Context, sandbox model.Sandbox) tea.ExecCommand
}

// shellEnded says that the terminal is the dashboard's again.
type shellEnded struct {
	name string
	err  error
}

func shellActions() []action {
	return []action{{
		name: "shell", help: "a shell in the sandbox; exit comes back", keys: []string{"x"}, section: sectionDetail,
		there: canRead[ShellSource], run: (*Model).openShell,
	}}
}

// openShell hands the terminal to a shell in the sandbox under the cursor, or
// says why there can be none.
func (m *Model) openShell() tea.Cmd {
	s := m.tree.sandbox()
	source, ok := m.options.Backend.(ShellSource)
	if s == nil || !ok {
		return nil
	}
	if m.options.ReadOnly {
		m.say(noteWarn, "read-only: no shell is opened")
		return nil
	}
	name := m.nameCell(s)
	if refusal := model.ShellRefusal(s.Container); refusal != "" {
		m.say(noteWarn, "no shell in "+name+": "+refusal)
		return nil
	}
	m.looking.asleep = true
	return tea.Exec(source.Shell(m.context, *s), func(err error) tea.Msg { return shellEnded{name: name, err: err} })
}

func (m *Model) shellEnded(ended shellEnded) tea.Cmd {
	m.looking.asleep = false
	if ended.err != nil {
		m.say(noteWarn, "shell in "+ended.name+": "+safe(ended.err.Error()))
	} else {
		m.say(noteCalm, "left the shell in "+ended.name)
	}
	return m.readClock()
}
