package main

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"hermes-sandbox/config/state"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

func (a *app) shellCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:   "shell REF",
		Short: "Open an interactive shell in a sandbox",
		Long: "Open an interactive shell in a running sandbox: bash where there is one, else sh.\n" +
			"What the shell prints goes to the terminal as it is. Exit leaves the sandbox as\n" +
			"it was, apart from what you did in it. The audit notes that a shell was opened\n" +
			"and how it ended, not what was typed. The exit code is the shell's own; a failure\n" +
			"of ours comes with a message on stderr.",
		Example: "hermes-sandbox shell hermes-3fa1b20c",
		Args:    cobra.ExactArgs(1),
		RunE: guarded(failed, func(command *cobra.Command, refs []string) error {
			return a.runShell(command.Context(), refs[0])
		}),
	}
}

func (a *app) runShell(ctx context.Context, ref string) error {
	if _, err := a.outputFormat("table"); err != nil {
		return err
	}
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usageError(errors.New("a shell needs a terminal, and the input or the output is none"))
	}
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	fleet := w.fleet(ctx)
	found, err := w.resolve(ctx, &fleet, []string{ref})
	if err != nil {
		return err
	}
	s := found[0]
	if w.settings.ReadOnly {
		return refusedError(errors.New("read-only mode opens no shell; run without it"))
	}
	if refusal := model.ShellRefusal(s.Container); refusal != "" {
		return refusedError(fmt.Errorf("no shell in %s: %s", nameOf(s), refusal))
	}
	shell := w.shell(ctx, s)
	err = shell.Run() //nolint:contextcheck // it has it; the method is Bubble Tea's
	switch {
	case context.Cause(ctx) != nil:
		return nil
	case errors.Is(err, errShellUnrecorded):
		return refusedError(err)
	case err != nil:
		return &exitError{code: exitFailed, err: err}
	default:
		return silentExit(shell.code)
	}
}

// Shell prepares a shell for the dashboard, which hands the terminal over while
// it runs.
func (b *backend) Shell(ctx context.Context, sandbox model.Sandbox) tea.ExecCommand {
	return b.workspace.shell(ctx, &sandbox)
}

func (w *workspace) shell(ctx context.Context, s *model.Sandbox) *terminalShell {
	key := s.Key()
	return &terminalShell{
		ctx: ctx, in: w.app.stdin, out: w.app.stdout,
		record: func() (*shellRecord, error) { return w.recordShell(s) },
		open: func(ctx context.Context, height, width int) (*dockerx.Shell, error) {
			client, err := w.client(key.Engine)
			if err != nil {
				return nil, err
			}
			return client.OpenShell(ctx, key.ID, height, width)
		},
	}
}

// errShellUnrecorded is wrapped when a shell is refused because the audit
// cannot say that it was opened.
var errShellUnrecorded = errors.New("no shell is opened, since it could not be recorded")

// shellRecord is a shell's action in the audit.
type shellRecord struct {
	audit  *state.Audit
	number int64
	target model.Target
}

// recordShell notes that a shell is about to be opened.
func (w *workspace) recordShell(s *model.Sandbox) (*shellRecord, error) {
	folder, err := state.Open(w.stateDir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errShellUnrecorded, err)
	}
	plan := model.ShellPlan(s)
	record := &shellRecord{audit: folder.Audit(), target: plan.Targets[0]}
	if record.number, err = record.audit.Intent(plan); err != nil {
		return nil, fmt.Errorf("%w: %w", errShellUnrecorded, err)
	}
	return record, nil
}

// end notes what became of the shell.
func (r *shellRecord) end(outcome model.Outcome, how string, failed error) error {
	r.target.Outcome, r.target.Reason = outcome, how
	if failed != nil {
		r.target.Error = model.NewText(failed.Error()).Display()
	}
	if err := r.audit.Result(r.number, model.ActionShell, r.target); err != nil {
		return errors.Join(failed, fmt.Errorf("the end of the shell could not be recorded: %w", err))
	}
	return failed
}
