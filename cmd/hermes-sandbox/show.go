package main

import (
	"fmt"
	"strings"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

func (a *app) showCommand(failed *error) *cobra.Command {
	var file string
	var overwrite bool
	command := &cobra.Command{
		Use:   "show REF...",
		Short: "Show everything known about a sandbox",
		Long: "Show everything known about sandboxes: identity, evidence, findings, verdicts,\nmounts and environment. Values of environment variables are masked.\n" +
			"With --export they go into a tar archive with the engine's own description, the\n" +
			"processes, connections and commands, the end of the log, the changed files and\n" +
			"the actions taken.",
		Example: "hermes-sandbox show hermes-3fa1b20c\nhermes-sandbox show 62363ffe --output json",
		Args:    cobra.MinimumNArgs(1),
		RunE: guarded(failed, func(command *cobra.Command, refs []string) error {
			format, err := a.outputFormat("table", "json")
			if err != nil {
				return err
			}
			w, err := a.open()
			if err != nil {
				return err
			}
			defer w.Close()
			fleet := w.usedFleet(command.Context())
			found, err := w.resolve(command.Context(), &fleet, refs)
			if err != nil {
				return err
			}
			if file != "" {
				return w.export(command.Context(), &fleet, found, file, overwrite)
			}
			return a.printDetails(&fleet, found, format)
		}),
	}
	command.Flags().StringVar(&file, "export", "", "write everything about the sandboxes into this tar archive")
	command.Flags().BoolVar(&overwrite, "overwrite", false, "let --export replace a file that is there")
	return command
}

func (a *app) printDetails(fleet *model.Fleet, found []*model.Sandbox, format string) error {
	if format == "json" {
		list := make([]model.Sandbox, 0, len(found))
		for _, s := range found {
			list = append(list, *s)
		}
		return a.printJSON(model.ListDocument(fleet, list, true))
	}
	for i, s := range found {
		if i > 0 {
			if _, err := fmt.Fprintln(a.stdout); err != nil {
				return fmt.Errorf("write the details: %w", err)
			}
		}
		if err := writeTable(a.stdout, []string{nameOf(s), ""}, detailRows(fleet, s)); err != nil {
			return err
		}
	}
	return nil
}

// detailRows are the facts and what follows from them, a line each.
func detailRows(fleet *model.Fleet, s *model.Sandbox) [][]string {
	rows := [][]string{
		{"id", string(s.ID)},
		{"engine", model.NewText(s.Engine).Display()},
		{"image", s.Image.Display()},
		{"state", strings.TrimSpace(model.NewText(string(s.State)).Display() + "  " + s.Status.Display())},
		{"age", ageOf(fleet, s)},
		{"profile", orDash(identity(s.Profile))},
		{"task", orDash(identity(s.Task))},
		{"scope", string(s.Scope) + ", made by Hermes " + string(s.Generation)},
		{"home", orDash(model.NewText(s.Home).Display())},
		{"network", orDash(s.NetworkWords())},
		{"posture", postureOf(s) + " (" + string(s.Posture.Evidence) + ")"},
	}
	for _, reason := range s.Posture.Reasons {
		rows = append(rows, []string{"", reason})
	}
	rows = append(rows, []string{"policy", policyWord(s) + ": " + s.ViolationReason})
	rows = append(rows, []string{"reuse", string(s.Reuse.Verdict) + ": " + s.Reuse.Reason})
	for _, other := range s.Reuse.Alternatives {
		rows = append(rows, []string{"", other.When + ": " + string(other.Verdict) + ": " + other.Reason})
	}
	rows = append(rows, []string{"reap", string(s.Reap.Verdict) + ": " + s.Reap.Detail})
	for _, finding := range s.Findings {
		rows = append(rows, []string{"finding", fmt.Sprintf("%s %s: %s", finding.Severity, finding.Code, finding.Detail)})
	}
	rows = append(rows, limitRows(s)...)
	for _, mount := range s.Mounts {
		access := "ro"
		if mount.RW {
			access = "rw"
		}
		rows = append(rows, []string{"mount", fmt.Sprintf("%s %s -> %s (%s)", mount.Type, mount.Source, mount.Destination, access)})
	}
	for _, variable := range model.MaskEnv(s.Env) {
		rows = append(rows, []string{"env", variable.Display()})
	}
	for _, problem := range []string{s.Problem, s.InspectError} {
		if problem != "" {
			rows = append(rows, []string{"problem", problem})
		}
	}
	return rows
}

func limitRows(s *model.Sandbox) [][]string {
	if !s.Inspected {
		return nil
	}
	memory, cpus, pids := "none", "none", "none"
	if s.Host.Memory > 0 {
		memory = units.BytesSize(float64(s.Host.Memory))
	}
	if s.Host.NanoCPUs > 0 {
		cpus = fmt.Sprintf("%.2g", float64(s.Host.NanoCPUs)/1e9)
	}
	if s.Host.PidsLimit > 0 {
		pids = fmt.Sprint(s.Host.PidsLimit)
	}
	return [][]string{{"limits", fmt.Sprintf("memory %s, CPUs %s, processes %s", memory, cpus, pids)}}
}
