package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// egressBackend is a backend that knows requests.
type egressBackend struct {
	*fakeBackend
	left    []HostDecision
	failing error
}

func (b *egressBackend) EgressRequests(ctx context.Context, _ uint64) ([]model.EgressTraffic, uint64, error) {
	<-ctx.Done()
	return nil, 0, ctx.Err()
}

func (b *egressBackend) LeftDenied(context.Context) ([]HostDecision, error) { return b.left, nil }

func (b *egressBackend) LeaveDenied(_ context.Context, decision HostDecision, denied bool) error {
	b.left = slices.DeleteFunc(b.left, func(d HostDecision) bool { return d == decision })
	if denied {
		b.left = append(b.left, decision)
	}
	return b.failing
}

func withRequests(o *Options) {
	backend, _ := o.Backend.(*fakeBackend)
	o.Backend = &egressBackend{fakeBackend: backend}
	o.CheckHosts = func(entries []string) ([]string, error) {
		for _, entry := range entries {
			if strings.ContainsFunc(entry, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
				return nil, errors.New("it is no host")
			}
		}
		return entries, nil
	}
}

// request is one request of a sandbox of the fixtures.
func request(hex, host string, port int, verdict model.EgressVerdict, reason string, ago time.Duration) model.EgressRequest {
	return model.EgressRequest{
		At: noon().Add(-ago), Engine: "default", Sandbox: model.Key{Engine: "default", ID: identifier(hex)}, Address: text("172.20.0.3"),
		Method: text("CONNECT"), Host: text(host), Port: port, Verdict: verdict, Reason: text(reason),
	}
}

func traffic(requests ...model.EgressRequest) requestsSeen {
	var book model.EgressBook
	for _, r := range requests {
		book.Note(r)
	}
	all := book.Traffic()
	all.Proxy, all.Revision = model.Key{Engine: "default", ID: "ff"}, 1
	return requestsSeen{traffic: []model.EgressTraffic{all}, revision: 1}
}

func someTraffic() requestsSeen {
	return traffic(
		request("dd88b3c4", "pypi.org", 443, model.EgressAllow, "listed", 9*time.Minute),
		request("dd88b3c4", "pypi.org", 443, model.EgressAllow, "listed", 8*time.Minute),
		request("dd88b3c4", "github.com", 443, model.EgressFail, "unreachable", 7*time.Minute),
		request("dd88b3c4", "evil.example", 443, model.EgressDeny, "not-listed", 6*time.Minute),
		request("ee99c4d5", "evil.example", 443, model.EgressDeny, "not-listed", 5*time.Minute),
		request("ee99c4d5", "github.com", 22, model.EgressDeny, "port-not-listed", 4*time.Minute),
		request("dd88b3c4", "", 0, model.EgressDeny, "malformed", 3*time.Minute),
		request("0badc0de", "unknown.example", 443, model.EgressDeny, "not-listed", 2*time.Minute),
	)
}

func requested(t *testing.T) *screen {
	t.Helper()
	return shown(t, 120, 40, allowFleet(), withRequests).goTo("hermes-dd88b3c4").send(someTraffic())
}

func TestRequestsAreShown(t *testing.T) {
	t.Parallel()
	s := requested(t)
	s.reads([]string{"2 denied"}, []string{"research", "2 denied"}, []string{"hermes-dd88b3c4", "✗1"}, []string{"hermes-ee99c4d5", "✗2"})
	s.reads([]string{"requests", "1 denied host to decide on;"})
	s.press("2")
	s.reads(
		[]string{"Requests"}, []string{"✗ 11:57:00  (a request that could"},
		[]string{"✗ 11:54:00  evil.example:443"}, []string{"? 11:53:00  github.com:443"}, []string{"✓ 11:52:00  pypi.org:443", "2"},
	)
	s.readsNot("unknown.example")
	s.golden("requests-120x40")
	s.press("H")
	s.reads(
		[]string{"Hosts asked for by research"}, []string{"11:56:00", "github.com:22", "1 denied (port-not-listed)"},
		[]string{"11:55:00", "evil.example:443", "2 denied (not-listed)"}, []string{"5 hosts, 2 denied hosts to decide on"},
	)
	s.golden("requests-dialog-120x40")
	for _, size := range [][2]int{{80, 24}, {60, 15}, {20, 6}, {1, 1}} {
		s.send(sizeMsg(size[0], size[1]))
		if s.plainFrame(); size[0] >= 60 {
			s.reads([]string{"evil.example"}, []string{"a allows"})
		}
	}
}

