package dockerx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// result is what became of one target. The detail says why it is not done, the
// notes what else a person should know.
type result struct {
	outcome model.Outcome
	detail  string
	notes   []string
}

func done(notes ...string) result { return result{outcome: model.OutcomeDone, notes: notes} }

func skipped(detail string) result { return result{outcome: model.OutcomeSkipped, detail: detail} }

func refused(detail string) result { return result{outcome: model.OutcomeRefused, detail: detail} }

func failed(format string, args ...any) result {
	return result{outcome: model.OutcomeFailed, detail: fmt.Sprintf(format, args...)}
}

func partial(format string, args ...any) result {
	return result{outcome: model.OutcomePartial, detail: fmt.Sprintf(format, args...)}
}

func unknown(format string, args ...any) result {
	return result{outcome: model.OutcomeUnknown, detail: fmt.Sprintf(format, args...)}
}

// attempt is the work on one target.
type attempt struct {
	engine actingEngine
	target *model.Target
	id     string // full ID, the only name that stands in a request
	cuts   CutStore
	limit  time.Duration // of one call
	commit time.Duration // the same of a commit
	reap   bool          // never sends force
	// before is the target as inspected right before the first call.
	before model.Container
	lose   func(engine, reason string)
	// step tells what is being done now, where a method takes several steps.
	step func(string)
}

// perform carries out one target's method. Work is a context that outlives the
// caller's by the grace.
func (a *Actor) perform(work context.Context, action model.Action, target *model.Target, lose func(engine, reason string), step func(string)) result {
	engine, known := a.engines[target.Engine]
	t := &attempt{
		engine: engine, target: target, id: string(target.ID), cuts: a.options.Cuts, limit: a.options.CallTimeout,
		commit: a.options.CommitTimeout, reap: action == model.ActionReap, lose: lose, step: step,
	}
	method := t.method()
	switch {
	case !known:
		return failed("engine %s is not connected; nothing was sent", model.NewText(target.Engine))
	case !target.ID.Valid():
		return refused("its ID is not 64 hex digits, and no other name is safe to act on")
	case target.Network && target.Method == model.MethodPrune:
		return t.pruneNetwork(work)
	case target.Network:
		return refused("it is a network, which can only be pruned")
	case a.options.Own(target.ID):
		return refused("this program runs in it; act on it from outside")
	case method == nil:
		return refused(fmt.Sprintf("method %s is not one that can be carried out here", model.NewText(string(target.Method))))
	}
	if stop := t.reinspect(work); stop != nil {
		return *stop
	}
	return method(work)
}

// method returns the work of the target's method, nil for one that is unknown.
func (t *attempt) method() func(context.Context) result {
	switch t.target.Method {
	case model.MethodRemove, model.MethodRemoveForce:
		return t.remove
	case model.MethodStopRemove:
		return t.stopRemove
	case model.MethodStart:
		return t.start
	case model.MethodStop:
		return t.stop
	case model.MethodPause:
		return t.pause
	case model.MethodUnpause:
		return t.unpause
	case model.MethodCut:
		return t.cut
	case model.MethodMove:
		return t.move
	case model.MethodReconnect, model.MethodReconnectHot:
		return t.reconnect
	case model.MethodPrune:
		return t.pruneContainer
	case model.MethodRebuild:
		return t.rebuild
	default:
		return nil
	}
}

// removes reports whether the method's aim is that the container is gone.
func (t *attempt) removes() bool {
	switch t.target.Method {
	case model.MethodRemove, model.MethodRemoveForce, model.MethodStopRemove, model.MethodPrune:
		return true
	default:
		return false
	}
}

// reinspect reads the target by its full ID and compares it with what the plan
// saw. It returns nil when the call may be made.
func (t *attempt) reinspect(work context.Context) *result {
	now, gone, err := t.inspect(work)
	var stop result
	switch {
	case gone && t.removes():
		stop = done("already gone before the call")
	case gone:
		stop = skipped("it is gone; look again")
	case err != nil:
		stop = failed("it could not be inspected before the call: %s; nothing was sent", reason(err))
	default:
		if difference := changed(t.target.Expect, now); difference != "" {
			stop = skipped("changed since the plan: " + difference + "; nothing was sent, make a new plan")
			break
		}
		t.before = now
		return nil
	}
	return &stop
}

