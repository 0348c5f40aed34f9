package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

// carryOut shows a plan, has it confirmed, carries it out and shows the result.
// It is the one way from a plan to the engine on the command line.
func (w *workspace) carryOut(ctx context.Context, plan model.Plan, format string) error {
	a := w.app
	plan = w.measure(ctx, plan)
	for _, note := range plan.Notes {
		a.note("%s", note)
	}
	acting := countDecisions(plan, model.DecisionAct) + countEdits(plan, model.OutcomePlanned)
	if hasSteps(plan) {
		acting++
	}
	switch {
	case a.flags.dryRun:
		plan.DryRun = true
		return a.printPlan(plan, format)
	case acting == 0:
		if err := a.printPlan(plan, format); err != nil {
			return err
		}
		if countDecisions(plan, model.DecisionRefuse)+countEdits(plan, model.OutcomeRefused) > 0 {
			return refusedError(errors.New("nothing was done: what was asked for was refused"))
		}
		return nil
	case w.settings.ReadOnly:
		return a.refuseWithPlan(plan, format, "read-only mode: nothing was done")
	case !a.flags.yes && !a.canAsk():
		return a.refuseWithPlan(plan, format, "not confirmed: run it on a terminal, or with --yes")
	}
	executor, err := w.executor()
	if err != nil {
		return err
	}
	if !a.flags.yes {
		if err := writePlan(a.stderr, plan); err != nil {
			return err
		}
		if !a.confirm(ctx, plan, w.settings.ConfirmAbove) {
			return refusedError(errors.New("not confirmed: nothing was done"))
		}
	}
	return a.execute(ctx, executor, plan, format)
}

// execute carries a confirmed plan out and turns the outcomes into an exit code.
func (a *app) execute(ctx context.Context, executor *executor, plan model.Plan, format string) error {
	said := len(plan.Notes)
	result, err := executor.Execute(ctx, plan, nil)
	for _, note := range result.Notes[min(said, len(result.Notes)):] {
		a.note("%s", note)
	}
	if printed := a.printPlan(result, format); printed != nil {
		return printed
	}
	switch {
	case errors.Is(err, dockerx.ErrNoAudit), errors.Is(err, dockerx.ErrReadOnly):
		return refusedError(err)
	case err != nil && ctx.Err() == nil:
		return &exitError{code: exitIncomplete, err: err}
	}
	for _, step := range result.Egress {
		if step.Outcome != model.OutcomeDone {
			return silentExit(exitIncomplete)
		}
	}
	for _, row := range result.Config {
		if row.Outcome != model.OutcomeDone && row.Outcome != model.OutcomeSkipped {
			return silentExit(exitIncomplete)
		}
	}
	for _, target := range result.Targets {
		if target.Decision == model.DecisionRefuse || target.Decision == model.DecisionAct && target.Outcome != model.OutcomeDone {
			return silentExit(exitIncomplete)
		}
	}
	return nil
}

func (a *app) refuseWithPlan(plan model.Plan, format, reason string) error {
	if err := a.printPlan(plan, format); err != nil {
		return err
	}
	return refusedError(errors.New(reason))
}

func countDecisions(plan model.Plan, decision model.Decision) int {
	count := 0
	for _, target := range plan.Targets {
		if target.Decision == decision {
			count++
		}
	}
	return count
}

// canAsk reports whether a person can be shown the plan and asked.
func (a *app) canAsk() bool { return isTerminal(a.stdin) && isTerminal(a.stderr) }

// confirm asks for the plan to be confirmed. Killing running sandboxes, or
// acting on more than a few, takes typing the number of targets. The answer is
// no unless it is clearly yes.
func (a *app) confirm(ctx context.Context, plan model.Plan, above int) bool {
	count := countDecisions(plan, model.DecisionAct)
	want, question := "y", "Carry this out? [y/N] "
	if count > above || killsRunning(plan) {
		want = strconv.Itoa(count)
		question = fmt.Sprintf("Type %d, the number of sandboxes, to carry this out: ", count)
	}
	_, _ = fmt.Fprint(a.stderr, question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			line = ""
		}
		answer <- line
	}()
	select {
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == want || want == "y" && line == "yes"
	case <-ctx.Done():
		return false
	}
}

// killsRunning reports whether a plan removes a sandbox that runs.
func killsRunning(plan model.Plan) bool {
	return slices.ContainsFunc(plan.Targets, func(t model.Target) bool {
		return t.Decision == model.DecisionAct && (t.Method == model.MethodRemoveForce || t.Method == model.MethodStopRemove)
	})
}

// printPlan writes a plan or its result to stdout.
func (a *app) printPlan(plan model.Plan, format string) error {
	if format == "json" {
		return a.printJSON(plan)
	}
	return writePlan(a.stdout, plan)
}

// writePlan writes a plan or its result for a person.
func writePlan(out io.Writer, plan model.Plan) error {
	if err := writeSteps(out, plan.Egress); err != nil {
		return err
	}
	if err := writeEdits(out, plan.Config); err != nil {
		return err
	}
	if len(plan.Targets) == 0 && len(plan.Config)+len(plan.Egress) > 0 {
		_, err := fmt.Fprintf(out, "%s: no sandboxes\n", plan.Action)
		return err
	}
	if len(plan.Targets) == 0 {
		_, err := fmt.Fprintf(out, "%s: no sandboxes to look at\n", plan.Action)
		return err
	}
	title := fmt.Sprintf("%s: %d of %d", plan.Action, countDecisions(plan, model.DecisionAct), len(plan.Targets))
	if plan.DryRun {
		title += " (dry run: nothing was sent, so whether the engine would agree is not known)"
	}
	if _, err := fmt.Fprintln(out, title); err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	rows := make([][]string, 0, len(plan.Targets))
	for _, target := range plan.Targets {
		rows = append(rows, planRow(target))
	}
	if err := writeTable(out, []string{"NAME", "PROFILE", "TASK", "STATE", "DOES", "LOSES", "WHY"}, rows); err != nil {
		return err
	}
	for _, target := range plan.Targets {
		for _, warning := range target.Warnings {
			if _, err := fmt.Fprintf(out, "warning: %s: %s\n", targetName(target), warning); err != nil {
				return fmt.Errorf("write the plan: %w", err)
			}
		}
	}
	return nil
}

func planRow(target model.Target) []string {
	does, why := target.Method.Words(), target.Reason
	switch {
	case target.Decision == model.DecisionSkip:
		does = "spared"
	case target.Decision == model.DecisionRefuse:
		does = "refused"
	case target.Outcome != "" && target.Outcome != model.OutcomePlanned:
		does += ": " + string(target.Outcome)
		why = said(target)
	}
	losses := make([]string, 0, len(target.Loses))
	for _, loss := range target.Loses {
		losses = append(losses, string(loss))
	}
	return []string{
		targetName(target), orDash(identity(target.Profile)), orDash(identity(target.Task)),
		model.NewText(string(target.State)).Display(), does, orDash(strings.Join(losses, ",")), why,
	}
}

// said is what there is to say of a target that was worked on: why it did not
// come out as planned. The plan's own reason speaks of what was to come.
func said(target model.Target) string {
	if target.Error != "" || target.Outcome == model.OutcomeDone {
		return target.Error
	}
	return target.Reason
}

func targetName(target model.Target) string {
	if target.Name.Empty() {
		return target.ID.Short()
	}
	return identity(target.Name)
}
