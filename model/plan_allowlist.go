package model

import (
	"cmp"
	"slices"
	"strings"
)

const emptyList = "no host is left on its allowlist; name some with --allow, or lock it down instead"

// profileList returns the allowlist that a profile is to have, or why it can
// have none.
func (l *lockdownPlanner) profileList(p *Profile) (list []string, refusal string) {
	entries, known := AllowlistOf(l.index.fleet, p)
	if !known && p.Policy != nil && p.Policy.Position == PositionAllowlist && p.Policy.ExtraNetwork != nil && len(l.deny) > 0 {
		return nil, "the entries of its present list are not known, so none can be taken off; name the whole list with --allow"
	}
	return l.edited(entries)
}

func (l *lockdownPlanner) edited(entries []string) (list []string, refusal string) {
	for _, denied := range l.deny {
		if !slices.Contains(entries, denied) {
			l.note(denied + " is not an entry of the list" + stillThrough(entries, denied))
		}
	}
	if list = EditAllowlist(entries, l.allow, l.deny); len(list) == 0 {
		return nil, emptyList
	}
	return list, ""
}

// stillThrough names the entries that let a host through all the same.
func stillThrough(entries []string, host string) string {
	others := AllowedBy(entries, host, 0)
	if len(others) == 0 {
		return ""
	}
	return ", and " + strings.Join(others, ", ") + " lets it through: take that off instead"
}

// note adds a sentence to the plan, once.
func (l *lockdownPlanner) note(text string) {
	if !slices.Contains(l.plan.Notes, text) {
		l.plan.Notes = append(l.plan.Notes, text)
	}
}

// listOf returns the allowlist that a sandbox is brought to: its profile's, or
// for one named by itself the one it is on, or its policy's, edited.
func (l *lockdownPlanner) listOf(s *Sandbox, edit *ConfigEdit) (list []string, refusal string) {
	if edit != nil {
		return l.lists[edit.File], ""
	}
	entries, known := AllowlistOn(l.index.fleet, s)
	if !known && s.Policy != nil {
		entries = s.Policy.Allowlist
	}
	return l.edited(entries)
}

// sparedAllowlist says why the allowlist position leaves a sandbox as it is;
// empty when it does not.
func (l *lockdownPlanner) sparedAllowlist(s *Sandbox) string {
	switch {
	case s.State == StateDead:
		return "dead: nothing runs in it, and it cannot be started"
	case s.State == StateRemoving:
		return "it is being removed already"
	case l.running == RunningKeep:
		return "kept as it is by choice: it stays " + s.Posture.Effective.Word()
	case l.running == RunningCut:
		return l.sparedOn(s)
	}
	return ""
}

// allowlist decides on bringing a sandbox to its allowlist.
func (l *lockdownPlanner) allowlist(s *Sandbox, edit *ConfigEdit, target *Target) {
	list, refusal := l.listOf(s, edit)
	network, _ := EgressNames(list)
	closed := s.Posture.Effective == LevelAirGapped || s.Posture.Effective == LevelCutOff
	marks := readIronMarks(s.Container)
	kind, _, _ := strings.Cut(modeOf(s).Raw(), ":")
	switch {
	case refusal != "":
		target.refuse(refusal)
	case l.running == RunningCut:
		l.cut(s, edit, target)
	case allowlistOnly(s) == network && CarriesEgressEnv(s.Container):
		target.skip("on its allowlist already")
	case kind == "container":
		l.followOwner(s, edit, target)
	case marks.claimed():
		target.refuse("it uses Hermes' credential proxy, which an internal network has no way to: remove it once proxy.enabled is false, or cut it")
	case l.running == RunningRebuild:
		rebuildRow(l.index, s, target, list)
	case !CarriesEgressEnv(s.Container) && closed:
		target.skip(s.Posture.Effective.Word() + " already, and without the proxy variables it finds no proxy: rebuild it to give it the allowlist")
	case !CarriesEgressEnv(s.Container):
		if l.cut(s, edit, target); target.Decision == DecisionAct {
			target.Reason += "; without the proxy variables it would find no proxy, and rebuild gives it those"
		}
	default:
		moveRow(l.index, s, target, list)
	}
}

// followOwner brings the container whose network a sandbox shares to the
// allowlist, and the sandbox with it.
func (l *lockdownPlanner) followOwner(s *Sandbox, edit *ConfigEdit, target *Target) {
	l.cutOwner(s, edit, target)
	if target.Decision == DecisionSkip && target.Follows != (Key{}) {
		target.Reason = "it shares the network of " + nameOf(l.index.sandboxes[target.Follows]) + " and goes where that goes"
	}
}

