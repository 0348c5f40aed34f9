package model

import "strings"

// RemoveOptions says how sandboxes are removed.
type RemoveOptions struct {
	// Volumes also removes anonymous volumes.
	Volumes bool
	// Bulk says that the targets come from a group or a range, not from a
	// person naming them: foreign sandboxes are then refused even when only
	// one is left.
	Bulk bool
}

// PlanRemove says what removing sandboxes does. Exited, created and dead ones
// go without force, so that one that came back to life is kept; running,
// paused and restarting ones with force. Other states are refused, and so is a
// sandbox whose facts are old, broken or of no known identity. A foreign one
// can be removed when it is named alone.
func PlanRemove(fleet *Fleet, keys []Key, opts RemoveOptions) Plan {
	alone := len(keys) == 1 && !opts.Bulk
	return planEach(fleet, ActionRemove, keys, alone, func(index *planIndex, s *Sandbox, target *Target) {
		decideRemoval(index, s, target, opts.Volumes)
	})
}

func decideRemoval(index *planIndex, s *Sandbox, target *Target, volumes bool) {
	method, how := MethodRemove, "it goes unless it was started again"
	switch s.State {
	case StateExited, StateCreated:
	case StateDead:
		how = "an earlier removal failed; it is tried once more"
	case StateRunning, StatePaused, StateRestarting:
		method, how = MethodRemoveForce, "it is killed and goes"
	case StateRemoving:
		target.refuse("it is being removed already")
		return
	default:
		target.refuse("its state is not known: " + stateWord(s.State))
		return
	}
	fillRemoval(index, s, target, volumes)
	target.act(method, stateWord(s.State)+": "+how+kept(s))
}

// fillRemoval notes what a removal costs and what to know before it.
func fillRemoval(index *planIndex, s *Sandbox, target *Target, volumes bool) {
	target.Volumes = volumes
	target.Loses = removalLosses(s, volumes)
	target.Warnings = append(target.Warnings, removalWarnings(index, s, volumes)...)
}

// kept names the directories a removal leaves on the host (contract 7).
func kept(s *Sandbox) string {
	paths := boundDirectories(s)
	if len(paths) == 0 {
		return ""
	}
	return "; stays on the host: " + strings.Join(displayAll(paths), ", ")
}
