package dockerx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hermes-sandbox/model"
)

// RequestBook remembers the requests through allowlist proxies, as an
// [EgressFollower] reads them from their logs. It is safe for concurrent use.
type RequestBook struct {
	mu       sync.Mutex
	proxies  map[model.Key]*proxyRequests
	revision uint64
	changed  chan struct{} // closed and replaced at every change
}

type proxyRequests struct {
	book       model.EgressBook
	unreadable int
	problem    string
	revision   uint64
}

// NewRequestBook returns an empty book.
func NewRequestBook() *RequestBook {
	return &RequestBook{proxies: make(map[model.Key]*proxyRequests), changed: make(chan struct{})}
}

// change lets f change what is known of a proxy and tells whoever waits.
func (b *RequestBook) change(proxy model.Key, f func(*proxyRequests)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.proxies[proxy]
	if known == nil {
		known = &proxyRequests{}
		b.proxies[proxy] = known
	}
	f(known)
	b.revision++
	known.revision = b.revision
	b.tell()
}

// forget drops a proxy that is gone.
func (b *RequestBook) forget(proxy model.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proxies[proxy] != nil {
		delete(b.proxies, proxy)
		b.revision++
		b.tell()
	}
}

// tell wakes whoever waits; the lock is held.
func (b *RequestBook) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// problem says why a proxy's log is not being read; empty: it is.
func (b *RequestBook) problem(proxy model.Key, why string) {
	b.mu.Lock()
	known := b.proxies[proxy]
	same := known != nil && known.problem == why
	b.mu.Unlock()
	if !same {
		b.change(proxy, func(p *proxyRequests) { p.problem = why })
	}
}

// Traffic returns what is known of every proxy, by engine and ID, and the
// revision of all of it together.
func (b *RequestBook) Traffic() ([]model.EgressTraffic, uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]model.EgressTraffic, 0, len(b.proxies))
	for key, known := range b.proxies {
		traffic := known.book.Traffic()
		traffic.Proxy, traffic.Unreadable, traffic.Problem, traffic.Revision = key, known.unreadable, known.problem, known.revision
		all = append(all, traffic)
	}
	slices.SortFunc(all, func(x, y model.EgressTraffic) int {
		return strings.Compare(x.Proxy.Engine+"\x00"+string(x.Proxy.ID), y.Proxy.Engine+"\x00"+string(y.Proxy.ID))
	})
	return all, b.revision
}

// Wait returns what is known of every proxy as soon as the revision is another
// than the one that was seen.
func (b *RequestBook) Wait(ctx context.Context, seen uint64) ([]model.EgressTraffic, uint64, error) {
	for {
		b.mu.Lock()
		revision, changed := b.revision, b.changed
		b.mu.Unlock()
		if revision != seen {
			traffic, revision := b.Traffic()
			return traffic, revision, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, seen, fmt.Errorf("wait for requests: %w", ctx.Err())
		}
	}
}
