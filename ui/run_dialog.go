package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// runDialog shows a running plan or a result.
type runDialog struct {
	run    *run
	cursor int
	offset int
	page   int
}

func (d *runDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if listKey(key, &d.cursor, len(d.run.plan.Targets), d.page) {
		return nil
	}
	switch key {
	case "esc":
		if !d.run.finished && !d.run.stopping {
			d.run.stopping = true
			d.run.cancel()
			return nil
		}
		m.closeDialog()
	case "enter", "q":
		m.closeDialog()
	}
	return nil
}

func (d *runDialog) draw(m *Model, width, height int) box {
	r := d.run
	t := r.tally()
	styles := m.theme.Styles
	lines := []string{d.bar(m, t, width), ""}
	if r.err != nil {
		for _, line := range widget.Wrap(safe(r.err.Error()), width) {
			lines = append(lines, styles.Alarm.Render(line))
		}
	}
	for i := range r.plan.Egress {
		text, look := stepOutcome(m.theme.Glyphs, &r.plan.Egress[i])
		for _, line := range widget.Wrap(text, width) {
			lines = append(lines, m.style(look).Render(line))
		}
	}
	for i := range r.plan.Config {
		text, look := editOutcome(m.theme.Glyphs, &r.plan.Config[i])
		for _, line := range widget.Wrap(text, width) {
			lines = append(lines, m.style(look).Render(line))
		}
	}
	foot := d.foot(m, width)
	d.page = max(1, height-len(lines)-len(foot))
	d.offset = widget.Follow(d.cursor, d.offset, d.page, len(r.plan.Targets))
	for i := d.offset; i < min(len(r.plan.Targets), d.offset+d.page); i++ {
		lines = append(lines, d.line(m, i, width))
	}
	title := planTitle(&r.plan, r.total)
	if r.finished {
		title += ": " + t.words()
	}
	return box{title: title, lines: append(lines, foot...)}
}

func (d *runDialog) bar(m *Model, t tally, width int) string {
	text := fmt.Sprintf(" %d of %d  %s", t.sum(), d.run.total, t.words())
	bar := widget.Progress(max(0, min(40, width-widget.Width(text))), t.sum(), d.run.total, m.theme.Glyphs.BarFull, m.theme.Glyphs.BarEmpty)
	return m.theme.Styles.Accent.Render(bar) + m.theme.Styles.Text.Render(text)
}

func (d *runDialog) foot(m *Model, width int) []string {
	text := "esc stops what has not started, enter leaves it running in the background"
	switch {
	case d.run.finished:
		text = "esc closes; " + m.keys.keyOf("last-result") + " shows this again, " + m.keys.keyOf("audit") + " all actions"
	case d.run.stopping:
		text = "stopping: what has begun is finished first"
	}
	return []string{"", m.theme.Styles.Dim.Render(widget.Clip(text, width, m.theme.Glyphs.Ellipsis))}
}

func (d *runDialog) line(m *Model, at, width int) string {
	t := &d.run.plan.Targets[at]
	sign, word, look := outcomeWords(m.theme.Glyphs, t.Outcome)
	name := label(t.Name, m.theme.Glyphs.Escaped)
	if name == "" {
		name = t.ID.Short()
	}
	rest := safe(t.Error)
	if rest == "" && t.Outcome != model.OutcomeDone {
		rest = safe(t.Reason) // of what was to come; nothing is left of it once it is done
	}
	text := sign + " " + widget.Fit(name, widget.Clamp(width*30/100, 10, 30), m.theme.Glyphs.Ellipsis) + " " +
		widget.Fit(word, 9, "") + " " + rest
	style := m.style(look)
	if at == d.cursor {
		style = m.theme.Styles.Selected
	}
	return style.Render(widget.Fit(text, width, m.theme.Glyphs.Ellipsis))
}

// outcomeWords says what became of a target.
func outcomeWords(g theme.Glyphs, outcome model.Outcome) (sign, word string, look tone) {
	switch outcome {
	case model.OutcomeDone:
		return g.Pass, "done", toneCalm
	case model.OutcomeFailed:
		return g.Fail, "failed", toneAlarm
	case model.OutcomePartial:
		return g.Fail, "partial", toneAlarm
	case model.OutcomeUnknown:
		return g.Unknown, "unknown", toneAlarm
	case model.OutcomeRefused:
		return g.NotReached, "refused", toneDim
	case model.OutcomeSkipped:
		return g.NotReached, "kept", toneDim
	default:
		return g.Dot, "waiting", toneText
	}
}
