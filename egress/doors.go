package egress

import (
	"net/netip"
	"slices"
	"sync"
)

// refusalsAtOnce bounds the clients that are just being told that there is no
// room for them.
const refusalsAtOnce = 32

// doors counts who is inside.
type doors struct {
	clients []netip.Prefix
	limits  Limits

	mu       sync.Mutex
	inside   map[netip.Addr]int // connections by client
	total    int
	refusals int
}

// enter lets a client in, or says why not. The caller calls leave when the
// connection is done, also after it told a client that it is refused; without
// leave there is not even room for that.
func (d *doors) enter(client netip.Addr) (leave func(), refused *refusal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.clients != nil && !slices.ContainsFunc(d.clients, func(p netip.Prefix) bool { return p.Contains(client) }):
		refused = denied(ClientRefused, "this proxy does not serve the network of its client")
	case d.inside[client] >= d.limits.Clients:
		refused = denied(TooMany, "the sandbox has %d connections already", d.limits.Clients)
	case d.total >= d.limits.Total:
		refused = denied(TooMany, "the proxy has %d connections already", d.limits.Total)
	default:
		d.inside[client]++
		d.total++
		return func() { d.left(client) }, nil
	}
	if d.refusals >= refusalsAtOnce {
		return nil, refused
	}
	d.refusals++
	return d.refused, refused
}

func (d *doors) left(client netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.inside[client]--; d.inside[client] == 0 {
		delete(d.inside, client)
	}
}

func (d *doors) refused() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refusals--
}
