package model

// ShellRefusal says why no shell can be opened in a container now, and what to
// do first; empty when one can be tried.
func ShellRefusal(c *Container) string {
	switch {
	case !c.ID.Valid():
		return "its ID is none that may stand in a request"
	case c.State == StateRunning:
		return ""
	case c.State == StatePaused:
		return "it is paused; unpause it first"
	case c.State == StateRestarting:
		return "it is restarting; wait until it runs"
	case c.State == StateExited, c.State == StateCreated:
		return "it is " + string(c.State) + "; start it first"
	default:
		return "it is " + NewText(string(c.State)).Display() + " and not running"
	}
}

// ShellPlan is what the audit says of a shell that is about to be opened: by
// whom, when and in which sandbox. What is typed in it is recorded nowhere.
func ShellPlan(s *Sandbox) Plan {
	plan, target := newPlan(ActionShell), newTarget(s)
	target.act(MethodShell, "an interactive shell")
	plan.Targets = append(plan.Targets, target)
	return plan
}
