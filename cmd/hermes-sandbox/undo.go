package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

func (a *app) undoCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:   "undo N",
		Short: "Take back action N of the audit where that is possible",
		Long: "Take back an action: a cut sandbox is reconnected, a policy is written back when\n" +
			"the file still says what was written, a paused sandbox goes on, a stopped one is\n" +
			"started. What cannot be taken back is refused with the reason. audit lists the\n" +
			"actions with their numbers.",
		Example: "hermes-sandbox undo 7 --dry-run",
		Args:    cobra.ExactArgs(1),
		RunE: guarded(failed, func(command *cobra.Command, args []string) error {
			n, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || n < 1 {
				return usageError(fmt.Errorf("%q is not the number of an action; audit lists them", args[0]))
			}
			return a.runUndo(command.Context(), n)
		}),
	}
}

func (a *app) runUndo(ctx context.Context, n int64) error {
	format, err := a.outputFormat("table", "json")
	if err != nil {
		return err
	}
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	audit, err := w.audit()
	if err != nil {
		return err
	}
	entries, err := audit.Read()
	if err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	fleet := w.fleet(ctx)
	plan, err := model.PlanUndo(&fleet, entries, n)
	if errors.Is(err, model.ErrNoSuchAction) {
		return usageError(err)
	}
	if err != nil {
		return err
	}
	if err := w.carryOut(ctx, w.prepare(ctx, plan), format); err != nil {
		return err
	}
	return unreachable(&fleet)
}
