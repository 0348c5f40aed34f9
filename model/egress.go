package model

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

const (
	egressOff     = "off"
	proxyHost     = "host.docker.internal"
	proxyCAMount  = "/etc/ssl/certs/hermes-egress-ca.crt"
	proxyFlagName = "HERMES_EGRESS_PROXY"
)

// ironMarks are the traces Hermes' credential proxy leaves on a sandbox
// (contract 6.4.7).
type ironMarks struct {
	label bool // hermes-egress is a fingerprint
	flag  bool // HERMES_EGRESS_PROXY=1
	proxy bool // HTTPS_PROXY leads to the proxy's host
	ca    bool // the proxy's certificate is mounted read-only
}

func readIronMarks(c *Container) ironMarks {
	flag, _ := envValue(c, proxyFlagName)
	return ironMarks{
		label: hexDigits(c.Labels.Value(LabelEgress).Raw(), fingerprintDigits),
		flag:  flag == "1",
		proxy: proxied(c, "HTTPS_PROXY") && (!hasEnv(c, "https_proxy") || proxied(c, "https_proxy")),
		ca: slices.ContainsFunc(hostMounts(c), func(m Mount) bool {
			return m.Destination.Raw() == proxyCAMount && !m.RW
		}),
	}
}

// complete reports whether every condition of contract 6.4.7 but the open
// network holds.
func (m ironMarks) complete() bool { return m.label && m.flag && m.proxy && m.ca }

// claimed reports whether the sandbox is meant to go through the proxy.
func (m ironMarks) claimed() bool { return m.label || m.flag }

// proxied reports whether a proxy variable leads to the credential proxy.
func proxied(c *Container, name string) bool {
	value, ok := envValue(c, name)
	if !ok {
		return false
	}
	address, err := url.Parse(value)
	return err == nil && address.Hostname() == proxyHost
}

func hasEnv(c *Container, name string) bool {
	return slices.ContainsFunc(c.Env, func(entry Text) bool { return strings.HasPrefix(entry.Raw(), name+"=") })
}

// EgressPairs returns the allowlist networks of an engine, each with its proxy
// and the sandboxes on it in any state, by name of network. A proxy whose
// network is gone comes with an empty Network. The lists are never nil.
func EgressPairs(snap *Snapshot, sandboxes []Sandbox) []EgressPair {
	pairs := []EgressPair{}
	paired := map[ID]bool{}
	for _, network := range snap.Networks {
		hash, ok := allowlistNetwork(network)
		if !ok {
			continue
		}
		proxy := findProxy(hash, snap)
		pair := newPair(snap, proxy)
		pair.Network = network.Name
		for i := range sandboxes {
			if s := &sandboxes[i]; s.Engine == snap.Engine.Name && attachedTo(s.Container, network) {
				pair.Sandboxes = append(pair.Sandboxes, s.ID)
			}
		}
		if proxy != nil {
			paired[proxy.ID] = true
		} else {
			pair.ProxyUnknown = snap.ProxiesPending || slices.ContainsFunc(snap.Others, func(c *Container) bool { return !c.Inspected })
		}
		pairs = append(pairs, pair)
	}
	for _, proxy := range snap.Others {
		if EgressProxy(proxy) && !paired[proxy.ID] {
			pairs = append(pairs, newPair(snap, proxy))
		}
	}
	slices.SortStableFunc(pairs, func(a, b EgressPair) int {
		return cmp.Or(strings.Compare(a.Network.Raw(), b.Network.Raw()), strings.Compare(a.Proxy.Raw(), b.Proxy.Raw()))
	})
	return pairs
}

func newPair(snap *Snapshot, proxy *Container) EgressPair {
	pair := EgressPair{Engine: snap.Engine.Name, Allowlist: []string{}, Sandboxes: []ID{}}
	if proxy == nil {
		return pair
	}
	pair.Proxy, pair.ProxyRunning = proxy.Name, proxy.State == StateRunning
	value, _ := envValue(proxy, "EGRESS_ALLOWLIST")
	for _, entry := range canonicalAllowlist(strings.Split(value, ",")) {
		pair.Allowlist = append(pair.Allowlist, NewText(entry).Display())
	}
	return pair
}
