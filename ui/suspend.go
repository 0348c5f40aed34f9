package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"
)

// SuspendMsg asks the dashboard to hand the terminal back and to stop, as its
// key does.
type SuspendMsg struct{}

// continued says that the terminal is the dashboard's again. An error is why the
// process was not stopped.
type continued struct{ err error }

// stopping takes the place of a program that has the terminal: nobody has, until
// the process is continued.
type stopping struct{ stop func() error }

// Run implements tea.ExecCommand.
func (s stopping) Run() error { return s.stop() }

// SetStdin implements tea.ExecCommand.
func (stopping) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (stopping) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (stopping) SetStderr(io.Writer) {}

// suspend hands the terminal back to the shell. The watchers stop first: a
// stream nobody reads slows the engine down.
func (m *Model) suspend() tea.Cmd {
	switch {
	case m.options.Stop == nil:
		m.say(noteWarn, "there is no way to be suspended here")
		return nil
	case m.suspending:
		return nil
	}
	m.suspending, m.looking.asleep = true, true
	return tea.Sequence(
		m.tell(Backend.Suspend),
		tea.Exec(stopping{m.options.Stop}, func(err error) tea.Msg { return continued{err} }),
	)
}

func (m *Model) continued(msg continued) tea.Cmd {
	m.suspending, m.looking.asleep = false, false
	if msg.err != nil {
		m.say(noteWarn, "not suspended: "+safe(msg.err.Error()))
	}
	return tea.Batch(m.tell(Backend.Resume), m.readClock())
}
