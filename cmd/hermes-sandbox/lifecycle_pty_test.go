//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hermes-sandbox/dockerx/simengine"
)

// inShell starts an interactive shell on a terminal, which can stop and
// continue a program, and returns how the program is named in it.
func inShell(t *testing.T, b *bench) (s *screen, program string) {
	t.Helper()
	program, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash, whose job control is needed")
	}
	s = newScreen(t, 120, 40)
	s.launch(exec.Command(shell, "--norc", "--noprofile", "-i"), append(sandboxEnv(t, b.engine.Host()), "PS1=READY> ", "HISTFILE="))
	s.awaitText("READY>")
	return s, program
}

// A stopped dashboard must not hold an event stream that nobody reads: the
// engine would wait for it at every event. The terminal is the shell's meanwhile,
// whether a key stopped the program or another process.
func TestJobControlLeavesTerminalAndStream(t *testing.T) {
	t.Run("ctrl+z", func(t *testing.T) { stopAndContinue(t, func(s *screen, _ string) { s.press("\x1a") }) })
	t.Run("SIGTSTP", func(t *testing.T) {
		stopAndContinue(t, func(s *screen, program string) {
			if err := syscall.Kill(childOf(s.t, s.command.Process.Pid, program), syscall.SIGTSTP); err != nil {
				s.t.Fatal(err)
			}
		})
	})
}

// childOf finds the process of a program that another one started.
func childOf(t *testing.T, parent int, program string) int {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil || len(links) == 0 {
		t.Skipf("there is no /proc here: %v", err)
	}
	for _, link := range links {
		number := filepath.Base(filepath.Dir(link))
		if target, err := os.Readlink(link); err != nil || target != program {
			continue
		}
		stat, err := os.ReadFile("/proc/" + number + "/stat")
		if _, rest, _ := strings.Cut(string(stat), ") "); err != nil || !strings.HasPrefix(rest[2:], strconv.Itoa(parent)+" ") {
			continue
		}
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	t.Fatalf("no process of %s was started by %d", program, parent)
	return 0
}

func stopAndContinue(t *testing.T, stop func(s *screen, program string)) {
	t.Helper()
	b := newBench(t)
	s, program := inShell(t, b)
	s.press(program + "\r")
	s.awaitText("running")
	b.engine.AwaitStream(t.Context())
	select { // what the terminal answers later is typed into the shell
	case <-s.answered:
	case <-time.After(patience):
		t.Fatal("the program asked the terminal nothing")
	}
	stop(s, program)
	s.awaitText("Stopped")
	for name, pair := range modes() {
		// The shell pastes that way itself.
		if raw := s.written(); name != "bracketed paste" && strings.LastIndex(raw, pair[0]) > strings.LastIndex(raw, pair[1]) {
			t.Errorf("the %s is on while the program is stopped", name)
		}
	}
	s.press("jobs -l\r")
	text := s.await("the stopped job", regexp.MustCompile(`\d+ Stopped`).MatchString)
	number := regexp.MustCompile(`(\d+) Stopped`).FindStringSubmatch(text)[1]
	if state := processState(t, number); state != "T" {
		t.Errorf("the process is in state %s, not stopped", state)
	}
	b.nothingOpen(t)
	received, _ := b.engine.Traffic()
	if _, err := b.engine.Add(simengine.Spec{Name: "hermes-new", Labels: map[string]string{
		"hermes-agent": "1", "hermes-profile": "aaa", "hermes-task-id": "meanwhile",
	}}); err != nil {
		t.Fatal(err)
	}
	s.press("fg\r")
	s.awaitText("meanwhile") // looked at anew
	if again, _ := b.engine.Traffic(); again == received {
		t.Error("nothing was asked after the program went on")
	}
	s.press("q")
	s.await("the shell", func(text string) bool { return strings.HasSuffix(strings.TrimSpace(text), "READY>") })
	s.press("echo ended-with-$?\r")
	s.awaitText("ended-with-0")
	s.press("exit\r")
	s.end(exitDone)
}

// Where no shell could continue it, as in a terminal that runs the program alone,
// the kernel drops the signal, and the program goes on.
func TestAProgramThatCannotStopGoesOn(t *testing.T) {
	for name, stop := range map[string]func(s *screen){
		"ctrl+z":  func(s *screen) { s.press("\x1a") },
		"SIGTSTP": func(s *screen) { _ = s.command.Process.Signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			s := start(t, 120, 40, sandboxEnv(t, b.engine.Host()))
			s.awaitText("running")
			stop(s)
			s.awaitText("not suspended")
			if err := b.engine.RemoveContainer("hermes-91d07e44"); err != nil {
				t.Fatal(err)
			}
			s.await("the list without what was removed", func(text string) bool {
				return strings.Contains(text, "hermes-3fa1b20c") && !strings.Contains(text, "hermes-91d07e44")
			})
			s.press("q")
			s.end(exitDone)
		})
	}
}

