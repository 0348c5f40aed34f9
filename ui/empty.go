package ui

import (
	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// emptyPage returns what to draw instead of the tree, nil when there is a tree
// to draw: before the first answer, without an engine, without a sandbox.
func (m *Model) emptyPage(width, height int) []string {
	var lines []string
	switch {
	case m.fleet == nil:
		lines = m.waitingPage()
	case len(m.fleet.Sandboxes) > 0:
		return nil
	case m.unreachable():
		lines = m.downPage(width)
	case m.unsettled():
		lines = m.waitingPage()
	default:
		lines = m.noSandboxPage(width)
	}
	return m.centred(lines, width, height)
}

// unreachable reports whether no engine at all can be used.
func (m *Model) unreachable() bool {
	for i := range m.fleet.Engines {
		if m.fleet.Engines[i].State != model.Down {
			return false
		}
	}
	return len(m.fleet.Engines) > 0
}

// unsettled reports whether an engine has yet to answer for the first time.
func (m *Model) unsettled() bool {
	for i := range m.fleet.Engines {
		e := &m.fleet.Engines[i]
		if e.State != model.Down && e.LastAnswer.IsZero() {
			return true
		}
	}
	return len(m.fleet.Engines) == 0
}

func (m *Model) waitingPage() []string {
	styles := m.theme.Styles
	what := "the engine"
	if m.options.Endpoint != "" {
		what = safe(m.options.Endpoint)
	}
	if m.fleet != nil && len(m.fleet.Engines) > 0 {
		what = raw(m.fleet.Engines[0].Host)
	}
	return []string{
		styles.Bold.Render("Waiting for the first answer"),
		styles.Dim.Render("from " + what),
	}
}

func (m *Model) noSandboxPage(width int) []string {
	styles := m.theme.Styles
	answered := raw(m.fleet.Engines[0].Name) + " had no container with the label hermes-agent=1 when it last answered."
	for i := range m.fleet.Engines {
		if e := &m.fleet.Engines[i]; e.State == model.Live {
			answered = raw(e.Name) + " answers; no container carries the label hermes-agent=1."
			break
		}
	}
	room := pageRoom(width)
	lines := []string{styles.Bold.Render("No sandboxes here yet")}
	lines = append(lines, styled(styles.Dim, widget.Wrap(answered, room))...)
	lines = append(lines, "")
	lines = append(lines, styled(styles.Text, widget.Wrap(
		"Hermes puts that label on every container it makes, beside its profile and its task. "+
			"It makes one when terminal.backend is docker and a session runs its first command; "+
			"it will show up here by itself.", room))...)
	lines = append(lines, "")
	return append(lines, styled(styles.Dim, widget.Wrap(
		"hermes-sandbox --demo shows a made-up fleet, hermes-sandbox doctor what is set up here.", room))...)
}

// pageRoom is how wide the text of a page may be.
func pageRoom(width int) int { return widget.Clamp(width-8, 1, 76) }

// styled draws every line in a look.
func styled(look theme.Look, lines []string) []string {
	for i, line := range lines {
		lines[i] = look.Render(line)
	}
	return lines
}

// downPage says, for every engine, which address was tried, why it failed and
// what to do.
func (m *Model) downPage(width int) []string {
	styles := m.theme.Styles
	room := pageRoom(width)
	lines := []string{styles.Alarm.Render("No engine can be reached"), ""}
	for i := range m.fleet.Engines {
		e := &m.fleet.Engines[i]
		name := styles.Bold.Render(raw(e.Name))
		if e.Host != e.Name {
			name += "  " + styles.Text.Render(raw(e.Host))
		}
		lines = append(lines, name)
		if e.Chosen != "" {
			lines = append(lines, styles.Dim.Render("chosen by "+safe(e.Chosen)))
		}
		lines = append(lines, styled(styles.Warn, widget.Wrap(safe(e.Error), room))...)
		if !e.Since.IsZero() {
			lines = append(lines, styles.Dim.Render("since "+e.Since.UTC().Format("15:04:05")+" UTC, "+model.ShortAge(m.now.Sub(e.Since))+" ago"))
		}
		lines = append(lines, "")
	}
	return append(lines, styled(styles.Dim, widget.Wrap(
		"Trying again by itself; "+m.keys.keyOf("refresh")+" tries now. hermes-sandbox --demo shows a made-up fleet.", room))...)
}

// centred puts lines, left-aligned as a block, into the middle of a frame.
func (m *Model) centred(lines []string, width, height int) []string {
	inner := max(0, width-2)
	block := 0
	for _, line := range lines {
		block = max(block, widget.Width(line))
	}
	left := widget.Spaces((inner - min(block, inner)) / 2)
	top := max(0, (height-2-len(lines))/2)
	out := make([]string, 0, top+len(lines))
	for range top {
		out = append(out, "")
	}
	for _, line := range lines {
		out = append(out, left+line)
	}
	if m.bare() {
		return widget.FitLines(out, width, height, m.theme.Glyphs.Ellipsis)
	}
	return m.edges(true).Draw(out, width, height)
}
