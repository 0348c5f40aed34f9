package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrNoSuchAction is returned for an action number that is not in the audit.
var ErrNoSuchAction = errors.New("no such action")

// PlanUndo says what taking back action n of the audit does: a cut is
// reconnected, a policy is written back when the file still has our value, a
// pause and a stop are ended. What cannot be taken back is refused with the
// reason; what the action did not do is skipped. Foreign sandboxes are only
// acted on when the action had one target. An error wraps [ErrNoSuchAction].
func PlanUndo(fleet *Fleet, entries []AuditEntry, n int64) (Plan, error) {
	taken, err := actionOf(entries, n)
	if err != nil {
		return Plan{}, err
	}
	plan, index := newPlan(ActionUndo), newPlanIndex(fleet)
	plan.Notes = append(plan.Notes, fmt.Sprintf("takes back action %d: %s of %s",
		n, NewText(string(taken.intent.Action)), taken.intent.Time.UTC().Format(time.RFC3339)))
	for _, edit := range taken.edits() {
		plan.Config = append(plan.Config, undoneEdit(fleet, edit))
	}
	back := listsBack(entries, plan.Config)
	alone := len(taken.intent.Plan.Targets) == 1
	for i := range taken.intent.Plan.Targets {
		was, at := taken.result(&taken.intent.Plan.Targets[i])
		if was.Decision != DecisionAct {
			continue
		}
		target := Target{
			Engine: was.Engine, ID: was.ID, Name: was.Name, Profile: was.Profile, Task: was.Task, State: was.State,
			Method: MethodNone, Loses: []Loss{}, Warnings: []string{},
		}
		undoTarget(index, plan.Config, &was, at, alone, &target)
		if was.Method == MethodMove {
			undoMove(index, back, &target)
		}
		plan.Targets = append(plan.Targets, target)
	}
	l := &lockdownPlanner{index: index, action: ActionLockdownAllowlist, lists: back, plan: plan}
	l.finish()
	plan = l.plan
	plan.Withhold()
	slices.SortStableFunc(plan.Targets, func(a, b Target) int {
		return cmp.Compare(decisionRank(a.Decision), decisionRank(b.Decision))
	})
	return plan, nil
}

// takenAction is what the audit says of one action.
type takenAction struct {
	intent  AuditEntry
	results map[Key]AuditEntry
	config  []ConfigEdit // with outcomes; nil: not recorded
}

func actionOf(entries []AuditEntry, n int64) (takenAction, error) {
	taken := takenAction{results: map[Key]AuditEntry{}}
	for i := range entries {
		switch entry := &entries[i]; {
		case entry.N != n:
		case entry.Phase == PhaseIntent && entry.Plan != nil:
			taken.intent = *entry
		case entry.Target != nil:
			taken.results[Key{entry.Target.Engine, entry.Target.ID}] = *entry
		case entry.Plan != nil:
			taken.config = entry.Plan.Config
		}
	}
	if taken.intent.Plan == nil {
		return taken, fmt.Errorf("%w: %d; audit lists those there are", ErrNoSuchAction, n)
	}
	return taken, nil
}

// edits are the changes of configuration that were made, or may have been.
func (a *takenAction) edits() []ConfigEdit {
	edits := a.config
	if edits == nil {
		edits = a.intent.Plan.Config
	}
	return slices.DeleteFunc(slices.Clone(edits), func(edit ConfigEdit) bool {
		return edit.Outcome != OutcomeDone && edit.Outcome != OutcomePlanned && edit.Outcome != OutcomeUnknown
	})
}

// result is a target with what became of it, and when. Without a recorded
// result that is not known.
func (a *takenAction) result(planned *Target) (Target, time.Time) {
	if entry, known := a.results[Key{planned.Engine, planned.ID}]; known {
		return *entry.Target, entry.Time
	}
	target := *planned
	target.Outcome = OutcomeUnknown
	return target, time.Time{}
}