// processState is the letter that the kernel gives a process.
func processState(t *testing.T, number string) string {
	t.Helper()
	data, err := os.ReadFile("/proc/" + number + "/stat")
	if err != nil {
		t.Skipf("there is no /proc here: %v", err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return rest[:1]
}

// What a terminal answers to the program's questions must not be typed into the
// shell that comes after it, however soon the program ends.
func TestAnswersOfTheTerminalDoNotReachTheShell(t *testing.T) {
	b := newBench(t)
	s, program := inShell(t, b)
	for i := range 5 {
		s.press(fmt.Sprintf("%s; echo ended-%d-with-$?\r", program, i))
		s.await("the dashboard", func(text string) bool { return strings.Contains(text, "hermes-sandbox  ") })
		s.press("q")
		s.awaitText(fmt.Sprintf("ended-%d-with-0", i))
		s.press("echo typed-" + strconv.Itoa(i) + "\r")
		text := s.awaitText("\ntyped-" + strconv.Itoa(i))
		if strings.Contains(text, "^[") || strings.Contains(text, "2026;") || strings.Contains(text, "rgb:") {
			t.Fatalf("an answer of the terminal was typed into the shell:\n%s", text)
		}
	}
	s.press("exit\r")
	s.end(exitDone)
}

// A terminal that goes away, as when ssh dies, takes the program along, with
// the helper processes it started.
func TestTheProgramEndsWithItsTerminal(t *testing.T) {
	b := newBench(t)
	s := start(t, 80, 24, sandboxEnv(t, b.engine.Host()))
	s.awaitText("running")
	_ = s.tty.Close()
	s.press("j") // what comes of it lets go of our end, which is read from
	_ = s.pty.Close()
	s.ends()
	switch code := s.command.ProcessState.ExitCode(); code {
	case exitTerminated, exitFailed: // the hang-up came first, or the end of the input
	default:
		t.Errorf("exit code %d", code)
	}
	b.nothingOpen(t)
}

// nothingOpen waits until the engine has seen the end of every request, of which
// it hears a moment after the program closed it.
func (b *bench) nothingOpen(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		_, outstanding := b.engine.Traffic()
		if outstanding == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d requests are left open", outstanding)
		}
	}
}

// ends waits for the end of the program.
func (s *screen) ends() {
	s.t.Helper()
	done := make(chan struct{})
	go func() { _ = s.command.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
		s.t.Fatal("the program did not end")
	}
}

// A helper that hangs, as ssh does to a host that does not answer, is gone when
// the program is, however the program ends.
func TestNoHelperProcessIsLeft(t *testing.T) {
	cases := map[string]func(s *screen){
		"q":       func(s *screen) { s.press("q") },
		"SIGTERM": func(s *screen) { _ = s.command.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(s *screen) { _ = s.command.Process.Signal(syscall.SIGHUP) },
		"SIGQUIT": func(s *screen) { _ = s.command.Process.Signal(syscall.SIGQUIT) },
		"a panic": nil,
	}
	for name, end := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			note := filepath.Join(folder, "helpers")
			script := "#!/bin/sh\necho $$ >>" + note + "\nexec sleep 600\n"
			if err := os.WriteFile(filepath.Join(folder, "ssh"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			env := append(sandboxEnv(t, "ssh://nobody@nowhere.invalid"), "PATH="+folder+":"+os.Getenv("PATH"))
			trigger := filepath.Join(folder, "now")
			env = append(env, faultVariable+"=hermes-sandbox/cmd/hermes-sandbox.(*workspace).input", triggerVariable+"="+trigger)
			s, _ := startChild(t, 120, 40, env)
			s.awaitText("down") // the helper was waited for long enough
			if end == nil {
				if err := os.WriteFile(trigger, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				s.press("r")
			} else {
				end(s)
			}
			s.ends()
			if code := s.command.ProcessState.ExitCode(); end == nil && code != exitUsage {
				t.Errorf("exit code %d, not that of a panic", code)
			}
			data, err := os.ReadFile(note)
			if err != nil {
				t.Fatalf("no helper was started: %v", err)
			}
			for _, number := range strings.Fields(string(data)) {
				pid, err := strconv.Atoi(number)
				if err != nil {
					t.Fatal(err)
				}
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) && processState(t, number) != "Z" {
					t.Errorf("helper %d is still there: %v", pid, err)
				}
			}
		})
	}
}
