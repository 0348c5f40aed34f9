package dockerx

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// rig is an engine to test on.
type rig struct {
	*enginetest.Engine
	// begin leaves a command running in a container.
	begin func(t testing.TB, id model.ID)
	// kernel is true where the containers' processes run on this kernel.
	kernel bool
}

// onEachEngine runs a test on the real engine and on a simulated one, both
// behind a socket of their own.
func onEachEngine(t *testing.T, test func(t *testing.T, e *rig)) {
	t.Run("real", func(t *testing.T) { test(t, realEngine(t)) })
	t.Run("simulated", func(t *testing.T) { test(t, simulated(t)) })
}

func realEngine(t testing.TB) *rig {
	t.Helper()
	e := enginetest.Require(t)
	return &rig{Engine: e, kernel: true, begin: func(t testing.TB, id model.ID) {
		t.Helper()
		made, err := e.Client.ExecCreate(t.Context(), string(id), client.ExecCreateOptions{Cmd: []string{"sleep", "600"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Client.ExecStart(t.Context(), made.ID, client.ExecStartOptions{Detach: true}); err != nil {
			t.Fatal(err)
		}
	}}
}

func simulated(t *testing.T) *rig {
	t.Helper()
	_, e := simulation(t)
	return e
}

func simulation(t *testing.T) (*simengine.Engine, *rig) {
	t.Helper()
	engine := simengine.New(simengine.Options{})
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	api, err := client.New(client.WithHost(engine.Host()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close() })
	const image = "busybox:simulated"
	engine.AddImage(image, simengine.Config{})
	e := &enginetest.Engine{Client: api, Host: engine.Host(), Mark: "simulated", Image: image}
	return engine, &rig{Engine: e, begin: func(t testing.TB, id model.ID) {
		t.Helper()
		if _, err := engine.Begin(string(id), "sleep", "600"); err != nil {
			t.Fatal(err)
		}
	}}
}

// wire is a socket between the code under test and an engine. It notes every
// request and lets a test do something right before one is passed on.
type wire struct {
	host string

	mu       sync.Mutex
	requests []*http.Request
	gate     func(*http.Request)
	after    func(*http.Request) // runs when the engine has answered
	refuse   func(*http.Request) bool
}

// newWire opens a wire to the engine at a unix:// address.
func newWire(t testing.TB, engine string) *wire {
	t.Helper()
	dir, err := os.MkdirTemp("", "wire") // a test's own folder can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "docker.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{host: "unix://" + socket}
	upstream := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(engine, "unix://"))
	}}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "docker"})
	proxy.Transport = upstream
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.note(r) {
			http.Error(rw, `{"message":"refused on the way"}`, http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(rw, r)
		w.answered(r)
	})}}
	server.Start()
	t.Cleanup(func() {
		server.Close()
		upstream.CloseIdleConnections()
	})
	return w
}

// note keeps a request, lets the test act, and reports whether it is refused.
func (w *wire) note(r *http.Request) bool {
	w.mu.Lock()
	w.requests = append(w.requests, r.Clone(context.Background()))
	gate, refuse := w.gate, w.refuse
	w.mu.Unlock()
	if gate != nil {
		gate(r)
	}
	return refuse != nil && refuse(r)
}

// refuseEach answers the requests that fit with an error and passes them on to
// no engine; nil ends that.
func (w *wire) refuseEach(fits func(*http.Request) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuse = fits
}

func (w *wire) answered(r *http.Request) {
	w.mu.Lock()
	after := w.after
	w.mu.Unlock()
	if after != nil {
		after(r)
	}
}

// before lets f run once, right before the first request that changes
// something. It runs while that request is held.
func (w *wire) before(f func()) {
	var once sync.Once
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gate = func(r *http.Request) {
		if mutating(r) {
			once.Do(f)
		}
	}
}

// beforeInspect lets f run once, right before the next inspect.
func (w *wire) beforeInspect(f func()) {
	var once sync.Once
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gate = func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/json") {
			once.Do(f)
		}
	}
}

func mutating(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// changes are the requests that change something, as method, path without the
// version, and query.
func (w *wire) changes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.requests {
		if mutating(r) {
			out = append(out, strings.TrimSuffix(r.Method+" "+versionPrefix(r.URL.Path)+"?"+r.URL.RawQuery, "?"))
		}
	}
	return out
}

func versionPrefix(path string) string {
	if strings.HasPrefix(path, "/v1.") {
		if i := strings.IndexByte(path[1:], '/'); i > 0 {
			return path[1+i:]
		}
	}
	return path
}

// checkRequests asserts what holds for every request that an action sends:
// containers and networks are named by full ID, and no link is ever removed.
func (w *wire) checkRequests(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	object := regexp.MustCompile(`^/(containers|networks|exec)/([^/]+)`)
	full := regexp.MustCompile(`^[0-9a-f]{64}$`)
	named := 0
	for _, r := range w.requests {
		match := object.FindStringSubmatch(versionPrefix(r.URL.Path))
		if match == nil || match[2] == "json" {
			continue
		}
		named++
		if !full.MatchString(match[2]) {
			t.Errorf("%s %s names something by other than its full ID", r.Method, r.URL)
		}
		if r.URL.Query().Has("link") {
			t.Errorf("%s %s removes a link", r.Method, r.URL)
		}
	}
	if named == 0 {
		t.Error("no request was seen")
	}
}

// connect returns an actor and its client on the wire. The snapshot lets the
// client learn what engine it talks to.
func (w *wire) connect(t testing.TB, options ActorOptions, how ...ConnectOption) (*Actor, *Client) {
	t.Helper()
	c, err := Connect(Endpoint{Name: "test", Host: w.host}, how...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if snapshot := c.Snapshot(t.Context()); snapshot.Engine.Error != "" {
		t.Fatal(snapshot.Engine.Error)
	}
	journal := &wireJournal{wire: w}
	t.Cleanup(func() {
		if len(journal.late) > 0 {
			t.Errorf("changes were sent before the intent: %v", journal.late)
		}
	})
	return NewActor(map[string]*Client{"test": c}, journal, options), c
}

// wireJournal checks that an intent is written before anything is changed.
type wireJournal struct {
	wire *wire
	late []string
	seen int
}

func (j *wireJournal) Intent(model.Plan) (int64, error) {
	if now := j.wire.changes(); len(now) > j.seen {
		j.late = now
	}
	return 1, nil
}

func (j *wireJournal) Result(int64, model.Action, model.Target) error {
	j.seen = len(j.wire.changes())
	return nil
}

// inspected reads containers the way a plan's snapshot does.
func inspected(t testing.TB, c *Client, ids ...model.ID) []model.Container {
	t.Helper()
	var out []model.Container
	for _, id := range ids {
		container, err := c.InspectContainer(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, container)
	}
	return out
}

// act plans one method for containers as they are, and carries it out.
func act(t testing.TB, actor *Actor, c *Client, action model.Action, method model.Method, ids ...model.ID) []model.Target {
	t.Helper()
	return carryOut(t, actor, planFor(action, method, inspected(t, c, ids...)...))
}

func carryOut(t testing.TB, actor *Actor, plan model.Plan) []model.Target {
	t.Helper()
	result, err := actor.Execute(t.Context(), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(result.Targets)
}

func mustOutcome(t testing.TB, target model.Target, outcome model.Outcome, says string) {
	t.Helper()
	said := target.Error + strings.Join(target.Warnings, "; ")
	if target.Outcome != outcome || !strings.Contains(said, says) || says == "" && said != "" {
		t.Errorf("outcome %s (%s), want %s (%s)", target.Outcome, said, outcome, says)
	}
}
