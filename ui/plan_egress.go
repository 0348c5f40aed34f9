package ui

import (
	"fmt"
	"slices"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// changeWords says how many entries are added and taken off, empty for none.
func changeWords(added, gone int) string {
	text := ""
	if added > 0 {
		text += fmt.Sprintf(", %d added", added)
	}
	if gone > 0 {
		text += fmt.Sprintf(", %d taken off", gone)
	}
	return text
}

// standsAlready reports whether the network of a step is there and its proxy
// runs.
func (m *Model) standsAlready(step *model.EgressStep) bool {
	return m.fleet != nil && slices.ContainsFunc(m.fleet.Egress, func(pair model.EgressPair) bool {
		return pair.Engine == step.Engine && pair.Network.Raw() == step.Network && pair.ProxyRunning
	})
}

// provisions counts the networks and proxies a plan has to make or to start.
func (d *planDialog) provisions(m *Model) int {
	count := 0
	for i := range d.plan.Egress {
		if !m.standsAlready(&d.plan.Egress[i]) {
			count++
		}
	}
	return count
}

// egressLines show the allowlist networks that a plan makes sure of.
func (d *planDialog) egressLines(m *Model, width int) []string {
	var lines []string
	for i := range d.plan.Egress {
		step := &d.plan.Egress[i]
		text, look := "network "+raw(step.Network)+" with its proxy is made first", m.theme.Styles.Text
		switch pair := m.pairNamed(step.Engine, step.Network); {
		case m.standsAlready(step):
			text, look = "network "+raw(step.Network)+" is there and its proxy runs", m.theme.Styles.Dim
		case pair != nil:
			text = "network " + raw(step.Network) + " is there; its proxy is started first"
		}
		if m.severalEngines() {
			text += ", on " + raw(step.Engine)
		}
		lines = append(lines, look.Render(widget.Clip(text, width, m.theme.Glyphs.Ellipsis)))
	}
	return lines
}

func (m *Model) pairNamed(engine, network string) *model.EgressPair {
	if m.fleet == nil {
		return nil
	}
	for i := range m.fleet.Egress {
		if pair := &m.fleet.Egress[i]; pair.Engine == engine && pair.Network.Raw() == network && network != "" {
			return pair
		}
	}
	return nil
}

// stepOutcome says what became of an allowlist network.
func stepOutcome(g theme.Glyphs, step *model.EgressStep) (string, tone) {
	sign, word, look := outcomeWords(g, step.Outcome)
	text := sign + " " + widget.Fit(word, 8, "") + " network " + raw(step.Network) + " with its proxy"
	if step.Error != "" {
		text += ": " + safe(step.Error)
	}
	return text, look
}

// stepWords sum up the allowlist networks of a plan that was carried out; empty
// without any. Whole tells that none failed.
func stepWords(plan *model.Plan) (words string, whole bool) {
	stands, missed := 0, 0
	for i := range plan.Egress {
		switch plan.Egress[i].Outcome {
		case model.OutcomeDone, model.OutcomeSkipped:
			stands++
		case model.OutcomePlanned:
		default:
			missed++
		}
	}
	if missed > 0 {
		return plural(missed, "allowlist proxy", "allowlist proxies") + " not running, ", false
	}
	if stands > 0 {
		words = plural(stands, "allowlist proxy runs", "allowlist proxies run") + ", "
	}
	return words, true
}
