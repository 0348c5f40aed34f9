package model

import (
	"fmt"
	"net/netip"
	"time"
)

// inbound judges what leads into the container and what it resolves names by.
func (f *findings) inbound(c *Container) {
	var ports []string
	for _, port := range c.Host.Published {
		if address, err := netip.ParseAddr(port.HostIP.Raw()); err == nil && address.IsLoopback() {
			continue
		}
		ports = append(ports, port.Container.Display())
	}
	if c.Host.PublishAllPorts {
		ports = append(ports, "every exposed port")
	}
	f.addList("published-port", SeverityWeak, "reachable from outside the host: ", ports)

	things := displays(c.Host.ExtraHosts)
	for _, server := range c.Host.DNS {
		things = append(things, "name server "+server.Display())
	}
	for _, link := range c.Host.Links {
		things = append(things, "link "+link.Display())
	}
	f.addList("extra-hosts", SeverityInfo, "names of its own: ", things)
}

// reach judges what a contained sandbox reaches all the same. A sandbox in
// another's network namespace reaches what the other does.
func (f *findings) reach(s *Sandbox, snap *Snapshot) {
	if s.Inspected && !plainRuntime(s.Host.Runtime) {
		f.add("runtime-opaque", SeverityWeak, fmt.Sprintf("runtime %s keeps its network out of the kernel's sight", s.Host.Runtime))
	}
	owner, _ := networkOwner(s.Container, snap)
	if owner == nil || !contained(s.Posture.Effective) {
		return
	}
	outside := outsideMembers(attachedMembers(owner, snap))
	if len(outside) == 0 {
		return
	}
	var exposed, peers []string
	for _, m := range outside {
		if !isolatedGateway(m, snap.Engine) {
			exposed = append(exposed, m.endpoint.Network.Display())
		}
		hash, _ := allowlistNetwork(m.network)
		peers = append(peers, peersOf(m.network, snap).others(owner, findProxy(hash, snap))...)
	}
	f.addList("host-reachable", SeverityWeak, "services of the host answer (bind them to 127.0.0.1, or use an engine from 28.0, where the gateway is isolated) on network ", exposed)
	f.addList("peer-reachable", SeverityWeak, "on the same network: ", peers)
	if leaksDNS(snap.Engine) {
		f.add("dns-leak", SeverityWeak, dnsDetail(snap.Engine))
	}
}

func dnsDetail(engine Engine) string {
	if engine.Version.Empty() {
		return "the engine's version is not known; before 26.0 names resolve outside even on internal networks (CVE-2024-29018)"
	}
	return fmt.Sprintf("engine %s resolves names outside even on internal networks (CVE-2024-29018); 26.0 does not", engine.Version)
}

// proxies judges the two kinds of egress proxy (contract 6.4.6, 6.4.7, B.5).
func (f *findings) proxies(s *Sandbox, snap *Snapshot) {
	marks := readIronMarks(s.Container)
	onAllowlist := false
	if owner, _ := networkOwner(s.Container, snap); owner != nil {
		for _, m := range outsideMembers(attachedMembers(owner, snap)) {
			hash, ok := allowlistNetwork(m.network)
			if !ok {
				continue
			}
			onAllowlist = true
			f.allowlistProxy(findProxy(hash, snap), m)
		}
	}
	switch {
	case !marks.claimed():
	case onAllowlist:
		f.add("egress-conflict", SeverityWeak,
			"it is set up for the credential proxy and for an allowlist, whose network has no way to the credential proxy: "+
				"set proxy.enabled to false, or leave the allowlist and keep the credential proxy")
	case contained(s.Posture.Effective):
		f.add("proxy-unreachable", SeverityWeak, "it is set up for the credential proxy, but its network does not lead there")
	case snap.Engine.Rootless != nil && *snap.Engine.Rootless:
		f.add("proxy-unreachable", SeverityWeak,
			"it is set up for the credential proxy, which sandboxes of a rootless engine cannot reach (#81281)")
	}
	f.egressLabel(s, marks)
}

func (f *findings) allowlistProxy(proxy *Container, m member) {
	switch {
	case proxy == nil:
		f.add("proxy-missing", SeverityWeak, fmt.Sprintf("network %s has no proxy, so nothing is let through", m.endpoint.Network))
	case !proxyUp(proxy, m):
		f.add("proxy-missing", SeverityWeak, fmt.Sprintf("the proxy %s is not running on network %s", proxy.Name, m.endpoint.Network))
	}
}

// egressLabel judges the hermes-egress label, which was computed before the
// operator's own variables and may claim what the environment has not.
func (f *findings) egressLabel(s *Sandbox, marks ironMarks) {
	label, present := s.Labels.Get(LabelEgress)
	switch {
	case !present:
		if !s.Foreign {
			f.add("pre-egress", SeverityInfo, "it was made before Hermes labelled egress, so newer ones do not reuse it")
		}
	case marks.label && s.Inspected && !marks.complete():
		f.add("egress-label-untrue", SeverityWeak,
			"the label claims the credential proxy, but its variables or certificate are not as it sets them")
	case !marks.label && marks.flag:
		f.add("egress-label-untrue", SeverityWeak, "the label does not claim the credential proxy, but its variables do")
	case !marks.label && label.Raw() != egressOff:
		f.add("egress-label-untrue", SeverityWeak, "the label "+label.Display()+" is nothing that Hermes writes")
	}
}

// Differences between clocks that are not worth a word: the engine's clock is
// read to the second, and hosts drift a little.
const (
	skewTolerance   = time.Minute
	futureTolerance = 2 * time.Second
)

// clocks judges whether ages can be believed.
func (f *findings) clocks(s *Sandbox, snap *Snapshot) {
	engine := snap.Engine
	if engine.SkewKnown && engine.Skew.Abs() > skewTolerance {
		side := "ahead of"
		if engine.Skew < 0 {
			side = "behind"
		}
		f.add("clock-skew", SeverityInfo, fmt.Sprintf("the engine's clock is %s %s ours", engine.Skew.Abs().Round(time.Second), side))
		return
	}
	if snap.At.IsZero() {
		return
	}
	latest := engine.Now(snap.At).Add(futureTolerance)
	for _, stamp := range []Stamp{s.CreatedAt, s.StartedAt, s.FinishedAt} {
		if stamp.Known() && stamp.Time.After(latest) {
			f.add("clock-skew", SeverityInfo, "a time of the container lies in the future: "+stamp.Time.UTC().Format(time.RFC3339))
			return
		}
	}
}
