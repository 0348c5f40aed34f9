package main

import (
	"fmt"
	"io"
	"strings"

	"hermes-sandbox/model"
)

// writeEdits writes the configuration part of a plan or result: a row for each
// edit and, before it is made, the difference.
func writeEdits(out io.Writer, edits []model.ConfigEdit) error {
	if len(edits) == 0 {
		return nil
	}
	rows := make([][]string, 0, len(edits))
	for _, row := range edits {
		rows = append(rows, editRow(row))
	}
	if err := writeTable(out, []string{"PROFILE", "KEY", "FROM", "TO", "DOES", "FILE"}, rows); err != nil {
		return err
	}
	said := ""
	for _, row := range edits {
		text := ""
		if row.Error != "" {
			text = fmt.Sprintf("%s: %s: %s\n", row.Outcome, row.Profile, row.Error)
		}
		if text == said {
			text = "" // one reason for several keys of a file
		} else if text != "" {
			said = text
		}
		if row.Outcome == model.OutcomePlanned {
			text += row.Diff
		}
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("write the plan: %w", err)
		}
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}

func editRow(row model.ConfigEdit) []string {
	does := string(row.Outcome)
	switch row.Outcome {
	case model.OutcomePlanned:
		does = "write"
	case model.OutcomeSkipped:
		does = "nothing: it says so already"
	case model.OutcomeDone, model.OutcomeFailed, model.OutcomePartial, model.OutcomeUnknown, model.OutcomeRefused:
	}
	return []string{
		identity(row.Profile), row.Key, orAbsent(row.From), orAbsent(row.To), does, orDash(model.NewText(row.File).Display()),
	}
}

// editedFiles writes what became of edits in the two cells of an audit row.
func editedFiles(edits []model.ConfigEdit) (target, detail string) {
	var profiles, changes []string
	for _, row := range edits {
		profiles = append(profiles, "policy of "+row.Profile.Display())
		change := row.Key + " " + orAbsent(row.From) + " to " + orAbsent(row.To)
		if row.Error != "" {
			change += ": " + row.Error
		}
		changes = append(changes, change)
	}
	return strings.Join(profiles, ", "), strings.Join(changes, "; ")
}

// writeSteps writes the allowlist networks of a plan or result.
func writeSteps(out io.Writer, steps []model.EgressStep) error {
	if len(steps) == 0 {
		return nil
	}
	rows := make([][]string, 0, len(steps))
	for _, step := range steps {
		does := string(step.Outcome)
		switch step.Outcome {
		case model.OutcomePlanned:
			does = "make sure of it"
		case model.OutcomeDone:
			does = "done: it is there"
		default:
		}
		rows = append(rows, []string{
			model.NewText(step.Engine).Display(), step.Network, model.NewText(strings.Join(step.Allowlist, " ")).Display(), does, orDash(step.Error),
		})
	}
	if err := writeTable(out, []string{"ENGINE", "ALLOWLIST NETWORK", "LETS THROUGH", "DOES", "WHY"}, rows); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	return nil
}
