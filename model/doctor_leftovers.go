package model

import (
	"fmt"
	"slices"
)

// leftovers reports the containers and networks of an engine that belong to
// nothing any more, or only look as if they belonged to Hermes.
func (d *doctor) leftovers(inventory *Inventory) {
	if inventory.Failure != nil {
		return
	}
	for i := range inventory.Containers {
		c := &inventory.Containers[i]
		subject := "container " + containerName(c)
		if value, labelled := c.Labels.Get(LabelAgent); labelled && !Member(c.Labels) {
			d.add(DiagnosisWarning, "label-value", subject,
				fmt.Sprintf("its label %s is \"%s\" and not 1, so Hermes does not count it as its own", LabelAgent, value.Display()),
				"find out who made it; it is never acted on here")
		}
		if Lookalike(c) {
			d.add(DiagnosisInfo, "lookalike", subject,
				"name and command are those of a sandbox, but it has no labels: perhaps of a Hermes older than May 2026",
				"look into it, then docker rm it if nothing uses it; it is never acted on here")
		}
	}
	for _, found := range unusedThings(d.fleet, inventory, d.in.Cuts) {
		remedy := found.remedy
		if found.keep != "" {
			d.add(DiagnosisInfo, found.code, found.subject(), found.detail+"; kept, since "+found.keep, "")
			continue
		}
		d.add(DiagnosisInfo, found.code, found.subject(), found.detail, remedy)
	}
	for i := range d.fleet.Egress {
		pair := &d.fleet.Egress[i]
		if pair.Engine == inventory.Engine && !pair.ProxyRunning && len(pair.Sandboxes) > 0 {
			d.add(DiagnosisWarning, "egress-proxy-down", "network "+pair.Network.Display(),
				"its proxy does not run, so its "+plural(len(pair.Sandboxes), "sandbox is", "sandboxes are")+" without a way out",
				"start the proxy again, or run hermes-sandbox lockdown allowlist for the profile")
		}
	}
}

// unused is a container or network that nothing needs any more.
type unused struct {
	code      string
	container *Container // nil for a network
	network   *Network   // nil for a container
	detail    string
	remedy    string
	// keep says why it must stay all the same; empty when it may go.
	keep string
}

func (u unused) subject() string {
	if u.network != nil {
		return "network " + u.network.Name.Display()
	}
	return "container " + containerName(u.container)
}

// unusedThings finds what an engine holds for nothing: leftovers of probes, and
// allowlist proxies and networks without a sandbox, containers before networks.
func unusedThings(fleet *Fleet, inventory *Inventory, cuts []CutRecord) []unused {
	var found []unused
	engine := fleet.Engine(inventory.Engine)
	if engine == nil || inventory.Failure != nil {
		return nil
	}
	const remedy = "hermes-sandbox doctor --prune"
	now := engine.Now(fleet.GeneratedAt)
	for i := range inventory.Containers {
		if c := &inventory.Containers[i]; ProbeLeftover(c, now) {
			found = append(found, unused{
				code: "probe-leftover", container: c, remedy: remedy,
				detail: "what a probe of Hermes left when it was killed",
			})
		}
	}
	if !inventory.NetworksKnown {
		return found
	}
	used := map[string]bool{} // hashes of allowlists in use
	var networks []unused
	for i := range inventory.Networks {
		network := &inventory.Networks[i]
		hash, ok := allowlistNetwork(*network)
		switch {
		case !ok:
			continue
		case network.Error != "", hasUsers(inventory, network, hash):
			used[hash] = true
			continue
		}
		networks = append(networks, unused{
			code: "egress-network-unused", network: network, remedy: remedy,
			detail: "no sandbox is on this allowlist network", keep: wantedBy(fleet, cuts, hash),
		})
	}
	for i := range inventory.Containers {
		c := &inventory.Containers[i]
		hash, ok := proxyNameHash(c)
		if ok && !used[hash] && !servesSomebody(inventory, c) {
			found = append(found, unused{
				code: "egress-proxy-unused", container: c, remedy: remedy,
				detail: "no sandbox uses this allowlist proxy", keep: wantedBy(fleet, cuts, hash),
			})
		}
	}
	return append(found, networks...)
}

// hasUsers reports whether anything but its own proxy is on a network, in any
// state: a stopped container comes back to it.
func hasUsers(inventory *Inventory, network *Network, hash string) bool {
	proxies := map[ID]bool{}
	for i := range inventory.Containers {
		c := &inventory.Containers[i]
		if own, ok := proxyNameHash(c); ok && own == hash {
			proxies[c.ID] = true
			continue
		}
		if attachedTo(c, *network) {
			return true
		}
	}
	for id := range network.Containers {
		if !proxies[id] {
			return true
		}
	}
	return false
}

// servesSomebody reports whether another container is on an allowlist network
// of a proxy, whatever labels the network has.
func servesSomebody(inventory *Inventory, proxy *Container) bool {
	for _, endpoint := range proxy.Networks.Endpoints {
		network := Network{ID: endpoint.NetworkID, Name: endpoint.Network}
		if _, ok := allowlistHash(network.Name); !ok {
			continue
		}
		on := func(c Container) bool { return c.ID != proxy.ID && attachedTo(&c, network) }
		if slices.ContainsFunc(inventory.Containers, on) {
			return true
		}
	}
	return false
}

// proxyNameHash returns the hash of the allowlist a proxy is named for.
func proxyNameHash(c *Container) (string, bool) {
	if !EgressProxy(c) {
		return "", false
	}
	hash := c.Name.Raw()[len(egressProxyPrefix):]
	return hash, hexDigits(hash, egressHashDigits)
}

// wantedBy says who comes back to an allowlist: a sandbox that was cut off from
// it, or a profile's next sandbox. It also says when that cannot be told, and is
// empty when nobody does.
func wantedBy(fleet *Fleet, cuts []CutRecord, hash string) string {
	for i := range cuts {
		if slices.ContainsFunc(cuts[i].Networks, func(n CutNetwork) bool { return n.Name.Raw() == egressNetworkPrefix+hash }) {
			return "sandbox " + cuts[i].Name.Display() + " was cut off from it and can be reconnected"
		}
	}
	for i := range fleet.Profiles {
		p := &fleet.Profiles[i]
		if p.Home == "" {
			continue
		}
		name := p.Name.Display()
		switch {
		case p.Policy == nil, p.Policy.Position == PositionUnknown:
			return "the policy of profile " + name + " is not known"
		case p.Policy.ExtraNetwork != nil && *p.Policy.ExtraNetwork == egressNetworkPrefix+hash,
			slices.Contains(p.Policy.ExtraArgs, "--network="+egressNetworkPrefix+hash),
			p.Policy.Position == PositionAllowlist && p.Policy.ExtraNetwork == nil && EgressHash(p.Policy.Allowlist) == hash:
			return "the configuration of profile " + name + " names it"
		}
	}
	return ""
}
