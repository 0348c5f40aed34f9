package main

import (
	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

// stateVerb is one of the commands that change a sandbox's state.
type stateVerb struct {
	action model.Action
	short  string
	long   string
}

func startVerb() stateVerb {
	return stateVerb{model.ActionStart, "Start sandboxes", "Start sandboxes that were created or stopped. Their layer is kept; processes and\ntmpfs are those of a fresh start."}
}

func stopVerb() stateVerb {
	return stateVerb{model.ActionStop, "Stop sandboxes", "Stop running sandboxes. A stop is a delayed delete: once the orphan age has\npassed, the next Hermes process of the profile removes it with its layer."}
}

func pauseVerb() stateVerb {
	return stateVerb{model.ActionPause, "Pause sandboxes", "Freeze the processes of running sandboxes. A live agent hangs until it is\nunpaused, and a new Hermes process starts a twin on the same directories."}
}

func unpauseVerb() stateVerb {
	return stateVerb{model.ActionUnpause, "Unpause sandboxes", "Let the processes of paused sandboxes go on."}
}

// stateCommand builds one of start, stop, pause and unpause.
func (a *app) stateCommand(failed *error, verb stateVerb) *cobra.Command {
	return &cobra.Command{
		Use:     string(verb.action) + " REF...",
		Short:   verb.short,
		Long:    verb.long,
		Example: "hermes-sandbox " + string(verb.action) + " hermes-3fa1b20c --dry-run",
		Args:    cobra.MinimumNArgs(1),
		RunE: guarded(failed, func(command *cobra.Command, refs []string) error {
			return a.runOnRefs(command.Context(), refs, func(fleet *model.Fleet, keys []model.Key) model.Plan {
				return model.PlanState(fleet, verb.action, keys, false)
			})
		}),
	}
}
