package model

import (
	"slices"
	"strings"
)

// offered are the ways that remain where a sandbox cannot be cut.
const offered = "; rebuild or remove it instead"

// cut decides on taking a sandbox off its networks. One that lives in another's
// network is closed with that one, which then gets a row as well.
func (l *lockdownPlanner) cut(s *Sandbox, edit *ConfigEdit, target *Target) {
	kind, _, _ := strings.Cut(modeOf(s).Raw(), ":")
	switch kind {
	case "host":
		target.refuse("it uses the host's network, which cannot be cut" + offered)
	case "container":
		l.cutOwner(s, edit, target)
	case "", "slirp4netns", "pasta", "private", "ns":
		target.refuse("its network mode " + modeOf(s).Display() + " cannot be cut while it lives" + offered)
	default:
		if endpointNamed(s, "host") {
			target.refuse("it is attached to the host's network, which cannot be cut" + offered)
			return
		}
		if !s.Networks.Known {
			target.refuse("the engine does not say which networks it is attached to" + offered)
			return
		}
		cutRow(l.index, s, target, policyAfter(s, edit))
	}
}

// cutOwner cuts the container whose network a sandbox shares.
func (l *lockdownPlanner) cutOwner(s *Sandbox, edit *ConfigEdit, target *Target) {
	owner := l.index.sandboxes[Key{s.Engine, s.Posture.Target}]
	switch {
	case s.Posture.Target == "":
		target.refuse("the container whose network it shares cannot be told" + offered)
		return
	case owner == nil:
		target.refuse("it shares the network of " + s.Posture.Target.Short() + ", which is no hermes sandbox and is not touched" + offered)
		return
	case owner == s:
		target.refuse("it shares its network in a circle" + offered)
		return
	}
	row := l.plan.Targets[l.sandbox(owner.Key(), edit, s)]
	switch row.Decision {
	case DecisionAct:
		target.skip("it shares the network of " + nameOf(owner) + " and is cut off with it")
		target.Follows = owner.Key()
	case DecisionSkip:
		target.skip("it shares the network of " + nameOf(owner) + ", which stays: " + row.Reason)
	default:
		target.refuse("it shares the network of " + nameOf(owner) + ", which is refused: " + row.Reason)
	}
}

// modeOf is the network mode a sandbox was made with.
func modeOf(s *Sandbox) Text {
	if !s.Host.NetworkMode.Empty() {
		return s.Host.NetworkMode
	}
	return s.Networks.Mode
}

func endpointNamed(s *Sandbox, network string) bool {
	return slices.ContainsFunc(s.Networks.Endpoints, func(e Endpoint) bool { return e.Network.Raw() == network })
}

// cutRow plans a cut. Network is the docker_network that holds afterwards.
func cutRow(index *planIndex, s *Sandbox, target *Target, network *bool) {
	target.Warnings = append(target.Warnings, originWarnings(index.fleet, s)...)
	target.Warnings = append(target.Warnings, useWarnings(index, s)...)
	if hasProcesses(s.State) {
		target.Warnings = append(target.Warnings,
			"open TCP connections are frozen, not closed: what they hold back is sent if it is reconnected while it runs")
	}
	target.Warnings = append(target.Warnings, afterCut(s, network)...)
	target.Warnings = append(target.Warnings, notContained(s)...)
	networks := make([]string, 0, len(s.Networks.Endpoints))
	for _, endpoint := range s.Networks.Endpoints {
		if endpoint.Network.Raw() != "none" {
			networks = append(networks, endpoint.Network.Display())
		}
	}
	reason := stateWord(s.State) + ": it is latched on network none"
	if len(networks) > 0 {
		reason = stateWord(s.State) + ": it is taken off " + strings.Join(networks, ", ") + " and latched on network none"
	}
	if !hasProcesses(s.State) {
		reason += ", which outlives a start"
	}
	target.act(MethodCut, reason)
}

// afterCut says what Hermes does with a sandbox that is cut off (contract
// 3.1.5): its guard looks at the declared mode alone.
func afterCut(s *Sandbox, network *bool) []string {
	switch {
	case network == nil, s.Foreign, s.Scope == ScopeProbe, s.Reuse.Verdict == ReuseNever:
		return nil
	case *network:
		return []string{"Hermes goes on using it without a network, since docker_network is true"}
	case modeOf(s).Raw() == "none":
		return nil
	}
	return []string{"the next Hermes that starts replaces it, since docker_network is false and it was not made with network none: its writable layer goes with it"}
}

// notContained names what a sandbox can do without any network.
func notContained(s *Sandbox) []string {
	var void []string
	for _, finding := range s.Findings {
		if finding.Severity == SeverityVoid {
			void = append(void, finding.Code)
		}
	}
	if len(void) == 0 {
		return nil
	}
	return []string{"having no network does not contain it: " + strings.Join(slices.Compact(void), ", ")}
}