// moveRow plans moving a sandbox to the network of an allowlist as it is.
func moveRow(index *planIndex, s *Sandbox, target *Target, list []string) {
	if why := unmovable(s); why != "" {
		target.refuse(why)
		return
	}
	target.Warnings = append(target.Warnings, originWarnings(index.fleet, s)...)
	target.Warnings = append(target.Warnings, useWarnings(index, s)...)
	if hasProcesses(s.State) {
		target.Warnings = append(target.Warnings, "its open connections break: nothing it had open goes on over the new network")
	}
	target.Warnings = append(target.Warnings, notContained(s)...)
	var left []string
	for _, endpoint := range s.Networks.Endpoints {
		left = append(left, endpoint.Network.Display())
	}
	network, _ := EgressNames(list)
	reason := stateWord(s.State) + ": it is connected to " + network
	if len(left) > 0 {
		reason = stateWord(s.State) + ": it is taken off " + strings.Join(left, ", ") + ", then connected to " + network
	}
	target.Allowlist = list
	target.act(MethodMove, reason)
}

// unmovable says why a sandbox's network cannot be changed while it lives.
func unmovable(s *Sandbox) string {
	switch kind, _, _ := strings.Cut(modeOf(s).Raw(), ":"); {
	case kind == "host", endpointNamed(s, "host"):
		return "it uses the host's network, which it cannot be taken off; rebuild or remove it instead"
	case kind == "", kind == "slirp4netns", kind == "pasta", kind == "private", kind == "ns":
		return "its network mode " + modeOf(s).Display() + " cannot be changed while it lives; rebuild or remove it instead"
	case !s.Networks.Known:
		return "the engine does not say which networks it is attached to; rebuild or remove it instead"
	}
	return ""
}

// finish notes the allowlist networks that are left, and adds those that have to
// be there first: for the sandboxes that
// go to one, and for those that Hermes will make on an engine of this machine.
func (l *lockdownPlanner) finish() {
	for i := range l.plan.Targets {
		target := &l.plan.Targets[i]
		if target.Decision != DecisionAct {
			continue
		}
		if s := l.index.sandboxes[Key{target.Engine, target.ID}]; s != nil && allowlistOnly(s) != "" {
			l.plan.Leaves = append(l.plan.Leaves, allowlistOnly(s))
		}
	}
	if l.action != ActionLockdownAllowlist {
		return
	}
	for i := range l.plan.Targets {
		if target := &l.plan.Targets[i]; target.Decision == DecisionAct && target.Allowlist != nil {
			l.step(target.Engine, target.Allowlist)
		}
	}
	for _, edit := range l.plan.Config {
		if edit.Outcome == OutcomeRefused {
			continue
		}
		for _, engine := range l.index.fleet.Engines {
			if engine.State == Live && !engine.Remote {
				l.step(engine.Name, l.lists[edit.File])
			}
		}
	}
	slices.SortFunc(l.plan.Egress, func(a, b EgressStep) int {
		return cmp.Or(strings.Compare(a.Engine, b.Engine), strings.Compare(a.Network, b.Network))
	})
}

func (l *lockdownPlanner) step(engine string, list []string) {
	network, proxy := EgressNames(list)
	if len(list) == 0 || slices.ContainsFunc(l.plan.Egress, func(s EgressStep) bool { return s.Engine == engine && s.Network == network }) {
		return
	}
	l.plan.Egress = append(l.plan.Egress, EgressStep{
		Engine: engine, Network: network, Proxy: proxy, Allowlist: list, Outcome: OutcomePlanned,
	})
}

// LeftNetworks are the allowlist networks that a plan takes sandboxes or a
// configuration away from, in order, each once.
func LeftNetworks(plan *Plan) []string {
	left := slices.Clone(plan.Leaves)
	for _, edit := range plan.Config {
		if edit.Key != ExtraArgsKey || edit.Outcome != OutcomeDone {
			continue
		}
		if name, isNetwork := strings.CutPrefix(unquoted(edit.From), "--network="); isNetwork && IsEgressNetwork(NewText(name)) {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// OnlyNetworks returns the part of a prune plan that is about allowlist networks
// with these names and their proxies.
func OnlyNetworks(plan Plan, names []string) Plan {
	plan.Targets = slices.DeleteFunc(slices.Clone(plan.Targets), func(target Target) bool {
		hash, isProxy := strings.CutPrefix(target.Name.Raw(), egressProxyPrefix)
		name := target.Name.Raw()
		if isProxy && !target.Network {
			name = egressNetworkPrefix + hash
		}
		return !slices.Contains(names, name)
	})
	return plan
}
