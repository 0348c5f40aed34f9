package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// update is the flag that writes generated documentation anew.
var update = flag.Bool("update", false, "write the command reference of docs/cli.md anew") //nolint:gochecknoglobals // flags of a test binary live here

// What stands between these lines of docs/cli.md is made from the commands.
const (
	referenceBegin = "<!-- Made from the commands by `task golden`; changes up to the end mark are lost. -->\n"
	referenceEnd   = "<!-- End of what is made from the commands. -->\n"
)

func referenceFile() string { return filepath.Join("..", "..", "docs", "cli.md") }

// TestCommandReference compares the reference with the commands there are.
func TestCommandReference(t *testing.T) {
	data, err := os.ReadFile(referenceFile())
	if err != nil {
		t.Fatal(err)
	}
	want := string(data)
	for i, made := range []string{describe((&app{}).rootCommand(new(error))), describeExits()} {
		parts := strings.Split(want, referenceBegin)
		if len(parts) != 3 {
			t.Fatalf("docs/cli.md has %d begins of what is made from the commands, not 2", len(parts)-1)
		}
		_, after, ended := strings.Cut(parts[i+1], referenceEnd)
		if !ended {
			t.Fatal("docs/cli.md has lost an end of what is made from the commands")
		}
		parts[i+1] = made + referenceEnd + after
		want = strings.Join(parts, referenceBegin)
	}
	if *update {
		if err := os.WriteFile(referenceFile(), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("docs/cli.md does not describe the commands (-commands +page); write it anew with `task golden`:\n%s", diff)
	}
	for _, fact := range []string{"### lockdown allowlist", "| `--force-age` |", "hermes-sandbox doctor --prune --dry-run", "| 130, 143 | interrupted"} {
		if !strings.Contains(want, fact) {
			t.Errorf("the reference lacks %q", fact)
		}
	}
}

// describeExits writes the exit codes as Markdown.
func describeExits() string {
	out := "| Code | Means |\n|---|---|\n"
	for _, exit := range exitMeanings() {
		out += fmt.Sprintf("| %s | %s |\n", exit.codes, regexp.MustCompile(`--[a-z]+`).ReplaceAllString(exit.meaning, "`$0`"))
	}
	return out
}

// describe writes a command tree as Markdown.
func describe(root *cobra.Command) string {
	var out strings.Builder
	out.WriteString("\n| Command | Does |\n|---|---|\n")
	fmt.Fprintf(&out, "| *(none)* | %s |\n", "open the dashboard; it needs a terminal")
	commands := leaves(root)
	for _, command := range commands {
		heading := heading(command)
		fmt.Fprintf(&out, "| [`%s`](#%s) | %s |\n", heading, strings.ReplaceAll(heading, " ", "-"), decapitalised(command.Short))
	}
	out.WriteString("\n### Flags of every command\n")
	writeFlags(&out, root.PersistentFlags())
	for _, command := range commands {
		fmt.Fprintf(&out, "\n### %s\n\n", heading(command))
		fmt.Fprintf(&out, "Usage: `%s`", strings.TrimSuffix(command.UseLine(), " [flags]"))
		if len(command.Aliases) > 0 {
			fmt.Fprintf(&out, ", or `%s`", strings.Join(command.Aliases, "`, `"))
		}
		fmt.Fprintf(&out, "\n\n%s\n", longOf(command))
		writeFlags(&out, command.LocalNonPersistentFlags())
		if command.HasExample() {
			fmt.Fprintf(&out, "\n```sh\n%s\n```\n", command.Example)
		}
	}
	out.WriteString("\n")
	return out.String()
}

// leaves are the commands that do something, those of a group in its place.
func leaves(command *cobra.Command) []*cobra.Command {
	var found []*cobra.Command
	for _, below := range command.Commands() {
		if below.Hidden || below.Name() == "completion" { // which the page has a part of its own for
			continue
		}
		if below.HasSubCommands() {
			found = append(found, leaves(below)...)
			continue
		}
		found = append(found, below)
	}
	return found
}

func heading(command *cobra.Command) string {
	return strings.TrimPrefix(command.CommandPath(), command.Root().Name()+" ")
}

// longOf is the description; variables and values in it stand as they are.
func longOf(command *cobra.Command) string {
	if command.Long == "" {
		return command.Short + "."
	}
	return strings.ReplaceAll(command.Long, "*.", `\*.`)
}

func decapitalised(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// writeFlags writes a table of flags; nothing where there are none.
func writeFlags(out *strings.Builder, flags *pflag.FlagSet) {
	flags.SortFlags = true
	first := true
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || flag.Name == "version" {
			return
		}
		if first {
			out.WriteString("\n| Flag | Takes | Default | Meaning |\n|---|---|---|---|\n")
			first = false
		}
		name := "`--" + flag.Name + "`"
		if flag.Shorthand != "" {
			name += ", `-" + flag.Shorthand + "`"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", name, takes(flag), standard(flag), strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(flag.Usage))
	})
}

// takes names the kind of a flag's value.
func takes(flag *pflag.Flag) string {
	switch kind := flag.Value.Type(); kind {
	case "bool":
		return ""
	case "string":
		return "text"
	case "stringArray":
		return "text"
	case "stringSlice":
		return "list"
	case "int":
		return "number"
	default:
		return kind
	}
}

// standard is a flag's default; empty where that is nothing.
func standard(flag *pflag.Flag) string {
	switch flag.DefValue {
	case "", "[]", "false", "0s":
		return ""
	}
	return "`" + flag.DefValue + "`"
}
