package model

import (
	"slices"
	"strings"
)

// sparedOff says why the end of a lockdown leaves a sandbox as it is; empty
// when it is reconnected. Only what this program cut off is.
func (l *lockdownPlanner) sparedOff(s *Sandbox) string {
	level := s.Posture.Effective
	closed := level == LevelCutOff || level == LevelAirGapped
	switch {
	case l.host(s) != nil && l.host(s).Cut != nil && closed:
		return l.guestOff(s)
	case s.Cut == nil && level == LevelCutOff:
		return "left alone: someone else cut it off, or the record of its networks is lost; docker network connect gives them back"
	case s.Cut == nil && level == LevelAirGapped:
		return "left as it is: it was made without a network, and Hermes goes on using it so; remove it for one with a network"
	case s.Cut == nil && allowlistOnly(s) != "":
		return "it was made on its allowlist's network and keeps it; remove it, and Hermes makes one as the configuration asks"
	case s.Cut == nil:
		return "it was not cut off here; it is " + level.Word()
	case !closed && s.Cut.Complete && !movedOnto(s):
		return "someone else connected it again; it is " + level.Word()
	case l.lockedHolder(s) != "":
		return "kept cut off: " + l.lockedHolder(s) + " shares it and stays locked"
	case len(s.Cut.Networks) == 0:
		return "the record of its cut names no network to give back"
	case s.State == StateDead, s.State == StateRemoving:
		return stateWord(s.State) + ": it cannot be used again"
	case l.running == RunningKeep:
		return "kept cut off by choice"
	}
	return ""
}

// movedOnto reports whether a sandbox is where a move of ours put it.
func movedOnto(s *Sandbox) bool {
	return s.Cut != nil && !s.Cut.Onto.Empty() && allowlistOnly(s) == s.Cut.Onto.Raw()
}

// guestOff says what becomes of a sandbox that lives in the network of one that
// was cut off here. A restart gives that one a new network, which its guests
// only join when they start again.
func (l *lockdownPlanner) guestOff(s *Sandbox) string {
	shares := "it shares the network of " + nameOf(l.host(s))
	switch {
	case l.running == RunningKeep:
		return "kept cut off by choice"
	case l.running == RunningHot, !hasProcesses(l.host(s).State):
		return shares + ": it gets it back with that one"
	}
	return shares + ": it gets it back when it is started again after that one"
}

// lockedHolder names a profile that shares a sandbox and whose lockdown a plan
// for profiles does not end; empty when there is none.
func (l *lockdownPlanner) lockedHolder(s *Sandbox) string {
	if len(l.scope) == 0 {
		return ""
	}
	for _, holder := range keyHolders(s.Profile, l.index.fleet.Profiles) {
		network := holder.Policy.DockerNetwork
		ends := slices.ContainsFunc(l.scope, func(p *Profile) bool { return samePath(p.Home, holder.Home) })
		if network != nil && !*network && !ends {
			return holder.Name.Display()
		}
	}
	return ""
}

// reconnectRow plans giving a sandbox back what a cut took. Network is the
// docker_network that holds afterwards.
func reconnectRow(index *planIndex, s *Sandbox, target *Target, hot bool, network *bool) {
	living := hasProcesses(s.State)
	if living && !hot && s.Host.AutoRemove {
		target.refuse("the engine removes it as soon as it is stopped; reconnect it hot, or keep it cut off")
		return
	}
	target.Warnings = append(target.Warnings, originWarnings(index.fleet, s)...)
	if living {
		target.Warnings = append(target.Warnings, useWarnings(index, s)...)
	}
	names := make([]string, 0, len(s.Cut.Networks))
	for _, n := range s.Cut.Networks {
		names = append(names, n.Name.Display())
	}
	method, how := MethodReconnect, ": it is connected to "
	switch {
	case living && hot:
		target.Warnings = append(target.Warnings, "what its open connections held back while it was cut off is sent at once")
		method, how = MethodReconnectHot, ": as it runs, it is connected to "
	case living:
		target.Loses = stopLosses(s)
		if rootOnTmpfs(s.Container) && !s.Foreign {
			target.Warnings = append(target.Warnings, sessionBreaks(s))
		}
		how = ": it is stopped, so that nothing held back is sent, and started again connected to "
	case hot:
		method = MethodReconnectHot
	}
	if CarriesEgressEnv(s.Container) {
		target.Warnings = append(target.Warnings, "its proxy variables lead nowhere off the allowlist's network: programs that follow them reach nothing")
	}
	if network != nil && !*network {
		target.Warnings = append(target.Warnings, "its policy is locked: connected, it breaks it, and the next Hermes that starts replaces it")
	}
	target.act(method, stateWord(s.State)+how+strings.Join(names, ", "))
}
