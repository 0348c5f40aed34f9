package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestConnectionLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		says   string
		other  int // answer to another client meanwhile
	}{
		"of one client":   {Limits{Clients: 2, Total: 10}, "the sandbox has 2 connections already", 200},
		"of all together": {Limits{Clients: 10, Total: 2}, "the proxy has 2 connections already", 503},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}, Limits: c.limits})
			r.host("good.example", "443", listen(t, echo))
			first, _ := r.tunnel(t, "good.example:443")
			_, _ = r.tunnel(t, "good.example:443")
			const connect = "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n"
			response, body := r.exchange(t, connect, http.MethodConnect)
			if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, c.says) {
				t.Errorf("one too many: %s %q, want 503 with %q", response.Status, body, c.says)
			}
			if record := r.next(t); record.Verdict != Deny || record.Reason != TooMany {
				t.Errorf("record = %+v, want too-many", record)
			}
			if got := r.connectFrom(t, "127.0.0.2", connect); got != c.other {
				t.Errorf("another client is answered %d, want %d", got, c.other)
			}
			r.next(t)
			_ = first.Close()
			r.next(t) // its place is free when its decision is logged, or very soon after
			for deadline := time.Now().Add(patience); ; {
				response, _ = r.exchange(t, connect, http.MethodConnect)
				if response.StatusCode == http.StatusOK {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("after one has left: %s, want a tunnel", response.Status)
				}
			}
		})
	}
}

// connectFrom sends a request from an address of its own and returns the
// status.
func (r *rig) connectFrom(t *testing.T, from, raw string) int {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", r.address)
	if err != nil {
		t.Skipf("this machine has no %s: %v", from, err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, raw)
	response, _ := readAnswer(t, bufio.NewReader(conn), http.MethodConnect)
	return response.StatusCode
}

func TestDoorsForgetWhoLeft(t *testing.T) {
	d := doors{limits: Limits{Clients: 1, Total: 2}, inside: map[netip.Addr]int{}}
	client := netip.MustParseAddr("10.0.0.1")
	for range 3 {
		leave, refused := d.enter(client)
		if refused != nil {
			t.Fatal(refused)
		}
		var told []func()
		for range refusalsAtOnce {
			tell, refused := d.enter(client)
			if refused == nil || tell == nil {
				t.Fatal("a second connection is let in, or is not told why not")
			}
			told = append(told, tell)
		}
		if tell, refused := d.enter(client); tell != nil || refused == nil {
			t.Error("there is no bound to those who are told")
		}
		for _, tell := range told {
			tell()
		}
		leave()
	}
	if len(d.inside) != 0 || d.total != 0 || d.refusals != 0 {
		t.Errorf("%v inside, %d together, %d refusals, want none", d.inside, d.total, d.refusals)
	}
}

// piped is a proxy without a network, for tests of time.
type piped struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	log    chan Record
	target net.Conn // the target's end
}

func (p *piped) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *piped) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *piped) Addr() net.Addr { return &net.UnixAddr{} }

// run starts a proxy in a bubble of time and returns a client of it.
func (p *piped) run(t *testing.T, options Options) (client net.Conn, stop func() error) {
	t.Helper()
	p.conns, p.closed, p.log = make(chan net.Conn), make(chan struct{}), make(chan Record, 10)
	if options.Dial == nil {
		options.Dial = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			p.target = far
			return near, nil
		}
	}
	options.Allow = []string{"10.0.0.1:443", "10.0.0.1:80", "slow.example"}
	options.Log = &rig{records: p.log}
	server, err := NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, p) }()
	client, near := net.Pipe()
	p.conns <- near
	return client, func() error { cancel(); return <-ended }
}

