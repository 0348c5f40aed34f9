package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sandbox/config/sandboxdirs"
	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// foldersTimeout bounds measuring the sandbox folders.
const foldersTimeout = 10 * time.Second

func (a *app) doctorCommand(failed *error) *cobra.Command {
	var prune bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check engines, profiles, sandboxes and what is left over",
		Long: "Check engines and who may use them, clocks, profiles and their configuration,\n" +
			"sandboxes against policy, sandbox folders nobody uses, allowlist networks and\n" +
			"proxies nobody uses, leftovers of probes and containers that only look like\n" +
			"sandboxes. Each finding comes with its remedy. The exit code is 1 when\n" +
			"something is broken, 4 when only a policy is violated.\n\n" +
			"With --prune it plans, confirms and removes what nobody uses: allowlist\n" +
			"networks and proxies without a sandbox, and leftovers of probes.",
		Example: "hermes-sandbox doctor\nhermes-sandbox doctor --profile work --output json\nhermes-sandbox doctor --prune --dry-run",
		Args:    cobra.NoArgs,
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			return a.runDoctor(command.Context(), prune)
		}),
	}
	command.Flags().BoolVar(&prune, "prune", false, "remove unused allowlist networks and proxies, and leftovers of probes")
	return command
}

func (a *app) runDoctor(ctx context.Context, prune bool) error {
	format, err := a.outputFormat("table", "json")
	if err != nil {
		return err
	}
	if prune && len(a.flags.profiles) > 0 {
		return usageError(errors.New("--prune removes what belongs to no profile; leave --profile out"))
	}
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	fleet, input := w.examine(ctx)
	if _, err := scopeOf(&fleet, a.flags.profiles); err != nil {
		return err
	}
	if prune {
		return w.prune(ctx, &fleet, input, format)
	}
	for _, name := range a.flags.profiles {
		input.Profiles = append(input.Profiles, model.NewText(name))
	}
	found := model.Diagnose(&fleet, input)
	if format == "json" {
		err = a.printJSON(model.DoctorDocument(found))
	} else {
		err = a.printDiagnoses(found)
	}
	if err != nil {
		return err
	}
	return silentExit(diagnosisCode(found))
}

// examine looks at everything a check needs, engines and folders side by side.
func (w *workspace) examine(ctx context.Context) (model.Fleet, model.DoctorInput) {
	profiles, problems := w.profiles()
	input := model.DoctorInput{HomeProblems: problems, Inventories: make([]model.Inventory, len(w.clients))}
	snapshots := make([]model.Snapshot, len(w.clients))
	var wait rescue.Group
	for i, client := range w.clients {
		wait.Go(func() {
			limited, cancel := context.WithTimeout(ctx, snapshotTimeout)
			defer cancel()
			snapshots[i] = client.Snapshot(limited)
		})
		wait.Go(func() {
			limited, cancel := context.WithTimeout(ctx, snapshotTimeout)
			defer cancel()
			input.Inventories[i] = client.Inventory(limited)
		})
	}
	wait.Go(func() {
		limited, cancel := context.WithTimeout(ctx, foldersTimeout)
		defer cancel()
		input.Folders, input.FolderProblems = sandboxdirs.Scan(limited, profiles, sandboxdirs.Limits{})
	})
	wait.Wait()
	var memory model.Memory
	in := w.input(ctx, &memory, snapshots, profiles, nil)
	input.Cuts = slices.SortedFunc(maps.Values(in.Cuts), func(a, b model.CutRecord) int {
		return strings.Compare(a.Name.Raw(), b.Name.Raw())
	})
	return assess(&memory, in, nil), input
}

// prune plans and carries out the removal of what nobody uses. While the records
// of cut sandboxes cannot be read, nothing is: one may come back to a network.
func (w *workspace) prune(ctx context.Context, fleet *model.Fleet, input model.DoctorInput, format string) error {
	if _, err := w.knownCuts(nil); err != nil {
		return refusedError(fmt.Errorf("which networks cut sandboxes come back to is not known: %w", err))
	}
	plan := model.PlanPrune(fleet, input.Inventories, input.Cuts)
	if err := w.carryOut(ctx, plan, format); err != nil {
		return err
	}
	if err := unreachable(fleet); err != nil {
		return err
	}
	for _, inventory := range input.Inventories {
		if failure := inventory.Failure; failure != nil {
			return fmt.Errorf("engine %s: its containers could not be listed: %s", model.NewText(inventory.Engine), failure.Detail)
		}
	}
	return nil
}

// diagnosisCode is 1 when something is broken, 4 when only a policy is.
func diagnosisCode(found []model.Diagnosis) int {
	code := exitDone
	for _, diagnosis := range found {
		switch {
		case diagnosis.Level == model.DiagnosisError:
			return exitFailed
		case diagnosis.Code == model.DiagnosisViolation:
			code = exitViolations
		}
	}
	return code
}

// printDiagnoses writes what was found: a line for each finding, its remedy
// below it.
func (a *app) printDiagnoses(found []model.Diagnosis) error {
	counts := map[model.DiagnosisLevel]int{}
	rows := make([][]string, 0, len(found))
	for _, diagnosis := range found {
		counts[diagnosis.Level]++
		rows = append(rows, []string{string(diagnosis.Level), diagnosis.Code, diagnosis.Subject, diagnosis.Detail})
		if diagnosis.Remedy != "" {
			rows = append(rows, []string{"", "", "", "-> " + diagnosis.Remedy})
		}
	}
	if err := writeTable(a.stdout, []string{"LEVEL", "CODE", "SUBJECT", "FINDING"}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "\n%d errors, %d warnings, %d notes\n",
		counts[model.DiagnosisError], counts[model.DiagnosisWarning], counts[model.DiagnosisInfo])
	if err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	return nil
}
