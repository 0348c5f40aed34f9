//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// patience bounds every wait for the screen.
const patience = 2 * time.Minute

// screen is a program on a pseudo-terminal of 120x40, read through a virtual
// terminal that answers as a real one does.
type screen struct {
	began   time.Time
	pty     *os.File
	command *exec.Cmd
	bytes   atomic.Int64
	folder  string

	mu      sync.Mutex
	term    *vt.Emulator
	changed chan struct{} // closed and replaced at every write
}

// start runs a program with a home of its own.
func start(ctx context.Context, binary string, env []string, args ...string) (*screen, error) {
	folder, err := os.MkdirTemp("", "hermes-sandbox-bench-")
	if err != nil {
		return nil, fmt.Errorf("home: %w", err)
	}
	primary, tty, err := pty.Open()
	if err != nil {
		return nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer func() { _ = tty.Close() }()
	if err := pty.Setsize(primary, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		return nil, fmt.Errorf("size the terminal: %w", err)
	}
	s := &screen{pty: primary, folder: folder, term: vt.NewEmulator(120, 40), changed: make(chan struct{})}
	s.command = exec.CommandContext(ctx, binary, args...) //nolint:gosec // what to measure is the caller's choice
	s.command.Env = slices.Concat(env, []string{
		"TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "HOME=" + folder, "HERMES_HOME=" + folder, "XDG_STATE_HOME=" + folder,
	})
	s.command.Stdin, s.command.Stdout, s.command.Stderr = tty, tty, tty
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.began = time.Now()
	if err := s.command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	go s.read()
	go s.answer()
	return s, nil
}

func (s *screen) pid() int { return s.command.Process.Pid }

func (s *screen) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.pty.Read(buffer)
		if n > 0 {
			s.bytes.Add(int64(n))
			s.mu.Lock()
			_, _ = s.term.Write(buffer[:n])
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) answer() {
	buffer := make([]byte, 4<<10)
	for {
		n, err := s.term.Read(buffer)
		if n > 0 {
			_, _ = s.pty.Write(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *screen) text() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term.String(), s.changed
}

// await waits until the screen fits and returns when it did.
func (s *screen) await(what string, fits func(text string) bool) (time.Time, error) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		text, changed := s.text()
		if fits(text) {
			return time.Now(), nil
		}
		select {
		case <-changed:
		case <-deadline.C:
			return time.Time{}, fmt.Errorf("the screen never showed %s:\n%s", what, text)
		}
	}
}

func (s *screen) awaitText(part string) (time.Time, error) {
	return s.await(part, func(text string) bool { return strings.Contains(text, part) })
}

// press sends a key and returns how long it took until the screen changed.
func (s *screen) press(key string) (time.Duration, error) {
	_, changed := s.text()
	began := time.Now()
	if _, err := s.pty.WriteString(key); err != nil {
		return 0, fmt.Errorf("press %q: %w", key, err)
	}
	select {
	case <-changed:
		return time.Since(began), nil
	case <-time.After(patience):
		return 0, fmt.Errorf("nothing changed after %q", key)
	}
}

// resize gives the terminal another size, of which the program is told.
func (s *screen) resize(columns, rows int) error {
	s.mu.Lock()
	s.term.Resize(columns, rows)
	s.mu.Unlock()
	if err := pty.Setsize(s.pty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil { //nolint:gosec // sizes of a screen
		return fmt.Errorf("size the terminal: %w", err)
	}
	return nil
}

// quiet waits until nothing was written for a while.
func (s *screen) quiet(ctx context.Context, while time.Duration) error {
	for {
		_, changed := s.text()
		select {
		case <-changed:
		case <-time.After(while):
			return nil
		case <-ctx.Done():
			return errors.New("interrupted")
		}
	}
}

// end kills the program and cleans up.
func (s *screen) end() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	_ = s.pty.Close()
	_ = os.RemoveAll(s.folder)
}
