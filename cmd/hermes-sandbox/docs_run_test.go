//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unrunnable are the examples of the documentation that are checked and not
// run, with the reason why.
func unrunnable() map[string]string {
	const (
		engines  = "needs engines that are named in the example alone"
		port     = "listens on a port that may be taken"
		terminal = "needs a terminal and a command that runs in the sandbox; tests on a real engine open shells"
		work     = "builds or tests the repository itself"
	)
	return map[string]string{
		"hermes-sandbox --context default --context build-host":                                      engines,
		"hermes-sandbox list --host unix:///run/user/1000/podman/podman.sock --host ssh://ada@build": engines,
		"hermes-sandbox watch --metrics 127.0.0.1:9464 > /dev/null":                                  port,
		"hermes-sandbox egress-proxy --allow 'pypi.org,*.pythonhosted.org'":                          port,
		"EGRESS_ALLOWLIST=github.com:443 hermes-sandbox egress-proxy --address 127.0.0.1":            port,
		"hermes-sandbox shell hermes-3fa1b20c":                                                       terminal,
		"go run ./cmd/hermes-sandbox":                                                                work,
		"go run ./cmd/hermes-sandbox --demo":                                                         work,
		"go test ./...":                                                                              work,
		"CGO_ENABLED=0 go build ./cmd/hermes-sandbox":                                                work,
		"bash .ci/run":     work,
		"task screenshots": work,
	}
}

// endings are the exit codes of examples that do not end with 0, with what they
// print about it.
func endings() map[string]struct {
	code int
	says string
} {
	type ending = struct {
		code int
		says string
	}
	return map[string]ending{
		"hermes-sandbox list --check":                          {exitViolations, "VIOLATION"},
		"hermes-sandbox list --check --output json":            {exitViolations, `"violation": true`},
		"hermes-sandbox doctor":                                {exitFailed, "void-privileged"},
		"hermes-sandbox doctor --profile work --output json":   {exitViolations, "violation"},
		"hermes-sandbox undo 7 --dry-run":                      {exitUsage, "no such action: 7"},
		"hermes-sandbox lockdown on --profile work":            {exitRefused, "not confirmed"},
		"hermes-sandbox lockdown on --sandbox hermes-3fa1b20c": {exitRefused, "not confirmed"},
		"hermes-sandbox lockdown allowlist --profile work --allow pypi.org --allow '*.pythonhosted.org'":   {exitRefused, "not confirmed"},
		"hermes-sandbox lockdown allowlist --sandbox hermes-3fa1b20c --allow github.com --running rebuild": {exitRefused, "not confirmed"},
		"hermes-sandbox lockdown off --profile work":                                                       {exitRefused, "not confirmed"},
	}
}

// endless are the examples that run until they are interrupted.
func endless() map[string]bool {
	return map[string]bool{
		"hermes-sandbox watch":                true,
		"hermes-sandbox watch --profile work": true,
		"hermes-sandbox watch --output jsonl | jq -c 'select(.event == \"violation\")'": true,
		"hermes-sandbox logs hermes-3fa1b20c --follow":                                  true,
	}
}

// TestDocumentationExamplesRun hands every line of the examples to a shell, each
// with an engine and a fleet of its own.
func TestDocumentationExamplesRun(t *testing.T) {
	program, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	skip, ends, follows := unrunnable(), endings(), endless()
	met := map[string]bool{}
	for _, p := range pages(t) {
		for _, block := range p.blocks {
			if block.language != "sh" {
				continue
			}
			for line := range strings.Lines(block.text) {
				line = withoutComment(line)
				if line == "" || met[line] {
					continue
				}
				met[line] = true
				if skip[line] != "" {
					continue
				}
				t.Run(line, func(t *testing.T) {
					t.Parallel()
					if follows[line] {
						runUntilItSpeaks(t, program, line)
						return
					}
					want := ends[line]
					code, output := runExample(t, program, line)
					if code != want.code || !strings.Contains(output, want.says) {
						t.Errorf("ends with %d and not, with %q, with %d:\n%s", code, want.says, want.code, output)
					}
				})
			}
		}
	}
	for line := range skip {
		stale(t, met, line)
	}
	for line := range ends {
		stale(t, met, line)
	}
	for line := range follows {
		stale(t, met, line)
	}
	if len(met) < 50 {
		t.Errorf("only %d examples found", len(met))
	}
}

// stale reports an exception that no example needs any more.
func stale(t *testing.T, met map[string]bool, line string) {
	t.Helper()
	if !met[line] {
		t.Errorf("an exception is made for %q, which is no example any more", line)
	}
}

// withoutComment drops what two blanks and a number sign begin.
func withoutComment(line string) string {
	line, _, _ = strings.Cut(line, "  #")
	return strings.TrimSpace(line)
}

// example is a shell that runs a line in an empty folder, with the program on
// its PATH and a demonstration's engine.
func example(t *testing.T, program, line string) *exec.Cmd {
	t.Helper()
	b := newBench(t)
	command := exec.Command("sh", "-c", line)
	command.Dir = t.TempDir()
	command.Env = []string{"PATH=" + filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")}
	for name, value := range b.env {
		command.Env = append(command.Env, name+"="+value)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

// runExample returns the exit code of a line and all that it printed.
func runExample(t *testing.T, program, line string) (code int, output string) {
	t.Helper()
	printed, err := example(t, program, line).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if ended != nil {
		code = ended.ExitCode()
	}
	return code, string(printed)
}

// runUntilItSpeaks interrupts a line once it has printed something.
func runUntilItSpeaks(t *testing.T, program, line string) {
	t.Helper()
	command := example(t, program, line)
	printed, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil || strings.TrimSpace(first) == "" {
		t.Errorf("printed %q: %v", first, err)
	}
	if err := syscall.Kill(-command.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, printed)
	_ = command.Wait()
	if state := command.ProcessState; state.ExitCode() != exitInterrupted && !state.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("interrupted, it ended with %d", state.ExitCode())
	}
}
