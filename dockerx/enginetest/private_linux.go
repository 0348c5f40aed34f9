package enginetest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// Private is an engine of the test's own, which can be restarted without harm
// to anything else on the machine.
type Private struct {
	*Engine

	folder string
	daemon *exec.Cmd
	ended  chan struct{} // closed when the daemon has ended; nil when none runs
	log    bytes.Buffer
}

// NewPrivate starts an engine in a network namespace and folders of its own,
// and ends it with the test. That takes root and dockerd; the test is skipped
// without, unless HERMES_SANDBOX_REQUIRE_ENGINE=1.
func NewPrivate(t testing.TB) *Private {
	t.Helper()
	binary, err := exec.LookPath("dockerd")
	if err != nil || os.Geteuid() != 0 {
		if os.Getenv("HERMES_SANDBOX_REQUIRE_ENGINE") == "1" {
			t.Fatalf("HERMES_SANDBOX_REQUIRE_ENGINE=1, but an engine of the test's own needs root and dockerd (user %d, %v)", os.Geteuid(), err)
		}
		t.Skipf("an engine of the test's own needs root and dockerd (user %d, %v)", os.Geteuid(), err)
	}
	folder, err := os.MkdirTemp("", "engine") // a test's own folder can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	p := &Private{folder: folder}
	t.Cleanup(func() { p.remove(t) })
	// The machine's own settings must not reach this engine.
	if err := os.WriteFile(p.path("daemon.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	host := "unix://" + p.path("docker.sock")
	api, err := client.New(client.WithHost(host))
	if err != nil {
		t.Fatal(err)
	}
	p.Engine = &Engine{Client: api, Host: host, Mark: random(t)}
	p.start(t, binary)
	ctx, cancel := context.WithTimeout(t.Context(), Wait)
	defer cancel()
	p.Image = p.busybox(ctx, t)
	return p
}

func (p *Private) path(name string) string { return filepath.Join(p.folder, name) }

// Restart ends the engine, containers included, and starts it again in a new
// network namespace, as after a restart of the machine.
func (p *Private) Restart(t testing.TB) {
	t.Helper()
	p.end(t)
	p.start(t, p.daemon.Path)
}

// Kill ends the engine as a crash would, in the middle of whatever it does, and
// starts it again when restart is called.
func (p *Private) Kill(t testing.TB) (restart func()) {
	t.Helper()
	if err := p.daemon.Process.Kill(); err != nil {
		t.Errorf("kill the engine: %v", err)
	}
	<-p.ended
	p.ended = nil
	return func() {
		// Its containerd died with it, and counts as alive until somebody asks how
		// it ended.
		if err := os.Remove(p.path("exec/containerd/containerd.pid")); err != nil {
			t.Error(err)
		}
		p.start(t, p.daemon.Path)
	}
}

func (p *Private) start(t testing.TB, binary string) {
	t.Helper()
	p.log.Reset()
	p.daemon = exec.Command(binary, //nolint:gosec,noctx // found on PATH; it is ended in order, not by a context
		"--config-file", p.path("daemon.json"), "--storage-driver", "vfs",
		"--data-root", p.path("data"), "--exec-root", p.path("exec"), "--pidfile", p.path("pid"),
		"--containerd-namespace", p.Mark, "--containerd-plugins-namespace", p.Mark+"-plugins",
		"--host", p.Host)
	p.daemon.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	p.daemon.Stdout, p.daemon.Stderr = &p.log, &p.log
	// What it starts itself may outlive it and hold its output open.
	p.daemon.WaitDelay = time.Second
	if err := p.daemon.Start(); err != nil {
		t.Fatalf("start an engine: %v", err)
	}
	ended := make(chan struct{})
	p.ended = ended
	go func(daemon *exec.Cmd) {
		defer close(ended)
		_ = daemon.Wait() // how it ended is in its log
	}(p.daemon)
	p.await(t)
}

// await returns when the engine answers.
func (p *Private) await(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Wait)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := p.Client.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true})
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-p.ended:
			p.ended = nil
			t.Fatalf("the engine ended:\n%s", p.log.Bytes())
		case <-ctx.Done():
			t.Fatalf("the engine does not answer: %v", err)
		}
	}
}

// end ends the engine and waits for it. One that hangs is killed.
func (p *Private) end(t testing.TB) {
	if p.ended == nil {
		return
	}
	if err := p.daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("end the engine: %v", err)
	}
	select {
	case <-p.ended:
	case <-time.After(Wait):
		t.Errorf("the engine does not end; it is killed")
		_ = p.daemon.Process.Kill()
		<-p.ended
	}
	p.ended = nil
}

// remove ends the engine and removes its folder.
func (p *Private) remove(t testing.TB) {
	if p.Engine != nil {
		p.removeContainers(t)
		_ = p.Client.Close()
	}
	p.end(t)
	_ = syscall.Unmount(p.path("data"), syscall.MNT_DETACH) // an engine that was killed leaves it mounted
	if err := os.RemoveAll(p.folder); err != nil {
		t.Errorf("remove the engine's folder: %v", err)
	}
}

// removeContainers lets the engine end without waiting for processes.
func (p *Private) removeContainers(t testing.TB) {
	if p.ended == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), Wait)
	defer cancel()
	containers, err := p.Client.ContainerList(ctx, client.ContainerListOptions{All: true})
	if err != nil {
		t.Errorf("list what the test made: %v", err)
	}
	for _, c := range containers.Items {
		if err := Discard(ctx, p.Client, c.ID); err != nil {
			t.Errorf("remove container %s: %v", c.ID, err)
		}
	}
}
