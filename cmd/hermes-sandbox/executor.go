package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"hermes-sandbox/config/edit"
	"hermes-sandbox/config/state"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

// lockPatience bounds the wait for another instance that edits configuration.
const lockPatience = 10 * time.Second

// executor carries plans out, for the command line and the dashboard alike. The
// intent is recorded before anything else; configuration is written next, so
// that what Hermes makes from then on follows it; sandboxes come last. What
// waits for an edit that was not made is refused.
type executor struct {
	workspace *workspace
	folder    *state.State
}

// executor returns what carries plans out. A state folder that cannot be used
// refuses every action.
func (w *workspace) executor() (*executor, error) {
	folder, err := state.Open(w.stateDir)
	if err != nil {
		return nil, refusedError(fmt.Errorf("actions are refused, since they could not be recorded: %w", err))
	}
	return &executor{workspace: w, folder: folder}, nil
}

// actor returns what acts on engines, recording to a journal.
func (e *executor) actor(journal dockerx.Journal) *dockerx.Actor {
	clients := make(map[string]*dockerx.Client, len(e.workspace.clients))
	for _, client := range e.workspace.clients {
		clients[client.Name()] = client
	}
	return dockerx.NewActor(clients, journal, dockerx.ActorOptions{
		ReadOnly: e.workspace.settings.ReadOnly, Cuts: e.folder.Cuts(),
	})
}

// Execute carries a confirmed plan out and returns it with the outcomes.
// Progress is called for each target when work on it begins and ends.
func (e *executor) Execute(ctx context.Context, plan model.Plan, progress func(model.Target)) (model.Plan, error) {
	audit := e.folder.Audit()
	if plan.DryRun || !hasEdits(plan) && !hasSteps(plan) {
		result, err := e.actor(audit).Execute(ctx, plan, progress)
		return result, e.forgetRemoved(result, err)
	}
	plan.Config = append([]model.ConfigEdit(nil), plan.Config...)
	plan.Targets, plan.Notes = append([]model.Target(nil), plan.Targets...), slices.Clip(plan.Notes)
	if e.workspace.settings.ReadOnly {
		return refusePlan(plan, "read-only mode: nothing was done; run without it to act"), dockerx.ErrReadOnly
	}
	n, err := audit.Intent(plan)
	if err != nil {
		return refusePlan(plan, "nothing was done, since the audit could not be written"), fmt.Errorf("%w: %w", dockerx.ErrNoAudit, err)
	}
	e.provision(ctx, &plan)
	recorded := withhold(audit, n, &plan)
	e.write(ctx, &plan)
	recorded = cmp.Or(recorded, audit.ConfigResult(n, plan), withhold(audit, n, &plan))
	if recorded != nil {
		return refusePlan(plan, "not started: the audit can no longer be written"), fmt.Errorf("record the edits: %w", recorded)
	}
	result, err := e.actor(begun{Audit: audit, n: n}).Execute(ctx, plan, progress)
	e.pruneLeft(ctx, &result)
	return result, e.forgetRemoved(result, err)
}

// begun is the journal of an action whose intent is on disk already.
type begun struct {
	*state.Audit
	n int64
}

// Intent returns the number that the action has.
func (b begun) Intent(model.Plan) (int64, error) { return b.n, nil }

func hasEdits(plan model.Plan) bool { return countEdits(plan, model.OutcomePlanned) > 0 }

func hasSteps(plan model.Plan) bool {
	return slices.ContainsFunc(plan.Egress, func(step model.EgressStep) bool { return step.Outcome == model.OutcomePlanned })
}

func countEdits(plan model.Plan, outcome model.Outcome) int {
	count := 0
	for _, row := range plan.Config {
		if row.Outcome == outcome {
			count++
		}
	}
	return count
}