func TestTimeLimits(t *testing.T) {
	const (
		connect = "CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1:443\r\n\r\n"
		plain   = "GET http://10.0.0.1/ HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n"
		named   = "GET http://slow.example/ HTTP/1.1\r\nHost: slow.example\r\n\r\n"
	)
	waits := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	for name, c := range map[string]struct {
		send    string
		options Options
		after   time.Duration
		status  int
		reason  Reason
		detail  string
	}{
		"nothing is asked":        {"", Options{Limits: Limits{Head: 3 * time.Second}}, 3 * time.Second, 408, ClientTimeout, ""},
		"half a head":             {connect[:20], Options{Limits: Limits{Head: 3 * time.Second}}, 3 * time.Second, 408, ClientTimeout, ""},
		"name is not found":       {named, Options{Resolver: waitingResolver{}, Limits: Limits{Resolve: 4 * time.Second}}, 4 * time.Second, 504, Timeout, ""},
		"target does not answer":  {connect, Options{Dial: waits, Limits: Limits{Dial: 20 * time.Second}}, 20 * time.Second, 504, Timeout, ""},
		"request is not answered": {plain, Options{Limits: Limits{Idle: time.Minute}}, time.Minute, 504, Timeout, ""},
		"tunnel is idle":          {connect, Options{Limits: Limits{Idle: time.Minute}}, time.Minute, 200, Listed, "closed after 1m0s without a byte"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p piped
				client, stop := p.run(t, c.options)
				began := time.Now()
				_, _ = io.WriteString(client, c.send)
				synctest.Wait()
				if p.target != nil {
					go func() { _, _ = io.Copy(io.Discard, p.target) }()
				}
				response, _ := readAnswer(t, bufio.NewReader(client), http.MethodConnect)
				record := <-p.log
				if passed := time.Since(began); passed != c.after {
					t.Errorf("it took %s, want %s", passed, c.after)
				}
				if response.StatusCode != c.status || record.Reason != c.reason || !strings.Contains(record.Detail, c.detail) {
					t.Errorf("answer = %s, record %+v, want %d because %s", response.Status, record, c.status, c.reason)
				}
				if _, err := client.Write([]byte("x")); err == nil {
					t.Error("the client's connection is still open")
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

type waitingResolver struct{}

func (waitingResolver) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A byte either way keeps a tunnel open.
func TestTrafficPostponesTheIdleLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p piped
		client, stop := p.run(t, Options{Limits: Limits{Idle: time.Minute}})
		began := time.Now()
		_, _ = io.WriteString(client, "CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1:443\r\n\r\n")
		reader := bufio.NewReader(client)
		readAnswer(t, reader, http.MethodConnect)
		one := make([]byte, 1)
		for range 3 {
			<-time.After(50 * time.Second)
			_, _ = client.Write([]byte("u"))
			_, _ = io.ReadFull(p.target, one)
			<-time.After(50 * time.Second)
			_, _ = p.target.Write([]byte("d"))
			_, _ = io.ReadFull(reader, one)
		}
		record := <-p.log
		if passed := time.Since(began); passed != 6*50*time.Second+time.Minute || record.Up != 3 || record.Down != 3 {
			t.Errorf("after %s: %+v, want the end a minute after the last byte", passed, record)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestStopWaitsForOpenTunnelsAndThenCutsThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p piped
		client, stop := p.run(t, Options{Limits: Limits{Drain: 7 * time.Second}})
		_, _ = io.WriteString(client, "CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: 10.0.0.1:443\r\n\r\n")
		reader := bufio.NewReader(client)
		readAnswer(t, reader, http.MethodConnect)
		began := time.Now()
		ended := make(chan error)
		go func() { ended <- stop() }()
		synctest.Wait()
		go func() { _, _ = p.target.Write([]byte("d")) }()
		if b, err := reader.ReadByte(); b != 'd' || err != nil {
			t.Errorf("an open tunnel while the proxy stops: %q, %v", b, err)
		}
		if err := <-ended; err != nil || time.Since(began) != 7*time.Second {
			t.Errorf("stopped after %s with %v, want 7s", time.Since(began), err)
		}
		if record := <-p.log; record.Down != 1 {
			t.Errorf("record = %+v", record)
		}
	})
}

func TestStopWithNothingOpen(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Drain: time.Hour}})
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", r.address); err == nil {
		t.Error("the proxy still accepts connections")
	}
}

func TestAConnectionWithoutRequestIsNoDecision(t *testing.T) {
	r := newRig(t, Options{})
	_ = r.connect(t).Close()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if len(r.records) != 0 {
		t.Errorf("record = %+v, want none", <-r.records)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// A proxy that cannot account for what it does stops.
func TestALostRecordEndsTheProxy(t *testing.T) {
	server, err := NewServer(Options{Log: brokenWriter{}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(t.Context(), listener) }()
	r := &rig{address: listener.Addr().String()}
	r.exchange(t, "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", http.MethodGet)
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("ended with %v, want the reason", err)
		}
	case <-time.After(patience):
		t.Fatal("the proxy goes on")
	}
}

// failingListener fails to accept, as when there are no file descriptors left.
type failingListener struct {
	net.Listener
	failures int
}

func (l *failingListener) Accept() (net.Conn, error) {
	if l.failures > 0 {
		l.failures--
		return nil, errors.New("too many open files")
	}
	return l.Listener.Accept()
}

func TestFailuresToAccept(t *testing.T) {
	for name, c := range map[string]struct {
		failures int
		ends     bool
	}{"for a while": {acceptRetries, false}, "for good": {acceptRetries + 1, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, err := NewServer(Options{})
				if err != nil {
					t.Fatal(err)
				}
				p := &piped{conns: make(chan net.Conn), closed: make(chan struct{})}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- server.Serve(ctx, &failingListener{p, c.failures}) }()
				if !c.ends {
					client, near := net.Pipe()
					p.conns <- near
					_ = client.Close()
				}
				if c.ends {
					if err := <-ended; err == nil || !strings.Contains(err.Error(), "too many open files") {
						t.Errorf("ended with %v, want the reason", err)
					}
				}
				cancel()
				if !c.ends {
					if err := <-ended; err != nil {
						t.Errorf("ended with %v", err)
					}
				}
			})
		})
	}
}
