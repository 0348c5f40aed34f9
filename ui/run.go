package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// run is a plan being carried out or, once finished, its result.
type run struct {
	number   int
	plan     model.Plan // with the outcomes known so far
	place    map[model.Key]int
	total    int // targets something is done to
	finished bool
	stopping bool
	cancel   context.CancelFunc
	err      error
	at       time.Time // when it finished, our clock

	progress chan model.Target
	stopped  chan struct{} // closed when the work is over
}

// tally counts the outcomes of the targets that were to be acted on.
type tally struct{ done, failed, skipped, unknown int }

func (r *run) tally() tally {
	var t tally
	for i := range r.plan.Targets {
		target := &r.plan.Targets[i]
		if target.Decision != model.DecisionAct {
			continue
		}
		switch target.Outcome {
		case model.OutcomeDone:
			t.done++
		case model.OutcomeFailed, model.OutcomePartial:
			t.failed++
		case model.OutcomeSkipped, model.OutcomeRefused:
			t.skipped++
		case model.OutcomeUnknown:
			t.unknown++
		case model.OutcomePlanned:
		}
	}
	return t
}

func (t tally) sum() int { return t.done + t.failed + t.skipped + t.unknown }

// words says a tally; parts that are zero are left out.
func (t tally) words() string {
	text := fmt.Sprintf("%d done", t.done)
	if t.failed > 0 {
		text += fmt.Sprintf(", %d failed", t.failed)
	}
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	if t.unknown > 0 {
		text += fmt.Sprintf(", %d unknown", t.unknown)
	}
	return text
}

func (r *run) summary() string {
	t := r.tally()
	if !r.finished {
		return fmt.Sprintf("%s: %d of %d, %s", safe(string(r.plan.Action)), t.sum(), r.total, t.words())
	}
	stands, _ := stepWords(&r.plan)
	written, _ := editWords(&r.plan)
	return safe(string(r.plan.Action)) + ": " + stands + written + t.words()
}

// startRun carries a plan out and shows how it goes.
func (m *Model) startRun(plan model.Plan) tea.Cmd {
	if m.options.Backend == nil {
		return nil
	}
	m.runs++
	ctx, cancel := context.WithCancel(m.context)
	r := &run{number: m.runs, plan: plan, cancel: cancel, place: make(map[model.Key]int)}
	r.plan.Targets = append([]model.Target(nil), plan.Targets...)
	for i := range plan.Targets {
		r.place[targetKey(&plan.Targets[i])] = i
		if plan.Targets[i].Decision == model.DecisionAct {
			r.total++
		}
	}
	m.run = r
	m.dialog = &runDialog{run: r}
	m.settled.begin()
	m.settled.done = true
	return m.execute(ctx, r, plan)
}

// execute returns the commands that carry a plan out. Finished targets come
// back one by one; should the program not keep up some are left out, since the
// last message has them all.
func (m *Model) execute(ctx context.Context, r *run, plan model.Plan) tea.Cmd {
	backend, now, number := m.options.Backend, m.options.Now, r.number
	progress, stopped := make(chan model.Target, len(plan.Targets)+1), make(chan struct{})
	r.progress, r.stopped = progress, stopped
	work := func() tea.Msg {
		defer close(stopped)
		result, err := backend.Execute(ctx, plan, func(t model.Target) {
			select {
			case progress <- t:
			default:
			}
		})
		done := planFinished{run: number, plan: result, err: err}
		if now != nil {
			done.at = now()
		}
		return done
	}
	return tea.Batch(work, r.next())
}

// next waits for the next finished target.
func (r *run) next() tea.Cmd {
	progress, stopped, number := r.progress, r.stopped, r.number
	return func() tea.Msg {
		select {
		case t := <-progress:
			return targetFinished{run: number, target: t}
		case <-stopped:
			return nil
		}
	}
}

func (m *Model) targetFinished(msg targetFinished) tea.Cmd {
	if m.run == nil || msg.run != m.run.number || m.run.finished {
		return nil
	}
	if at, ok := m.run.place[targetKey(&msg.target)]; ok {
		m.run.plan.Targets[at] = msg.target
	}
	return m.run.next()
}

// planFinished takes the outcomes in. The result stays until the next action
// and can be opened again.
func (m *Model) planFinished(msg planFinished) tea.Cmd {
	if m.run == nil || msg.run != m.run.number {
		return nil
	}
	r := m.run
	r.cancel()
	r.finished, r.err, r.at = true, msg.err, msg.at
	if len(msg.plan.Targets) == len(r.plan.Targets) {
		r.plan = msg.plan
	}
	m.setNow(msg.at)
	t := r.tally()
	kind := noteCalm
	text := r.summary()
	if t.failed+t.unknown > 0 || t.skipped > 0 {
		kind = noteWarn
	}
	_, stands := stepWords(&r.plan)
	if _, whole := editWords(&r.plan); !whole || !stands {
		kind = noteAlarm
	}
	if r.err != nil && !errors.Is(r.err, context.Canceled) {
		kind, text = noteAlarm, text+"; "+safe(r.err.Error())
	}
	if key := m.keys.keyOf("last-result"); key != "" {
		text += "; " + key + " shows the result"
	}
	m.noted(noted{text: text, kind: kind, at: msg.at})
	return m.tell(Backend.Refresh)
}

// showLastResult opens the running action or the last result.
func (m *Model) showLastResult() tea.Cmd {
	if m.run == nil {
		m.say(noteWarn, "nothing has been done yet")
		return nil
	}
	return m.show(&runDialog{run: m.run})
}

// progressBar is the terminal's own progress indicator.
func (m *Model) progressBar() *tea.ProgressBar {
	if m.run == nil || m.run.finished || m.run.total == 0 {
		return nil
	}
	t := m.run.tally()
	state := tea.ProgressBarDefault
	if t.failed > 0 {
		state = tea.ProgressBarError
	}
	return tea.NewProgressBar(state, 100*t.sum()/m.run.total)
}
