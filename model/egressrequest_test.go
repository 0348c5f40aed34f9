package model

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func egressRequest(second int, host string, verdict EgressVerdict) EgressRequest {
	return EgressRequest{
		At: time.Date(2026, 11, 30, 12, 0, second, 0, time.UTC), Address: NewText("172.20.0.3"), Host: NewText(host), Port: 443,
		Verdict: verdict, Reason: NewText(fmt.Sprint("reason ", second)), Up: 1, Down: 10,
	}
}

func TestEgressBookCounts(t *testing.T) {
	t.Parallel()
	var book EgressBook
	other := egressRequest(2, "pypi.org", EgressAllow)
	other.Sandbox = Key{Engine: "e", ID: "b"}
	port := egressRequest(3, "pypi.org", EgressDeny)
	port.Port = 22
	for _, r := range []EgressRequest{
		egressRequest(4, "pypi.org", EgressAllow), other, egressRequest(1, "pypi.org", EgressDeny), port,
		egressRequest(5, "evil.example", EgressDeny), egressRequest(6, "pypi.org", EgressFail),
	} {
		book.Note(r)
	}
	var got []string
	traffic := book.Traffic()
	for _, h := range traffic.Hosts {
		got = append(got, fmt.Sprintf("%s:%d %s +%d -%d !%d %d/%d %d..%d %s %s", h.Host, h.Port, h.Sandbox.ID, h.Allowed, h.Denied, h.Failed, h.Up, h.Down,
			h.First.Second(), h.Last.Second(), h.Verdict, h.Reason))
	}
	want := []string{
		"pypi.org:443  +1 -1 !1 3/30 1..6 fail reason 6",
		"evil.example:443  +0 -1 !0 1/10 5..5 deny reason 5",
		"pypi.org:22  +0 -1 !0 1/10 3..3 deny reason 3",
		"pypi.org:443 b +1 -0 !0 1/10 2..2 allow reason 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(traffic.Last) != 6 || traffic.Last[0].At.Second() != 6 || traffic.Last[5].At.Second() != 4 {
		t.Errorf("the last ones are %+v", traffic.Last)
	}
}

func TestEgressBookIsBounded(t *testing.T) {
	t.Parallel()
	var book EgressBook
	for i := range EgressHostsKept + 10 {
		book.Note(egressRequest(i, fmt.Sprint(i), EgressDeny))
	}
	traffic := book.Traffic()
	if len(traffic.Hosts) != EgressHostsKept || traffic.Dropped != 10 || traffic.Hosts[EgressHostsKept-1].Host.Raw() != "10" {
		t.Errorf("%d hosts, %d dropped, oldest %s", len(traffic.Hosts), traffic.Dropped, traffic.Hosts[len(traffic.Hosts)-1].Host)
	}
	if len(traffic.Last) != EgressRequestsKept || traffic.Older != EgressHostsKept+10-EgressRequestsKept {
		t.Errorf("%d requests, %d older", len(traffic.Last), traffic.Older)
	}
}
