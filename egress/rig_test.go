package egress

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait of a test; nothing is measured by it.
const patience = 3 * time.Minute

// public is an address of the public internet that tests route to loopback.
const public = "93.184.216.34"

// rig is a running proxy whose resolver and network are the test's own.
type rig struct {
	address string
	records chan Record
	stop    func() error // ends the proxy as its context's end does

	mu      sync.Mutex
	answers map[string][]string // addresses by name; "a b" one answer, the last is repeated
	lookups []string
	routes  map[string]string // real address by the one that is dialled
	dials   []string
}

func newRig(t testing.TB, options Options) *rig {
	t.Helper()
	r := &rig{answers: map[string][]string{}, routes: map[string]string{}, records: make(chan Record, 1000)}
	if options.Resolver == nil {
		options.Resolver = r
	}
	if options.Dial == nil {
		options.Dial = r.dial
	}
	if options.Log == nil {
		options.Log = r
	}
	server, err := NewServer(options)
	if err != nil {
		t.Fatalf("make the proxy: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var failure error
	go func() { failure = server.Serve(ctx, listener); close(ended) }()
	r.stop = func() error { cancel(); <-ended; return failure }
	t.Cleanup(func() { _ = r.stop() })
	return r
}

func (r *rig) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lookups = append(r.lookups, network+" "+host)
	answers := r.answers[strings.TrimSuffix(host, ".")]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(answers) > 1 {
		r.answers[strings.TrimSuffix(host, ".")] = answers[1:]
	}
	var addresses []netip.Addr
	for text := range strings.FieldsSeq(answers[0]) {
		addresses = append(addresses, netip.MustParseAddr(text))
	}
	return addresses, nil
}

func (r *rig) dial(ctx context.Context, network, address string) (net.Conn, error) {
	r.mu.Lock()
	r.dials = append(r.dials, address)
	real, ok := r.routes[address]
	r.mu.Unlock()
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: net.UnknownNetworkError("no route")}
	}
	return new(net.Dialer).DialContext(ctx, network, real)
}

// host makes a name lead to a real address by way of a public one.
func (r *rig) host(name, port, real string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[name] = []string{public}
	r.routes[net.JoinHostPort(public, port)] = real
}

func (r *rig) dialled() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.dials)
}

// Write takes the proxy's log apart.
func (r *rig) Write(line []byte) (int, error) {
	var record Record
	if err := json.Unmarshal(line, &record); err != nil || line[len(line)-1] != '\n' {
		panic("the log holds " + string(line))
	}
	r.records <- record
	return len(line), nil
}

// next waits for the next decision.
func (r *rig) next(t testing.TB) Record {
	t.Helper()
	select {
	case record := <-r.records:
		return record
	case <-time.After(patience):
		t.Fatal("no decision was logged")
		return Record{}
	}
}

// connect opens a connection to the proxy.
func (r *rig) connect(t testing.TB) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn.(*net.TCPConn)
}

// exchange sends bytes as they are and returns the answer to them.
func (r *rig) exchange(t testing.TB, raw, method string) (reply, string) {
	t.Helper()
	conn := r.connect(t)
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	return readAnswer(t, bufio.NewReader(conn), method)
}

// reply is the head of an answer.
type reply struct {
	StatusCode int
	Status     string
	Close      bool
}

func readAnswer(t testing.TB, from *bufio.Reader, method string) (reply, string) {
	t.Helper()
	response, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	if method == http.MethodConnect && response.StatusCode == http.StatusOK {
		return reply{StatusCode: response.StatusCode, Status: response.Status}, "" // what follows is the tunnel
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the answer's body: %v", err)
	}
	return reply{response.StatusCode, response.Status, response.Close}, string(body)
}

// tunnel opens a tunnel and returns it behind its 200.
func (r *rig) tunnel(t testing.TB, authority string) (*net.TCPConn, *bufio.Reader) {
	t.Helper()
	conn := r.connect(t)
	if _, err := io.WriteString(conn, "CONNECT "+authority+" HTTP/1.1\r\nHost: "+authority+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	if response, body := readAnswer(t, reader, http.MethodConnect); response.StatusCode != http.StatusOK {
		t.Fatalf("CONNECT %s = %s %s", authority, response.Status, body)
	}
	return conn, reader
}

// listen serves each connection with a function, one after the other done.
func listen(t testing.TB, serve func(conn *net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(patience))
			open.Go(func() {
				defer func() { _ = conn.Close() }()
				serve(conn.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() { _ = listener.Close(); open.Wait() })
	return listener.Addr().String()
}

// echo sends back what it gets, and ends when its client has.
func echo(conn *net.TCPConn) {
	_, _ = io.Copy(conn, conn)
	_ = conn.CloseWrite()
}
