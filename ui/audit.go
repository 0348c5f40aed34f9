package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// auditTimeout bounds the reading of the audit file.
const auditTimeout = 5 * time.Second

// auditDialog shows the actions taken, newest first, and takes one back.
type auditDialog struct {
	loaded  bool
	err     error
	entries []model.AuditEntry // oldest first
	cursor  int
	offset  int
	page    int
	refusal string // why the last undo was not planned
}

func (m *Model) showAudit() tea.Cmd {
	d := &auditDialog{}
	open := m.show(d)
	backend := m.options.Backend
	if backend == nil {
		d.loaded = true
		return open
	}
	parent := m.context
	return tea.Batch(open, func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, auditTimeout)
		defer cancel()
		entries, err := backend.Audit(ctx)
		return auditRead{entries: entries, err: err}
	})
}

func (m *Model) auditRead(msg auditRead) {
	if d, ok := m.dialog.(*auditDialog); ok {
		d.loaded, d.entries, d.err = true, msg.entries, msg.err
	}
}

func (d *auditDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if listKey(key, &d.cursor, len(d.entries), d.page) {
		d.refusal = ""
		return nil
	}
	switch key {
	case "esc", "enter", "q", "A":
		m.closeDialog()
	case "u":
		return d.undo(m)
	}
	return nil
}

// undo opens the plan that takes the action under the cursor back.
func (d *auditDialog) undo(m *Model) tea.Cmd {
	entry := d.current()
	switch {
	case entry == nil:
		return nil
	case m.acting() != "":
		d.refusal = m.acting()
		return nil
	case m.run != nil && !m.run.finished:
		d.refusal = "an action is running"
		return nil
	}
	plan, err := model.PlanUndo(m.fleet, d.entries, entry.N)
	if err != nil {
		d.refusal = safe(err.Error())
		return nil
	}
	return m.showPrepared(newPlanDialog(plan, m.options.ReadOnly))
}

// current is the entry under the cursor, nil when there is none.
func (d *auditDialog) current() *model.AuditEntry {
	if d.cursor >= len(d.entries) {
		return nil
	}
	return &d.entries[len(d.entries)-1-d.cursor]
}

func (d *auditDialog) draw(m *Model, width, height int) box {
	foot := 0
	if d.refusal != "" {
		foot = 1
	}
	lines := d.list(m, width, max(1, height-foot))
	if d.refusal != "" {
		lines = append(lines, m.theme.Styles.Warn.Render(widget.Clip(d.refusal, width, m.theme.Glyphs.Ellipsis)))
	}
	note := "esc closes"
	if entry := d.current(); entry != nil && entry.Undo {
		note = fmt.Sprintf("u takes action %d back, esc closes", entry.N)
	}
	return box{title: "Actions taken", lines: lines, note: note}
}

func (d *auditDialog) list(m *Model, width, height int) []string {
	styles := m.theme.Styles
	switch {
	case d.err != nil:
		return widget.Wrap(safe(d.err.Error()), width)
	case !d.loaded:
		return []string{styles.Dim.Render("reading the audit file")}
	case len(d.entries) == 0:
		return []string{styles.Dim.Render("nothing has been done yet")}
	}
	d.page = height
	d.offset = widget.Follow(d.cursor, d.offset, height, len(d.entries))
	var lines []string
	for at := d.offset; at < min(len(d.entries), d.offset+height); at++ {
		text, look := d.entry(m, &d.entries[len(d.entries)-1-at])
		if at == d.cursor {
			look = styles.Selected
			text = widget.Fit(text, width, m.theme.Glyphs.Ellipsis)
		}
		lines = append(lines, look.Render(widget.Clip(text, width, m.theme.Glyphs.Ellipsis)))
	}
	return lines
}

// entry says one line of the audit: number, time, action, and the plan's size,
// the configuration that was written or the target's outcome.
func (d *auditDialog) entry(m *Model, e *model.AuditEntry) (string, theme.Look) {
	start := fmt.Sprintf("%4d  %s  %-9s ", e.N, e.Time.UTC().Format("2006-01-02 15:04:05"), safe(string(e.Action)))
	look := m.theme.Styles.Text
	switch {
	case e.Target != nil:
		sign, word, tone := outcomeWords(m.theme.Glyphs, e.Target.Outcome)
		start += sign + " " + widget.Fit(word, 8, "") + " " + label(e.Target.Name, m.theme.Glyphs.Escaped)
		switch {
		case e.Target.Error != "":
			start += ": " + safe(e.Target.Error)
		case e.Action == model.ActionShell:
			start += ": " + safe(e.Target.Reason)
		}
		look = m.style(tone)
	case e.Plan != nil && e.Phase == model.PhaseResult:
		for i := range e.Plan.Config {
			text, tone := editOutcome(m.theme.Glyphs, &e.Plan.Config[i])
			start += text + " "
			look = m.style(tone)
		}
	case e.Plan != nil && e.Action == model.ActionShell && len(e.Plan.Targets) == 1:
		start += "  opened in " + label(e.Plan.Targets[0].Name, m.theme.Glyphs.Escaped) + " by " + raw(e.User)
		look = m.theme.Styles.Dim
	case e.Plan != nil:
		acts := 0
		for i := range e.Plan.Targets {
			if e.Plan.Targets[i].Decision == model.DecisionAct {
				acts++
			}
		}
		start += "  began on " + plural(acts, "sandbox", "sandboxes") + " by " + raw(e.User)
		look = m.theme.Styles.Dim
	}
	if e.Undo {
		start += "  (undo " + fmt.Sprint(e.N) + " takes it back)"
	}
	return start, look
}