func TestADeniedHostIsAllowed(t *testing.T) {
	t.Parallel()
	s := requested(t).press("H")
	s.press("jj") // past the one that could not be read, github.com:22
	s.press("a").settle().work()
	s.settle()
	d := s.plan()
	want, _ := model.EgressNames([]string{"evil.example", "github.com", "pypi.org"})
	if methods(&d.plan) != "move move" || len(d.plan.Egress) != 1 || d.plan.Egress[0].Network != want || len(d.plan.Config) == 0 {
		t.Errorf("plan %s, egress %+v", methods(&d.plan), d.plan.Egress)
	}
	s.reads([]string{"+evil.example"})
	s.press("<esc>Hj").press("a").settle().work()
	if d := s.plan(); !slices.Equal(d.lockdown.options.Allow, []string{"github.com:22"}) {
		t.Errorf("a host at a port of its own: %+v", d.lockdown.options)
	}
	s.press("<esc>Hja<esc>Ha")
	s.reads([]string{"the request could not be read"})
	s.press("Ga")
	s.reads([]string{"it is on the list already"})
}

func TestAnAllowedHostIsDenied(t *testing.T) {
	t.Parallel()
	s := requested(t).press("HGd").settle()
	s.work()
	d := s.plan()
	if !slices.Equal(d.lockdown.options.Deny, []string{"pypi.org"}) || methods(&d.plan) != "move move" {
		t.Errorf("options %+v, plan %s", d.lockdown.options, methods(&d.plan))
	}
	s.reads([]string{"-pypi.org"})
	s.readsNot("covers more")
}

func TestDenyingByAWildcardSaysSo(t *testing.T) {
	t.Parallel()
	list := []string{"*.pythonhosted.org", "pypi.org"}
	network, proxy := model.EgressNames(list)
	fleet := allowFleet()
	fleet.Profiles[1].Policy.ExtraNetwork, fleet.Profiles[1].Written.Allow = &network, list
	fleet.Egress[0].Network, fleet.Egress[0].Proxy, fleet.Egress[0].Allowlist = text(network), text(proxy), list
	for i := range fleet.Sandboxes {
		if s := &fleet.Sandboxes[i]; s.Profile.Raw() == "research" {
			s.Networks.Endpoints = []model.Endpoint{{Network: text(network)}}
		}
	}
	s := shown(t, 120, 40, fleet, withRequests).goTo("hermes-dd88b3c4")
	s.send(traffic(request("dd88b3c4", "files.pythonhosted.org", 443, model.EgressAllow, "listed", time.Minute)))
	s.press("Hd").settle().work()
	s.settle()
	if d := s.plan(); !slices.Equal(d.lockdown.options.Deny, []string{"*.pythonhosted.org"}) {
		t.Errorf("options %+v", d.lockdown.options)
	}
	s.reads([]string{"covers more: *.pythonhosted.org is taken off, so the other names below it"})
}

func TestADeniedHostIsLeftDenied(t *testing.T) {
	t.Parallel()
	s := requested(t).press("Hjj")
	backend, _ := s.m.options.Backend.(*egressBackend)
	s.press("d").work()
	want := HostDecision{Home: "/home/ada/.hermes/profiles/research", Host: "evil.example", Port: 443}
	if !slices.Equal(backend.left, []HostDecision{want}) {
		t.Fatalf("remembered %+v", backend.left)
	}
	s.reads([]string{"evil.example:443", "2 denied; stays denied"}, []string{"1 denied host to decide on"})
	s.press("d").work()
	if len(backend.left) != 0 {
		t.Errorf("a decision that was taken back is remembered: %+v", backend.left)
	}
	backend.failing = errors.New("the disk is full")
	s.press("d").work()
	s.press("<esc>")
	s.reads([]string{"the disk is full"})
	again := requested(t)
	seen := someTraffic()
	seen.denied = []HostDecision{want}
	again.send(seen)
	again.reads([]string{"  1 denied"}, []string{"hermes-ee99c4d5", "✗1"})
	// Another profile that asks for it has not decided.
	seen.denied[0].Home = "/home/ada/.hermes"
	again.send(seen).reads([]string{"  2 denied"})
	again.readsNot("stays denied")
}

