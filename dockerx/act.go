package dockerx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// Limits of an action where ActorOptions gives none.
const (
	defaultParallel = 4
	callTimeout     = 60 * time.Second
	quitGrace       = 2 * time.Second
)

// ErrNoAudit is returned when the intent of a plan could not be recorded.
// Nothing was sent to an engine then.
var ErrNoAudit = errors.New("the action could not be recorded")

// Journal records actions. The intent must be on disk when Intent returns: an
// intent without a result means that the outcome is not known.
type Journal interface {
	Intent(plan model.Plan) (n int64, err error)
	Result(n int64, action model.Action, target model.Target) error
}

// CutStore keeps the records of sandboxes that were cut off, by container: its
// ID is unique whatever its engine is called. Save is also told the engine's
// address; the record is on disk when it returns. Load reports false for a
// container that has no record.
type CutStore interface {
	Save(host string, id model.ID, record model.CutRecord) error
	Load(id model.ID) (model.CutRecord, bool, error)
	Delete(id model.ID) error
}

// ActorOptions tune an [Actor]. The zero value acts with the usual limits and
// cannot cut or reconnect, which need Cuts.
type ActorOptions struct {
	// ReadOnly refuses every plan before anything is recorded or sent.
	ReadOnly bool
	// Parallel is how many targets are worked on at a time; 0 means 4.
	Parallel int
	// Cuts keeps what a cut disconnects.
	Cuts CutStore
	// Own says whether a container is the one this program runs in, which is
	// never acted on. Nil looks at this machine.
	Own func(model.ID) bool
	// CallTimeout is how long the engine may take for one call; 0 means 60 s.
	CallTimeout time.Duration
	// CommitTimeout is how long the engine may take to make an image of a
	// layer; 0 means 10 min.
	CommitTimeout time.Duration
	// Grace is how long a running call may go on after the caller gave up;
	// its outcome is unknown after that. 0 means 2 s.
	Grace time.Duration
}

// Actor carries out plans. Every target is inspected right before its call and
// compared with what the plan saw, and the outcome is what another inspect
// shows, not what the call answered. An Actor is safe for concurrent use.
type Actor struct {
	engines map[string]actingEngine
	journal Journal
	options ActorOptions
}

// NewActor returns an actor for the engines with the given names. Without a
// journal it refuses every plan.
func NewActor(clients map[string]*Client, journal Journal, options ActorOptions) *Actor {
	engines := make(map[string]actingEngine, len(clients))
	for name, client := range clients {
		engines[name] = newActingEngine(client)
	}
	return newActor(engines, journal, options)
}

func newActor(engines map[string]actingEngine, journal Journal, options ActorOptions) *Actor {
	if options.Parallel <= 0 {
		options.Parallel = defaultParallel
	}
	if options.CallTimeout <= 0 {
		options.CallTimeout = callTimeout
	}
	if options.CommitTimeout <= 0 {
		options.CommitTimeout = commitTimeout
	}
	if options.Grace <= 0 {
		options.Grace = quitGrace
	}
	if options.Own == nil {
		options.Own = ownContainer()
	}
	return &Actor{engines: engines, journal: journal, options: options}
}

// Execute carries a plan out and returns it with the outcomes filled in, in the
// plan's order. Progress, when given, is called when work on a target begins,
// with each step of a method that takes several, and when it ends; never twice
// at the same time.
//
// The plan's intent is recorded first and every result after its call. When ctx
// ends, nothing more is started and running calls get the grace of the options.
// A target's failure is in its outcome; the error is about the plan as a whole:
// [ErrReadOnly], [ErrNoAudit], a result that could not be recorded, or ctx's.
func (a *Actor) Execute(ctx context.Context, plan model.Plan, progress func(model.Target)) (model.Plan, error) {
	plan.Targets = slices.Clone(plan.Targets)
	settleOthers(plan.Targets)
	if plan.DryRun || !hasWork(plan.Targets) {
		return plan, nil
	}
	if a.options.ReadOnly {
		return refuseAll(plan, "read-only mode: nothing was sent; run without it to act"), ErrReadOnly
	}
	n, err := a.recordIntent(plan)
	if err != nil {
		return refuseAll(plan, "nothing was sent, since the audit could not be written"), err
	}
	r := &execution{actor: a, plan: plan, n: n, progress: progress, lost: map[string]string{}}
	return r.all(ctx)
}

