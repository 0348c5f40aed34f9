package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// checkShell parses the lines of an example and checks each of its commands.
func checkShell(script string) error {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return err
	}
	var failed error
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			failed = errors.Join(failed, checkCall(call.Args))
		}
		return true
	})
	return failed
}

// checkCall checks one command: ours by our own parser, those of the repository
// by what there is.
func checkCall(words []*syntax.Word) error {
	args := make([]string, 0, len(words))
	for _, word := range words {
		arg, err := expand.Literal(&expand.Config{Env: expand.FuncEnviron(func(string) string { return "x" })}, word)
		if err != nil {
			return err
		}
		args = append(args, arg)
	}
	var err error
	switch filepath.Base(args[0]) {
	case "hermes-sandbox":
		err = checkArguments(args[1:])
	case "go":
		err = checkGo(args[1:])
	case "task":
		err = checkTask(args[1:])
	case "bash":
		_, err = os.Stat(filepath.Join("..", "..", args[1]))
	case "jq", "echo", "docker", "goreleaser", "git":
	default:
		err = errors.New("nothing checks this command")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// checkArguments parses a command line of ours without running it.
func checkArguments(args []string) error {
	root := (&app{}).rootCommand(new(error))
	root.InitDefaultCompletionCmd()
	if slices.Contains(args, "--help") {
		return nil
	}
	command, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}

// checkGo checks that what a go command works on is there.
func checkGo(args []string) error {
	for i, arg := range args[1:] {
		switch {
		case strings.HasPrefix(arg, "./"):
			folder := strings.TrimSuffix(strings.TrimSuffix(arg, "..."), "/")
			if _, err := os.Stat(filepath.Join("..", "..", folder)); err != nil {
				return err
			}
		case arg == "-run" && args[i+2] == "^$": // no test, for benchmarks alone
		case arg == "-run", arg == "-bench":
			if err := checkTestNames(args[i+2]); err != nil {
				return err
			}
		}
	}
	if args[0] == "run" {
		if at := slices.Index(args, "./cmd/hermes-sandbox"); at > 0 {
			return checkArguments(args[at+1:])
		}
	}
	return nil
}

// checkTestNames checks that some test or benchmark has such a name.
func checkTestNames(pattern string) error {
	name, _, _ := strings.Cut(pattern, "/")
	wanted, err := regexp.Compile(name)
	if err != nil {
		return err
	}
	found := false
	err = filepath.WalkDir(filepath.Join("..", ".."), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, declared := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)`).FindAllSubmatch(data, -1) {
			found = found || wanted.Match(declared[1])
		}
		return err
	})
	if found || err != nil {
		return err
	}
	return fmt.Errorf("nothing is named like %q", pattern)
}

// checkTask checks that the Taskfile has the tasks.
func checkTask(args []string) error {
	data, err := os.ReadFile(filepath.Join("..", "..", "Taskfile.yml"))
	if err != nil {
		return err
	}
	var file struct {
		Vars  map[string]any
		Tasks map[string]any
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		return err
	}
	for _, arg := range args {
		name, _, isVariable := strings.Cut(arg, "=")
		known := file.Tasks
		if isVariable {
			known = file.Vars
		}
		if _, ok := known[name]; !ok && name != "--list" {
			return fmt.Errorf("the Taskfile has no %q", name)
		}
	}
	return nil
}

// checkUnits checks the commands of systemd units, each of which starts with a
// line that names its file.
func checkUnits(text string) error {
	commands := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindAllStringSubmatch(text, -1)
	if len(commands) == 0 {
		return errors.New("no unit starts anything")
	}
	for _, found := range commands {
		if err := checkShell(found[1]); err != nil {
			return err
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !regexp.MustCompile(`^(|# /etc/systemd/system/hermes-sandbox-[a-z]+\.(service|timer)|\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.+)$`).MatchString(line) {
			return fmt.Errorf("%q is no line of a unit", line)
		}
	}
	return nil
}

// checkCrontab checks the five fields and the command of each line. Cron reads
// a percent sign as the end of the line.
func checkCrontab(text string) error {
	for line := range strings.Lines(text) {
		match := regexp.MustCompile(`^(?:[0-9*/,-]+\s+){5}([^%]+)$`).FindStringSubmatch(strings.TrimSpace(line))
		if match == nil {
			return fmt.Errorf("%q is no line of a crontab", line)
		}
		if err := checkShell(match[1]); err != nil {
			return err
		}
	}
	return nil
}

// TestDocumentationMentions checks the commands named in the text: ours, and
// those of the repository.
func TestDocumentationMentions(t *testing.T) {
	checked := 0
	for _, p := range pages(t) {
		for _, span := range p.spans {
			first, rest, _ := strings.Cut(span, " ")
			if rest == "" || !slices.Contains([]string{"hermes-sandbox", "go", "task", "bash"}, first) {
				continue
			}
			checked++
			if err := checkShell(span); err != nil {
				t.Errorf("%s: %v", p.path, err)
			}
		}
	}
	if checked < 30 {
		t.Errorf("only %d commands checked", checked)
	}
}
