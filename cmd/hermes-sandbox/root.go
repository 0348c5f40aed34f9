package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// rootCommand builds the command tree. The commands' errors end up in failed.
func (a *app) rootCommand(failed *error) *cobra.Command {
	root := &cobra.Command{
		Use:   "hermes-sandbox",
		Short: "See and control the Docker sandboxes of Hermes Agent",
		Long: "hermes-sandbox shows the containers that Hermes Agent runs its commands in:\n" +
			"what each can reach over the network, where that breaks the profile's policy,\n" +
			"and what Hermes' reuse guard and orphan reaper will do with it. Without a\n" +
			"command it opens the dashboard.",
		Example: "hermes-sandbox --demo\n" +
			"hermes-sandbox list --filter violation\n" +
			"hermes-sandbox remove hermes-3fa1b20c --dry-run",
		Args: cobra.NoArgs,
		RunE: guarded(failed, a.runDashboard),
	}
	a.addGlobalFlags(root)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	for _, command := range []*cobra.Command{
		a.listCommand(failed),
		a.showCommand(failed),
		a.removeCommand(failed),
		a.reapCommand(failed),
		a.lockdownCommand(failed),
		a.stateCommand(failed, startVerb()),
		a.stateCommand(failed, stopVerb()),
		a.stateCommand(failed, pauseVerb()),
		a.stateCommand(failed, unpauseVerb()),
		a.profilesCommand(failed),
		a.watchCommand(failed),
		a.auditCommand(failed),
		a.undoCommand(failed),
		a.doctorCommand(failed),
		a.logsCommand(failed),
		a.shellCommand(failed),
		a.frameCommand(failed),
		a.egressProxyCommand(failed),
		a.versionCommand(failed),
		a.manCommand(failed),
	} {
		root.AddCommand(command)
	}
	a.addCompletions(root)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		// As in lockdown: a word that is no shell would show the help and end well.
		completion.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	}
	return root
}

// addGlobalFlags declares the flags that every command takes.
func (a *app) addGlobalFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	f := &a.flags
	flags.StringArrayVar(&f.contexts, "context", nil, "Docker context of an engine (repeatable)")
	flags.StringArrayVar(&f.hosts, "host", nil, "address of an engine, such as unix:///run/docker.sock (repeatable)")
	flags.StringArrayVar(&f.profiles, "profile", nil, "Hermes profile to look at or act on (repeatable)")
	flags.StringArrayVar(&f.hermesHomes, "hermes-home", nil, "home of an installation, instead of HERMES_HOME (repeatable)")
	flags.StringVar(&f.config, "config", "", "settings file")
	flags.StringVar(&f.output, "output", "table", "output: table, json or jsonl")
	flags.StringVar(&f.logFile, "log-file", "", "write a log to this file")
	flags.BoolVar(&f.readOnly, "read-only", false, "show plans, carry out nothing")
	flags.BoolVar(&f.demo, "demo", false, "use a simulated engine with a made-up fleet")
	flags.BoolVar(&f.yes, "yes", false, "carry out the plan without asking")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the plan and stop (wins over --yes)")
	flags.BoolVar(&f.noColor, "no-color", false, "no colours")
	flags.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	flags.BoolVar(&f.verbose, "verbose", false, "log debugging details too")
}

// outputFormat checks --output against what a command can write.
func (a *app) outputFormat(allowed ...string) (string, error) {
	if slices.Contains(allowed, a.flags.output) {
		return a.flags.output, nil
	}
	return "", usageError(fmt.Errorf("output %q is not known here; use one of %s", a.flags.output, strings.Join(allowed, ", ")))
}
