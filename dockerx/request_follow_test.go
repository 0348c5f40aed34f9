package dockerx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// decision is a line of the proxy's log.
func decision(host, verdict string) string {
	return fmt.Sprintf(`{"time":"2026-11-30T12:00:00Z","sandbox":"172.18.0.3","method":"CONNECT","host":%q,"port":443,"verdict":%q,"reason":"r","bytes_up":1,"bytes_down":2,"duration_ms":3}`, host, verdict)
}

func TestReadRequest(t *testing.T) {
	t.Parallel()
	whole := decision("pypi.org", "allow")
	swap := func(old, fresh string) string { return strings.Replace(whole, old, fresh, 1) }
	got, ok := readRequest(whole)
	want := model.EgressRequest{
		At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Address: model.NewText("172.18.0.3"), Method: model.NewText("CONNECT"),
		Host: model.NewText("pypi.org"), Port: 443, Verdict: model.EgressAllow, Reason: model.NewText("r"), Up: 1, Down: 2, Took: 3 * time.Millisecond,
	}
	if !ok || got != want {
		t.Errorf("read %+v, want %+v", got, want)
	}
	long, ok := readRequest(swap("pypi.org", strings.Repeat("x", 5000)))
	if !ok || len(long.Host.Raw()) != requestText {
		t.Errorf("a long host: %t, %d bytes", ok, len(long.Host.Raw()))
	}
	for name, line := range map[string]string{
		"nothing": "", "words": "allow pypi.org", "half a line": whole[:40], "a list": "[1]", "null": "null", "nothing in it": "{}", "deep": strings.Repeat(`{"a":`, 20000),
		"verdict nobody knows": swap(`"allow"`, `"maybe"`), "no time": swap(`"time"`, `"when"`), "odd time": swap("2026-11-30T", "yesterday "),
		"port of another world": swap("443", "70000"), "negative bytes": swap(`"bytes_up":1`, `"bytes_up":-1`), "endless": swap(`"duration_ms":3`, `"duration_ms":9000000000000000000`),
		"no sandbox": swap("172.18.0.3", ""), "binary": "{\x00\xff\x1b[2J}",
	} {
		if got, ok := readRequest(line); ok {
			t.Errorf("%s: read %+v", name, got)
		}
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add(decision("pypi.org", "deny"))
	f.Add(`{"verdict":"allow"}`)
	f.Fuzz(func(t *testing.T, line string) {
		request, ok := readRequest(line)
		if ok && (request.At.IsZero() || request.Took < 0 || request.Port < 0 || request.Port > 65535 || len(request.Host.Raw()) > requestText) {
			t.Errorf("read %+v from %q", request, line)
		}
	})
}

// followScene is a simulated engine with an allowlist network, its proxy and a
// sandbox on it.
type followScene struct {
	engine   *simengine.Engine
	client   *Client
	book     *RequestBook
	follower *EgressFollower
	proxy    model.Key
	sandbox  model.Key
}

func newFollowScene(t *testing.T) *followScene {
	t.Helper()
	engine, _, c, spec := proxyScene(t)
	made, err := c.EnsureEgress(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	id, err := engine.Add(simengine.Spec{
		Labels: map[string]string{"hermes-agent": "1"}, Networks: []string{made.Network}, Host: simengine.HostConfig{NetworkMode: made.Network},
		Started: time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &followScene{
		engine: engine, client: c, book: NewRequestBook(),
		proxy: model.Key{Engine: "test", ID: made.ProxyID}, sandbox: model.Key{Engine: "test", ID: model.ID(id)},
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.follower = NewEgressFollower(ctx, c, s.book, nil)
	t.Cleanup(func() { cancel(); s.follower.Close() })
	return s
}

func (s *followScene) see(t *testing.T) {
	t.Helper()
	snapshot := s.client.Snapshot(t.Context())
	s.follower.See(&snapshot)
}

func (s *followScene) print(t *testing.T, lines ...string) {
	t.Helper()
	if err := s.engine.Print(string(s.proxy.ID), lines...); err != nil {
		t.Fatal(err)
	}
}

// until waits for the traffic of the proxy to be as it should.
func (s *followScene) until(t *testing.T, what string, good func(model.EgressTraffic) bool) model.EgressTraffic {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	var last []model.EgressTraffic
	for seen := uint64(0); ; {
		all, revision, err := s.book.Wait(ctx, seen)
		if err != nil {
			t.Fatalf("%s: %v; last %+v", what, err, last)
		}
		last, seen = all, revision
		if len(all) == 1 && good(all[0]) {
			return all[0]
		}
	}
}

func counts(traffic model.EgressTraffic) []string {
	var out []string
	for _, h := range traffic.Hosts {
		out = append(out, fmt.Sprintf("%s +%d -%d", h.Host, h.Allowed, h.Denied))
	}
	slices.Sort(out)
	return out
}

func TestEgressFollower(t *testing.T) {
	t.Parallel()
	s := newFollowScene(t)
	s.print(t, decision("pypi.org", "allow"), "no decision", decision("evil.example", "deny"))
	s.see(t)
	traffic := s.until(t, "the past", func(traffic model.EgressTraffic) bool { return len(traffic.Last) == 2 })
	if diff := cmp.Diff([]string{"evil.example +0 -1", "pypi.org +1 -0"}, counts(traffic)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if traffic.Proxy != s.proxy || traffic.Unreadable != 2 || traffic.Problem != "" {
		t.Errorf("traffic %+v", traffic)
	}
	if got := traffic.Last[0].Sandbox; got != s.sandbox {
		t.Errorf("the sandbox is %+v, want %+v", got, s.sandbox)
	}
	s.print(t, decision("pypi.org", "allow"))
	s.until(t, "the present", func(traffic model.EgressTraffic) bool { return len(traffic.Last) == 3 })

	// The connection is lost, and the log is read on from where it was.
	s.engine.Faults().CutStreams()
	s.print(t, decision("later.example", "deny"))
	traffic = s.until(t, "after a lost connection", func(traffic model.EgressTraffic) bool { return len(traffic.Last) == 4 })
	if diff := cmp.Diff([]string{"evil.example +0 -1", "later.example +0 -1", "pypi.org +2 -0"}, counts(traffic)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	if err := s.engine.StopContainer(string(s.proxy.ID)); err != nil {
		t.Fatal(err)
	}
	s.see(t)
	s.until(t, "stopped", func(traffic model.EgressTraffic) bool { return strings.Contains(traffic.Problem, "exited") })
	if err := s.engine.StartContainer(string(s.proxy.ID)); err != nil {
		t.Fatal(err)
	}
	s.print(t, decision("again.example", "deny"))
	s.see(t)
	traffic = s.until(t, "started again", func(traffic model.EgressTraffic) bool { return len(traffic.Last) == 5 })
	if traffic.Problem != "" {
		t.Errorf("problem %q", traffic.Problem)
	}
	if err := s.engine.RemoveContainer(string(s.proxy.ID)); err != nil {
		t.Fatal(err)
	}
	s.see(t)
	if all, _ := s.book.Traffic(); len(all) > 0 {
		t.Errorf("a proxy that is gone is remembered: %+v", all)
	}
}

// TestEgressFollowerKnowsWhoAsked gives the address of a sandbox to requests from
// before it, and from nobody.
func TestEgressFollowerKnowsWhoAsked(t *testing.T) {
	t.Parallel()
	s := newFollowScene(t)
	s.print(t, strings.Replace(decision("before.example", "deny"), "T12", "T10", 1), strings.Replace(decision("nobody.example", "deny"), ".0.3", ".0.9", 1))
	s.see(t)
	traffic := s.until(t, "both", func(traffic model.EgressTraffic) bool { return len(traffic.Last) == 2 })
	for _, r := range traffic.Last {
		if r.Sandbox != (model.Key{}) {
			t.Errorf("%s is said to be of %+v", r.Host, r.Sandbox)
		}
	}
}

func TestEgressFollowerLeavesTheProxyOfHermesAlone(t *testing.T) {
	t.Parallel()
	s := newFollowScene(t)
	snapshot := s.client.Snapshot(t.Context())
	for i := range snapshot.Others {
		c := snapshot.Others[i]
		c.Env = slices.DeleteFunc(c.Env, func(v model.Text) bool { return strings.HasPrefix(v.Raw(), "EGRESS_CLIENTS") })
	}
	s.engine.ForgetRequests()
	s.follower.See(&snapshot)
	s.until(t, "said", func(traffic model.EgressTraffic) bool { return strings.Contains(traffic.Problem, "made by Hermes") })
	if got := s.engine.RequestsOf(simengine.Logs); len(got) > 0 {
		t.Errorf("its log was read: %+v", got)
	}
}

func TestEgressFollowerEnds(t *testing.T) {
	t.Parallel()
	s := newFollowScene(t)
	s.see(t)
	s.until(t, "followed", func(traffic model.EgressTraffic) bool { return traffic.Problem == "" })
	s.follower.Close() // returns when nothing is being read; that nothing is left behind is looked at for all tests
	s.engine.ForgetRequests()
	s.print(t, decision("late.example", "deny"))
	s.see(t)
	if got := s.engine.RequestsOf(simengine.Logs); len(got) > 0 {
		t.Errorf("a log was read after the end: %+v", got)
	}
	if all, _ := s.book.Traffic(); len(all) != 1 || len(all[0].Last) > 0 {
		t.Errorf("traffic after the end: %+v", all)
	}
}