func (a *Actor) recordIntent(plan model.Plan) (int64, error) {
	if a.journal == nil {
		return 0, fmt.Errorf("%w: no audit is open", ErrNoAudit)
	}
	n, err := a.journal.Intent(plan)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrNoAudit, err)
	}
	return n, nil
}

// settleOthers gives the rows a plan does not act on their outcome.
func settleOthers(targets []model.Target) {
	for i := range targets {
		switch targets[i].Decision {
		case model.DecisionAct:
			targets[i].Outcome = model.OutcomePlanned
		case model.DecisionSkip:
			targets[i].Outcome = model.OutcomeSkipped
		case model.DecisionRefuse:
			targets[i].Outcome = model.OutcomeRefused
		default:
			targets[i].Outcome = model.OutcomeRefused
			targets[i].Error = "the plan made no decision for it; make a new plan"
		}
	}
}

func hasWork(targets []model.Target) bool {
	return slices.ContainsFunc(targets, func(t model.Target) bool { return t.Decision == model.DecisionAct })
}

func refuseAll(plan model.Plan, reason string) model.Plan {
	for i := range plan.Targets {
		if plan.Targets[i].Decision == model.DecisionAct {
			plan.Targets[i].Outcome = model.OutcomeRefused
			plan.Targets[i].Error = reason
		}
	}
	return plan
}

// execution is one plan being carried out.
type execution struct {
	actor    *Actor
	plan     model.Plan
	n        int64
	progress func(model.Target)

	mu         sync.Mutex
	lost       map[string]string // engines that stopped answering, with the reason
	journalErr error
}

func (r *execution) all(ctx context.Context) (model.Plan, error) {
	work, stop := withGrace(ctx, r.actor.options.Grace)
	defer stop()
	var group rescue.Group
	group.SetLimit(r.actor.options.Parallel)
	if r.plan.Action == model.ActionPrune {
		group.SetLimit(1) // in the plan's order: a network goes after its proxy
	}
	for i := range r.plan.Targets {
		if r.plan.Targets[i].Decision != model.DecisionAct {
			continue
		}
		group.Go(func() { r.one(ctx, work, &r.plan.Targets[i]) })
	}
	group.Wait() // outcomes are per target; a panic climbs to the caller of Execute
	if r.journalErr != nil {
		return r.plan, r.journalErr
	}
	if err := ctx.Err(); err != nil {
		return r.plan, fmt.Errorf("carry out %s: %w", r.plan.Action, err)
	}
	return r.plan, nil
}

// one works on one target, unless there is a reason not to start. The result is
// recorded even then: a plan's intent names every target.
func (r *execution) one(ctx, work context.Context, target *model.Target) {
	res := skipped(r.reasonNotToStart(ctx, target.Engine))
	if res.detail == "" {
		r.report(*target)
		res = r.actor.perform(work, r.plan.Action, target, r.loseEngine, func(step string) {
			shown := *target
			shown.Step = step
			r.report(shown)
		})
	}
	target.Outcome = res.outcome
	if res.outcome == model.OutcomeDone {
		target.Warnings = append(slices.Clip(target.Warnings), res.notes...)
	} else {
		target.Error = strings.Join(append([]string{res.detail}, res.notes...), "; ")
	}
	r.record(*target)
	r.report(*target)
}

func (r *execution) reasonNotToStart(ctx context.Context, engine string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return "not started: the action was cancelled"
	case r.lost[engine] != "":
		return "not started: " + r.lost[engine]
	case r.journalErr != nil:
		return "not started: the audit can no longer be written"
	}
	return ""
}

func (r *execution) loseEngine(engine, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost[engine] == "" {
		r.lost[engine] = reason
	}
}

func (r *execution) record(target model.Target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.actor.journal.Result(r.n, r.plan.Action, target); err != nil && r.journalErr == nil {
		r.journalErr = fmt.Errorf("record the result for %s: %w", target.ID.Short(), err)
	}
}

func (r *execution) report(target model.Target) {
	if r.progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress(target)
}

// errGaveUp is the cause of a work context whose grace ran out.
var errGaveUp = errors.New("the action was cancelled while the engine was still working")

// withGrace returns a context that outlives ctx by the grace, so that quitting
// does not cut a call off in the middle.
func withGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, func() { cancel(errGaveUp) })
		context.AfterFunc(work, func() { timer.Stop() })
	})
	return work, func() {
		unhook()
		cancel(nil)
	}
}
