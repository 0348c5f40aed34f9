package ui

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"hermes-sandbox/model"
)

// writeEgress is the evidence chain: what was asked for, what is attached,
// what the kernel says.
func (m *Model) writeEgress(p *page, s *model.Sandbox) {
	m.writePosture(p, s)
	p.heading("Declared")
	p.field("mode", orNone(safe(s.DeclaredMode)))
	m.writePorts(p, s)
	m.writeResolver(p, s)
	m.writeEndpoints(p, s)
	m.writeKernel(p, s)
	m.writeRequests(p, s)
	m.writeConnections(p, s)
	m.writeProxy(p, s)
	m.writeAllowlist(p, m.profileOf(s))
	p.heading("Under lockdown")
	p.paragraph(underLockdown(s), p.theme.Styles.Text)
}

func (m *Model) writePorts(p *page, s *model.Sandbox) {
	for _, port := range s.Host.Published {
		p.styled("published", value(port.HostIP)+":"+value(port.HostPort)+" "+m.theme.Glyphs.Arrow+" "+value(port.Container), p.theme.Styles.Warn)
	}
	if s.Host.PublishAllPorts {
		p.styled("published", "all exposed ports", p.theme.Styles.Warn)
	}
}

func (m *Model) writeResolver(p *page, s *model.Sandbox) {
	if len(s.Host.DNS) > 0 {
		p.field("resolver", joinTexts(s.Host.DNS))
	}
	if len(s.Host.ExtraHosts) > 0 {
		p.field("hosts", joinTexts(s.Host.ExtraHosts))
	}
}

func joinTexts(list []model.Text) string {
	parts := make([]string, len(list))
	for i, t := range list {
		parts[i] = value(t)
	}
	return strings.Join(parts, ", ")
}

func (m *Model) writeEndpoints(p *page, s *model.Sandbox) {
	p.heading("Attached")
	switch {
	case !s.Networks.Known:
		p.paragraph("the engine gave no networks", p.theme.Styles.Warn)
	case len(s.Networks.Endpoints) == 0 && s.Posture.Level == model.LevelShared:
		p.paragraph("no network of its own; it uses the other container's", p.theme.Styles.Text)
	case len(s.Networks.Endpoints) == 0:
		p.paragraph("no network", p.theme.Styles.Text)
	}
	for i := range s.Networks.Endpoints {
		e := &s.Networks.Endpoints[i]
		p.item(m.theme.Glyphs.Dot, identity(e.Network, m.theme.Glyphs.Escaped), p.theme.Styles.Text)
		if i < len(s.AttachedTo) {
			writeNetwork(p, &s.AttachedTo[i])
		}
		p.field("  address", strings.Join(filled(value(e.IPv4), value(e.IPv6)), ", "))
		p.field("  gateway", value(e.Gateway))
		p.field("  aliases", joinTexts(e.Aliases))
	}
}

// writeNetwork says what a network is: its driver, and whether it leads out of
// the engine.
func writeNetwork(p *page, network *model.Network) {
	if network.Error != "" {
		p.styled("  driver", "not known: "+safe(network.Error), p.theme.Styles.Warn)
		return
	}
	p.field("  driver", value(network.Driver))
	if network.Internal {
		p.field("  internal", "yes")
	} else {
		p.field("  internal", "no")
	}
}

func filled(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

func (m *Model) writeKernel(p *page, s *model.Sandbox) {
	p.heading("Kernel")
	k := s.Kernel
	switch {
	case k == nil:
		p.paragraph("not looked at: only a running sandbox of an engine on this machine has a namespace to read", p.theme.Styles.Dim)
		return
	case k.Problem != "":
		p.paragraph(safe(k.Problem), p.theme.Styles.Warn)
		return
	}
	for _, i := range k.Interfaces {
		state := "down"
		if i.Up {
			state = "up"
		}
		p.item(m.theme.Glyphs.Dot, raw(i.Name)+" "+state, p.theme.Styles.Text)
		p.field("  address", joinAddresses(i.Addresses))
		routes := make([]string, len(i.Routes))
		for j, route := range i.Routes {
			routes[j] = raw(route)
		}
		p.field("  routes", strings.Join(routes, ", "))
	}
	p.field("read", p.ago(k.ReadAt))
}

func joinAddresses(list []netip.Addr) string {
	parts := make([]string, len(list))
	for i, a := range list {
		parts[i] = raw(a.String())
	}
	return strings.Join(parts, ", ")
}

// writeProxy shows the proxies that stand between: the egress proxy of an
// attached allowlist network, and proxy variables, which are advice alone.
func (m *Model) writeProxy(p *page, s *model.Sandbox) {
	var variables []string
	for _, e := range s.Env {
		name, _, _ := strings.Cut(e.Raw(), "=")
		if strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			variables = append(variables, value(model.NewText(name)))
		}
	}
	pairs := m.pairsOf(s)
	if len(variables) == 0 && len(pairs) == 0 {
		return
	}
	p.heading("Proxy")
	for _, pair := range pairs {
		if pair.ProxyRunning {
			p.field("filter", fmt.Sprintf("%s on %s, running", value(pair.Proxy), value(pair.Network)))
		} else {
			text := m.proxyName(&pair) + " is not running: nothing is let through, so the sandboxes on it are cut off"
			if key := m.keys.keyOf("start-proxy"); key != "" && !m.options.ReadOnly {
				text += "; " + key + " starts it again"
			}
			p.styled("filter", text, p.theme.Styles.Warn)
		}
		hosts := make([]string, len(pair.Allowlist))
		for i, host := range pair.Allowlist {
			hosts[i] = raw(host)
		}
		p.field("allows", strings.Join(hosts, ", "))
	}
	if len(variables) > 0 {
		p.field("variables", strings.Join(variables, ", ")+" (advice to programs, no barrier)")
	}
}

func (m *Model) pairsOf(s *model.Sandbox) []model.EgressPair {
	var out []model.EgressPair
	for _, pair := range m.fleet.Egress {
		if pair.Engine == s.Engine && slices.Contains(pair.Sandboxes, s.ID) {
			out = append(out, pair)
		}
	}
	return out
}

// underLockdown says what an air-gapped policy would mean for a sandbox.
func underLockdown(s *model.Sandbox) string {
	switch s.Posture.Level {
	case model.LevelAirGapped, model.LevelCutOff:
		return "nothing would change: it reaches no network"
	case model.LevelHost:
		return "it uses the host's own network and cannot be cut; it has to be made anew or removed"
	case model.LevelShared:
		return "it uses another container's network; that one would have to be cut"
	case model.LevelUnknown, "":
		return "not known: its posture is not known"
	default:
		names := make([]string, len(s.Networks.Endpoints))
		for i := range s.Networks.Endpoints {
			names[i] = value(s.Networks.Endpoints[i].Network)
		}
		if len(names) == 0 {
			return "it would have no network after its next start"
		}
		return "it would be disconnected from " + strings.Join(names, ", ")
	}
}
