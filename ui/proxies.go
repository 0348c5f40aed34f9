package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// planProxies opens the plan that starts the allowlist proxies which do not
// run.
func (m *Model) planProxies() tea.Cmd {
	if !m.ready() {
		return nil
	}
	plan := model.PlanProxies(m.fleet)
	if len(plan.Egress)+len(plan.Notes) == 0 {
		m.say(noteCalm, "every allowlist proxy that sandboxes need is running")
		return nil
	}
	return m.show(newPlanDialog(plan, m.options.ReadOnly))
}

// watchProxies says at once when a proxy stopped.
func (m *Model) watchProxies(old *model.Fleet) {
	if old == nil {
		return
	}
	before := model.DownProxies(old)
	stopped := slices.DeleteFunc(model.DownProxies(m.fleet), func(pair model.EgressPair) bool {
		if engine := old.Engine(pair.Engine); engine == nil || engine.Partial {
			return true // it may have been down before
		}
		return slices.ContainsFunc(before, func(was model.EgressPair) bool {
			return was.Engine == pair.Engine && was.Network == pair.Network
		})
	})
	if len(stopped) > 0 {
		m.say(noteAlarm, m.proxyWords(stopped))
	}
}

// proxyAlert says which proxies do not run, empty when all do.
func (m *Model) proxyAlert() string {
	down := model.DownProxies(m.fleet)
	if len(down) == 0 {
		return ""
	}
	return m.proxyWords(down)
}

func (m *Model) proxyWords(down []model.EgressPair) string {
	count := 0
	for _, pair := range down {
		count += len(pair.Sandboxes)
	}
	text := "allowlist proxy down: " + m.proxyName(&down[0])
	if len(down) > 1 {
		text = plural(len(down), "allowlist proxy", "allowlist proxies") + " down"
	}
	text += "; " + plural(count, "sandbox has", "sandboxes have") + " no way out"
	if key := m.keys.keyOf("start-proxy"); key != "" && !m.options.ReadOnly {
		text += ", " + key + " starts " + pronoun(len(down))
	}
	return text
}

// proxyName names a proxy; of one that is gone, its network.
func (m *Model) proxyName(pair *model.EgressPair) string {
	if pair.Proxy.Empty() {
		return "that of " + identity(pair.Network, m.theme.Glyphs.Escaped)
	}
	return identity(pair.Proxy, m.theme.Glyphs.Escaped)
}