// undoneEdit turns an edit round. Only files that a known profile has now are
// written, whatever the audit says.
func undoneEdit(fleet *Fleet, edit ConfigEdit) ConfigEdit {
	back := ConfigEdit{
		Profile: edit.Profile, File: edit.File, Key: edit.Key, From: edit.To, To: edit.From,
		Outcome: OutcomePlanned, Undo: true, Restore: edit.Backup,
	}
	if !slices.ContainsFunc(fleet.Profiles, func(p Profile) bool { return p.ConfigFile != "" && p.ConfigFile == edit.File }) {
		back.Outcome, back.Error = OutcomeRefused, "no profile known now has this configuration file"
	}
	return back
}

// editedFile returns the file of the edit that a sandbox's policy comes from,
// so that nothing is opened before its policy says so; empty when none does.
func editedFile(fleet *Fleet, s *Sandbox, edits []ConfigEdit) string {
	profile := profileAt(s.Home, fleet.Profiles)
	for _, edit := range edits {
		if profile != nil && edit.File == profile.ConfigFile {
			return edit.File
		}
	}
	return ""
}

// undoTarget decides on taking back what was done to one target, after the
// edits that are turned round with it.
func undoTarget(index *planIndex, edits []ConfigEdit, was *Target, at time.Time, alone bool, target *Target) {
	switch was.Outcome {
	case OutcomeDone, OutcomePartial, OutcomeUnknown:
	default:
		target.skip("nothing was done to it: " + NewText(string(was.Outcome)).Display())
		return
	}
	if reason := notUndone(was.Method); reason != "" {
		target.refuse(reason)
		return
	}
	s := index.sandboxes[Key{was.Engine, was.ID}]
	if s == nil {
		target.refuse("it is no longer there")
		return
	}
	*target = newTarget(s)
	target.WaitsFor = editedFile(index.fleet, s, edits)
	if reason := untouchable(index.fleet, s); reason != "" {
		target.refuse(reason)
		return
	}
	if s.Foreign && !alone {
		target.refuse("foreign: without a profile or task label it is only acted on when named alone")
		return
	}
	undoMethod(index, s, was.Method, at, target)
}

func undoMethod(index *planIndex, s *Sandbox, method Method, at time.Time, target *Target) {
	switch method {
	case MethodCut:
		l := &lockdownPlanner{index: index, action: ActionLockdownOff, running: RunningRestart}
		if reason := l.sparedOff(s); reason != "" {
			target.skip(reason)
			return
		}
		if !at.IsZero() && s.Cut.CutAt.After(at) {
			target.refuse("it was cut off once more since; undo that action instead")
			return
		}
		var network *bool // what an edit brings back was open, or nothing was cut
		if target.WaitsFor == "" {
			network = policyAfter(s, nil)
		}
		reconnectRow(index, s, target, false, network)
	case MethodMove: // see undoMove
	case MethodPause:
		change, _ := stateChangeOf(ActionUnpause)
		change.decide(index, s, target)
	default:
		change, _ := stateChangeOf(ActionStart)
		change.decide(index, s, target)
	}
}

// notUndone says why a method cannot be taken back; empty when it can.
func notUndone(method Method) string {
	switch method {
	case MethodCut, MethodMove, MethodPause, MethodStop:
		return ""
	case MethodRemove, MethodRemoveForce, MethodStopRemove, MethodPrune:
		return "what was removed is gone; Hermes makes a new sandbox when it needs one"
	case MethodRebuild:
		return "the sandbox from before the rebuild is gone; remove the new one for a fresh one"
	case MethodReconnect, MethodReconnectHot:
		return "a reconnect is not taken back; cut the sandbox again instead"
	case MethodStart:
		return "a start is not taken back; stop the sandbox instead"
	case MethodUnpause:
		return "an unpause is not taken back; pause the sandbox instead"
	case MethodShell:
		return "what was done in a shell is not known here and not taken back"
	default:
		return "method " + NewText(string(method)).Display() + " cannot be taken back"
	}
}
