package dockerx

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// pollInterval is the pause between two looks at a removal in progress.
const pollInterval = 200 * time.Millisecond

// remove deletes the container. Without force the engine itself refuses one
// that came back to life in the meantime, atomically; so force is sent only
// when the plan said so, and never by reap.
func (t *attempt) remove(work context.Context) result {
	options := client.ContainerRemoveOptions{
		RemoveVolumes: t.target.Volumes,
		Force:         t.target.Method == model.MethodRemoveForce && !t.reap,
	}
	err := t.sendRemoval(work, options)
	if stop := refusal(err); stop != nil {
		return *stop
	}
	if options.Force && t.stoppedMeanwhile(work, err) {
		options.Force = false // nothing is left to kill, and one started again must live
		err = t.sendRemoval(work, options)
	}
	return t.removed(work, err)
}

func (t *attempt) sendRemoval(work context.Context, options client.ContainerRemoveOptions) error {
	return t.call(work, func(ctx context.Context, calls engineCalls) error {
		_, err := calls.ContainerRemove(ctx, t.id, options)
		return err
	})
}

// stoppedMeanwhile reports whether a forced removal failed because the
// container ended by itself, or by another client, right before the engine
// killed it: an engine then gives up although nothing is in the way any more.
func (t *attempt) stoppedMeanwhile(work context.Context, callErr error) bool {
	if callErr == nil || !answered(callErr) || !alive(t.before.State) {
		return false
	}
	now, gone, err := t.inspect(work)
	return err == nil && !gone && now.State == model.StateExited && !t.restarted(now)
}

// removed finds out what a removal did. Its answer alone never decides: a
// conflict can mean that it runs again or that another removal is under way,
// and a removal whose client left goes on.
func (t *attempt) removed(work context.Context, callErr error) result {
	now, gone, err := t.awaitRemoval(work, callErr)
	switch {
	case gone && callErr != nil && answered(callErr):
		return done(append(t.dropImage(work), "another removal was faster")...)
	case gone:
		return done(t.dropImage(work)...)
	case err != nil:
		return t.unverified(work, "the removal", err)
	case now.State == model.StateRemoving:
		return unknown("the engine is still removing it; look again")
	case t.restarted(now), now.State != t.before.State && alive(now.State):
		return skipped(fmt.Sprintf("kept: it was started again and is %s", model.NewText(string(now.State))))
	case callErr != nil && !answered(callErr):
		return unknown("the removal was sent without an answer (%s), and the container is still %s; look again",
			reason(callErr), model.NewText(string(now.State)))
	case now.State == model.StateDead:
		return failed("the engine could not remove it: %s; it is dead now: free its files or restart the engine, then remove it again", reason(callErr))
	}
	return failed("it was not removed and is %s: %s; look again", model.NewText(string(now.State)), reason(callErr))
}

// awaitRemoval inspects until the container is gone, or is found in a state
// that is no removal in progress.
func (t *attempt) awaitRemoval(work context.Context, callErr error) (model.Container, bool, error) {
	ctx, cancel := context.WithTimeout(work, t.limit)
	defer cancel()
	for {
		now, gone, err := t.inspect(work)
		if err != nil || gone || !leaving(now.State, callErr) {
			return now, gone, err
		}
		timer := time.NewTimer(pollInterval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			if work.Err() != nil {
				return now, false, context.Cause(work) //nolint:wrapcheck // errGaveUp, known by identity
			}
			return now, false, nil
		}
	}
}

// leaving reports whether a removal is in progress. An engine calls a container
// dead during the last part of another client's removal.
func leaving(state model.State, callErr error) bool {
	return state == model.StateRemoving || state == model.StateDead && errdefs.IsConflict(callErr)
}

func alive(state model.State) bool {
	switch state {
	case model.StateRunning, model.StatePaused, model.StateRestarting:
		return true
	default:
		return false
	}
}

// stopRemove takes a running container that reap was told to take: it must not
// serve an exec, is stopped with its own grace and then removed without force,
// so that one started again meanwhile survives.
func (t *attempt) stopRemove(work context.Context) result {
	if !alive(t.before.State) {
		return t.remove(work)
	}
	if stop := t.inUse(work); stop != nil {
		return *stop
	}
	stopped := t.stop(work)
	if stopped.outcome != model.OutcomeDone {
		return stopped
	}
	now, gone, err := t.inspect(work)
	switch {
	case gone:
		return done("it removed itself when it stopped")
	case err != nil:
		return partial("it was stopped, but could not be inspected before the removal: %s; nothing more was sent", reason(err))
	case alive(now.State) || t.restarted(now):
		return partial("it was stopped, but another started it again: kept")
	}
	t.before = now
	res := t.remove(work)
	if res.outcome == model.OutcomeSkipped || res.outcome == model.OutcomeFailed {
		res.outcome, res.detail = model.OutcomePartial, "it was stopped, then not removed: "+res.detail
	}
	return res
}

// inUse looks for a running exec, the one sign of use an engine gives. Finished
// ones linger in the list, so each is asked.
func (t *attempt) inUse(work context.Context) *result {
	for _, exec := range t.before.ExecIDs {
		if !model.ID(exec).Valid() {
			res := failed("the engine names an exec by something that is no ID; nothing was sent")
			return &res
		}
		var running bool
		err := t.call(work, func(ctx context.Context, calls engineCalls) error {
			answer, err := calls.ExecInspect(ctx, exec, client.ExecInspectOptions{})
			running = answer.Running
			return err
		})
		switch {
		case errdefs.IsNotFound(err):
			continue
		case err != nil:
			res := failed("whether a command runs in it could not be read: %s; nothing was sent", reason(err))
			return &res
		case running:
			res := skipped("kept: a command runs in it now; nothing was sent")
			return &res
		}
	}
	return nil
}
