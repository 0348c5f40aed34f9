package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// EgressSource knows what sandboxes asked allowlist proxies for.
type EgressSource interface {
	// EgressRequests returns what is known of every proxy as soon as the
	// revision is another than the one that was seen.
	EgressRequests(ctx context.Context, seen uint64) ([]model.EgressTraffic, uint64, error)
	// LeftDenied returns the hosts that were decided on to stay denied.
	LeftDenied(ctx context.Context) ([]HostDecision, error)
	// LeaveDenied remembers such a decision, or forgets it.
	LeaveDenied(ctx context.Context, decision HostDecision, denied bool) error
}

// HostDecision is a host, at a port, that a person decided to leave denied.
type HostDecision struct {
	Home string `json:"home"` // of the profile; empty: for sandboxes of no known one
	Host string `json:"host"`
	Port int    `json:"port"`
}

// requestPace is the least time between two pictures of busy proxies.
const requestPace = 300 * time.Millisecond

// requestView is what sandboxes asked for, and what was decided about it.
type requestView struct {
	traffic  []model.EgressTraffic
	revision uint64
	failed   string
	denied   map[HostDecision]bool
	// undecided numbers, per sandbox, the denied hosts that nobody decided on;
	// one of several sandboxes of a profile has one number.
	undecided map[model.Key][]int
	total     int // of the sandboxes shown, each host of a profile once
}

// requestsSeen brings what proxies were asked for.
type requestsSeen struct {
	traffic  []model.EgressTraffic
	revision uint64
	denied   []HostDecision
	err      error
}

// followRequests waits for news of the proxies, for the life of the program.
func (m *Model) followRequests(seen uint64) tea.Cmd {
	source, ok := m.options.Backend.(EgressSource)
	if !ok {
		return nil
	}
	ctx := m.context
	return func() tea.Msg {
		traffic, revision, err := source.EgressRequests(ctx, seen)
		if err != nil {
			return requestsSeen{err: err}
		}
		denied, err := source.LeftDenied(ctx)
		return requestsSeen{traffic: traffic, revision: revision, denied: denied, err: err}
	}
}

func (m *Model) requestsSeen(msg requestsSeen) tea.Cmd {
	m.requests.failed = ""
	if msg.err != nil {
		m.requests.failed = safe(msg.err.Error())
	}
	if msg.revision == 0 { // nothing more will come
		m.detail.stale = true
		return nil
	}
	hosts := 0
	for i := range msg.traffic {
		hosts += len(msg.traffic[i].Hosts)
	}
	m.requests.traffic, m.requests.revision = msg.traffic, msg.revision
	m.requests.denied = make(map[HostDecision]bool, len(msg.denied))
	for _, decision := range msg.denied {
		m.requests.denied[decision] = true
	}
	m.countRequests()
	next := m.followRequests(msg.revision)
	if hosts == 0 { // the first ones are not kept waiting
		return next
	}
	return after(m.context, requestPace, next)
}

// askedHost is a host, at a port, that sandboxes asked for.
type askedHost struct {
	host                    model.Text
	port                    int
	allowed, denied, failed int
	last                    time.Time
	verdict                 model.EgressVerdict // of the latest request
	reason, detail          model.Text
	sandboxes               []model.Key
	decision                HostDecision
	left                    bool // decided to stay denied
	covered                 bool // on the list by now
}

// undecided reports whether a host is denied and nobody has decided on it.
func (h *askedHost) undecided() bool { return h.byList() && !h.left && !h.covered }

// byList reports whether the latest request was denied because of the list.
func (h *askedHost) byList() bool {
	return h.verdict == model.EgressDeny && !h.host.Empty() && slices.Contains([]string{"not-listed", "port-not-listed"}, h.reason.Raw())
}

// asked sums up what some sandboxes asked for, the latest first. Requests from
// addresses that no sandbox is known to have are of no sandbox.
func (m *Model) asked(by func(model.Key) bool) []askedHost {
	type place struct {
		home, host string
		port       int
	}
	places := map[place]int{}
	lists := map[string][]string{}
	var out []askedHost
	for i := range m.requests.traffic {
		for j := range m.requests.traffic[i].Hosts {
			h := &m.requests.traffic[i].Hosts[j]
			if h.Sandbox == (model.Key{}) || !by(h.Sandbox) {
				continue
			}
			home, entries := m.listFor(h.Sandbox, lists)
			at := place{home, h.Host.Raw(), h.Port}
			index, known := places[at]
			if !known {
				index = len(out)
				places[at] = index
				decision := HostDecision{Home: home, Host: h.Host.Raw(), Port: h.Port}
				covering, _ := model.CoveringEntries(entries, h.Host.Raw(), h.Port, m.options.EgressPorts)
				out = append(out, askedHost{
					host: h.Host, port: h.Port, decision: decision, left: m.requests.denied[decision], covered: len(covering) > 0,
				})
			}
			out[index].add(h)
		}
	}
	slices.SortStableFunc(out, func(a, b askedHost) int {
		if c := b.last.Compare(a.last); c != 0 {
			return c
		}
		return strings.Compare(a.host.Raw(), b.host.Raw())
	})
	return out
}

func (h *askedHost) add(from *model.EgressHost) {
	h.allowed, h.denied, h.failed = h.allowed+from.Allowed, h.denied+from.Denied, h.failed+from.Failed
	if !from.Last.Before(h.last) {
		h.last, h.verdict, h.reason, h.detail = from.Last, from.Verdict, from.Reason, from.Detail
	}
	if !slices.Contains(h.sandboxes, from.Sandbox) {
		h.sandboxes = append(h.sandboxes, from.Sandbox)
	}
}

// listFor returns the home of a sandbox's profile and the allowlist it is on by
// now. Lists are kept, since many hosts are of the same sandbox.
func (m *Model) listFor(key model.Key, lists map[string][]string) (home string, entries []string) {
	at, known := m.index[key]
	if !known {
		return "", nil
	}
	s := &m.fleet.Sandboxes[at]
	name := key.Engine + "\x00" + string(key.ID)
	entries, known = lists[name]
	if !known {
		entries, _ = model.AllowlistOn(m.fleet, s)
		lists[name] = entries
	}
	return s.Home, entries
}

// countRequests works out what is undecided; it runs when the requests, the
// fleet or the scope change.
func (m *Model) countRequests() {
	m.detail.stale = true
	m.requests.undecided, m.requests.total = nil, 0
	if m.fleet == nil || len(m.requests.traffic) == 0 {
		return
	}
	m.requests.undecided = make(map[model.Key][]int)
	hosts := m.asked(func(key model.Key) bool {
		at, known := m.index[key]
		return known && m.inScope(&m.fleet.Sandboxes[at])
	})
	for i := range hosts {
		if hosts[i].undecided() {
			m.requests.total++
			for _, key := range hosts[i].sandboxes {
				m.requests.undecided[key] = append(m.requests.undecided[key], i)
			}
		}
	}
}

// undecidedIn counts the denied hosts to decide on of the sandboxes in a group.
func (m *Model) undecidedIn(head *groupHead) int {
	if m.requests.total == 0 {
		return 0
	}
	seen := map[int]bool{}
	for _, at := range head.members {
		for _, host := range m.requests.undecided[m.tree.shown[at].Key()] {
			seen[host] = true
		}
	}
	return len(seen)
}