// inspect reads the target now. Gone is true when the engine has no container
// with this ID. When the engine does not answer at all, it is given up for the
// whole plan.
func (t *attempt) inspect(work context.Context) (now model.Container, gone bool, err error) {
	ctx, cancel := context.WithTimeout(work, min(inspectTimeout, t.limit))
	defer cancel()
	now, err = t.engine.inspector.InspectContainer(ctx, t.target.ID)
	switch {
	case err == nil && (!now.Inspected || now.InspectError != "" || now.Problem != ""):
		return now, false, fmt.Errorf("the engine's answer about it could not be read whole: %s%s", now.InspectError, now.Problem)
	case err == nil:
		return now, now.ID != t.target.ID, nil
	case errdefs.IsNotFound(err) && ReasonOf(err) != ReasonNotEngine, errors.Is(err, errMismatch):
		// A page that is not found is a proxy's, not the engine's. Another
		// container whose name looks like this ID answers in its place only
		// when the container itself is gone.
		return model.Container{}, true, nil
	}
	if !answered(err) {
		t.checkEngine(work)
	}
	return model.Container{}, false, err
}

// checkEngine tells one hung inspect from an engine that is lost. One that does
// not even answer a ping is given up.
func (t *attempt) checkEngine(work context.Context) {
	if work.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(work, min(pingTimeout, t.limit))
	defer cancel()
	if _, err := t.engine.calls().Ping(ctx, client.PingOptions{}); err != nil && !answered(err) {
		t.lose(t.target.Engine, fmt.Sprintf("engine %s no longer answers", model.NewText(t.target.Engine)))
	}
}

// call makes one engine call with a deadline of its own.
func (t *attempt) call(work context.Context, request func(context.Context, engineCalls) error) error {
	ctx, cancel := context.WithTimeout(work, t.limit)
	defer cancel()
	return request(ctx, t.engine.calls())
}

// changed says how a container differs from what a plan saw; empty when it does
// not. It looks at the identity first: the rest of another container's
// differences means nothing.
func changed(expect model.Expect, now model.Container) string {
	switch {
	case !sameCreation(expect.CreatedAt, now.CreatedAt.Time):
		return "it was created at another time"
	case !maps.Equal(expect.Labels, now.Labels):
		return "its labels differ"
	case expect.State != now.State:
		return fmt.Sprintf("it was %s and is %s", model.NewText(string(expect.State)), model.NewText(string(now.State)))
	case !expect.StartedAt.Equal(now.StartedAt.Time):
		return "it was started again"
	case alive(now.State) && !now.StartedAt.Known():
		return "the engine no longer says when it was started"
	}
	return ""
}

// sameCreation compares creation times. A list gives whole seconds where an
// inspect gives fractions.
func sameCreation(planned, now time.Time) bool {
	if planned.Nanosecond() == 0 {
		now = now.Truncate(time.Second)
	}
	return planned.Equal(now)
}

// silent reports whether a moby call got no answer, or none from the engine
// itself. It may have taken effect, or may still do so.
func silent(err error) bool {
	return client.IsErrConnectionFailed(err) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled) || errdefs.IsUnavailable(err)
}

// answered reports whether an error is the engine's own answer, by its kind.
func answered(err error) bool {
	return !silent(err) && (errdefs.IsNotFound(err) || errdefs.IsConflict(err) || errdefs.IsInvalidArgument(err) ||
		errdefs.IsPermissionDenied(err) || errdefs.IsUnauthorized(err) || errdefs.IsInternal(err) ||
		errdefs.IsNotImplemented(err) || errdefs.IsFailedPrecondition(err) || errdefs.IsResourceExhausted(err))
}

// reason is the engine's explanation as one safe line.
func reason(err error) string {
	if err == nil {
		return "the engine reported success"
	}
	var typed *Error
	if errors.As(err, &typed) {
		return typed.Error() // safe already
	}
	return safe(err.Error())
}

// unverified is the result of a call whose effect could not be looked at.
func (t *attempt) unverified(work context.Context, what string, err error) result {
	if errors.Is(context.Cause(work), errGaveUp) {
		return unknown("%s was sent, but the program had to stop before the engine was done; look again", what)
	}
	return unknown("%s was sent, but what came of it could not be read: %s; look again", what, reason(err))
}

// refusal turns a refusal of our own transport into a result; nil for all other
// errors.
func refusal(err error) *result {
	if !errors.Is(err, ErrReadOnly) {
		return nil
	}
	res := refused("read-only mode: nothing was sent; run without it to act")
	return &res
}
