package ui

import (
	"fmt"
	"strings"

	"hermes-sandbox/model"
)

// positionSign says the position of a profile in the head of its group: empty
// for an open one, with the count of its hosts for an allowlist.
func (m *Model) positionSign(p *model.Profile) string {
	if p == nil || p.Policy == nil {
		return ""
	}
	switch p.Policy.Position {
	case model.PositionLocked:
		return m.theme.Glyphs.Lock + " locked"
	case model.PositionAllowlist:
		text := m.posture(model.LevelAllowlist)
		if entries, known := model.AllowlistOf(m.fleet, p); known {
			text += fmt.Sprintf(" %d", len(entries))
		}
		return text
	default:
		return ""
	}
}

// positionHint says the position of a profile in the list to choose from.
func (m *Model) positionHint(p *model.Profile) string {
	if p.Policy == nil {
		return "position not known"
	}
	text := positionWord(p.Policy.Position)
	if entries, known := model.AllowlistOf(m.fleet, p); known && p.Policy.Position == model.PositionAllowlist {
		text += " of " + plural(len(entries), "host", "hosts")
	}
	return text
}

// writeAllowlist lists the hosts of the allowlist of a profile, and whether its
// proxy runs.
func (m *Model) writeAllowlist(p *page, profile *model.Profile) {
	if profile == nil || profile.Policy == nil || profile.Policy.Position != model.PositionAllowlist {
		return
	}
	p.heading("Allowlist of " + raw(profile.Name.Raw()))
	entries, known := model.AllowlistOf(m.fleet, profile)
	if !known {
		p.paragraph("its configuration names a network, and no proxy says what that lets through", p.theme.Styles.Warn)
		return
	}
	for _, entry := range entries {
		p.item(m.theme.Glyphs.Dot, raw(entry), p.theme.Styles.Text)
	}
}

// profileOf returns the known profile that a sandbox belongs to, nil when none
// does.
func (m *Model) profileOf(s *model.Sandbox) *model.Profile {
	return m.homeOf(func(p *model.Profile) bool { return model.Belongs(s, p) })
}

// hostsLine names the hosts of the allowlist a sandbox is on or is asked to be
// on, as many as fit on few lines; empty without one.
func (m *Model) hostsLine(s *model.Sandbox) string {
	entries, known := model.AllowlistOn(m.fleet, s)
	if !known {
		profile := m.profileOf(s)
		if profile == nil || profile.Policy == nil || profile.Policy.Position != model.PositionAllowlist {
			return ""
		}
		if entries, known = model.AllowlistOf(m.fleet, profile); !known {
			return ""
		}
	}
	const named = 6
	names := make([]string, 0, named)
	for _, entry := range entries[:min(len(entries), named)] {
		names = append(names, raw(entry))
	}
	text := strings.Join(names, ", ")
	if more := len(entries) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
