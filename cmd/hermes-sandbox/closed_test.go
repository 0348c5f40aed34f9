//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hermes-sandbox/rescue"
)

// Whatever the user's mask for new files, those of the program are for their
// owner alone, and so are their folders.
func TestEveryFileIsClosed(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	b := newBench(t)
	kept := filepath.Join(b.state, "hermes-sandbox")
	archive, log := filepath.Join(b.state, "out.tar"), filepath.Join(b.state, "log")
	for _, args := range [][]string{
		{"lockdown", "on", "--profile", "default", "--yes"},
		{"undo", "1", "--yes"},
		{"pause", "hermes-3fa1b20c", "--yes"},
		{"show", "hermes-3fa1b20c", "--export", archive},
		{"list", "--verbose", "--log-file", log},
	} {
		if got := b.run(t, args...); got.code != exitDone && got.code != exitIncomplete {
			t.Fatalf("%v: exit code %d: %s", args, got.code, got.stderr)
		}
	}
	b.program(&strings.Builder{}, &strings.Builder{}).reportCrash(&rescue.Panic{})
	w, err := b.program(&strings.Builder{}, &strings.Builder{}).open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := (&backend{workspace: w}).LeaveDenied(t.Context(), hostDecision("a.example"), true); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	err = filepath.WalkDir(b.state, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == b.state {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
		relative, err := filepath.Rel(kept, path)
		seen[strings.SplitN(relative, "-", 2)[0]] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"audit.jsonl", "crash", "denied", filepath.Join("..", "log"), filepath.Join("..", "out.tar")} {
		if !seen[name] {
			t.Errorf("no file %s was written: %v", name, seen)
		}
	}
}

// A terminal that cannot be drawn on is told so, in words alone.
func TestTerminalsThatCannotDraw(t *testing.T) {
	for name, kind := range map[string]string{"dumb": "TERM=dumb", "none": "TERM="} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			s := start(t, 80, 24, append(sandboxEnv(t, b.engine.Host()), kind))
			s.ends()
			_ = s.tty.Close()
			<-s.drained
			if code := s.command.ProcessState.ExitCode(); code != exitUsage {
				t.Errorf("exit code %d", code)
			}
			if written := s.written(); strings.Contains(written, "\x1b") || !strings.Contains(written, "cannot draw") || !strings.Contains(written, "`list`") {
				t.Errorf("written: %q", written)
			}
		})
	}
	t.Run("no terminal", func(t *testing.T) {
		b := newBench(t)
		path, err := binary()
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{}, {"list"}, {"frame"}, {"show", "hermes-3fa1b20c"}, {"doctor"}, {"profiles"}, {"lockdown", "status"}, {"remove", "hermes-3fa1b20c"}, {"help"}, {"man"}} {
			command := exec.Command(path, args...)
			command.Env = append(sandboxEnv(t, b.engine.Host()), "TERM=xterm-256color", "COLORTERM=truecolor", "PATH="+os.Getenv("PATH"))
			written, _ := command.CombinedOutput() // some refuse, which is fine here
			if len(written) == 0 || strings.ContainsAny(string(written), "\x1b\u009b") {
				t.Errorf("%v: %.300q", args, written)
			}
		}
	})
}
