package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// ExportSource writes everything known of a sandbox into a file.
type ExportSource interface {
	// Export takes what is known from the fleet, which it only reads. It returns
	// where the file is, and what could not be put into it.
	Export(ctx context.Context, fleet *model.Fleet, key model.Key) (path string, missing []string, err error)
}

// exported says how an export ended.
type exported struct {
	kind noteKind
	text string
}

func exportActions() []action {
	return []action{{
		name: "export", help: "write all that is known of the sandbox into a file", section: sectionDetail,
		there: canRead[ExportSource], run: (*Model).export,
	}}
}

// export writes the sandbox under the cursor into a file and says where.
func (m *Model) export() tea.Cmd {
	s := m.tree.sandbox()
	source, ok := m.options.Backend.(ExportSource)
	if s == nil || !ok {
		return nil
	}
	if m.options.ReadOnly {
		m.say(noteWarn, "read-only: no file is written; use show --export")
		return nil
	}
	name, key, fleet, ctx := m.nameCell(s), s.Key(), m.fleet, m.context
	m.say(noteCalm, "exporting "+name)
	return func() tea.Msg {
		path, missing, err := source.Export(ctx, fleet, key)
		switch {
		case err != nil:
			return exported{kind: noteWarn, text: "export of " + name + ": " + safe(err.Error())}
		case len(missing) > 0:
			return exported{kind: noteWarn, text: "exported " + name + " to " + raw(path) + ", without " + plural(len(missing), "part", "parts") + " named in it"}
		default:
			return exported{kind: noteCalm, text: "exported " + name + " to " + raw(path)}
		}
	}
}