// refusePlan refuses everything that was not done yet.
func refusePlan(plan model.Plan, reason string) model.Plan {
	for i := range plan.Config {
		if row := &plan.Config[i]; row.Outcome == model.OutcomePlanned {
			row.Outcome, row.Error = model.OutcomeRefused, reason
		}
	}
	for i := range plan.Egress {
		if step := &plan.Egress[i]; step.Outcome == model.OutcomePlanned {
			step.Outcome, step.Error = model.OutcomeRefused, reason
		}
	}
	for i := range plan.Targets {
		if target := &plan.Targets[i]; target.Decision == model.DecisionAct {
			target.Outcome, target.Error = model.OutcomeRefused, reason
		}
	}
	return plan
}

// withhold refuses what waits for an edit that was not made, and records that.
func withhold(audit *state.Audit, n int64, plan *model.Plan) error {
	acting := make([]bool, len(plan.Targets))
	for i := range plan.Targets {
		acting[i] = plan.Targets[i].Decision == model.DecisionAct
	}
	plan.Withhold()
	for i := range plan.Targets {
		if !acting[i] || plan.Targets[i].Decision == model.DecisionAct {
			continue
		}
		if err := audit.Result(n, plan.Action, plan.Targets[i]); err != nil {
			return err
		}
	}
	return nil
}

// write makes the plan's edits, file by file, under the lock that all instances
// share. Without a record of what is written no edit is made.
func (e *executor) write(ctx context.Context, plan *model.Plan) {
	if !hasEdits(*plan) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	unlock, err := e.folder.Lock(limited)
	if err == nil {
		defer unlock()
	}
	backups := ""
	if err == nil {
		backups, err = e.folder.Folder(backupsFolder)
	}
	var before map[string]model.WrittenAllowlist
	if err == nil {
		before, err = e.folder.Allowlists()
	}
	if err == nil {
		err = e.remember(before, plan, model.OutcomePlanned)
	}
	for _, rows := range rowsByFile(plan.Config) {
		if err != nil {
			for _, row := range rows {
				row.Outcome, row.Error = model.OutcomeFailed, err.Error()
			}
			continue
		}
		writeFile(ctx, rows, backups)
	}
	if err == nil {
		err = e.remember(before, plan, model.OutcomeDone)
	}
	if err != nil {
		plan.Notes = append(plan.Notes, "the record of what was written is not up to date: "+errorLine(err))
	}
}

// writeFile makes the edits of one file, if it is still the one that was shown,
// and looks at what it says afterwards.
func writeFile(ctx context.Context, rows []*model.ConfigEdit, backups string) {
	whole, err := fold(rows, backups)
	if err == nil && digestOf(whole.Before) != rows[0].Digest {
		err = fmt.Errorf("%s: %w", model.NewText(rows[0].File), edit.ErrChanged)
	}
	if err == nil {
		err = whole.Apply(ctx, backups)
	}
	made := err == nil || !refusedEdit(err)
	now, unread := edit.Read(rows[0].File)
	for _, row := range rows {
		switch {
		case !made:
			row.Outcome = model.OutcomeRefused
		case unread == nil && standsIn(now, row.Key, row.From, row.To):
			row.Outcome = model.OutcomeDone
		default:
			row.Outcome = model.OutcomeFailed
		}
		switch {
		case err != nil:
			row.Error = errorLine(err)
		case row.Outcome != model.OutcomeDone:
			row.Error = "the file does not say so after it was written; look again"
		}
	}
}

// forgetRemoved drops the cut records of containers that are gone now.
func (e *executor) forgetRemoved(result model.Plan, err error) error {
	for _, target := range result.Targets {
		switch target.Method {
		case model.MethodRemove, model.MethodRemoveForce, model.MethodStopRemove:
		default:
			continue
		}
		if target.Outcome != model.OutcomeDone || !target.ID.Valid() {
			continue
		}
		if failed := e.folder.Cuts().Delete(target.ID); err == nil && failed != nil {
			err = failed
		}
	}
	return err
}
