package dockerx

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// memoryEngine is an engine on connections in memory, so that a test can run
// its clock as fast as it likes. It notes every request.
type memoryEngine struct {
	conns  chan net.Conn
	closed chan struct{}

	handler http.Handler // answers in place of the engine below, when set

	mu       sync.Mutex
	requests []memoryRequest
	list     []map[string]any
	inspects map[string]map[string]any
	networks []map[string]any
	streams  map[chan string]context.CancelFunc
	refuse   error                       // what a dial fails with; nil: it connects
	silent   map[string]bool             // path parts whose requests get no answer; "" means all
	answers  map[string]http.HandlerFunc // by path part, instead of the usual answer
}

// memoryRequest is one request with the time it came.
type memoryRequest struct {
	method, path, query string
	at                  time.Time
}

func newMemoryEngine(t *testing.T) *memoryEngine {
	t.Helper()
	e := &memoryEngine{
		conns: make(chan net.Conn), closed: make(chan struct{}),
		inspects: map[string]map[string]any{}, streams: map[chan string]context.CancelFunc{},
		silent: map[string]bool{}, answers: map[string]http.HandlerFunc{},
		networks: []map[string]any{{"Id": strings.Repeat("e", 64), "Name": "bridge", "Driver": "bridge"}},
	}
	server := &http.Server{Handler: http.HandlerFunc(e.serve), ReadHeaderTimeout: time.Hour}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(e)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return e
}

// Accept, Close and Addr make the engine a listener of its own connections.
func (e *memoryEngine) Accept() (net.Conn, error) {
	select {
	case conn := <-e.conns:
		return conn, nil
	case <-e.closed:
		return nil, net.ErrClosed
	}
}

func (e *memoryEngine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.closed:
	default:
		close(e.closed)
	}
	return nil
}

func (e *memoryEngine) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (e *memoryEngine) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	e.mu.Lock()
	refuse := e.refuse
	e.mu.Unlock()
	if refuse != nil {
		return nil, refuse
	}
	near, far := net.Pipe()
	select {
	case e.conns <- far:
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.closed:
		return nil, net.ErrClosed
	}
}

func (e *memoryEngine) client(t *testing.T) *Client {
	t.Helper()
	c, err := Connect(Endpoint{Name: "memory", Host: "unix:///memory.sock", Chosen: "test", Dial: e.dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func (e *memoryEngine) serve(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.requests = append(e.requests, memoryRequest{r.Method, r.URL.Path, r.URL.RawQuery, time.Now()})
	silent := false
	for part, on := range e.silent {
		silent = silent || on && strings.Contains(r.URL.Path, part)
	}
	var answer http.HandlerFunc
	for part, handler := range e.answers {
		if strings.Contains(r.URL.Path, part) {
			answer = handler
		}
	}
	e.mu.Unlock()
	switch {
	case e.handler != nil:
		e.handler.ServeHTTP(w, r)
	case silent:
		<-r.Context().Done()
	case answer != nil:
		answer(w, r)
	case strings.HasSuffix(r.URL.Path, "/events"):
		e.serveEvents(w, r)
	default:
		e.serveData(w, r)
	}
}

func (e *memoryEngine) serveData(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var answer any
	switch path := r.URL.Path; {
	case path == "/_ping":
		w.Header().Set("Api-Version", "1.41")
		_, _ = io.WriteString(w, "OK")
		return
	case strings.HasSuffix(path, "/version"):
		answer = map[string]any{"Version": "20.10.0"}
	case strings.HasSuffix(path, "/info"):
		answer = map[string]any{"OperatingSystem": "Memory", "SystemTime": time.Now().Format(time.RFC3339Nano)}
	case strings.HasSuffix(path, "/containers/json"):
		answer = e.list
		if e.list == nil {
			answer = []any{}
		}
	case strings.HasSuffix(path, "/networks"):
		answer = e.networks
	default:
		parts := strings.Split(path, "/")
		for _, network := range e.networks {
			if parts[len(parts)-2] == "networks" && network["Id"] == parts[len(parts)-1] {
				answer = network
			}
		}
		if found, ok := e.inspects[parts[len(parts)-2]]; ok && answer == nil {
			answer = found
		}
	}
	if answer == nil {
		w.WriteHeader(http.StatusNotFound)
		answer = map[string]any{"message": "no such thing"}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (e *memoryEngine) serveEvents(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	lines := make(chan string, 1000)
	e.mu.Lock()
	e.streams[lines] = cancel
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		delete(e.streams, lines)
		e.mu.Unlock()
	}()
	flush := func() { _ = http.NewResponseController(w).Flush() }
	flush()
	for {
		select {
		case line := <-lines:
			_, _ = io.WriteString(w, line)
			flush()
		case <-ctx.Done():
			return
		}
	}
}

// send writes a raw line into every open event stream.
func (e *memoryEngine) send(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for lines := range e.streams {
		lines <- line
	}
}

// event sends a container event of a sandbox.
func (e *memoryEngine) event(action, id string) {
	e.send(fmt.Sprintf(`{"Type":"container","Action":%q,"Actor":{"ID":%q,"Attributes":{"hermes-agent":"1"}}}`+"\n", action, id))
}

// endStreams ends every open event stream.
func (e *memoryEngine) endStreams() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, cancel := range e.streams {
		cancel()
	}
}

func (e *memoryEngine) openStreams() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.streams)
}

// change alters the engine under its lock.
func (e *memoryEngine) change(alter func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	alter()
}

// taken returns the requests so far and forgets them.
func (e *memoryEngine) taken() []memoryRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.requests
	e.requests = nil
	return out
}

// count is how many requests have a part in their path.
func count(requests []memoryRequest, part string) int {
	n := 0
	for _, request := range requests {
		if strings.Contains(request.path, part) {
			n++
		}
	}
	return n
}

// sandboxID makes a valid ID that begins with the given hex digit.
func sandboxID(digit string) string { return digit + strings.Repeat("0", 63) }

// add puts a running sandbox on the engine.
func (e *memoryEngine) add(id string) {
	e.change(func() {
		e.list = append(e.list, map[string]any{
			"Id": id, "Names": []string{"/hermes-" + id[:8]}, "State": "running", "Labels": map[string]string{"hermes-agent": "1"},
			"HostConfig":      map[string]any{"NetworkMode": "bridge"},
			"NetworkSettings": map[string]any{"Networks": map[string]any{"bridge": map[string]any{"NetworkID": strings.Repeat("e", 64)}}},
		})
		e.inspects[id] = map[string]any{
			"Id": id, "Name": "/hermes-" + id[:8], "State": map[string]any{"Status": "running"},
			"Config":          map[string]any{"Labels": map[string]string{"hermes-agent": "1"}},
			"HostConfig":      map[string]any{"NetworkMode": "bridge"},
			"NetworkSettings": map[string]any{"Networks": map[string]any{"bridge": map[string]any{"NetworkID": strings.Repeat("e", 64)}}},
		}
	})
}

// set changes a sandbox's state in list and inspect.
func (e *memoryEngine) set(id, state string) {
	e.change(func() {
		for _, row := range e.list {
			if row["Id"] == id {
				row["State"] = state
			}
		}
		e.inspects[id]["State"] = map[string]any{"Status": state}
	})
}

// states maps the sandboxes of a snapshot to their states.
func states(snapshot model.Snapshot) map[string]string {
	out := map[string]string{}
	for _, c := range snapshot.Containers {
		out[string(c.ID)] = string(c.State)
	}
	return out
}
