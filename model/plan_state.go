package model

// PlanState says what starting, stopping, pausing or unpausing sandboxes does,
// and what Hermes makes of it. Sandboxes that are already where the action
// leads are skipped; those that cannot go there, and foreign ones unless named
// alone, are refused: bulk says that the targets come from a group or a range,
// even if only one is left. Any other action gives a plan without targets.
func PlanState(fleet *Fleet, action Action, keys []Key, bulk bool) Plan {
	change, ok := stateChangeOf(action)
	if !ok {
		return newPlan(action)
	}
	return planEach(fleet, action, keys, len(keys) == 1 && !bulk, func(index *planIndex, s *Sandbox, target *Target) {
		change.decide(index, s, target)
	})
}

// stateChange is what one action needs and says.
type stateChange struct {
	method Method
	// from are the states the engine takes it from.
	from []State
	// there are the states in which nothing is left to do.
	there []State
	// says is the reason of an acted row, with what Hermes makes of it.
	says func(s *Sandbox) string
	// loses and warns are nil when there is nothing to lose or to add.
	loses func(s *Sandbox) []Loss
	warns func(s *Sandbox) []string
}

func stateChangeOf(action Action) (stateChange, bool) {
	switch action {
	case ActionStart:
		return stateChange{
			method: MethodStart,
			from:   []State{StateCreated, StateExited},
			there:  []State{StateRunning, StateRestarting},
			says:   saysStart, warns: warnsStart,
		}, true
	case ActionStop:
		return stateChange{
			method: MethodStop,
			from:   []State{StateRunning, StatePaused, StateRestarting},
			there:  []State{StateCreated, StateExited},
			says:   saysStop, loses: losesStop, warns: warnsStop,
		}, true
	case ActionPause:
		return stateChange{
			method: MethodPause,
			from:   []State{StateRunning},
			there:  []State{StatePaused},
			says:   saysPause, warns: warnsPause,
		}, true
	case ActionUnpause:
		return stateChange{
			method: MethodUnpause,
			from:   []State{StatePaused},
			there:  []State{StateRunning},
			says:   saysUnpause,
		}, true
	default:
		return stateChange{}, false
	}
}

func (c *stateChange) decide(index *planIndex, s *Sandbox, target *Target) {
	switch {
	case hasState(c.there, s.State):
		target.skip("it is " + stateWord(s.State) + " already")
		return
	case !hasState(c.from, s.State):
		reason := stateWord(s.State) + ": the engine does not " + string(c.method) + " it from here"
		if s.State == StatePaused { // the one state that a person can leave
			reason += "; unpause it instead"
		}
		target.refuse(reason)
		return
	}
	target.Warnings = append(target.Warnings, originWarnings(index.fleet, s)...)
	if c.method == MethodStop || c.method == MethodPause {
		target.Warnings = append(target.Warnings, useWarnings(index, s)...)
	}
	if c.warns != nil {
		target.Warnings = append(target.Warnings, c.warns(s)...)
	}
	if c.loses != nil {
		target.Loses = c.loses(s)
	}
	target.act(c.method, c.says(s))
}

func saysStart(s *Sandbox) string {
	says := "it runs again, with the networks it has now"
	if s.Reuse.Reason != "" {
		says += "; Hermes' reuse before the start: " + string(s.Reuse.Verdict) + ", " + s.Reuse.Reason
	}
	return says
}

func warnsStart(s *Sandbox) []string {
	warnings := []string{"no Hermes reaper takes a running sandbox: it runs until it is stopped"}
	if violates(s) {
		warnings = append(warnings, "it breaks its policy: "+s.ViolationReason)
	}
	return warnings
}

// saysStop tells that a stop is a delayed delete (contract 4.3).
func saysStop(s *Sandbox) string {
	switch {
	case s.Host.AutoRemove:
		return "it stops, and the engine removes it at once"
	case s.Foreign, s.Inherited:
		return "it stops and stays"
	case rootOnTmpfs(s.Container):
		return "it stops; its session cannot go on in it"
	}
	says := "it stops; the next command of a live Hermes starts it again"
	switch policy := s.Policy; {
	case policy == nil || policy.OrphanReaper == nil:
		return says + ", else its orphan reaper may delete it later"
	case !*policy.OrphanReaper:
		return says + "; the orphan reaper is off, so it stays otherwise"
	case policy.ReapAfterSeconds == nil:
		return says + ", else its orphan reaper deletes it later"
	default:
		return says + ", else a Hermes that starts after " + seconds(*policy.ReapAfterSeconds) + " deletes it"
	}
}

func losesStop(s *Sandbox) []Loss {
	if s.Host.AutoRemove {
		// The engine removes anonymous volumes along with such a container.
		return removalLosses(s, true)
	}
	return stopLosses(s)
}

func warnsStop(s *Sandbox) []string {
	if rootOnTmpfs(s.Container) && !s.Foreign {
		return []string{sessionBreaks(s)}
	}
	return nil
}

func saysPause(*Sandbox) string { return "its processes are frozen; nothing is lost" }

// warnsPause tells what a paused sandbox does to Hermes (contract 7 and E).
func warnsPause(s *Sandbox) []string {
	if s.Foreign || s.Scope == ScopeProbe {
		return nil
	}
	return []string{
		"a live agent hangs at its next command",
		"a Hermes that starts meanwhile makes a second sandbox on the same directories",
	}
}

func saysUnpause(*Sandbox) string { return "its processes go on where they were" }
