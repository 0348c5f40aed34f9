package ui

import (
	"fmt"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// engineStale reports whether what an engine said may be out of date.
func (m *Model) engineStale(name string) bool {
	e := m.fleet.Engine(name)
	return e != nil && e.State != model.Live
}

// acting reports whether actions can reach a live engine, with the reason when
// they cannot.
func (m *Model) acting() string {
	if m.fleet == nil {
		return "no engine has answered yet"
	}
	for i := range m.fleet.Engines {
		if m.fleet.Engines[i].State == model.Live {
			return ""
		}
	}
	return "no engine is live: what is shown may be out of date, so nothing is acted on"
}

// alertLine carries the most important thing to know, or the last result.
func (m *Model) alertLine() string {
	text, t := m.alert()
	if text == "" {
		return widget.Spaces(m.width)
	}
	return m.style(t).Render(widget.Fit(" "+text, m.width, m.theme.Glyphs.Ellipsis))
}

// alert picks what the alert line says: a running action, then a lockdown that
// was lost, then the last message, then the engines, then violations, then
// proxies that do not run, then orphans.
func (m *Model) alert() (string, tone) {
	sign := m.theme.Glyphs.Alert + " "
	if m.run != nil && !m.run.finished {
		return m.run.summary(), toneText
	}
	if text := m.lostAlert(); text != "" {
		return sign + text, toneAlarm
	}
	switch {
	case m.note.text != "" && m.note.at.IsZero(): // the greeting
		return m.note.text, m.note.kind.tone()
	case m.note.text != "":
		return m.note.at.UTC().Format("15:04:05") + "  " + m.note.text, m.note.kind.tone()
	}
	if m.fleet == nil {
		return "", toneDim
	}
	for i := range m.fleet.Engines {
		if e := &m.fleet.Engines[i]; e.State != model.Live && e.Error != "" {
			return sign + raw(e.Name) + " is " + safe(string(e.State)) + m.answerAge(e) + ": " + safe(e.Error), toneWarn
		}
	}
	if text := m.violationAlert(); text != "" {
		return sign + text, toneAlarm
	}
	if text := m.proxyAlert(); text != "" {
		return sign + text, toneWarn
	}
	if len(m.fleet.Problems) > 0 {
		p := m.fleet.Problems[0]
		text := safe(p.Part) + ": " + safe(p.Error)
		if more := len(m.fleet.Problems) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
		return sign + text, toneWarn
	}
	return m.orphanAlert(), toneDim
}

func (m *Model) violationAlert() string {
	c := &m.counts
	if c.violations == 0 {
		return ""
	}
	names := make([]string, len(c.broken))
	for i, at := range c.broken {
		names[i] = m.nameCell(&m.fleet.Sandboxes[at])
	}
	text := plural(c.violations, "violation", "violations") + ": " + strings.Join(names, ", ")
	switch {
	case c.violations == 1:
		s := &m.fleet.Sandboxes[c.broken[0]]
		text += ": " + safe(s.ViolationReason)
		if key := m.keys.keyOf("lockdown"); key != "" && !m.options.ReadOnly && s.Policy != nil && (s.Policy.Position == model.PositionLocked || s.Policy.Position == model.PositionAllowlist) {
			text += "; " + key + " brings it into line"
		}
		return text
	case c.violations > len(names):
		return text + fmt.Sprintf(" and %d more", c.violations-len(names))
	default:
		return text
	}
}

func (m *Model) orphanAlert() string {
	key := m.keys.keyOf("reap")
	if m.counts.orphans == 0 || key == "" {
		return ""
	}
	return plural(m.counts.orphans, "orphan", "orphans") + " that Hermes' reaper would take: " + key + " shows the plan"
}

// footer draws the short help, or the filter while it is being typed.
func (m *Model) footer() string {
	if m.filter.typing {
		return m.filterLine()
	}
	if m.find.typing {
		return m.findLine()
	}
	entries := m.keys.short(m.options.ReadOnly, m.fleet == nil || len(m.fleet.Sandboxes) == 0)
	if m.copying {
		entries = [][2]string{{"n", "copy the name"}, {"j", "copy JSON"}}
	}
	width := func() int {
		sum := 1
		for _, e := range entries {
			sum += widget.Width(e[0]) + widget.Width(e[1]) + 3
		}
		return sum
	}
	// Help and quit stand last and stay longest.
	right := m.footerRight()
	for len(entries) > 2 && width()+widget.Width(right) > m.width {
		entries = append(entries[:len(entries)-3:len(entries)-3], entries[len(entries)-2:]...)
	}
	parts := make([]string, len(entries))
	for i, e := range entries {
		parts[i] = m.theme.Styles.Key.Render(safe(e[0])) + " " + m.theme.Styles.Dim.Render(e[1])
	}
	left := " " + strings.Join(parts, "  ")
	return widget.Spread(left, right, m.width, m.theme.Glyphs.Ellipsis)
}

// footerRight shows what narrows the view: marks and the filter.
func (m *Model) footerRight() string {
	var parts []string
	if n := len(m.tree.marks); n > 0 {
		text := fmt.Sprintf("%d marked", n)
		if hidden := m.hiddenMarks(); hidden > 0 {
			text += fmt.Sprintf(" (%d hidden)", hidden)
		}
		parts = append(parts, text)
	}
	if text := m.filter.text(); text != "" {
		parts = append(parts, "filter: "+widget.Clip(raw(text), 30, m.theme.Glyphs.Ellipsis))
	}
	if len(parts) == 0 {
		return ""
	}
	return m.theme.Styles.Accent.Render(strings.Join(parts, "  ") + " ")
}
