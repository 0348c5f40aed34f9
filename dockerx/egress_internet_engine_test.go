package dockerx

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// internet is a bridge network that stands for the world outside: its names and
// addresses are reached through the proxy alone.
type internet struct {
	e       *rig
	c       *Client
	name    string
	subnet  netip.Prefix
	gateway string
	spec    EgressSpec // of the first list
	domain  string     // what the names of this test end in
	server  model.ID
	address string // of the server
}

// newInternet makes the network with one server. It serves plain HTTP on ports 80
// and 8080, and hands port 443 over to a server of TLS in this process.
func newInternet(t testing.TB, encrypted net.Addr) *internet {
	t.Helper()
	e := realEngine(t)
	w := &internet{e: e, c: connectTo(t, e.Engine), name: "internet-" + e.Mark, domain: e.Mark + ".example"}
	e.Network(t, "internet", false, nil)
	answer, err := e.Client.NetworkInspect(t.Context(), w.name, client.NetworkInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pool := answer.Network.IPAM.Config[0]
	w.subnet, w.gateway = pool.Subnet, pool.Gateway.String()
	_, port, err := net.SplitHostPort(encrypted.String())
	if err != nil {
		t.Fatal(err)
	}
	script := "mkdir /w && echo through > /w/index.html && httpd -p 80 -h /w && httpd -p 8080 -h /w && " +
		"busybox nc -ll -p 443 -e busybox nc " + w.gateway + " " + port + " & exec sleep infinity"
	w.server = e.Run(t, enginetest.Spec{Network: "none", Created: true, Command: []string{"sh", "-c", strings.ReplaceAll(script, "httpd", "busybox httpd")}})
	e.Leave(t, "none", w.server)
	if _, err := e.Client.NetworkConnect(t.Context(), w.name, client.NetworkConnectOptions{Container: string(w.server), EndpointConfig: &network.EndpointSettings{
		Aliases: []string{"www." + w.domain, "files.www." + w.domain, "evil." + w.domain},
	}}); err != nil {
		t.Fatal(err)
	}
	e.Start(t, w.server)
	w.address = addressOn(t, e.Engine, w.server, w.name)
	w.spec = EgressSpec{
		Allow: []string{"www." + w.domain, "*.www." + w.domain + ":8080"}, Binary: staticProgram(t), AllowCIDRs: []netip.Prefix{w.subnet},
		Labels: map[string]string{enginetest.TestLabel: e.Mark},
	}
	return w
}

// list makes an allowlist network whose proxy is on the internet.
func (w *internet) list(t testing.TB, spec EgressSpec) Egress {
	t.Helper()
	made, err := w.c.EnsureEgress(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		answer, err := w.e.Client.ContainerInspect(ctx, string(made.ProxyID), client.ContainerInspectOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		_ = enginetest.Discard(ctx, w.e.Client, string(made.ProxyID))
		_, _ = w.e.Client.ImageRemove(ctx, answer.Container.Config.Image, client.ImageRemoveOptions{})
	})
	join(t, w.e, w.name, made.ProxyID)
	return made
}

// sandbox makes a sandbox that carries the proxy variables, on a network.
func (w *internet) sandbox(t *testing.T, networkName string) model.ID {
	t.Helper()
	return sandboxIn(t, w.e, model.StateRunning, func(s *enginetest.Spec) {
		s.Network = networkName
		for _, v := range model.EgressEnv() {
			s.Env = append(s.Env, v.Name+"="+v.Value)
		}
	})
}

// get asks the proxy, by its name, for a page, as a program in the sandbox does.
func (w *internet) get(t *testing.T, id model.ID, host string) string {
	t.Helper()
	return run(t, w.e.Engine, id, "sh", "-c", strings.ReplaceAll(ask(egressAlias, egressPort, "http://"+host+"/", host), "nc -w", "busybox nc -w"))
}

// throughProxy is a client in this process that the proxy serves: on the engine's
// own machine the gateway is an address of the allowlist network.
func throughProxy(t testing.TB, w *internet, made Egress, roots *x509.CertPool) *http.Client {
	t.Helper()
	address := net.JoinHostPort(addressOn(t, w.e.Engine, made.ProxyID, made.Network), egressPort)
	transport := &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: address}), DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"},
	}
	return &http.Client{Transport: transport, Timeout: enginetest.Wait}
}

