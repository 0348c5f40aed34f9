package dockerx

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// sink is a listener on the host that counts what each connection brings.
type sink struct {
	address string

	mu      sync.Mutex
	counts  []int
	changed chan struct{}
	conns   []net.Conn
	closed  bool
	running sync.WaitGroup
}

func newSink(t testing.TB, host string) *sink {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{address: host + " " + port, changed: make(chan struct{})}
	s.running.Go(func() { s.accept(listener) })
	t.Cleanup(func() {
		_ = listener.Close()
		s.mu.Lock()
		s.closed = true
		for _, conn := range s.conns {
			_ = conn.Close() // one that was cut off never ends by itself
		}
		s.mu.Unlock()
		s.running.Wait()
	})
	return s
}

func (s *sink) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = conn.Close()
			return
		}
		s.counts, s.conns = append(s.counts, 0), append(s.conns, conn)
		number := len(s.counts) - 1
		s.mu.Unlock()
		s.running.Go(func() { s.count(conn, number) })
	}
}

func (s *sink) count(conn net.Conn, number int) {
	defer func() { _ = conn.Close() }()
	buffer := make([]byte, 1024)
	for {
		n, err := conn.Read(buffer)
		s.mu.Lock()
		s.counts[number] += n
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// of returns what a connection brought so far; 0 for one that is not there yet.
func (s *sink) of(number int) (count int, changed chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number < len(s.counts) {
		count = s.counts[number]
	}
	return count, s.changed
}

// await waits until a connection brought more than a number of bytes.
func (s *sink) await(t testing.TB, number, more int, what string) {
	t.Helper()
	deadline := time.After(enginetest.Wait)
	for {
		count, changed := s.of(number)
		if count > more {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s: connection %d brought %d bytes, want more than %d", what, number, count, more)
		}
	}
}

// connections are how many connections there were so far.
func (s *sink) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.counts)
}

// exitCode runs a command in a container to its end.
func exitCode(t testing.TB, e *rig, id model.ID, command ...string) int {
	t.Helper()
	made, err := e.Client.ExecCreate(t.Context(), string(id), client.ExecCreateOptions{Cmd: command, AttachStdout: true, AttachStderr: true})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := e.Client.ExecAttach(t.Context(), made.ID, client.ExecAttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	if _, err := io.Copy(io.Discard, attached.Reader); err != nil {
		t.Fatal(err)
	}
	ended, err := e.Client.ExecInspect(t.Context(), made.ID, client.ExecInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return ended.ExitCode
}

// TestEngineReconnectDropsWhatWasQueued sends through one connection all the
// time. After a hot reconnect the kernel delivers what was queued during the
// cut; after the usual one that connection must stay silent for ever, while a
// new one of the restarted process brings data.
func TestEngineReconnectDropsWhatWasQueued(t *testing.T) {
	e := realEngine(t)
	tests := map[string]struct {
		method model.Method
		queued bool
	}{
		"after a restart": {model.MethodReconnect, false},
		"hot":             {model.MethodReconnectHot, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			work := e.Network(t, "queue-"+string(test.method), false, nil)
			answer, err := e.Client.NetworkInspect(t.Context(), work, client.NetworkInspectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			listener := newSink(t, answer.Network.IPAM.Config[0].Gateway.String())
			actor, c := newWire(t, e.Host).connect(t, ActorOptions{Cuts: newFakeStore()})
			id := sandboxIn(t, e, model.StateRunning, func(s *enginetest.Spec) {
				s.Network = work
				s.Command = []string{"sh", "-c", fmt.Sprintf("while true; do echo x; sleep 0.05; done | nc %s", listener.address)}
			})
			listener.await(t, 0, 10, "before the cut")
			const before = 2 // connections: the sender's, and one to show that a command can make one
			if exitCode(t, e, id, "sh", "-c", "echo x | nc -w 2 "+listener.address) != 0 {
				t.Fatal("a command cannot connect before the cut")
			}
			listener.await(t, 1, 0, "before the cut")
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "")
			atCut, _ := listener.of(0)
			if exitCode(t, e, id, "sh", "-c", "echo x | nc -w 2 "+listener.address) == 0 {
				t.Error("a new connection is made past the cut")
			}
			if listener.connections() > before {
				t.Error("a new connection arrived past the cut")
			}
			if now, _ := listener.of(0); now > atCut {
				t.Errorf("%d bytes arrived past the cut", now-atCut)
			}
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, test.method, id)[0], model.OutcomeDone, "")
			if test.queued {
				listener.await(t, 0, atCut, "after a hot reconnect")
				return
			}
			listener.await(t, before, 100, "after the reconnect")
			if now, _ := listener.of(0); now > atCut {
				t.Errorf("%d bytes that were queued during the cut arrived after it", now-atCut)
			}
		})
	}
}
