package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// prepareTimeout bounds the reading of configuration files.
const prepareTimeout = 5 * time.Second

// showPrepared opens a plan and has the files read that it edits.
func (m *Model) showPrepared(d *planDialog) tea.Cmd {
	return tea.Batch(m.show(d), m.prepare(d))
}

// prepare has the files of a plan's edits read. Until that is done the plan
// cannot be confirmed.
func (m *Model) prepare(d *planDialog) tea.Cmd {
	d.preparing = 0
	backend, plan, parent := m.options.Backend, d.base, m.context
	if backend == nil || edits(&plan) == 0 && !rebuilds(&plan) {
		return nil
	}
	m.prepared++
	number := m.prepared
	d.preparing = number
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, prepareTimeout)
		defer cancel()
		prepared, err := backend.Prepare(ctx, plan)
		return planPrepared{number: number, plan: prepared, err: err}
	}
}

// rebuilds reports whether a plan makes a sandbox again, which copies a layer
// whose size has to be asked for.
func rebuilds(plan *model.Plan) bool {
	return slices.ContainsFunc(plan.Targets, func(t model.Target) bool { return t.Method == model.MethodRebuild })
}

// planPrepared takes the read files into the plan that asked for them. The plan
// reads differently then, so that keys typed before do not confirm it.
func (m *Model) planPrepared(msg planPrepared) tea.Cmd {
	d, ok := m.dialog.(*planDialog)
	if !ok || d.preparing == 0 || d.preparing != msg.number {
		return nil
	}
	d.preparing = 0
	if msg.err != nil {
		msg.plan = d.base
		msg.plan.Targets = append([]model.Target(nil), d.base.Targets...)
		msg.plan.Config = append([]model.ConfigEdit(nil), d.base.Config...)
		for i := range msg.plan.Config {
			msg.plan.Config[i].Outcome, msg.plan.Config[i].Error = model.OutcomeRefused, safe(msg.err.Error())
		}
		msg.plan.Withhold()
	}
	d.base = msg.plan
	d.rebuild()
	if !d.guards() {
		return nil
	}
	return m.startQuiet()
}

// edits counts the changes of configuration a plan makes.
func edits(plan *model.Plan) int {
	count := 0
	for i := range plan.Config {
		if plan.Config[i].Outcome == model.OutcomePlanned {
			count++
		}
	}
	return count
}

func orAbsent(written string) string {
	if written == "" {
		return "absent"
	}
	return safe(written)
}

// configLines show a plan's changes of configuration, file by file, each with
// the difference of the file.
func (d *planDialog) configLines(m *Model, width int) []string {
	var lines []string
	for i := range d.plan.Config {
		file := d.plan.Config[i].File
		if slices.ContainsFunc(d.plan.Config[:i], func(e model.ConfigEdit) bool { return e.File == file }) {
			continue
		}
		var edits []*model.ConfigEdit
		for j := range d.plan.Config[i:] {
			if edit := &d.plan.Config[i+j]; edit.File == file && !d.noted(edit) {
				edits = append(edits, edit)
			}
		}
		lines = append(lines, m.fileLines(edits, width)...)
	}
	if d.preparing != 0 {
		lines = append(lines, m.theme.Styles.Dim.Render("reading the configuration"))
	}
	return lines
}

// noted reports whether a note of the plan says already that a setting stays.
func (d *planDialog) noted(edit *model.ConfigEdit) bool {
	return edit.Outcome == model.OutcomeSkipped && edit.Key == model.NetworkKey && d.plan.Action != model.ActionLockdownAllowlist
}

// fileLines show the changes of one file.
func (m *Model) fileLines(edits []*model.ConfigEdit, width int) []string {
	styles, glyphs := m.theme.Styles, m.theme.Glyphs
	var lines, keys, diffs []string
	planned := 0
	for _, edit := range edits {
		head := raw(edit.Profile.Raw()) + ": " + safe(edit.Key) + " "
		switch edit.Outcome {
		case model.OutcomePlanned:
			planned++
			keys = append(keys, safe(edit.Key))
			lines = append(lines, styles.Text.Render(widget.Clip(head+orAbsent(edit.From)+" to "+orAbsent(edit.To)+" in "+m.homePath(edit.File), width, glyphs.Ellipsis)))
		case model.OutcomeSkipped:
			lines = append(lines, styles.Dim.Render(widget.Clip(head+"is "+orAbsent(edit.To)+" already", width, glyphs.Ellipsis)))
		default: // the others of the file are refused with it
			return m.refusedLines(edit, width)
		}
		if edit.Diff != "" && !slices.Contains(diffs, edit.Diff) {
			diffs = append(diffs, edit.Diff)
		}
	}
	if planned > 1 {
		lines = []string{
			styles.Text.Render(widget.Clip(raw(edits[0].Profile.Raw())+": "+fmt.Sprintf("%d changes in ", planned)+m.homePath(edits[0].File), width, glyphs.Ellipsis)),
		}
		if len(diffs) == 0 {
			lines = append(lines, styles.Dim.Render(widget.Clip("  "+strings.Join(keys, ", "), width, glyphs.Ellipsis)))
		}
	}
	for _, diff := range diffs {
		lines = append(lines, m.diffLines(diff, width)...)
	}
	return lines
}

func (m *Model) refusedLines(edit *model.ConfigEdit, width int) []string {
	text := m.theme.Glyphs.Alert + " " + raw(edit.Profile.Raw()) + ": " + safe(edit.Key) + " " + orAbsent(edit.From) + " to " + orAbsent(edit.To) +
		" is refused: " + safe(edit.Error)
	var lines []string
	for _, line := range widget.Wrap(text, width) {
		lines = append(lines, m.theme.Styles.Warn.Render(line))
	}
	return lines
}

// diffLines draw a unified difference without its head.
func (m *Model) diffLines(diff string, width int) []string {
	var lines []string
	for _, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		look := m.theme.Styles.Dim
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "@@"):
			continue
		case strings.HasPrefix(line, "-"):
			look = m.style(toneWarn)
		case strings.HasPrefix(line, "+"):
			look = m.style(toneCalm)
		}
		lines = append(lines, look.Render(widget.Clip("  "+safe(line), width, m.theme.Glyphs.Ellipsis)))
	}
	return lines
}

// editOutcome says what became of a change of configuration.
func editOutcome(g theme.Glyphs, edit *model.ConfigEdit) (string, tone) {
	sign, word, look := outcomeWords(g, edit.Outcome)
	text := sign + " " + widget.Fit(word, 8, "") + " policy of " + raw(edit.Profile.Raw()) + ": " + safe(edit.Key) + " " +
		orAbsent(edit.From) + " to " + orAbsent(edit.To)
	if edit.Error != "" {
		text += ": " + safe(edit.Error)
	}
	return text, look
}

// editWords sum up the changes of configuration of a plan that was carried out;
// empty without any. Whole tells that all were made.
func editWords(plan *model.Plan) (words string, whole bool) {
	written, missed := 0, 0
	for i := range plan.Config {
		switch plan.Config[i].Outcome {
		case model.OutcomeDone:
			written++
		case model.OutcomeSkipped, model.OutcomePlanned:
		default:
			missed++
		}
	}
	if written > 0 {
		words = plural(written, "policy", "policies") + " written, "
	}
	if missed > 0 {
		words += plural(missed, "policy", "policies") + " not written, "
	}
	return words, missed == 0
}