// TestAllowlistOnARealEngine goes through what an allowlist lets through and what
// it does not, with the engine's own networks around it.
func TestAllowlistOnARealEngine(t *testing.T) {
	release, inTheMiddle := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "encrypted") })
	mux.HandleFunc("/slow", func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(rw, "first half,")
		rw.(http.Flusher).Flush()
		close(inTheMiddle)
		<-release
		_, _ = io.WriteString(rw, " second half")
	})
	site := httptest.NewUnstartedServer(mux)
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	site.Listener = listener
	site.StartTLS()
	defer site.Close()
	roots := x509.NewCertPool()
	roots.AddCert(site.Certificate())

	w := newInternet(t, listener.Addr())
	first := w.list(t, w.spec)
	box := w.sandbox(t, first.Network)
	browser := throughProxy(t, w, first, roots)

	t.Run("plain", func(t *testing.T) {
		for host, want := range map[string]string{
			"www." + w.domain:                 "through",
			"www." + w.domain + ":8080":       "403 Forbidden",
			"files.www." + w.domain + ":8080": "through",
			"files.www." + w.domain:           "403 Forbidden",
			"evil." + w.domain:                "403 Forbidden",
			w.address:                         "403 Forbidden",
		} {
			if got := w.get(t, box, host); !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", host, got, want)
			}
		}
	})
	t.Run("encrypted", func(t *testing.T) {
		response, err := browser.Get("https://www." + w.domain + "/")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body)
		if string(body) != "encrypted" || response.TLS == nil || !response.TLS.PeerCertificates[0].Equal(site.Certificate()) {
			t.Errorf("got %q, %+v", body, response.TLS)
		}
		if response, err := browser.Get("https://evil." + w.domain + "/"); err == nil || !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("another host: %+v, %v", response, err)
			if err == nil {
				_ = response.Body.Close()
			}
		}
	})
	t.Run("past the proxy", func(t *testing.T) {
		script := fmt.Sprintf(`printf 'GET / HTTP/1.0\r\n\r\n' | busybox nc -w 1 %s 80`, w.address)
		if got := run(t, w.e.Engine, w.server, "sh", "-c", script); !strings.Contains(got, "through") {
			t.Fatalf("the server itself gets %q", got)
		}
		if got := run(t, w.e.Engine, box, "sh", "-c", script); strings.Contains(got, "through") {
			t.Errorf("it reached %s itself: %q", w.address, got)
		}
		// A datagram that arrives where nobody listens is counted by the kernel.
		ask := "timeout 3 busybox nslookup a.example " + w.address + " >/dev/null 2>&1; true"
		before := datagrams(t, w)
		run(t, w.e.Engine, w.server, "sh", "-c", ask)
		counted := datagrams(t, w)
		if counted == before {
			t.Fatal("the server does not count the datagrams that reach it")
		}
		run(t, w.e.Engine, box, "sh", "-c", ask)
		if now := datagrams(t, w); now != counted {
			t.Errorf("its datagrams reached %s: %s before, %s now", w.address, counted, now)
		}
	})
	t.Run("200 tunnels", func(t *testing.T) { manyTunnels(t, w) })
	t.Run("findings", func(t *testing.T) {
		posture, findings := assessed(t, w, box)
		if posture != model.LevelAllowlist {
			t.Errorf("its posture is %s", posture)
		}
		isolated := strings.HasPrefix(w.c.API().ClientVersion(), "1.") && w.c.egressGateway() != nil
		for _, code := range []string{"host-reachable", "dns-leak"} {
			if slices.Contains(findings, code) == isolated {
				t.Errorf("its findings are %q, and the gateway is isolated: %t", findings, isolated)
			}
		}
	})
	t.Run("change of the list", func(t *testing.T) {
		request, err := browser.Get("https://www." + w.domain + "/slow")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = request.Body.Close() }()
		<-inTheMiddle
		longer := w.spec
		longer.Allow = append(slices.Clone(w.spec.Allow), "evil."+w.domain)
		second := w.list(t, longer)
		actor, c := newWire(t, w.e.Host).connect(t, ActorOptions{Cuts: newFakeStore()})
		mustOutcome(t, actOnto(t, actor, c, model.MethodMove, longer.Allow, box), model.OutcomeDone, "")
		if got := w.get(t, box, "evil."+w.domain); !strings.Contains(got, "through") {
			t.Errorf("the sandbox that moved gets %q", got)
		}
		close(release)
		body, err := io.ReadAll(request.Body)
		if string(body) != "first half, second half" || err != nil {
			t.Errorf("the download through the other list got %q, %v", body, err)
		}
		w.e.Stop(t, second.ProxyID)
		if got := w.get(t, box, "www."+w.domain); strings.Contains(got, "through") {
			t.Errorf("with the proxy stopped it gets %q", got)
		}
		_, findings := assessed(t, w, box)
		if !slices.Contains(findings, "proxy-missing") {
			t.Errorf("with the proxy stopped its findings are %q", findings)
		}
	})
	t.Run("requests are read", func(t *testing.T) { requestsAreRead(t, w, first) })
}

