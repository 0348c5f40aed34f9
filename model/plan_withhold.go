package model

// Withhold refuses what waits for something that was refused or failed: edits
// for the allowlist network they name, sandboxes for the network they go to and
// for the edits of their profile.
func (p *Plan) Withhold() {
	for i := range p.Egress {
		if step := &p.Egress[i]; step.Outcome == OutcomeRefused || step.Outcome == OutcomeFailed {
			p.withholdNetwork(step)
		}
	}
	for i := range p.Config {
		edit := &p.Config[i]
		if edit.Outcome != OutcomeRefused && edit.Outcome != OutcomeFailed {
			continue
		}
		for j := range p.Targets {
			if target := &p.Targets[j]; target.Decision == DecisionAct && target.WaitsFor != "" && target.WaitsFor == edit.File {
				target.refuse(withheld(edit))
			}
		}
	}
}

// withholdNetwork refuses what needs an allowlist network that is not there.
func (p *Plan) withholdNetwork(step *EgressStep) {
	reason := "not done, since the allowlist network is not there: " + step.Error
	for i := range p.Config {
		if edit := &p.Config[i]; edit.Outcome == OutcomePlanned && edit.Needs == step.Network {
			edit.Outcome, edit.Error = OutcomeRefused, reason
		}
	}
	for i := range p.Targets {
		target := &p.Targets[i]
		if target.Decision != DecisionAct || target.Allowlist == nil || target.Engine != step.Engine {
			continue
		}
		if network, _ := EgressNames(target.Allowlist); network == step.Network {
			target.refuse(reason)
		}
	}
}

func withheld(edit *ConfigEdit) string {
	return "not touched, since the policy of " + edit.Profile.Display() + " is not written; name the sandbox to act on it alone"
}
