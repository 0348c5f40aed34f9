package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// ConnectionSource lists the sockets in the networks of sandboxes.
type ConnectionSource interface {
	Connections(ctx context.Context, key model.Key) (model.ConnectionView, error)
}

// connectionView is the sockets on the screen.
type connectionView struct {
	of     model.Key
	view   model.ConnectionView
	read   bool
	failed string
}

// followConnections lists the sockets of a running sandbox again and again.
func (m *Model) followConnections(ctx context.Context, key model.Key) tea.Cmd {
	source, ok := m.options.Backend.(ConnectionSource)
	if !ok {
		return nil
	}
	if m.connections.of != key {
		m.connections = connectionView{of: key}
	}
	if m.tree.sandbox().State != model.StateRunning {
		return nil
	}
	generation, interval := m.looking.generation, m.statsInterval()
	var next tea.Cmd
	next = func() tea.Msg {
		view, err := source.Connections(ctx, key)
		return lookAnswer{generation: generation, take: func(m *Model) tea.Cmd {
			m.connections = connectionView{of: key, view: view, read: true}
			if err != nil {
				m.connections.failed = safe(err.Error())
			}
			return after(ctx, interval, next)
		}}
	}
	return next
}

// writeConnections lists the sockets: those that reach out first, those that
// listen last.
func (m *Model) writeConnections(p *page, s *model.Sandbox) {
	c := &m.connections
	if c.of != s.Key() || s.State != model.StateRunning || !canRead[ConnectionSource](m.options.Backend) {
		return
	}
	p.heading("Connections")
	switch {
	case c.failed != "":
		p.paragraph(c.failed, p.theme.Styles.Warn)
		return
	case !c.read:
		p.paragraph("waiting for the kernel's list", p.theme.Styles.Dim)
		return
	case c.view.Problem != "":
		p.paragraph(safe(c.view.Problem), p.theme.Styles.Dim)
		return
	case len(c.view.Connections) == 0:
		p.paragraph("none", p.theme.Styles.Text)
	}
	if c.view.Shared {
		p.paragraph("the network is not the sandbox's alone: some of these can be another's", p.theme.Styles.Warn)
	}
	for i := range c.view.Connections {
		m.writeConnection(p, &c.view.Connections[i])
	}
	if c.view.Dropped > 0 {
		p.paragraph(fmt.Sprintf("and %d more", c.view.Dropped), p.theme.Styles.Dim)
	}
}

func (m *Model) writeConnection(p *page, c *model.Connection) {
	style := p.theme.Styles.Dim
	text := c.Protocol + " " + raw(c.Local.String())
	switch {
	case c.Listens():
		text += " listens"
	default:
		text += " " + m.theme.Glyphs.Arrow + " " + raw(c.Remote.String()) + " " + c.State
		if c.Leaves() {
			style = p.theme.Styles.Text
		}
	}
	if c.Pid != 0 {
		text += fmt.Sprintf(", %s (%d)", value(c.Process), c.Pid)
	}
	p.item(m.theme.Glyphs.Dot, text, style)
}
