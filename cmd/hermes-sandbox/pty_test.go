//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// binary builds the program once for all tests that run it as a process, or in
// an image of its own, for which it has to be static.
//
//nolint:gochecknoglobals // built once
var binary = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "hermes-sandbox-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "hermes-sandbox")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// screen is the program on a pseudo-terminal, read through a virtual one.
type screen struct {
	t       *testing.T
	pty     *os.File // our end
	tty     *os.File // the program's end, kept open to look at its settings
	command *exec.Cmd
	before  *term.State

	drained  chan struct{} // closed when all output was read
	answered chan struct{} // closed when the program has been answered

	mu      sync.Mutex
	term    *vt.Emulator
	frames  int             // how often something was written
	brief   bool            // raw keeps the latest output only
	raw     strings.Builder // all that was written
	changed chan struct{}   // closed and replaced at every write
}

// start runs the program on a terminal of a size.
func start(t *testing.T, width, height int, env []string, args ...string) *screen {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	s := newScreen(t, width, height)
	s.launch(exec.Command(path, args...), env)
	return s
}

// newScreen opens a terminal of a size.
func newScreen(t *testing.T, width, height int) *screen {
	t.Helper()
	primary, tty, err := pty.Open()
	if err != nil {
		t.Fatalf("open a terminal: %v", err)
	}
	s := &screen{t: t, pty: primary, tty: tty, term: vt.NewEmulator(width, height), changed: make(chan struct{}), drained: make(chan struct{}), answered: make(chan struct{})}
	if err := pty.Setsize(primary, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		t.Fatal(err)
	}
	if s.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	return s
}

// launch runs a program on the terminal. Variables that are given twice count
// as they are given last.
func (s *screen) launch(command *exec.Cmd, env []string) {
	s.t.Helper()
	tty, primary := s.tty, s.pty
	s.command = command
	s.command.Env = slices.Concat([]string{"TERM=xterm-256color", "PATH=" + os.Getenv("PATH")}, env)
	s.command.Stdin, s.command.Stdout, s.command.Stderr = tty, tty, tty
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.command.Start(); err != nil {
		s.t.Fatalf("start the program: %v", err)
	}
	go s.read()
	go s.answer()
	s.t.Cleanup(func() {
		_ = s.command.Process.Kill()
		_ = tty.Close()
		_ = primary.Close()
		_ = s.term.InputPipe().(interface{ Close() error }).Close()
	})
}

