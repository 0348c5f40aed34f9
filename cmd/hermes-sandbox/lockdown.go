package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

// lockdownFlags are the flags of lockdown on and off.
type lockdownFlags struct {
	running     string
	sandboxes   []string
	allow, deny []string // entries of an allowlist
}

func (a *app) lockdownCommand(failed *error) *cobra.Command {
	command := &cobra.Command{
		Use:   "lockdown",
		Short: "Close profiles or sandboxes off, let them reach some hosts only, or open them again",
		Long: "A switch with three positions: on closes profiles off from every network,\n" +
			"allowlist lets them reach the hosts of a list, off opens them. The position is\n" +
			"written to config.yaml, so that every sandbox made from then on follows it, and\n" +
			"the sandboxes there are come into line. With --sandbox single sandboxes alone,\n" +
			"without any change of configuration.",
		Example: "hermes-sandbox lockdown status\n" +
			"hermes-sandbox lockdown on --profile work --dry-run\n" +
			"hermes-sandbox lockdown off --profile work",
		// Without this a word that is no position would show the help and end well.
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(
		a.lockdownOnCommand(failed),
		a.lockdownAllowlistCommand(failed),
		a.lockdownOffCommand(failed),
		a.lockdownStatusCommand(failed),
	)
	return command
}

func (a *app) lockdownOnCommand(failed *error) *cobra.Command {
	return a.lockdownSwitch(failed, model.ActionLockdownOn, &cobra.Command{
		Use:   "on",
		Short: "Take profiles or sandboxes off every network",
		Long: "Write docker_network: false for the profiles named with --profile, else for the\n" +
			"active one, and bring their sandboxes into line: cut disconnects them and keeps\n" +
			"others from connecting them again, rebuild makes them again without a network,\n" +
			"remove removes them, keep leaves them. Nothing is cut whose profile's policy\n" +
			"cannot be written.",
		Example: "hermes-sandbox lockdown on --profile work\n" +
			"hermes-sandbox lockdown on --running rebuild --dry-run\n" +
			"hermes-sandbox lockdown on --sandbox hermes-3fa1b20c",
	})
}

func (a *app) lockdownAllowlistCommand(failed *error) *cobra.Command {
	return a.lockdownSwitch(failed, model.ActionLockdownAllowlist, &cobra.Command{
		Use:   "allowlist",
		Short: "Let profiles or sandboxes reach the hosts of a list, and nothing else",
		Long: "Give the profiles named with --profile, else the active one, an internal network\n" +
			"whose only way out is a proxy with their allowlist: the network and the proxy\n" +
			"variables are written to docker_extra_args and docker_env. --allow and --deny\n" +
			"change the list there is. An entry is a host, *.domain for all names below a\n" +
			"domain, or an address, each with :port where one port is meant (80 and 443).\n" +
			"Sandboxes with the proxy variables are moved as they are and the others cut\n" +
			"(move); or they are made again with the variables (rebuild), cut, or kept.",
		Example: "hermes-sandbox lockdown allowlist --profile work --allow pypi.org --allow '*.pythonhosted.org'\n" +
			"hermes-sandbox lockdown allowlist --profile work --deny pypi.org --dry-run\n" +
			"hermes-sandbox lockdown allowlist --sandbox hermes-3fa1b20c --allow github.com --running rebuild",
	})
}

func (a *app) lockdownOffCommand(failed *error) *cobra.Command {
	return a.lockdownSwitch(failed, model.ActionLockdownOff, &cobra.Command{
		Use:   "off",
		Short: "Give profiles or sandboxes their networks back",
		Long: "Write docker_network: true for the profiles named with --profile, else for the\n" +
			"active one, and reconnect the sandboxes that were cut off here: restart stops\n" +
			"them meanwhile, so that data which open connections held back is not sent; hot\n" +
			"reconnects them as they run; keep leaves them cut off.",
		Example: "hermes-sandbox lockdown off --profile work\n" +
			"hermes-sandbox lockdown off --sandbox hermes-3fa1b20c --running hot",
	})
}

// lockdownSwitch completes the command that turns a lockdown on or off.
func (a *app) lockdownSwitch(failed *error, action model.Action, command *cobra.Command) *cobra.Command {
	var flags lockdownFlags
	command.Args = cobra.NoArgs
	command.RunE = guarded(failed, func(command *cobra.Command, _ []string) error {
		return a.runLockdown(command.Context(), action, flags)
	})
	names := runningNames(action)
	command.Flags().StringVar(&flags.running, "running", names[0], "what becomes of sandboxes: "+strings.Join(names, ", "))
	if action == model.ActionLockdownAllowlist {
		command.Flags().StringSliceVar(&flags.allow, "allow", nil, "hosts to let through as well (comma list, repeatable)")
		command.Flags().StringSliceVar(&flags.deny, "deny", nil, "entries to take off the list (comma list, repeatable)")
	}
	command.Flags().StringSliceVar(&flags.sandboxes, "sandbox", nil, "sandboxes alone, without a change of configuration (repeatable)")
	return command
}

func runningNames(action model.Action) []string {
	var names []string
	for _, choice := range model.RunningChoices(action) {
		names = append(names, string(choice))
	}
	return names
}

func (a *app) runLockdown(ctx context.Context, action model.Action, flags lockdownFlags) error {
	if names := runningNames(action); !slices.Contains(names, flags.running) {
		return usageError(fmt.Errorf("--running %q is not known here; use one of %s", flags.running, strings.Join(names, ", ")))
	}
	options := model.LockdownOptions{Running: model.Running(flags.running)}
	var allowErr, denyErr error
	options.Allow, allowErr = canonicalEntries(flags.allow)
	options.Deny, denyErr = canonicalEntries(flags.deny)
	if err := errors.Join(allowErr, denyErr); err != nil {
		return usageError(err)
	}
	if len(flags.sandboxes) > 0 {
		return a.runOnRefs(ctx, flags.sandboxes, func(fleet *model.Fleet, keys []model.Key) model.Plan {
			return model.PlanLockdownOf(fleet, action, keys, options)
		})
	}
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
	for _, name := range a.flags.profiles {
		options.Profiles = append(options.Profiles, model.NewText(name))
	}
	plan := w.prepare(ctx, model.PlanLockdown(&fleet, action, options))
	if err := w.carryOut(ctx, plan, format); err != nil {
		return err
	}
	return unreachable(&fleet)
}

func (a *app) lockdownStatusCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show which profiles are locked down, and what breaks that",
		Long: "Show the position of every profile with where it comes from, how many of its\n" +
			"sandboxes are in line with it, and each one that is not.",
		Example: "hermes-sandbox lockdown status\nhermes-sandbox lockdown status --output json",
		Args:    cobra.NoArgs,
		RunE: guarded(failed, a.reportProfiles(func(fleet *model.Fleet) error {
			return writeStatus(a.stdout, fleet)
		})),
	}
}

