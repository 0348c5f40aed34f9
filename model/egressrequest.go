package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// EgressVerdict is what an allowlist proxy made of a request.
type EgressVerdict string

// Verdicts of an allowlist proxy.
const (
	EgressAllow EgressVerdict = "allow" // it reached its target
	EgressDeny  EgressVerdict = "deny"  // it was refused
	EgressFail  EgressVerdict = "fail"  // it was allowed and did not reach its target
)

// EgressRequest is one request of a sandbox as an allowlist proxy of ours logged
// it when the connection ended. Everything in it is the proxy's word.
type EgressRequest struct {
	At      time.Time // when the connection began, by the engine's clock
	Engine  string
	Proxy   ID
	Sandbox Key  // zero: nobody known has the address
	Address Text // the sandbox's, on the allowlist network
	Method  Text // empty: the request could not be read
	Host    Text // empty: the request could not be read
	Port    int  // 0: the request could not be read
	Verdict EgressVerdict
	Reason  Text
	Detail  Text
	Up      int64 // bytes sent to the target
	Down    int64 // bytes received from it
	Took    time.Duration
}

// EgressHost sums up what one sandbox asked of one host and port.
type EgressHost struct {
	Sandbox Key  // zero: not known
	Address Text // the sandbox's
	Host    Text
	Port    int
	// Allowed, Denied and Failed count the requests by their verdict.
	Allowed, Denied, Failed int
	Up, Down                int64 // bytes of all of them
	First, Last             time.Time
	// Verdict, Reason and Detail are those of the latest request.
	Verdict EgressVerdict
	Reason  Text
	Detail  Text
}

// EgressTraffic is what is known of the requests through one proxy.
type EgressTraffic struct {
	Proxy Key             // engine and container of the proxy
	Hosts []EgressHost    // the latest first
	Last  []EgressRequest // the latest single requests, the latest first
	// Dropped counts hosts, and Older single requests, that were seen and are no
	// longer kept.
	Dropped, Older int
	// Unreadable counts lines of the log that are no decisions.
	Unreadable int
	// Problem says why the log is not being read; empty when it is.
	Problem string
	// Revision differs whenever the traffic does; 0: nothing is known.
	Revision uint64
}

// Bounds of an [EgressBook].
const (
	EgressHostsKept    = 512 // hosts, each per sandbox and port
	EgressRequestsKept = 256 // single requests
)

// EgressBook sums up the requests through one proxy, per sandbox, host and port.
// The zero value is an empty book. It is not safe for concurrent use.
type EgressBook struct {
	hosts          map[egressTarget]*EgressHost
	last           []EgressRequest // the oldest first
	dropped, older int
}

type egressTarget struct {
	sandbox       Key
	address, host Text
	port          int
}

// Note takes a request. When the book is full, the host that was quiet for
// longest goes.
func (b *EgressBook) Note(r EgressRequest) {
	if b.hosts == nil {
		b.hosts = make(map[egressTarget]*EgressHost)
	}
	target := egressTarget{r.Sandbox, r.Address, r.Host, r.Port}
	host := b.hosts[target]
	if host == nil {
		if len(b.hosts) >= EgressHostsKept {
			b.dropOldest()
		}
		host = &EgressHost{Sandbox: r.Sandbox, Address: r.Address, Host: r.Host, Port: r.Port, First: r.At, Last: r.At}
		b.hosts[target] = host
	}
	switch r.Verdict {
	case EgressAllow:
		host.Allowed++
	case EgressDeny:
		host.Denied++
	case EgressFail:
		host.Failed++
	}
	host.Up, host.Down = host.Up+r.Up, host.Down+r.Down
	if r.At.Before(host.First) {
		host.First = r.At
	}
	if !r.At.Before(host.Last) {
		host.Last, host.Verdict, host.Reason, host.Detail = r.At, r.Verdict, r.Reason, r.Detail
	}
	if b.last = append(b.last, r); len(b.last) > EgressRequestsKept {
		b.last = slices.Delete(b.last, 0, 1)
		b.older++
	}
}

func (b *EgressBook) dropOldest() {
	var oldest egressTarget
	var quiet *EgressHost
	for target, host := range b.hosts {
		if quiet == nil || compareHosts(host, quiet) > 0 {
			oldest, quiet = target, host
		}
	}
	delete(b.hosts, oldest)
	b.dropped++
}

// compareHosts puts the latest first; the rest only makes the order certain.
func compareHosts(a, b *EgressHost) int {
	return cmp.Or(
		b.Last.Compare(a.Last), strings.Compare(a.Host.Raw(), b.Host.Raw()), cmp.Compare(a.Port, b.Port),
		strings.Compare(string(a.Sandbox.ID), string(b.Sandbox.ID)), strings.Compare(a.Address.Raw(), b.Address.Raw()),
	)
}

// Traffic returns what the book holds, as a copy.
func (b *EgressBook) Traffic() EgressTraffic {
	traffic := EgressTraffic{Dropped: b.dropped, Older: b.older, Hosts: make([]EgressHost, 0, len(b.hosts)), Last: slices.Clone(b.last)}
	for _, host := range b.hosts {
		traffic.Hosts = append(traffic.Hosts, *host)
	}
	slices.SortFunc(traffic.Hosts, func(a, b EgressHost) int { return compareHosts(&a, &b) })
	slices.Reverse(traffic.Last)
	return traffic
}

// OwnEgressProxy reports whether a proxy was made by this program and not by
// Hermes, whose proxy logs in a form of its own.
func OwnEgressProxy(proxy *Container) bool {
	return EgressProxy(proxy) && hasEnv(proxy, "EGRESS_CLIENTS")
}
