package ui

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// piece is a part of the header with its looks. Of those that do not fit, the
// ones with the lowest keep go first.
type piece struct {
	text  string
	style theme.Look
	keep  int
}

// header draws the first line: from the general to the particular, counts at
// the right edge.
func (m *Model) header() string {
	left := m.headerLeft()
	right := m.headerRight()
	for total(left)+total(right) > m.width && len(left)+len(right) > 1 {
		if least(right) <= least(left) {
			right = dropLeast(right)
		} else {
			left = dropLeast(left)
		}
	}
	return widget.Spread(join(left), join(right), m.width, m.theme.Glyphs.Ellipsis)
}

const pieceGap = 2

func total(pieces []piece) int {
	width := 1
	for _, p := range pieces {
		width += widget.Width(p.text) + pieceGap
	}
	return width
}

func least(pieces []piece) int {
	low := 1 << 30
	for _, p := range pieces {
		low = min(low, p.keep)
	}
	return low
}

func dropLeast(pieces []piece) []piece {
	low := least(pieces)
	at := slices.IndexFunc(pieces, func(p piece) bool { return p.keep == low })
	if at < 0 {
		return pieces
	}
	return slices.Delete(pieces, at, at+1)
}

func join(pieces []piece) string {
	parts := make([]string, len(pieces))
	for i, p := range pieces {
		parts[i] = p.style.Render(p.text)
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, widget.Spaces(pieceGap)) + " "
}

func (m *Model) headerLeft() []piece {
	styles := m.theme.Styles
	pieces := []piece{{"hermes-sandbox", styles.Title, 90}}
	if m.options.ReadOnly {
		pieces = append(pieces, piece{"READ-ONLY", styles.Badge, 95})
	}
	if m.fleet == nil {
		return append(pieces, piece{"connecting", styles.Dim, 80})
	}
	for i := range m.fleet.Engines {
		pieces = append(pieces, m.enginePieces(&m.fleet.Engines[i], i)...)
	}
	return pieces
}

func (m *Model) enginePieces(e *model.Engine, index int) []piece {
	styles := m.theme.Styles
	sign, style := m.theme.Glyphs.Live, styles.Calm
	word := ""
	switch e.State {
	case model.Stale:
		sign, style, word = m.theme.Glyphs.Stale, styles.Warn, " stale"+m.answerAge(e)
	case model.Down:
		sign, style, word = m.theme.Glyphs.Down, styles.Alarm, " down"+m.answerAge(e)
	case model.Live:
	}
	pieces := []piece{{sign + " " + widget.Clip(raw(e.Name), 24, m.theme.Glyphs.Ellipsis) + word, style, 85 - min(index, 20)}}
	if !e.Version.Empty() {
		version := safe(e.Kind) + " " + cell(e.Version) + " " + m.theme.Glyphs.Dot + " API " + raw(e.APIVersion)
		pieces = append(pieces, piece{version, styles.Dim, 20 - min(index, 15)})
	}
	return pieces
}

// answerAge says how old the last answer is.
func (m *Model) answerAge(e *model.Engine) string {
	if e.LastAnswer.IsZero() {
		return ""
	}
	return " " + model.ShortAge(m.now.Sub(e.LastAnswer))
}

func (m *Model) headerRight() []piece {
	if m.fleet == nil {
		return nil
	}
	styles := m.theme.Styles
	counts := m.counts
	scope := "profile all"
	if len(m.view.profiles) > 0 {
		scope = "profile " + m.scopeNames()
	}
	pieces := []piece{{scope, styles.Dim, 50}}
	if counts.profiles > 0 {
		pieces = append(pieces, piece{fmt.Sprintf("lockdown %d/%d", counts.locked, counts.profiles), styles.Dim, 45})
	}
	pieces = append(pieces,
		piece{plural(counts.sandboxes, "sandbox", "sandboxes"), styles.Text, 60},
		piece{fmt.Sprintf("%d up", counts.up), styles.Text, 55})
	if counts.orphans > 0 {
		pieces = append(pieces, piece{plural(counts.orphans, "orphan", "orphans"), styles.Warn, 70})
	}
	if counts.stranded > 0 {
		pieces = append(pieces, piece{fmt.Sprintf("%d stranded", counts.stranded), styles.Warn, 65})
	}
	if counts.proxies > 0 {
		pieces = append(pieces, piece{plural(counts.proxies, "proxy", "proxies") + " down", styles.Warn, 68})
	}
	if count := m.requests.total; count > 0 {
		pieces = append(pieces, piece{fmt.Sprintf("%d denied", count), styles.Warn, 66})
	}
	if counts.violations > 0 {
		pieces = append(pieces, piece{fmt.Sprintf("%d %s", counts.violations, m.theme.Glyphs.Alert), styles.Alarm, 75})
	}
	return pieces
}

// scopeNames lists the chosen profiles.
func (m *Model) scopeNames() string {
	names := make([]string, 0, len(m.view.profiles))
	for name := range m.view.profiles {
		names = append(names, label(model.NewText(name), m.theme.Glyphs.Escaped))
	}
	slices.Sort(names)
	return widget.Clip(strings.Join(names, ","), 28, m.theme.Glyphs.Ellipsis)
}

// fleetCounts are the header's figures, over the profiles shown; the filter
// does not change them.
type fleetCounts struct {
	sandboxes, up, orphans, stranded, violations int
	profiles, locked, proxies                    int   // proxies that do not run
	broken                                       []int // the first violations, places in the fleet
}

// namedViolations is how many violations the alert line names.
const namedViolations = 3

// countFleet works the figures out; it runs when the fleet or the scope
// changes.
func (m *Model) countFleet() fleetCounts {
	var c fleetCounts
	for i := range m.fleet.Sandboxes {
		s := &m.fleet.Sandboxes[i]
		if !m.inScope(s) {
			continue
		}
		c.sandboxes++
		if s.State == model.StateRunning {
			c.up++
		}
		if s.Orphan {
			c.orphans++
		}
		if s.Stranded {
			c.stranded++
		}
		if s.Violation != nil && *s.Violation {
			c.violations++
			if len(c.broken) < namedViolations {
				c.broken = append(c.broken, i)
			}
		}
	}
	c.proxies = len(model.DownProxies(m.fleet))
	for i := range m.fleet.Profiles {
		p := &m.fleet.Profiles[i]
		if len(m.view.profiles) > 0 && !m.view.profiles[p.Name.Raw()] {
			continue
		}
		c.profiles++
		if p.Policy != nil && p.Policy.DockerNetwork != nil && !*p.Policy.DockerNetwork {
			c.locked++
		}
	}
	return c
}