// writeStatus writes a row for each profile and one for each sandbox that is
// not in line.
func writeStatus(out io.Writer, fleet *model.Fleet) error {
	rows := make([][]string, 0, len(fleet.Profiles))
	for i := range fleet.Profiles {
		rows = append(rows, statusRow(fleet, &fleet.Profiles[i]))
	}
	if err := writeTable(out, []string{"PROFILE", "POSITION", "FROM", "IN LINE", "VIOLATIONS", "UNKNOWN", "CUT HERE"}, rows); err != nil {
		return err
	}
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if s.Violation != nil && !*s.Violation {
			continue
		}
		word := "violation"
		if s.Violation == nil {
			word = "unknown"
		}
		if _, err := fmt.Fprintf(out, "%s: %s of %s: %s\n", word, nameOf(s), orDash(identity(s.Profile)), s.ViolationReason); err != nil {
			return fmt.Errorf("write the status: %w", err)
		}
	}
	return nil
}

func statusRow(fleet *model.Fleet, profile *model.Profile) []string {
	position, from := model.PositionUnknown, "-"
	if profile.Policy != nil {
		position, from = profile.Policy.Position, orDash(string(profile.Policy.Sources["position"]))
	}
	cut := 0
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if s.Cut != nil && model.Belongs(s, profile) {
			cut++
		}
	}
	name := identity(profile.Name)
	if profile.Active {
		name += " (active)"
	}
	standing := model.StandingOf(fleet, profile)
	return []string{
		name, string(position), from, fmt.Sprint(standing.InLine), fmt.Sprint(standing.Violations),
		fmt.Sprint(standing.Unknown), fmt.Sprint(cut),
	}
}