// read feeds what the program writes to the virtual terminal.
func (s *screen) read() {
	defer close(s.drained)
	buffer := make([]byte, 32<<10)
	for {
		n, err := s.pty.Read(buffer)
		if n > 0 {
			s.mu.Lock()
			s.show(buffer[:n])
			s.frames++
			if s.brief && s.raw.Len() > 1<<20 {
				s.raw.Reset()
			}
			s.raw.Write(buffer[:n])
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// show writes to the virtual terminal, which has a flaw of its own: it panics
// where lines are scrolled that a smaller size has just taken away.
func (s *screen) show(written []byte) {
	defer func() {
		if recover() != nil {
			_, _ = s.term.Write([]byte("\x1b[r"))
		}
	}()
	_, _ = s.term.Write(written)
}

// repeat presses keys again and again, as a person does who waits for them to
// be taken, until what it returns is called.
func (s *screen) repeat(keys string, pace time.Duration) (stop func()) {
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		again := time.NewTicker(pace)
		defer again.Stop()
		for {
			select {
			case <-again.C:
				_, _ = s.pty.WriteString(keys)
			case <-stopped:
				<-again.C // a key pressed right after esc would be taken with it
				return
			}
		}
	}()
	return func() { close(stopped); <-ended }
}

// answer hands the terminal's replies to the program, as a terminal does.
func (s *screen) answer() {
	buffer := make([]byte, 4<<10)
	var once sync.Once
	for {
		n, err := s.term.Read(buffer)
		if n > 0 {
			_, _ = s.pty.Write(buffer[:n])
			once.Do(func() { close(s.answered) })
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

// await waits until the screen fits and returns it.
func (s *screen) await(what string, fits func(text string) bool) string {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		text, changed := s.text()
		if fits(text) {
			return text
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Fatalf("the screen never showed %s:\n%s", what, text)
		}
	}
}

func (s *screen) awaitText(part string) string {
	s.t.Helper()
	return s.await(part, func(text string) bool { return strings.Contains(text, part) })
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(keys); err != nil {
		s.t.Fatalf("press %q: %v", keys, err)
	}
}

// end waits for the program to end and checks that it left the terminal as it
// found it.
func (s *screen) end(want int) {
	s.t.Helper()
	done := make(chan struct{})
	go func() { _ = s.command.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
		text, _ := s.text()
		s.t.Fatalf("the program did not end:\n%s", text)
	}
	if got := s.command.ProcessState.ExitCode(); got != want {
		text, _ := s.text()
		s.t.Errorf("exit code %d, want %d\n%s", got, want, text)
	}
	after, err := term.GetState(s.tty.Fd())
	if err != nil {
		s.t.Fatal(err)
	}
	if *after != *s.before {
		s.t.Errorf("the terminal's settings changed: %+v, were %+v", after, s.before)
	}
	_ = s.tty.Close()
	<-s.drained
	s.mu.Lock()
	raw := s.raw.String()
	s.mu.Unlock()
	for name, pair := range modes() {
		if strings.LastIndex(raw, pair[0]) > strings.LastIndex(raw, pair[1]) {
			s.t.Errorf("the %s was left on", name)
		}
	}
}

// modes are what a dashboard switches on in a terminal, with what ends each.
func modes() map[string][2]string {
	return map[string][2]string{
		"alternate screen": {"\x1b[?1049h", "\x1b[?1049l"}, "hidden cursor": {"\x1b[?25l", "\x1b[?25h"},
		"bracketed paste": {"\x1b[?2004h", "\x1b[?2004l"},
	}
}

// sandboxEnv is an environment with homes and state of the test's own.
func sandboxEnv(t *testing.T, host string) []string {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".hermes"), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{"HOME=" + home, "HERMES_HOME=" + filepath.Join(home, ".hermes"), "XDG_STATE_HOME=" + t.TempDir(), "DOCKER_HOST=" + host}
}

func TestDashboardRemovesASandboxOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	profile := engine.Mark
	kept := engine.Run(t, engine.Sandbox(profile, "kept"))
	gone := engine.Run(t, engine.Sandbox(profile, "gone"))
	s := start(t, 120, 40, sandboxEnv(t, engine.Host), "--profile", profile)
	s.awaitText("kept")
	s.press("jjkk")
	s.press("/task:gone\r")
	s.await("the filtered list", func(text string) bool {
		return strings.Contains(text, "task:gone") && !regexp.MustCompile(`kept +running`).MatchString(text)
	})
	s.press("G")
	s.press("D")
	dialog := s.awaitText("type 1 to confirm") // its last line, so all of it is drawn
	if !strings.Contains(dialog, gone.Short()) || strings.Contains(dialog, kept.Short()) {
		t.Fatalf("the plan names another sandbox:\n%s", dialog)
	}
	// The dialog takes keys once it has been on the screen for a moment; those
	// typed before are dropped, so they are typed until they count.
	s.await("the confirmed removal", func(text string) bool {
		if strings.Contains(text, "type 1 to confirm") {
			s.press("1\r")
		}
		return strings.Contains(text, "1 done")
	})
	s.press("\x1b") // closes the result
	s.await("the list without the result", func(text string) bool { return !strings.Contains(text, "esc closes") })
	s.press("q")
	s.end(exitDone)
	there := func(id model.ID) bool {
		_, err := engine.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{})
		return err == nil
	}
	if !there(kept) || there(gone) {
		t.Errorf("kept is there: %v, gone is there: %v", there(kept), there(gone))
	}
}

func TestDashboardSeesAnotherClientOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	id := engine.Run(t, engine.Sandbox(engine.Mark, "watched"))
	s := start(t, 120, 40, sandboxEnv(t, engine.Host), "--profile", engine.Mark)
	row := func(posture string) func(string) bool {
		shown := regexp.MustCompile(`watched +running.*` + posture)
		return shown.MatchString
	}
	s.await("an open sandbox", row("open"))
	engine.Leave(t, "bridge", id)
	s.await("the same one cut off", row("cut off"))
	engine.Join(t, "bridge", id)
	s.await("the same one open again", row("open"))
	engine.Stop(t, id)
	s.await("the same one exited", func(text string) bool { return regexp.MustCompile(`watched +exited`).MatchString(text) })
	s.press("q")
	s.end(exitDone)
}

func TestTerminalIsRestored(t *testing.T) {
	cases := map[string]struct {
		end  func(s *screen)
		want int
	}{
		"q":       {func(s *screen) { s.press("q") }, exitDone},
		"ctrl+c":  {func(s *screen) { s.press("\x03") }, exitDone},
		"SIGINT":  {func(s *screen) { _ = s.command.Process.Signal(syscall.SIGINT) }, exitInterrupted},
		"SIGTERM": {func(s *screen) { _ = s.command.Process.Signal(syscall.SIGTERM) }, exitTerminated},
		"SIGHUP":  {func(s *screen) { _ = s.command.Process.Signal(syscall.SIGHUP) }, exitTerminated},
		"SIGQUIT": {func(s *screen) { _ = s.command.Process.Signal(syscall.SIGQUIT) }, exitTerminated},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			s := start(t, 80, 24, sandboxEnv(t, b.engine.Host()))
			s.awaitText("running")
			c.end(s)
			s.end(c.want)
		})
	}
}

func TestHungEngineDoesNotHoldTheDashboard(t *testing.T) {
	b := newBench(t)
	b.engine.Faults().Set(simengine.Any, simengine.Fault{Kind: simengine.Silence})
	s := start(t, 80, 24, sandboxEnv(t, b.engine.Host()))
	s.awaitText(filepath.Base(b.engine.Host()))
	s.press("q")
	s.end(exitDone)
}
