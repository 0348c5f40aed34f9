package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

func (a *app) auditCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:   "audit",
		Short: "Show the actions taken so far",
		Long: "Show the actions taken so far, oldest first. An action is recorded before the\n" +
			"engine is asked (intent) and after (result); an intent without its result means\n" +
			"that the outcome is not known.",
		Example: "hermes-sandbox audit --output json",
		Args:    cobra.NoArgs,
		RunE: guarded(failed, func(*cobra.Command, []string) error {
			format, err := a.outputFormat("table", "json", "jsonl")
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
			return a.printAudit(entries, format)
		}),
	}
}

func (a *app) printAudit(entries []model.AuditEntry, format string) error {
	switch format {
	case "json":
		if entries == nil {
			entries = []model.AuditEntry{}
		}
		return a.printJSON(map[string]any{"schema": model.Schema, "actions": entries})
	case "jsonl":
		for _, entry := range entries {
			if err := a.printLine(entry); err != nil {
				return err
			}
		}
		return nil
	}
	rows := make([][]string, 0, len(entries))
	for _, entry := range entries {
		rows = append(rows, auditRow(entry))
	}
	return writeTable(a.stdout, []string{"N", "TIME", "USER", "ACTION", "PHASE", "TARGET", "OUTCOME", "DETAIL"}, rows)
}

func auditRow(entry model.AuditEntry) []string {
	target, detail := "-", ""
	switch {
	case entry.Target != nil && entry.Action == model.ActionShell && entry.Target.Error == "":
		target, detail = targetName(*entry.Target), entry.Target.Reason
	case entry.Target != nil:
		target, detail = targetName(*entry.Target), said(*entry.Target)
	case entry.Phase == model.PhaseResult && entry.Plan != nil:
		target, detail = editedFiles(entry.Plan.Config)
	case entry.Plan != nil && entry.Action == model.ActionShell && len(entry.Plan.Targets) == 1:
		target = targetName(entry.Plan.Targets[0])
	case entry.Plan != nil:
		target = fmt.Sprintf("%d of %d", countDecisions(*entry.Plan, model.DecisionAct), len(entry.Plan.Targets))
	}
	return []string{
		fmt.Sprint(entry.N), entry.Time.UTC().Format("2006-01-02T15:04:05Z"), model.NewText(entry.User).Display(),
		displaySafe(string(entry.Action)), displaySafe(string(entry.Phase)), target, orDash(displaySafe(string(entry.Outcome))), displaySafe(detail),
	}
}
