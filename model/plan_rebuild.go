package model

// rebuildRow plans making a sandbox again from a copy of its writable layer,
// on an allowlist's network with the proxy variables set, or with network none
// where the list is nil, and all else as it was.
func rebuildRow(index *planIndex, s *Sandbox, target *Target, list []string) {
	switch {
	case s.Host.AutoRemove:
		target.refuse("the engine removes it as soon as it is stopped, so it cannot be rebuilt; cut or remove it instead")
		return
	case !hasState([]State{StateCreated, StateRunning, StatePaused, StateExited}, s.State):
		target.refuse(stateWord(s.State) + ": it cannot be stopped for a rebuild now; cut or remove it instead")
		return
	}
	target.Loses = stopLosses(s)
	target.Warnings = append(target.Warnings, originWarnings(index.fleet, s)...)
	target.Warnings = append(target.Warnings, useWarnings(index, s)...)
	if hasProcesses(s.State) && rootOnTmpfs(s.Container) && !s.Foreign {
		target.Warnings = append(target.Warnings, sessionBreaks(s))
	}
	if hasProcesses(s.State) && len(index.guests[s.Key()]) > 0 {
		target.Warnings = append(target.Warnings, "those that share its network keep the old one, and have to be rebuilt as well")
	}
	target.Warnings = append(target.Warnings, afterRebuild(s)...)
	target.Warnings = append(target.Warnings, notContained(s)...)
	network := "network none"
	if list != nil {
		name, _ := EgressNames(list)
		network = "network " + name + " and the proxy variables"
	}
	target.Allowlist = list
	target.act(MethodRebuild, stateWord(s.State)+
		": it is stopped, and made again under its name from a copy of its writable layer, with "+network)
}

// afterRebuild says what Hermes' image guard makes of the copy, whose image has
// another name than the configured one (contract 3.1.4).
func afterRebuild(s *Sandbox) []string {
	switch {
	case s.Foreign, s.Policy == nil, s.Reuse.Verdict == ReuseNever:
		return nil
	case s.Policy.ImagePinned == nil:
		return []string{"whether its image is pinned is not known: if it is, the next Hermes with an image guard that starts replaces the rebuilt one"}
	case *s.Policy.ImagePinned:
		return []string{"its image is pinned: the next Hermes with an image guard that starts replaces the rebuilt one, and its writable layer goes with it"}
	}
	return nil
}
