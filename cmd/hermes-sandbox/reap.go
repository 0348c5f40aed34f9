package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

// reapFlags are the flags of reap.
type reapFlags struct {
	include   []string
	olderThan time.Duration
	forceAge  bool
}

func (a *app) reapCommand(failed *error) *cobra.Command {
	var flags reapFlags
	command := &cobra.Command{
		Use:   "reap",
		Short: "Remove orphans by Hermes' own rule",
		Long: "Remove what Hermes' own orphan reaper would remove, for the profiles named with\n" +
			"--profile, else the active one. Classes Hermes never reaps are taken only when\n" +
			"asked for with --include. Nothing is removed by force: a sandbox that was\n" +
			"started meanwhile is kept.",
		Example: "hermes-sandbox reap --dry-run\n" +
			"hermes-sandbox reap --profile work --include created,dead --yes",
		Args: cobra.NoArgs,
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			options, err := flags.options(command, a.flags.profiles)
			if err != nil {
				return err
			}
			return a.runReap(command.Context(), options)
		}),
	}
	command.Flags().StringSliceVar(&flags.include, "include", nil, "also: "+strings.Join(classNames(), ", "))
	command.Flags().DurationVar(&flags.olderThan, "older-than", 0, "least age, such as 24h")
	command.Flags().BoolVar(&flags.forceAge, "force-age", false, "take --older-than as it is, even below Hermes' own age")
	return command
}

func classNames() []string {
	classes := model.ReapClasses()
	names := make([]string, 0, len(classes))
	for _, class := range classes {
		names = append(names, string(class))
	}
	return names
}

// options turns the flags into what the plan needs.
func (f *reapFlags) options(command *cobra.Command, profiles []string) (model.ReapOptions, error) {
	options := model.ReapOptions{ForceAge: f.forceAge, Explicit: len(profiles) > 0}
	for _, name := range f.include {
		if !slices.Contains(classNames(), name) {
			return options, usageError(fmt.Errorf("class %q is not known; known are: %s", name, strings.Join(classNames(), ", ")))
		}
		options.Include = append(options.Include, model.ReapClass(name))
	}
	if command.Flags().Changed("older-than") {
		if f.olderThan < 0 {
			return options, usageError(fmt.Errorf("--older-than %s is negative", f.olderThan))
		}
		options.OlderThan = &f.olderThan
	}
	for _, name := range profiles {
		options.Profiles = append(options.Profiles, model.NewText(name))
	}
	return options, nil
}

func (a *app) runReap(ctx context.Context, options model.ReapOptions) error {
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
	if _, err := scopeOf(&fleet, a.flags.profiles); err != nil {
		return err
	}
	if err := w.carryOut(ctx, model.PlanReap(&fleet, fleet.GeneratedAt, options), format); err != nil {
		return err
	}
	return unreachable(&fleet)
}
