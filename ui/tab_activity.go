package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// ActivitySource knows the commands that were run in sandboxes.
type ActivitySource interface {
	// Activity returns what is known of a sandbox's commands as soon as its
	// revision is another than the one that was seen.
	Activity(ctx context.Context, key model.Key, seen uint64) (model.Activity, error)
}

// activityPace is the least time between two pictures of a busy sandbox.
const activityPace = 100 * time.Millisecond

// commandBeside is the width from which on a command line stands beside its
// time.
const commandBeside = 70

// activityView is the activity on the screen.
type activityView struct {
	known  model.Activity
	failed string
}

// followActivity keeps the commands of a sandbox up to date.
func (m *Model) followActivity(ctx context.Context, key model.Key) tea.Cmd {
	source, ok := m.options.Backend.(ActivitySource)
	if !ok {
		return nil
	}
	m.activity = activityView{}
	generation := m.looking.generation
	var next func(seen uint64) tea.Cmd
	next = func(seen uint64) tea.Cmd {
		return func() tea.Msg {
			activity, err := source.Activity(ctx, key, seen)
			return lookAnswer{generation: generation, take: func(m *Model) tea.Cmd {
				if err != nil {
					m.activity.failed = safe(err.Error())
					return nil
				}
				m.activity.known = activity
				return after(ctx, activityPace, next(activity.Revision))
			}}
		}
	}
	return next(0)
}

// after runs a command once some time has passed, unless ctx ends before.
func after(ctx context.Context, wait time.Duration, command tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			return command()
		case <-ctx.Done():
			return nil
		}
	}
}

// writeActivity lists the commands, newest first.
func (m *Model) writeActivity(p *page, s *model.Sandbox) {
	a := &m.activity.known
	if m.activity.failed != "" {
		p.paragraph(m.activity.failed, p.theme.Styles.Warn)
	}
	if len(a.Commands) == 0 {
		p.paragraph("no command is known yet; they appear as they are run, and those the engine still remembers", p.theme.Styles.Dim)
		return
	}
	switch running, idle := a.Running(), a.IdleSince(); {
	case running > 0:
		p.field("now", plural(running, "command runs", "commands run"))
	case !idle.IsZero() && s.State == model.StateRunning:
		if idle.After(p.now) { // the event is younger than the time this page is drawn for
			idle = p.now
		}
		p.field("idle", "for "+p.duration(idle))
	}
	p.field("known", fmt.Sprintf("%s, newest first", plural(len(a.Commands), "command", "commands")))
	if a.Dropped > 0 {
		p.field("older", fmt.Sprintf("%d more are no longer kept", a.Dropped))
	}
	if !m.detail.reveal {
		p.field("secrets", "masked where they look like some; "+m.keys.keyOf("reveal")+" shows them")
	}
	p.blank()
	for i := range a.Commands {
		m.writeCommand(p, &a.Commands[i])
	}
}

func (m *Model) writeCommand(p *page, c *model.Command) {
	style, end := p.theme.Styles.Text, "running"
	switch {
	case c.ExitCode != nil && *c.ExitCode != 0:
		style, end = p.theme.Styles.Warn, fmt.Sprintf("exit %d", *c.ExitCode)
	case c.ExitCode != nil:
		end = "exit 0"
	case c.Over:
		style, end = p.theme.Styles.Dim, "ended"
	default:
		style = p.theme.Styles.Calm
	}
	took := ""
	if duration, known := c.Took(); known && c.Over && !c.EndedAt.IsZero() {
		took = shortTime(duration)
	}
	line := c.Line
	if !m.detail.reveal {
		line = m.options.Mask.Text(line)
	}
	text := value(line)
	if text == "" {
		text = "its command line is not known"
	}
	if c.Cut > 0 {
		text += fmt.Sprintf(" (+%d B)", c.Cut)
	}
	facts := fmt.Sprintf("%s %-8s %6s", c.Begun().UTC().Format("15:04:05"), end, took)
	if p.width < commandBeside { // no room beside it
		p.paragraph(facts, p.theme.Styles.Dim)
		p.item(" ", text, style)
		return
	}
	p.item(facts, text, style)
}

// shortTime writes how long something took.
func shortTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	default:
		return model.ShortAge(d)
	}
}
