package dockerx

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// onSocket serves an answer on a unix socket and returns a client for it.
func onSocket(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: answer}}
	server.Start()
	t.Cleanup(server.Close)
	return clientFor(t, Endpoint{Name: "test", Host: "unix://" + path})
}

func clientFor(t *testing.T, endpoint Endpoint, options ...ConnectOption) *Client {
	t.Helper()
	c, err := Connect(endpoint, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// wantReason checks a failure's kind and that it says what to look for.
func wantReason(t *testing.T, err error, reason Reason, says ...string) {
	t.Helper()
	if ReasonOf(err) != reason {
		t.Fatalf("reason %q of %v, want %q", ReasonOf(err), err, reason)
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func TestConnectTellsWhatIsWrongWithTheSocket(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(dir, "dead.sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	_ = listener.Close()
	cases := map[string]struct {
		path   string
		reason Reason
		says   []string
	}{
		"missing":      {filepath.Join(dir, "none.sock"), ReasonMissing, []string{"there is no socket", "--host"}},
		"plain":        {plain, ReasonNotSocket, []string{"plain file"}},
		"directory":    {dir, ReasonNotSocket, []string{"directory", "bind mount"}},
		"dead":         {dead, ReasonRefused, []string{"nobody listens"}},
		"below a file": {filepath.Join(plain, "x.sock"), ReasonOther, []string{"not a directory"}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			snapshot := clientFor(t, Endpoint{Name: "test", Host: "unix://" + tt.path}).Snapshot(t.Context())
			if snapshot.Engine.State != model.Down || snapshot.Engine.Error == "" || !snapshot.At.IsZero() {
				t.Errorf("snapshot %+v", snapshot)
			}
			_, err := clientFor(t, Endpoint{Host: "unix://" + tt.path}).connect(t.Context())
			wantReason(t, err, tt.reason, tt.says...)
		})
	}
}

func TestConnectNamesTheGroupThatMayOpenTheSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	own := "run as its owner"
	if os.Getuid() == 0 {
		if err := os.Chown(path, 0, 54321); err != nil {
			t.Fatal(err)
		}
		own = "join the group 54321"
	}
	refuse := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)}
	}
	_, err = clientFor(t, Endpoint{Host: "unix://" + path, Dial: refuse}).connect(t.Context())
	if os.Getuid() != 0 && os.Getgid() != 0 {
		own = "join the group"
	}
	wantReason(t, err, ReasonPermission, "may not be opened", own, "rootless")
}

func TestConnectTellsASilentEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newMemoryEngine(t)
		engine.silent[""] = true
		_, err := engine.client(t).connect(t.Context())
		wantReason(t, err, ReasonSilent, "no answer in time", "hung")
	})
}

func TestConnectTellsWhatAnswers(t *testing.T) {
	write := func(status int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	cases := map[string]struct {
		answer http.HandlerFunc
		reason Reason
		says   []string
	}{
		"web page":          {write(200, "Content-Type", "text/html", "<html>"), ReasonNotEngine, []string{"a web page"}},
		"no version":        {write(200, "X-A", "b", "OK"), ReasonNotEngine, []string{"no API version"}},
		"odd version":       {write(200, "Api-Version", "latest", "OK"), ReasonNotEngine, []string{`"latest"`}},
		"broken header":     {write(200, "Api-Version", "a\x1bb", "OK"), ReasonNotEngine, []string{"does not speak HTTP"}},
		"redirect":          {write(301, "Location", "/login", ""), ReasonNotEngine, []string{"redirect"}},
		"unauthorized":      {write(401, "X-A", "b", ""), ReasonUnauthorized, []string{"credentials"}},
		"forbidden":         {write(403, "X-A", "b", `{"message":"no \u001b[31m"}`), ReasonForbidden, []string{"socket proxy", `no \x1b[31m`}},
		"too many":          {write(429, "X-A", "b", `{"message":"slow down"}`), ReasonRefusedCall, []string{"slow down"}},
		"server error":      {write(500, "X-A", "b", `{"message":"broken"}`), ReasonServer, []string{"broken", "log"}},
		"gateway page":      {write(502, "Content-Type", "text/html", "<html>"), ReasonServer, nil},
		"engine too old":    {write(200, "Api-Version", "1.30", "OK"), ReasonTooOld, []string{"1.30", client.MinAPIVersion}},
		"endless body":      {write(200, "Api-Version", "1.41", strings.Repeat("x", errorLimit+1)), ReasonTooLarge, nil},
		"connection closed": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ReasonBadAnswer, []string{"closed"}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := onSocket(t, tt.answer).connect(t.Context())
			wantReason(t, err, tt.reason, tt.says...)
		})
	}
}

func TestConnectAgreesOnAVersion(t *testing.T) {
	cases := map[string]struct{ offered, fixed, want string }{
		"ours is newer":   {"1.41", "", "1.41"},
		"theirs is newer": {"9.99", "", client.MaxAPIVersion},
		"fixed":           {"1.44", "1.42", "1.42"},
		"fixed with v":    {"1.44", "v1.42", "1.42"},
		"fixed, not said": {"", "1.42", "1.42"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			var asked string
			c := onSocket(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Api-Version", tt.offered)
				asked = r.URL.Path
				_, _ = io.WriteString(w, "[]")
			})
			c.endpoint.APIVersion = tt.fixed
			if _, _, err := c.get(t.Context(), "test", "/x", nil, 100); err != nil {
				t.Fatal(err)
			}
			if asked != "/v"+tt.want+"/x" || c.API().ClientVersion() != tt.want {
				t.Errorf("asked %s, moby client %s, want %s", asked, c.API().ClientVersion(), tt.want)
			}
		})
	}
}

