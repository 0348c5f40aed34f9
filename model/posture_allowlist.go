package model

import (
	"fmt"
	"slices"
	"strings"
)

type allowlistState int

const (
	allowlistNone   allowlistState = iota // no allowlist network
	allowlistUp                           // every condition holds
	allowlistDown                         // all but a running proxy
	allowlistBroken                       // some other condition does not hold
	allowlistUnread                       // the proxy could not be looked at
)

// allowlistView is how an allowlist network with its proxy looks.
type allowlistView struct {
	state allowlistState
	why   string
	proxy *Container // nil when there is none
}

// viewAllowlist checks the conditions of contract 6.4.6 for the only network a
// container is attached to.
func viewAllowlist(c *Container, m member, snap *Snapshot) allowlistView {
	hash, ok := allowlistNetwork(m.network)
	if !ok || !m.network.Internal {
		return allowlistView{}
	}
	proxy := findProxy(hash, snap)
	view := allowlistView{proxy: proxy}
	switch {
	case proxy == nil:
		return view.with(allowlistBroken, "the allowlist network has no proxy")
	case proxy.InspectError != "":
		return view.with(allowlistUnread, "the allowlist proxy could not be inspected: "+proxy.InspectError)
	}
	if peer := outsidePeer(c, m, proxy, snap); peer != "" {
		return view.with(allowlistBroken, peer)
	}
	up := proxyUp(proxy, m)
	switch {
	case up && !proxy.Inspected:
		return view.with(allowlistUnread, "the allowlist proxy has not been inspected")
	case proxyHash(proxy) != hash:
		return view.with(allowlistBroken, "the proxy's allowlist is not the one the network is named for")
	case !up:
		return view.with(allowlistDown, "the allowlist proxy is down, so nothing leaves")
	}
	return view.with(allowlistUp, fmt.Sprintf("only the proxy %s leads outside, and it lets an allowlist through", proxy.Name))
}

func (v allowlistView) with(state allowlistState, why string) allowlistView {
	v.state, v.why = state, why
	return v
}

// allowlistNetwork returns the hash of an allowlist network, recognised by name
// and label.
func allowlistNetwork(network Network) (hash string, ok bool) {
	hash, named := allowlistHash(network.Name)
	_, labelled := network.Labels.Get(LabelAllowlist)
	return hash, named && labelled
}

// findProxy returns the proxy of an allowlist network, nil when there is none.
func findProxy(hash string, snap *Snapshot) *Container {
	name := egressProxyPrefix + hash
	for _, c := range snap.Others {
		if c.Name.Raw() == name && EgressProxy(c) {
			return c
		}
	}
	return nil
}

// proxyUp reports whether a proxy can serve a network: it runs (or may, in a
// state nobody can be sure of) and is attached.
func proxyUp(proxy *Container, m member) bool {
	return !atRest(proxy.State) && attachedTo(proxy, m.network)
}

// atRest reports whether a container in this state runs nothing. States nobody
// knows do not count as rest.
func atRest(state State) bool {
	switch state {
	case StateCreated, StateExited, StateDead, StatePaused, "stopped", "configured", "initialized":
		return true
	default:
		return false
	}
}

// attachedTo reports whether a container is on a network, by either's account.
func attachedTo(c *Container, network Network) bool {
	if _, listed := network.Containers[c.ID]; listed {
		return true
	}
	return slices.ContainsFunc(c.Networks.Endpoints, func(e Endpoint) bool { return isEndpointOf(e, network) })
}

func isEndpointOf(e Endpoint, network Network) bool {
	if e.NetworkID != "" && network.ID != "" && hexDigits(e.NetworkID, 64) {
		return e.NetworkID == network.ID
	}
	return e.Network == network.Name
}

// proxyHash returns the hash of the allowlist a proxy was given; "" when it was
// given none, or two.
func proxyHash(proxy *Container) string {
	value, ok := envValue(proxy, "EGRESS_ALLOWLIST")
	if !ok {
		return ""
	}
	return EgressHash(strings.Split(value, ","))
}

// envValue returns the value of a container's variable. A name set twice with
// different values has none: which one counts is up to the program.
func envValue(c *Container, name string) (value string, ok bool) {
	for _, entry := range c.Env {
		key, found, isSet := strings.Cut(entry.Raw(), "=")
		if !isSet || key != name {
			continue
		}
		if ok && found != value {
			return "", false
		}
		value, ok = found, true
	}
	return value, ok
}
