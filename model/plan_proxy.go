package model

import (
	"cmp"
	"slices"
	"strings"
)

// DownProxies returns the allowlist networks whose proxy does not run while
// sandboxes are on them: those reach nothing until it runs again.
func DownProxies(fleet *Fleet) []EgressPair {
	var down []EgressPair
	for _, pair := range fleet.Egress {
		if !pair.ProxyRunning && !pair.ProxyUnknown && !pair.Network.Empty() && len(pair.Sandboxes) > 0 {
			down = append(down, pair)
		}
	}
	return down
}

// PlanProxies says how the proxies of [DownProxies] are started again, those
// that are gone made anew. It touches no sandbox and no configuration. A network
// whose list nothing here tells is left out, and so is one of an engine that
// does not answer, with a note.
func PlanProxies(fleet *Fleet) Plan {
	plan := newPlan(ActionLockdownAllowlist)
	for _, pair := range DownProxies(fleet) {
		list, known := pairList(fleet, &pair)
		engine := fleet.Engine(pair.Engine)
		switch {
		case engine == nil || engine.State != Live:
			plan.Notes = append(plan.Notes, "the proxy of "+pair.Network.Display()+" is left out, since its engine does not answer")
		case !known:
			plan.Notes = append(plan.Notes, "the proxy of "+pair.Network.Display()+" is left out, since nothing tells which hosts it let through: "+
				"bring its sandboxes to an allowlist anew, or cut them")
		default:
			network, proxy := EgressNames(list)
			plan.Egress = append(plan.Egress, EgressStep{
				Engine: pair.Engine, Network: network, Proxy: proxy, Allowlist: list, Outcome: OutcomePlanned,
			})
		}
	}
	slices.SortFunc(plan.Egress, func(a, b EgressStep) int {
		return cmp.Or(strings.Compare(a.Engine, b.Engine), strings.Compare(a.Network, b.Network))
	})
	return plan
}

// pairList finds the list a network is named for: that of its proxy, of a
// sandbox on it, or of a profile that asks for it.
func pairList(fleet *Fleet, pair *EgressPair) ([]string, bool) {
	if list, known := listNamed(fleet, pair.Network.Raw(), nil); known {
		return list, true
	}
	for i := range fleet.Profiles {
		list, _ := AllowlistOf(fleet, &fleet.Profiles[i])
		if name, _ := EgressNames(list); len(list) > 0 && name == pair.Network.Raw() {
			return list, true
		}
	}
	for i := range fleet.Sandboxes {
		if list, known := AllowlistOn(fleet, &fleet.Sandboxes[i]); known {
			if name, _ := EgressNames(list); name == pair.Network.Raw() {
				return list, true
			}
		}
	}
	return nil, false
}
