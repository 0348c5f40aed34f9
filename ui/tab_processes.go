package ui

import (
	"context"
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// processView is the list of processes on the screen.
type processView struct {
	of     model.Key
	table  model.ProcessTable
	read   bool
	failed string
}

// followProcesses lists the processes of a sandbox again and again.
func (m *Model) followProcesses(ctx context.Context, key model.Key) tea.Cmd {
	source, ok := m.options.Backend.(UsageSource)
	if !ok {
		return nil
	}
	if m.processes.of != key {
		m.processes = processView{of: key}
	}
	if s := m.tree.sandbox(); s.State != model.StateRunning && s.State != model.StatePaused {
		m.processes = processView{of: key}
		m.processes.failed = "nothing runs in it: it is " + model.NewText(string(s.State)).Display()
		return nil
	}
	generation, interval := m.looking.generation, m.statsInterval()
	var next tea.Cmd
	next = func() tea.Msg {
		table, err := source.Processes(ctx, key)
		return lookAnswer{generation: generation, take: func(m *Model) tea.Cmd {
			m.processes = processView{of: key, table: table, read: true}
			if err != nil {
				m.processes.failed = safe(err.Error())
			}
			return after(ctx, interval, next)
		}}
	}
	return next
}

// writeProcesses shows what a sandbox uses, and its processes.
func (m *Model) writeProcesses(p *page, s *model.Sandbox) {
	if track, ok := m.usageOf(s); ok {
		m.writeUsage(p, track)
	}
	if m.processes.failed != "" {
		p.paragraph(m.processes.failed, p.theme.Styles.Dim)
		return
	}
	if !m.processes.read {
		p.paragraph("waiting for the engine's list", p.theme.Styles.Dim)
		return
	}
	p.heading("Processes")
	m.writeProcessTable(p, &m.processes.table)
}

func (m *Model) writeUsage(p *page, track *usageTrack) {
	u := &track.usage
	m.bar(p, "cpu", track, percent(u.CPU, m.theme.Glyphs.Dash)+" of a processor", 100, func(u *model.Usage) *float64 { return u.CPU })
	memory := sizeOf(u.Memory)
	if u.MemoryPercent != nil {
		memory += " of " + sizeOf(track.last.MemoryLimit) + ", " + percent(u.MemoryPercent, "")
	}
	m.bar(p, "memory", track, memory, 0, func(u *model.Usage) *float64 { value := float64(u.Memory); return &value })
	m.bar(p, "network", track, m.speed(u.Received)+" in, "+m.speed(u.Sent)+" out", 0, func(u *model.Usage) *float64 { return sum(u.Received, u.Sent) })
	m.bar(p, "disk", track, m.speed(u.Read)+" read, "+m.speed(u.Written)+" written", 0, func(u *model.Usage) *float64 { return sum(u.Read, u.Written) })
	count := plural(int(min(u.Processes, math.MaxInt32)), "process or thread", "processes and threads")
	if limit := track.last.ProcessLimit; limit > 0 && limit < math.MaxInt32 {
		count += fmt.Sprintf(" of %d", limit)
	}
	m.bar(p, "pids", track, count, 0, func(u *model.Usage) *float64 { value := float64(u.Processes); return &value })
}

// bar writes a figure with its course over the last minutes.
func (m *Model) bar(p *page, name string, track *usageTrack, text string, full float64, of func(*model.Usage) *float64) {
	values := make([]float64, len(track.history))
	for i := range track.history {
		values[i] = -1
		if value := of(&track.history[i]); value != nil {
			values[i] = *value
		}
	}
	p.field(name, text)
	room := min(usageKept, p.width-labelWidth)
	if len(values) > 1 && room > 0 {
		spark := strings.TrimLeft(widget.Spark(values, room, full, m.theme.Glyphs.Bars), " ")
		p.lines = append(p.lines, widget.Spaces(labelWidth)+p.theme.Styles.Accent.Render(spark))
	}
}

func sum(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	total := *a + *b
	return &total
}

func percent(value *float64, unknown string) string {
	if value == nil {
		return unknown
	}
	return fmt.Sprintf("%.1f %%", *value)
}

func (m *Model) speed(value *float64) string {
	if value == nil {
		return m.theme.Glyphs.Dash
	}
	return sizeOf(uint64(min(*value, math.MaxInt64))) + "/s"
}

// sizeOf writes a size in binary units.
func sizeOf(bytes uint64) string {
	return byteSize(int64(min(bytes, math.MaxInt64)))
}

// processCell is how wide a column of the process table can get; the last one
// takes the rest.
const processCell = 12

// writeProcessTable lays the engine's columns out.
func (m *Model) writeProcessTable(p *page, table *model.ProcessTable) {
	if len(table.Titles) == 0 {
		p.paragraph("the engine lists none", p.theme.Styles.Dim)
		return
	}
	widths := make([]int, len(table.Titles))
	rows := append([][]model.Text{table.Titles}, table.Rows...)
	for _, row := range rows {
		for i := range min(len(row), len(widths)) {
			widths[i] = min(processCell, max(widths[i], widget.Width(cell(row[i]))))
		}
	}
	for at, row := range rows {
		var line strings.Builder
		for i := range min(len(row), len(widths)) {
			text := row[i]
			if at > 0 && i == len(widths)-1 && !m.detail.reveal {
				text = m.options.Mask.Text(text)
			}
			if i == len(widths)-1 {
				line.WriteString(cell(text))
				break
			}
			line.WriteString(widget.Fit(cell(text), widths[i], m.theme.Glyphs.Ellipsis) + " ")
		}
		style := p.theme.Styles.Text
		if at == 0 {
			style = p.theme.Styles.Dim
		}
		p.lines = append(p.lines, style.Render(widget.Clip(line.String(), p.width, m.theme.Glyphs.Ellipsis)))
	}
	if table.Dropped > 0 {
		p.paragraph(fmt.Sprintf("and %d more", table.Dropped), p.theme.Styles.Dim)
	}
}