func TestReadOnlyRemembersNoDecision(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), func(o *Options) { withRequests(o); o.ReadOnly = true }).goTo("hermes-dd88b3c4")
	s.send(someTraffic()).press("Hjjd").work()
	backend, _ := s.m.options.Backend.(*egressBackend)
	if len(backend.left) != 0 {
		t.Error("a decision was written in read-only mode")
	}
	s.reads([]string{"read-only: no decision is remembered"})
}

func TestTheCursorStaysOnItsHost(t *testing.T) {
	t.Parallel()
	s := requested(t).press("Hjj")
	seen := someTraffic()
	newer := traffic(request("dd88b3c4", "late.example", 443, model.EgressDeny, "not-listed", time.Second))
	seen.traffic = append(seen.traffic, newer.traffic...)
	s.send(seen).press("d").work()
	backend, _ := s.m.options.Backend.(*egressBackend)
	if len(backend.left) != 1 || backend.left[0].Host != "evil.example" {
		t.Errorf("decided on %+v", backend.left)
	}
}

func TestAHostAllowedByNowIsNotToBeDecidedOn(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), withRequests).goTo("hermes-dd88b3c4")
	s.send(traffic(request("dd88b3c4", "pypi.org", 443, model.EgressDeny, "not-listed", time.Minute)))
	s.readsNot("1 denied")
	s.press("H").reads([]string{"pypi.org:443", "1 denied; allowed by now"})
}

func TestHostileHostsAreEscaped(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b[2J\u202e\u009b1m.example"
	s := shown(t, 120, 40, allowFleet(), withRequests).goTo("hermes-dd88b3c4")
	s.send(traffic(
		request("dd88b3c4", hostile, 443, model.EgressDeny, "not-listed", time.Minute),
		request("dd88b3c4", "b.example", 443, model.EgressFail, "\x1b]52;c;eA==\x07", 2*time.Minute),
	))
	clean := func() {
		t.Helper()
		for _, bad := range []string{"\x1b[2J", "\u202e", "\u009b", "\x1b]52"} {
			if strings.Contains(s.m.View().Content, bad) {
				t.Errorf("%q reaches the terminal", bad)
			}
		}
	}
	s.press("2")
	clean()
	s.press("H")
	clean()
	s.press("a")
	clean()
	if _, open := s.m.dialog.(*requestsDialog); !open {
		t.Error("a host that is none opened a plan")
	}
	s.reads([]string{"it is no host"})
}

func TestAProxyWhoseLogIsNotReadSaysSo(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), withRequests).goTo("hermes-dd88b3c4")
	s.send(requestsSeen{revision: 1, traffic: []model.EgressTraffic{{Proxy: model.Key{Engine: "default", ID: "ff"}, Problem: "it was made by Hermes"}}})
	s.press("2")
	s.reads([]string{"its proxy's log is not read: it"}, []string{"none seen yet"})
}

func TestRequestsAreFollowedForLife(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), withRequests)
	if s.m.followRequests(0) == nil {
		t.Error("nothing is waited for")
	}
	if command := s.m.requestsSeen(requestsSeen{err: context.Canceled}); command != nil {
		t.Error("after the end something is waited for")
	}
	if command := s.m.requestsSeen(someTraffic()); command == nil {
		t.Error("after an answer nothing is waited for")
	}
	plain := shown(t, 120, 40, allowFleet(), nil)
	if plain.m.followRequests(0) != nil {
		t.Error("a backend that knows no requests is asked")
	}
	plain.press("H").readsNot("Hosts asked for")
}
