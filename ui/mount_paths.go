package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// HostPathSource looks for the files that sandboxes have of their host.
type HostPathSource interface {
	// HostPaths says which paths exist; those that may not be looked at are left
	// out. Of an engine on another machine nothing is known, and local is false.
	HostPaths(ctx context.Context, key model.Key, paths []model.Text) (exists map[model.Text]bool, local bool)
}

// hostPaths is what is known of the paths on the screen.
type hostPaths struct {
	of     model.Key
	read   bool
	local  bool
	exists map[model.Text]bool
}

// lookForPaths looks once for the host's side of the binds.
func (m *Model) lookForPaths(ctx context.Context, key model.Key) tea.Cmd {
	source, ok := m.options.Backend.(HostPathSource)
	if !ok {
		return nil
	}
	if m.paths.of != key {
		m.paths = hostPaths{of: key}
	}
	var wanted []model.Text
	for _, mount := range m.tree.sandbox().Mounts {
		if mount.Type.Raw() == "bind" {
			wanted = append(wanted, mount.Source)
		}
	}
	generation := m.looking.generation
	return func() tea.Msg {
		exists, local := source.HostPaths(ctx, key, wanted)
		return lookAnswer{generation: generation, take: func(m *Model) tea.Cmd {
			m.paths = hostPaths{of: key, read: true, local: local, exists: exists}
			return nil
		}}
	}
}

// presence says whether the host's side of a bind is there, as far as that is
// known.
func (m *Model) presence(s *model.Sandbox, mount *model.Mount) string {
	if mount.Type.Raw() != "bind" || m.paths.of != s.Key() || !m.paths.read {
		return ""
	}
	exists, known := m.paths.exists[mount.Source]
	switch {
	case !m.paths.local:
		return ", on another machine"
	case !known:
		return ", may not be looked at"
	case exists:
		return ", exists"
	default:
		return ", missing on the host"
	}
}