func TestConnectRefusesAnOddFixedVersion(t *testing.T) {
	if _, err := Connect(Endpoint{Host: "unix:///x", APIVersion: "latest"}); err == nil || !strings.Contains(err.Error(), "DOCKER_API_VERSION") {
		t.Errorf("error %v", err)
	}
}

func TestConnectRefusesAFixedVersionThatIsTooOld(t *testing.T) {
	c := onSocket(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") })
	c.endpoint.APIVersion = "1.30"
	_, _, err := c.get(t.Context(), "test", "/x", nil, 100)
	wantReason(t, err, ReasonTooOld, "1.30", client.MinAPIVersion, "DOCKER_API_VERSION")
}

func TestStatusKindsStayAskable(t *testing.T) {
	c := onSocket(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		if r.URL.Path == "/_ping" {
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"No such container"}`)
	})
	_, err := c.InspectContainer(t.Context(), model.ID(sandboxID("a")))
	if !errdefs.IsNotFound(err) {
		t.Errorf("%v is not a not-found error", err)
	}
}

func TestOnlyFullIDsStandInRequests(t *testing.T) {
	c := onSocket(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, id := range []model.ID{"", "abc", "../../images/json", model.ID(strings.Repeat("G", 64))} {
		if _, err := c.InspectContainer(t.Context(), id); err == nil {
			t.Errorf("ID %q was accepted", id)
		}
	}
}

func TestReadOnlyRefusesChangesBelowEverything(t *testing.T) {
	reached := make(chan string, 10)
	c := onSocket(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		if r.URL.Path != "/_ping" {
			reached <- r.Method
		}
		_, _ = io.WriteString(w, "[]")
	})
	c = clientFor(t, c.endpoint, ReadOnly(), UserAgent("tester/1"))
	if _, err := c.API().ContainerRemove(t.Context(), sandboxID("a"), client.ContainerRemoveOptions{Force: true}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("remove: %v", err)
	}
	if _, err := c.API().ContainerStop(t.Context(), sandboxID("a"), client.ContainerStopOptions{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("stop: %v", err)
	}
	if _, err := c.API().NetworkCreate(t.Context(), "x", client.NetworkCreateOptions{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("network create: %v", err)
	}
	for method := range map[string]bool{http.MethodPut: true, http.MethodPatch: true, http.MethodDelete: true, http.MethodPost: true} {
		if _, _, err := c.fetch(t.Context(), method, "test", "/x", nil, 10, 0); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if _, err := c.API().NetworkList(t.Context(), client.NetworkListOptions{}); err != nil {
		t.Errorf("list: %v", err)
	}
	close(reached)
	for method := range reached {
		if method != http.MethodGet {
			t.Errorf("%s reached the engine", method)
		}
	}
}

func TestUserAgentOnEveryRequest(t *testing.T) {
	agents := make(chan string, 20)
	c := onSocket(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		agents <- r.UserAgent()
		_, _ = io.WriteString(w, "[]")
	})
	c = clientFor(t, c.endpoint, UserAgent("tester/1"))
	c.Snapshot(t.Context())
	if _, err := c.API().NetworkList(t.Context(), client.NetworkListOptions{}); err != nil {
		t.Fatal(err)
	}
	close(agents)
	for agent := range agents {
		if agent != "tester/1" {
			t.Errorf("user agent %q", agent)
		}
	}
}

func TestTCPHostAndItsBasePath(t *testing.T) {
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		paths = append(paths, r.URL.Path)
		_, _ = io.WriteString(w, "[]")
	}))
	t.Cleanup(server.Close)
	host := strings.Replace(server.URL, "http://", "tcp://", 1) + "/engine"
	c := clientFor(t, Endpoint{Host: host})
	if snapshot := c.Snapshot(t.Context()); snapshot.Engine.State != model.Live {
		t.Fatalf("engine %+v", snapshot.Engine)
	}
	if _, err := c.API().NetworkList(t.Context(), client.NetworkListOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if !strings.HasPrefix(path, "/engine/") {
			t.Errorf("path %s", path)
		}
	}
}

func TestTLSProblemsAreTold(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "https://")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	tlsConfig := server.Client().Transport.(*http.Transport).TLSClientConfig
	unknown := tlsConfig.Clone()
	unknown.RootCAs = nil
	t.Run("unknown certificate", func(t *testing.T) {
		_, err := clientFor(t, Endpoint{Host: "tcp://" + address, TLS: unknown}).connect(t.Context())
		wantReason(t, err, ReasonCertificate, "DOCKER_CERT_PATH")
	})
	t.Run("no TLS there", func(t *testing.T) {
		host := strings.Replace(plain.URL, "http://", "tcp://", 1)
		_, err := clientFor(t, Endpoint{Host: host, TLS: tlsConfig}).connect(t.Context())
		wantReason(t, err, ReasonTLS, "DOCKER_TLS_VERIFY")
	})
	t.Run("TLS wanted", func(t *testing.T) {
		_, err := clientFor(t, Endpoint{Host: "tcp://" + address}).connect(t.Context())
		wantReason(t, err, ReasonNotEngine, "TLS")
	})
	t.Run("accepted", func(t *testing.T) {
		if _, err := clientFor(t, Endpoint{Host: "tcp://" + address, TLS: tlsConfig}).connect(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
