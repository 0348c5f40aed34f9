package model

import (
	"fmt"
	"slices"
	"strings"
)

// member is a network a container is attached to, and what it lets out:
// air-gapped for "none", internal, open, host or unknown.
type member struct {
	endpoint Endpoint
	network  Network // zero when its properties are not known
	level    Level
	why      string
	doubt    string // set when the engine's two sides disagree on the attachment
}

// rank orders members by how much they let out. A network nobody could look at
// ranks under one that is known to be open.
func (m member) rank() int {
	if m.level == LevelUnknown {
		return 2*Openness(LevelOpen) - 1
	}
	return 2 * Openness(m.level)
}

// attachedMembers returns what a container is attached to: its own endpoints
// and, since the two can disagree, networks that count it among theirs.
func attachedMembers(c *Container, snap *Snapshot) []member {
	members := make([]member, 0, len(c.Networks.Endpoints))
	for _, endpoint := range c.Networks.Endpoints {
		members = append(members, newMember(endpoint, snap))
	}
	for _, network := range snap.Networks {
		if _, listed := network.Containers[c.ID]; !listed || c.ID == "" {
			continue
		}
		has := func(m member) bool { return m.endpoint.Network == network.Name || m.endpoint.NetworkID == network.ID }
		if slices.ContainsFunc(members, has) {
			continue
		}
		extra := newMember(Endpoint{Network: network.Name, NetworkID: network.ID}, snap)
		if extra.level != LevelAirGapped {
			extra.doubt = fmt.Sprintf("network %s lists the container, though the container does not list it", network.Name)
			members = append(members, extra)
		}
	}
	return members
}

// outsideMembers drops "none", which is no network.
func outsideMembers(members []member) []member {
	var outside []member
	for _, m := range members {
		if m.level != LevelAirGapped {
			outside = append(outside, m)
		}
	}
	return outside
}

func newMember(endpoint Endpoint, snap *Snapshot) member {
	m := member{endpoint: endpoint}
	network, known := networkOf(endpoint, snap)
	switch {
	case known && network.Error != "":
		m.level, m.why = LevelUnknown, fmt.Sprintf("network %s could not be inspected: %s", endpoint.Network, network.Error)
		return m
	case !known && endpoint.Network.Raw() == "none":
		m.level = LevelAirGapped
		return m
	case !known, network.Driver.Empty():
		m.level, m.why = LevelUnknown, fmt.Sprintf("the properties of network %s are not known", endpoint.Network)
		return m
	}
	m.network = network
	m.level, m.why = levelOfNetwork(network)
	return m
}

// networkOf finds the network of an endpoint. A name serves only where the
// engine gives no ID: another network may have taken the name.
func networkOf(endpoint Endpoint, snap *Snapshot) (Network, bool) {
	for _, network := range snap.Networks {
		if endpoint.NetworkID != "" && network.ID == endpoint.NetworkID {
			return network, true
		}
	}
	if hexDigits(endpoint.NetworkID, 64) {
		return Network{}, false
	}
	return snap.Network("", endpoint.Network)
}

// levelOfNetwork says what a network lets out. Only a bridge is believed to be
// internal; what other drivers make of it is not known (contract 6.4.5).
func levelOfNetwork(network Network) (Level, string) {
	switch driver := network.Driver.Raw(); {
	case driver == "null":
		return LevelAirGapped, "network none is attached"
	case driver == "host":
		return LevelHost, "it is attached to the host's own network"
	case driver != "bridge":
		return LevelOpen, fmt.Sprintf("network %s has driver %s, which leads outside", network.Name, network.Driver)
	case network.Internal:
		return LevelInternal, fmt.Sprintf("network %s is internal", network.Name)
	default:
		return LevelOpen, fmt.Sprintf("network %s leads outside", network.Name)
	}
}

// isolatedGateway reports whether an internal bridge keeps the host's own
// addresses out of reach: an isolated gateway (Docker 28), or a bridge without
// an address. Both address families must be closed.
func isolatedGateway(m member, engine Engine) bool {
	option := func(name string) string { return m.network.Options.Value("com.docker.network.bridge." + name).Raw() }
	isolates := knowsIsolation(engine)
	four := (isolates && option("gateway_mode_ipv4") == "isolated") || option("inhibit_ipv4") == "true"
	six := (isolates && option("gateway_mode_ipv6") == "isolated") || !usesIPv6(m)
	return m.level == LevelInternal && four && six
}

func usesIPv6(m member) bool {
	hasColon := func(t Text) bool { return strings.Contains(t.Raw(), ":") }
	return !m.endpoint.IPv6.Empty() || slices.ContainsFunc(m.network.Gateways, hasColon)
}
