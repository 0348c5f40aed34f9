package dockerx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hermes-sandbox/model"
)

// TestLookInsideStaysWithTheProcess gives the number to another process in the
// middle of a look.
func TestLookInsideStaysWithTheProcess(t *testing.T) {
	root := process(t, map[string]string{"net/route": "first\n"})
	problem := lookInside(root, 7, model.ID(sandboxID("a")), func(dir *processDir) error {
		if err := os.Rename(filepath.Join(root, "7"), filepath.Join(root, "8")); err != nil {
			return err
		}
		other := process(t, map[string]string{"net/route": "second\n"})
		if err := os.Rename(filepath.Join(other, "7"), filepath.Join(root, "7")); err != nil {
			return err
		}
		got, err := dir.read("net/route")
		if string(got) != "first\n" {
			t.Errorf("read %q", got)
		}
		return err
	})
	if problem != "" {
		t.Error(problem)
	}
}

// TestLookInsideTrustsNothingOfAnEndedProcess ends a process of this machine in
// the middle of a look: with its end waited for, and before.
func TestLookInsideTrustsNothingOfAnEndedProcess(t *testing.T) {
	for name, waited := range map[string]bool{"waited for": true, "not yet waited for": false} {
		t.Run(name, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), "sleep", "infinity")
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			problem := lookInside("/proc", child.Process.Pid, ":/", func(dir *processDir) error {
				if _, err := dir.read("net/route"); err != nil {
					return err
				}
				if err := child.Process.Kill(); err != nil {
					return err
				}
				if waited {
					_ = child.Wait() // it was killed
				} else if err := unix.Waitid(unix.P_PID, child.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
					return err
				}
				if got, err := dir.read("net/route"); err == nil {
					t.Errorf("after its end it reads %q", got)
				}
				return nil
			})
			if !waited {
				_ = child.Wait() // as above
			}
			if !strings.Contains(problem, "ended") {
				t.Errorf("problem %q", problem)
			}
		})
	}
}

// TestProcessFilesAreReadWhole reads files around the sizes the buffer takes.
func TestProcessFilesAreReadWhole(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4096, 4097, 8192, 70_000} {
		want := strings.Repeat("x", size)
		root := process(t, map[string]string{"net/dev": "lo:\n", "net/tcp": want})
		if size == 0 {
			if err := os.WriteFile(filepath.Join(root, "7", "net", "tcp"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		dir, err := openProcess(root, 7)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := dir.read("net/tcp"); err != nil || string(got) != want {
				t.Errorf("%d bytes: read %d, %v", size, len(got), err)
			}
		}
		dir.close()
	}
}