// datagrams is how many came to the server's ports that nobody listens on.
func datagrams(t *testing.T, w *internet) string {
	t.Helper()
	return run(t, w.e.Engine, w.server, "sh", "-c", "busybox awk '/^Udp:/ {n = $3} END {print n}' /proc/net/snmp")
}

// manyTunnels opens 200 tunnels side by side through one proxy, sends through
// all of them, and looks at what the proxy needs for that.
func manyTunnels(t *testing.T, w *internet) {
	const tunnels, memory = 200, 30 << 20
	echo, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = echo.Close() }()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	_, port, _ := net.SplitHostPort(echo.Addr().String())
	target := net.JoinHostPort(w.gateway, port)
	spec := w.spec
	spec.Allow = []string{target}
	made := w.list(t, spec)
	proxy := net.JoinHostPort(addressOn(t, w.e.Engine, made.ProxyID, made.Network), egressPort)
	var group errgroup.Group
	conns := make([]net.Conn, tunnels)
	for i := range conns {
		group.Go(func() error {
			var err error
			conns[i], err = tunnel(proxy, target)
			return err
		})
	}
	err = group.Wait()
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := w.e.Client.ContainerStats(t.Context(), string(made.ProxyID), client.ContainerStatsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Body.Close() }()
	var stats container.StatsResponse
	if err := json.NewDecoder(raw.Body).Decode(&stats); err != nil {
		t.Fatal(err)
	}
	used := stats.MemoryStats.Usage - min(stats.MemoryStats.Usage, stats.MemoryStats.Stats["inactive_file"]+stats.MemoryStats.Stats["total_inactive_file"])
	t.Logf("%d tunnels, %d KiB", tunnels, used>>10)
	if used == 0 || used > memory {
		t.Errorf("the proxy uses %d bytes for %d tunnels, want at most %d", used, tunnels, memory)
	}
}

// tunnel opens one through a proxy and sends 64 KiB there and back.
func tunnel(proxy, target string) (net.Conn, error) {
	conn, err := net.DialTimeout("tcp", proxy, enginetest.Wait)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(enginetest.Wait))
	reader := bufio.NewReader(conn)
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target); err != nil {
		return conn, err
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return conn, err
	}
	_ = response.Body.Close() // of a tunnel there is none
	if response.StatusCode != http.StatusOK {
		return conn, fmt.Errorf("the proxy answers %s", response.Status)
	}
	sent := bytes.Repeat([]byte("x"), 64<<10)
	failed := make(chan error, 1)
	go func() { _, err := conn.Write(sent); failed <- err }()
	got := make([]byte, len(sent))
	if _, err := io.ReadFull(reader, got); err != nil {
		return conn, err
	}
	return conn, <-failed
}

// assessed is what the model makes of a sandbox.
func assessed(t *testing.T, w *internet, id model.ID) (level model.Level, findings []string) {
	t.Helper()
	fleet := model.Assess(model.Input{Now: time.Now(), Snapshots: []model.Snapshot{w.c.Snapshot(t.Context())}})
	for i := range fleet.Sandboxes {
		if s := &fleet.Sandboxes[i]; s.ID == id {
			for _, finding := range s.Findings {
				findings = append(findings, finding.Code)
			}
			return s.Posture.Effective, findings
		}
	}
	t.Fatal("the sandbox is not in the snapshot")
	return "", nil
}

// requestsAreRead reads what the steps before left in the proxy's log.
func requestsAreRead(t *testing.T, w *internet, made Egress) {
	book := NewRequestBook()
	follower := NewEgressFollower(t.Context(), w.c, book, nil)
	defer follower.Close()
	snapshot := w.c.Snapshot(t.Context())
	follower.See(&snapshot)
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	for seen := uint64(0); ; {
		all, revision, err := book.Wait(ctx, seen)
		if err != nil {
			t.Fatalf("%v; last %+v", err, all)
		}
		seen = revision
		at := slices.IndexFunc(all, func(traffic model.EgressTraffic) bool { return traffic.Proxy.ID == made.ProxyID })
		if at >= 0 && slices.ContainsFunc(all[at].Hosts, func(h model.EgressHost) bool {
			return h.Host.Raw() == "evil."+w.domain && h.Port == 443 && h.Denied == 1 && h.Reason.Raw() == "not-listed"
		}) {
			return
		}
	}
}
