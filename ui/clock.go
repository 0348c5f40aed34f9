package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// schedule sets the timer for the next moment at which a shown age changes. A
// timer that is due before that is left alone: it looks again.
func (m *Model) schedule() tea.Cmd {
	wait := m.nextChange()
	if wait <= 0 || m.options.Now == nil || m.now.IsZero() {
		return nil
	}
	due := m.now.Add(wait)
	if !m.timer.due.IsZero() && !due.Before(m.timer.due) {
		return nil
	}
	m.timer.generation++
	m.timer.due = due
	if m.timer.stop != nil {
		m.timer.stop() // the one before would sleep on for hours, and many pile up
	}
	ctx, stop := context.WithCancel(m.context)
	m.timer.stop = stop
	generation, now := m.timer.generation, m.options.Now
	return after(ctx, wait, func() tea.Msg { return ticked{generation: generation, at: now()} })
}

// ticked moves the time on. Ages in filters and in the order move with it.
func (m *Model) ticked(msg ticked) {
	if msg.generation != m.timer.generation {
		return
	}
	m.timer.due = time.Time{}
	m.setNow(msg.at)
	if !m.filter.query.Empty() {
		m.rebuild()
	}
}

// nextChange returns how long all that is on the screen stays true; 0 when
// nothing on it ages.
func (m *Model) nextChange() time.Duration {
	if m.fleet == nil {
		return 0
	}
	var next time.Duration
	within := func(wait time.Duration) {
		if next == 0 || wait < next {
			next = wait
		}
	}
	sooner := func(age time.Duration) { within(model.NextAgeChange(age)) }
	for i := range m.fleet.Engines {
		e := &m.fleet.Engines[i]
		if e.State != model.Live && !e.LastAnswer.IsZero() {
			sooner(m.now.Sub(e.LastAnswer))
		}
		if e.State == model.Down && !e.Since.IsZero() {
			sooner(m.now.Sub(e.Since))
		}
	}
	rows, _ := m.tree.visible()
	for _, r := range rows {
		if r.at >= 0 {
			s := m.tree.shown[r.at]
			// An age of zero can be one of a clock that differs; it waits for
			// the next look at the engine instead of a tick each second.
			if age, known := s.Age(m.engineNow(s.Engine)); known && age > 0 {
				sooner(age)
			}
			if idle, known := s.Idle.For(m.engineNow(s.Engine)); known && idle > 0 && m.showsColumn("idle") {
				sooner(idle)
			}
		}
	}
	for _, wait := range m.detailWaits() {
		within(wait)
	}
	return next
}
