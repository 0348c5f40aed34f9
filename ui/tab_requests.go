package ui

import (
	"fmt"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
)

// requestRows is how many hosts the Egress tab lists.
const requestRows = 40

// writeRequests lists the hosts that a sandbox asked its proxy for.
func (m *Model) writeRequests(p *page, s *model.Sandbox) {
	if !canRead[EgressSource](m.options.Backend) {
		return
	}
	hosts := m.asked(func(key model.Key) bool { return key == s.Key() })
	if len(hosts) == 0 && len(m.pairsOf(s)) == 0 {
		return
	}
	p.heading("Requests")
	if m.requests.failed != "" {
		p.paragraph(m.requests.failed, p.theme.Styles.Warn)
	}
	m.writeProxyProblems(p, s)
	if len(hosts) == 0 {
		p.paragraph("none seen yet", p.theme.Styles.Dim)
		return
	}
	if count := len(m.requests.undecided[s.Key()]); count > 0 {
		p.paragraph(undecidedWords(count)+"; "+m.keys.keyOf("hosts")+" lists them", p.theme.Styles.Warn)
	} else if key := m.keys.keyOf("hosts"); key != "" {
		p.paragraph(key+" allows and denies", p.theme.Styles.Dim)
	}
	for i := range hosts[:min(len(hosts), requestRows)] {
		h := &hosts[i]
		sign, look := m.requestLook(h)
		p.item(sign, h.last.UTC().Format("15:04:05")+"  "+hostPort(h)+"  "+h.words(), look)
	}
	if more := len(hosts) - requestRows; more > 0 {
		p.paragraph(fmt.Sprintf("and %d more", more), p.theme.Styles.Dim)
	}
}

// writeProxyProblems says which of a sandbox's proxies tell nothing.
func (m *Model) writeProxyProblems(p *page, s *model.Sandbox) {
	for i := range m.requests.traffic {
		t := &m.requests.traffic[i]
		mine := false
		for j := range t.Hosts {
			mine = mine || t.Hosts[j].Sandbox == s.Key()
		}
		if t.Problem != "" && (mine || t.Proxy.Engine == s.Engine && len(m.pairsOf(s)) > 0 && len(m.requests.traffic) == 1) {
			p.paragraph("its proxy's log is not read: "+safe(t.Problem), p.theme.Styles.Warn)
		}
		if mine && t.Dropped > 0 {
			p.paragraph(plural(t.Dropped, "older host is", "older hosts are")+" no longer kept", p.theme.Styles.Dim)
		}
	}
}

// requestLook is the sign and the look of a host's latest request.
func (m *Model) requestLook(h *askedHost) (string, theme.Look) {
	styles, glyphs := m.theme.Styles, m.theme.Glyphs
	switch {
	case h.undecided():
		return glyphs.Fail, styles.Warn
	case h.verdict == model.EgressDeny:
		return glyphs.Fail, styles.Dim
	case h.verdict == model.EgressFail:
		return glyphs.Unknown, styles.Warn
	default:
		return glyphs.Pass, styles.Calm
	}
}

// hostPort names a host with its port.
func hostPort(h *askedHost) string {
	name := cell(h.host)
	if name == "" {
		return "(a request that could not be read)"
	}
	if strings.Contains(h.host.Raw(), ":") {
		name = "[" + name + "]"
	}
	return fmt.Sprintf("%s:%d", name, h.port)
}

// words say what became of the requests for a host.
func (h *askedHost) words() string {
	var parts []string
	for _, part := range []struct {
		count int
		word  string
	}{{h.allowed, "allowed"}, {h.denied, "denied"}, {h.failed, "failed"}} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.word))
		}
	}
	text := strings.Join(parts, ", ")
	switch {
	case h.covered && h.verdict == model.EgressDeny:
		text += "; allowed by now"
	case h.left && h.verdict == model.EgressDeny:
		text += "; stays denied"
	case h.verdict != model.EgressAllow && !h.reason.Empty():
		text += " (" + cell(h.reason) + ")"
	}
	return text
}
