package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

func (a *app) removeCommand(failed *error) *cobra.Command {
	var options model.RemoveOptions
	command := &cobra.Command{
		Use:     "remove REF...",
		Aliases: []string{"rm"},
		Short:   "Plan, confirm and remove sandboxes",
		Long: "Remove sandboxes named by ID, name or ID prefix. The plan says what is lost.\n" +
			"Stopped ones are removed without force, so one that was started meanwhile is\n" +
			"kept; directories on the host and named volumes always stay.",
		Example: "hermes-sandbox remove hermes-3fa1b20c --dry-run\n" +
			"hermes-sandbox remove 62363ffe c8be8722 --dry-run",
		Args: cobra.MinimumNArgs(1),
		RunE: guarded(failed, func(command *cobra.Command, refs []string) error {
			return a.runOnRefs(command.Context(), refs, func(fleet *model.Fleet, keys []model.Key) model.Plan {
				return model.PlanRemove(fleet, keys, options)
			})
		}),
	}
	command.Flags().BoolVar(&options.Volumes, "volumes", false, "also remove their anonymous volumes")
	return command
}

// runOnRefs resolves references, makes a plan for them and carries it out.
func (a *app) runOnRefs(ctx context.Context, refs []string, plan func(*model.Fleet, []model.Key) model.Plan) error {
	format, err := a.outputFormat("table", "json")
	if err != nil {
		return err
	}
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	fleet := w.fleet(ctx)
	sandboxes, err := w.resolve(ctx, &fleet, refs)
	if err != nil {
		return err
	}
	keys := make([]model.Key, 0, len(sandboxes))
	for _, s := range sandboxes {
		keys = append(keys, s.Key())
	}
	return w.carryOut(ctx, w.prepare(ctx, plan(&fleet, keys)), format)
}

// resolve finds the sandboxes that references name. One that does not belong
// to a given --profile is refused, and so is a container that is no sandbox.
func (w *workspace) resolve(ctx context.Context, fleet *model.Fleet, refs []string) ([]*model.Sandbox, error) {
	scope, err := scopeOf(fleet, w.app.flags.profiles)
	if err != nil {
		return nil, err
	}
	found := make([]*model.Sandbox, 0, len(refs))
	seen := map[model.Key]bool{}
	for _, ref := range refs {
		s, err := model.ResolveRef(fleet, ref)
		if err != nil {
			return nil, w.unresolved(ctx, fleet, ref, err)
		}
		if !scope.covers(s) {
			return nil, refusedError(fmt.Errorf("%s belongs to profile %s, not to the one given", nameOf(s), orDash(identity(s.Profile))))
		}
		if !seen[s.Key()] {
			seen[s.Key()] = true
			found = append(found, s)
		}
	}
	return found, nil
}

// lookupTimeout bounds asking an engine whether it has a container.
const lookupTimeout = 5 * time.Second

// unresolved says why a reference names no sandbox: an engine that did not
// answer, a container that is none of Hermes', or no such thing.
func (w *workspace) unresolved(ctx context.Context, fleet *model.Fleet, ref string, err error) error {
	if !errors.Is(err, model.ErrNoSuchSandbox) {
		return usageError(err)
	}
	if down := unreachable(fleet); down != nil {
		return down
	}
	for _, client := range w.clients {
		limited, cancel := context.WithTimeout(ctx, lookupTimeout)
		other, lookupErr := client.HasContainer(limited, ref)
		cancel()
		if lookupErr == nil && other {
			return refusedError(fmt.Errorf("%s is not a hermes sandbox: it has no label hermes-agent=1", model.NewText(ref)))
		}
	}
	return usageError(err)
}
