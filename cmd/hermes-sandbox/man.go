package main

import (
	"fmt"
	"strings"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
)

// manCommand prints the manual page. It takes the place of fang's, which breaks
// descriptions at every line and has one line for each command.
func (a *app) manCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Args:   cobra.NoArgs,
		Hidden: true, // as packages need it and people do not
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			page, err := manualPage(command.Root())
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(a.stdout, page); err != nil {
				return fmt.Errorf("write the manual page: %w", err)
			}
			return nil
		}),
	}
}

// manualPage describes the commands from their own descriptions, which it
// changes to fit: the tree is of no other use afterwards.
func manualPage(root *cobra.Command) (string, error) {
	root.Long = unwrapped(root.Long)
	describeInFull(root)
	page, err := mango.NewManPage(1, root)
	if err != nil {
		return "", fmt.Errorf("make the manual page: %w", err)
	}
	var codes strings.Builder
	for _, exit := range exitMeanings() {
		fmt.Fprintf(&codes, "%s: %s.\n", exit.codes, exit.meaning)
	}
	page.WithSection("Exit status", codes.String())
	page.WithSection("Environment", "DOCKER_HOST, DOCKER_CONTEXT, DOCKER_CONFIG, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH name engines as they do "+
		"for docker. HERMES_HOME is Hermes' home. HERMES_SANDBOX_KEY sets a setting, two underscores lead to a key inside another. "+
		"NO_COLOR turns colours off.")
	page.WithSection("Files", "$XDG_CONFIG_HOME/hermes-sandbox/config.yaml holds the settings. "+
		"$XDG_STATE_HOME/hermes-sandbox holds what was cut off, backups and audit.jsonl, the actions taken.")
	return page.Build(roff.NewDocument()), nil
}

// describeInFull gives each command below its long description where the page
// has the short one.
func describeInFull(command *cobra.Command) {
	for _, below := range command.Commands() {
		if below.Name() == "completion" {
			continue // its long descriptions are instructions of several blocks
		}
		if below.Long != "" {
			below.Short = strings.ReplaceAll(unwrapped(below.Long), "\n\n", " ")
		}
		describeInFull(below)
	}
}

// unwrapped joins the lines of each paragraph.
func unwrapped(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, paragraph := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(paragraph, "\n", " ")
	}
	return strings.Join(paragraphs, "\n\n")
}
