package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hermes-sandbox/config"
	"hermes-sandbox/model"
)

// completionTime bounds what a press of the tab key waits for an engine.
const completionTime = 1500 * time.Millisecond

// completer proposes words for the shell. It never complains: without an answer
// there is nothing to propose.
type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeSandboxes proposes the sandboxes of the profiles in question by name,
// those that are on the line already left out; at most limit references belong
// there, 0: any number.
func (a *app) completeSandboxes(limit int) completer {
	return func(command *cobra.Command, already []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if limit > 0 && len(already) >= limit {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		fleet := a.completionFleet(command.Context())
		var found []cobra.Completion
		scope, err := scopeOf(&fleet, a.flags.profiles)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for i := range fleet.Sandboxes {
			s := &fleet.Sandboxes[i]
			if !scope.covers(s) || slices.Contains(already, s.Name.Raw()) || slices.Contains(already, s.ID.Short()) {
				continue
			}
			found = append(found, cobra.CompletionWithDesc(reference(s), orDash(s.Profile.Display())+", "+model.NewText(string(s.State)).Display()+", "+postureOf(s)))
		}
		slices.Sort(found)
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// reference is what names a sandbox on a command line: its name, or the ID
// where the name holds what a shell would take for something else.
func reference(s *model.Sandbox) string {
	for _, r := range s.Name.Raw() {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
		if !plain {
			return s.ID.Short()
		}
	}
	return nameOf(s)
}

// completeProfiles proposes the profiles by name. They come from files, so no
// engine is asked.
func (a *app) completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	w, err := a.open()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer w.Close()
	profiles, _ := config.LoadProfiles(w.homes)
	var found []cobra.Completion
	for i := range profiles {
		found = append(found, profiles[i].Name.Display())
	}
	slices.Sort(found)
	return slices.Compact(found), cobra.ShellCompDirectiveNoFileComp
}

// completeWords proposes fixed words.
func completeWords(words ...string) completer {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completionFleet looks at the engines as long as a person waits for the tab
// key; what does not answer in time is not there.
func (a *app) completionFleet(ctx context.Context) model.Fleet {
	w, err := a.open()
	if err != nil {
		return model.Fleet{}
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	return w.fleet(ctx)
}

// addCompletions gives the commands what they propose to a shell.
func (a *app) addCompletions(root *cobra.Command) {
	complete := func(command *cobra.Command, flag string, with completer) {
		if command.Flags().Lookup(flag) != nil || command.PersistentFlags().Lookup(flag) != nil {
			_ = command.RegisterFlagCompletionFunc(flag, with) // fails for a flag that is missing or done
		}
	}
	complete(root, "profile", a.completeProfiles)
	complete(root, "output", completeWords("table", "json", "jsonl"))
	for _, command := range root.Commands() {
		switch command.Name() {
		case "show", "remove", "start", "stop", "pause", "unpause":
			command.ValidArgsFunction = a.completeSandboxes(0)
		case "logs", "shell":
			command.ValidArgsFunction = a.completeSandboxes(1)
		case "reap":
			complete(command, "include", completeWords("created", "dead", "stranded", "duplicates", "probes"))
		}
		for _, below := range command.Commands() {
			complete(below, "sandbox", a.completeSandboxes(0))
			complete(below, "running", completeWords(runningNames(model.Action("lockdown-"+below.Name()))...))
		}
	}
}
