package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

// listOptions are the flags of list.
type listOptions struct {
	filter string
	check  bool
	strict bool
}

func (a *app) listCommand(failed *error) *cobra.Command {
	var options listOptions
	command := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List sandboxes with posture and verdicts",
		Long: "List sandboxes with posture and verdicts. With --check the exit code tells\n" +
			"whether policies hold: 0 all do, 4 one is broken, 1 some cannot be judged.",
		Example: "hermes-sandbox list --filter 'profile:work state:running'\n" +
			"hermes-sandbox list --check --output json",
		Args: cobra.NoArgs,
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			return a.runList(command, options)
		}),
	}
	command.Flags().StringVar(&options.filter, "filter", "", "show only what matches, such as 'state:exited age>2h'")
	command.Flags().BoolVar(&options.check, "check", false, "exit 4 when a policy is broken, 1 when that is not known")
	command.Flags().BoolVar(&options.strict, "strict", false, "with --check: exit 4 for unknowns too")
	return command
}

func (a *app) runList(command *cobra.Command, options listOptions) error {
	format, err := a.outputFormat("table", "json", "jsonl")
	if err != nil {
		return err
	}
	query, err := model.ParseQuery(options.filter)
	if err != nil {
		return usageError(err)
	}
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	fleet := w.usedFleet(command.Context())
	scope, err := scopeOf(&fleet, a.flags.profiles)
	if err != nil {
		return err
	}
	narrowed := scope.narrow(fleet)
	narrowed.Sandboxes = matching(&narrowed, query)
	if err := a.printList(&narrowed, format); err != nil {
		return err
	}
	a.sayProblems(&fleet)
	down := unreachable(&fleet)
	if !options.check {
		return down
	}
	if code := checkCode(&narrowed, options.strict, down != nil); code != exitDone {
		return &exitError{code: code, err: down}
	}
	return nil
}

// matching returns the sandboxes that match.
func matching(fleet *model.Fleet, query model.Query) []model.Sandbox {
	kept := make([]model.Sandbox, 0, len(fleet.Sandboxes))
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		now := fleet.GeneratedAt
		if engine := fleet.Engine(s.Engine); engine != nil {
			now = engine.Now(now)
		}
		if query.Match(s, now) {
			kept = append(kept, *s)
		}
	}
	return kept
}

// checkCode is the exit code of --check: broken policies count most, then what
// could not be judged.
func checkCode(fleet *model.Fleet, strict, down bool) int {
	unknown := down
	for _, s := range fleet.Sandboxes {
		switch {
		case s.Violation == nil:
			unknown = true
		case *s.Violation:
			return exitViolations
		}
	}
	switch {
	case unknown && strict:
		return exitViolations
	case unknown:
		return exitFailed
	}
	return exitDone
}

func (a *app) printList(fleet *model.Fleet, format string) error {
	switch format {
	case "json":
		return a.printJSON(model.ListDocument(fleet, fleet.Sandboxes, false))
	case "jsonl":
		for i := range fleet.Sandboxes {
			if err := a.printLine(model.SandboxDocument(&fleet.Sandboxes[i])); err != nil {
				return err
			}
		}
		return nil
	}
	return writeTable(a.stdout, listHeading(fleet), listRows(fleet))
}

func listHeading(fleet *model.Fleet) []string {
	heading := []string{"NAME", "PROFILE", "TASK", "STATE", "AGE", "NETWORK", "POSTURE", "POLICY", "REUSE", "REAP"}
	if len(fleet.Engines) > 1 {
		heading = append([]string{"ENGINE"}, heading...)
	}
	return heading
}

// listRows are the lines of the table, ordered by profile.
func listRows(fleet *model.Fleet) [][]string {
	sorted := make([]*model.Sandbox, len(fleet.Sandboxes))
	for i := range fleet.Sandboxes {
		sorted[i] = &fleet.Sandboxes[i]
	}
	model.SortSandboxes(sorted, model.SortProfile, false, fleet.GeneratedAt)
	rows := make([][]string, 0, len(sorted))
	for _, s := range sorted {
		row := []string{
			nameOf(s), orDash(identity(s.Profile)), orDash(identity(s.Task)), model.NewText(string(s.State)).Display(),
			ageOf(fleet, s), orDash(s.NetworkWords()), postureOf(s), policyWord(s), string(s.Reuse.Verdict), reapWord(s),
		}
		if len(fleet.Engines) > 1 {
			row = append([]string{model.NewText(s.Engine).Display()}, row...)
		}
		rows = append(rows, row)
	}
	return rows
}

// nameOf is the name a person can use as a reference.
func nameOf(s *model.Sandbox) string {
	if s.Name.Empty() {
		return s.ID.Short()
	}
	return identity(s.Name)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func ageOf(fleet *model.Fleet, s *model.Sandbox) string {
	if !s.CreatedAt.Known() {
		return "?"
	}
	now := fleet.GeneratedAt
	if engine := fleet.Engine(s.Engine); engine != nil {
		now = engine.Now(now)
	}
	return model.ShortAge(now.Sub(s.CreatedAt.Time))
}

// postureOf is the level in words, with what makes it special.
func postureOf(s *model.Sandbox) string {
	word := s.Posture.Level.Word()
	if s.Posture.Effective != s.Posture.Level {
		word += " (" + s.Posture.Effective.Word() + ")"
	}
	if s.Posture.Drifted {
		word += ", drifted"
	}
	if slices.ContainsFunc(s.Findings, func(f model.Finding) bool { return f.Severity == model.SeverityVoid }) {
		word += ", void"
	}
	return word
}

func policyWord(s *model.Sandbox) string {
	switch {
	case s.Violation == nil:
		return "unknown"
	case *s.Violation:
		return "VIOLATION"
	default:
		return "ok"
	}
}

func reapWord(s *model.Sandbox) string {
	word := string(s.Reap.Verdict)
	if s.Reap.InSeconds != nil && *s.Reap.InSeconds > 0 {
		return fmt.Sprintf("in %ds", *s.Reap.InSeconds)
	}
	return word
}

// sayProblems names, on stderr, what could not be read.
func (a *app) sayProblems(fleet *model.Fleet) {
	for _, problem := range fleet.Problems {
		a.note("problem: %s: %s", problem.Part, problem.Error)
	}
	for _, profile := range fleet.Profiles {
		for _, problem := range profile.Problems {
			a.note("problem: profile %s: %s", profile.Name, problem)
		}
	}
}
