package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

func (a *app) profilesCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:   "profiles",
		Short: "Show profiles with their policy and its sources",
		Long: "Show Hermes' profiles: their homes, what their configuration asks for, where\n" +
			"every value comes from, and how many sandboxes are in line with it.",
		Example: "hermes-sandbox profiles\nhermes-sandbox profiles --profile work --output json",
		Args:    cobra.NoArgs,
		RunE:    guarded(failed, a.reportProfiles(a.printProfiles)),
	}
}

// reportProfiles returns a command that looks at the fleet once and shows the
// profiles of the scope: as a document, or in its own way for a person.
func (a *app) reportProfiles(show func(*model.Fleet) error) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, _ []string) error {
		format, err := a.outputFormat("table", "json")
		if err != nil {
			return err
		}
		w, err := a.open()
		if err != nil {
			return err
		}
		defer w.Close()
		fleet := w.fleet(command.Context())
		scope, err := scopeOf(&fleet, a.flags.profiles)
		if err != nil {
			return err
		}
		fleet = scope.narrow(fleet)
		if format == "json" {
			err = a.printJSON(model.ProfilesDocument(&fleet))
		} else {
			err = show(&fleet)
		}
		if err != nil {
			return err
		}
		return unreachable(&fleet)
	}
}

func (a *app) printProfiles(fleet *model.Fleet) error {
	for i := range fleet.Profiles {
		if err := a.printProfile(fleet, &fleet.Profiles[i]); err != nil {
			return err
		}
	}
	if len(fleet.Profiles) == 0 {
		_, err := fmt.Fprintln(a.stdout, "no profiles: neither a home nor a labelled sandbox was found")
		return err
	}
	return nil
}

// printProfile writes one profile: a heading, then a value a line.
func (a *app) printProfile(fleet *model.Fleet, profile *model.Profile) error {
	heading := identity(profile.Name)
	if profile.Active {
		heading += " (active)"
	}
	rows := [][]string{{"home", orDash(model.NewText(profile.Home).Display()), ""}}
	standing := model.StandingOf(fleet, profile)
	rows = append(rows, []string{"sandboxes", fmt.Sprintf("%d in line, %d violations, %d unknown",
		standing.InLine, standing.Violations, standing.Unknown), ""})
	if profile.Policy == nil {
		rows = append(rows, []string{"policy", "unknown", ""})
	} else {
		rows = append(rows, policyRows(profile.Policy)...)
	}
	for _, problem := range profile.Problems {
		rows = append(rows, []string{"problem", problem, ""})
	}
	if err := writeTable(a.stdout, []string{heading, "", ""}, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout)
	return err
}

// policyRows writes the values of a policy with the source of each.
func policyRows(policy *model.Policy) [][]string {
	rows := [][]string{{"position", string(policy.Position), ""}}
	for _, value := range []struct {
		key  string
		text string
	}{
		{"backend", shown(policy.Backend)},
		{"docker_network", shown(policy.DockerNetwork)},
		{"container_network", shown(policy.ContainerNetwork)},
		{"extra_network", shown(policy.ExtraNetwork)},
		{"orphan_reaper", shown(policy.OrphanReaper)},
		{"persist_across_processes", shown(policy.PersistAcrossProcesses)},
		{"container_persistent", shown(policy.ContainerPersistent)},
		{"lifetime_seconds", shown(policy.LifetimeSeconds)},
		{"reap_after_seconds", shown(policy.ReapAfterSeconds)},
		{"shared_container_key", shown(policy.SharedContainerKey)},
		{"image", shown(policy.Image)},
		{"image_pinned", shown(policy.ImagePinned)},
		{"proxy_enabled", shown(policy.ProxyEnabled)},
		{"proxy_enforced", shown(policy.ProxyEnforced)},
	} {
		if value.text == "" {
			continue
		}
		source := string(policy.Sources[value.key])
		rows = append(rows, []string{value.key, value.text, source})
	}
	notes := slices.Clone(policy.Notes)
	for _, note := range notes {
		rows = append(rows, []string{"note", note.Detail, ""})
	}
	return rows
}

// shown writes a value that may not be known; empty when there is nothing to
// say.
func shown[T any](value *T) string {
	if value == nil {
		return ""
	}
	return model.NewText(fmt.Sprint(*value)).Display()
}
