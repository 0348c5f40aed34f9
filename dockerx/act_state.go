package dockerx

import (
	"context"

	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// stateChange is one call that brings a container into another state.
type stateChange struct {
	what    string // "the start", for messages
	request func(context.Context, engineCalls) error
	// reached reports whether an inspect shows the aim.
	reached func(now model.Container) bool
	// missed explains an inspect that shows something else after an answer;
	// nil or an empty detail leaves the general explanation.
	missed func(now model.Container) result
	// goneIsDone is true where a container that removes itself is no failure.
	goneIsDone bool
}

// change makes the call and looks at what came of it. What the container is
// afterwards decides, whatever the call answered.
func (t *attempt) change(work context.Context, step stateChange) result {
	callErr := t.call(work, step.request)
	if stop := refusal(callErr); stop != nil {
		return *stop
	}
	now, gone, err := t.inspect(work)
	switch {
	case gone && step.goneIsDone:
		return done("it removed itself when it stopped")
	case gone:
		return failed("it is gone since %s was sent; look again", step.what)
	case err != nil:
		return t.unverified(work, step.what, err)
	case step.reached(now):
		return done()
	}
	if step.missed != nil {
		if res := step.missed(now); res.detail != "" {
			return res
		}
	}
	state := model.NewText(string(now.State))
	if !knownState(now.State) {
		return unknown("%s was sent, and the engine calls it %q now; look again", step.what, state.Display())
	}
	if callErr != nil && !answered(callErr) {
		return unknown("%s was sent without an answer (%s), and it is %s; look again", step.what, reason(callErr), state)
	}
	return failed("%s had no effect: %s, and it is %s; look again", step.what, reason(callErr), state)
}

func (t *attempt) start(work context.Context) result {
	return t.change(work, stateChange{
		what: "the start",
		request: func(ctx context.Context, calls engineCalls) error {
			_, err := calls.ContainerStart(ctx, t.id, client.ContainerStartOptions{})
			return err
		},
		reached: func(now model.Container) bool { return now.State == model.StateRunning },
		missed: func(now model.Container) result {
			if t.restarted(now) && now.State == model.StateExited {
				return failed("it started and ended at once with exit code %d; look at its log", now.ExitCode)
			}
			return result{}
		},
	})
}

// stop lets the engine use the container's own stop signal and grace. Restarted
// since, it counts as stopped and started by another.
func (t *attempt) stop(work context.Context) result {
	return t.change(work, stateChange{
		what: "the stop",
		request: func(ctx context.Context, calls engineCalls) error {
			_, err := calls.ContainerStop(ctx, t.id, client.ContainerStopOptions{})
			return err
		},
		// One that removes itself is seen removing, even dead, for a moment.
		reached: func(now model.Container) bool {
			return knownState(now.State) && !alive(now.State) && !t.restarted(now)
		},
		missed: func(now model.Container) result {
			if t.restarted(now) {
				return partial("it was stopped and started again by another; it is %s", model.NewText(string(now.State)))
			}
			return result{}
		},
		goneIsDone: true,
	})
}

func (t *attempt) pause(work context.Context) result {
	return t.change(work, stateChange{
		what: "the pause",
		request: func(ctx context.Context, calls engineCalls) error {
			_, err := calls.ContainerPause(ctx, t.id, client.ContainerPauseOptions{})
			return err
		},
		reached: func(now model.Container) bool { return now.State == model.StatePaused },
	})
}

func (t *attempt) unpause(work context.Context) result {
	return t.change(work, stateChange{
		what: "the unpause",
		request: func(ctx context.Context, calls engineCalls) error {
			_, err := calls.ContainerUnpause(ctx, t.id, client.ContainerUnpauseOptions{})
			return err
		},
		reached: func(now model.Container) bool { return now.State == model.StateRunning },
	})
}

// restarted reports whether the container was started after the last look.
func (t *attempt) restarted(now model.Container) bool {
	return !now.StartedAt.Time.Equal(t.before.StartedAt.Time)
}

// knownState reports whether a state is one of the Docker Engine's.
func knownState(state model.State) bool {
	switch state {
	case model.StateCreated, model.StateRunning, model.StatePaused, model.StateRestarting,
		model.StateRemoving, model.StateExited, model.StateDead:
		return true
	default:
		return false
	}
}
