package model

import "fmt"

// sandbox checks one sandbox against its policy and for what voids its
// isolation.
func (d *doctor) sandbox(s *Sandbox) {
	name := containerName(s.Container)
	subject := "sandbox " + name
	if !s.Profile.Empty() {
		subject += " of profile " + s.Profile.Display()
	}
	if s.InspectError != "" || s.Problem != "" {
		d.add(DiagnosisWarning, "sandbox-unreadable", subject, joinWords(s.InspectError, s.Problem),
			"look again; its posture is not known until it can be inspected")
	}
	if s.Violation != nil && *s.Violation {
		d.add(DiagnosisWarning, DiagnosisViolation, subject, s.ViolationReason, violationRemedy(s, name))
	}
	for _, finding := range s.Findings {
		if finding.Severity == SeverityVoid {
			d.add(DiagnosisError, "void-"+finding.Code, subject, "nothing isolates it: "+finding.Detail, voidRemedy(finding.Code, name))
		}
	}
	if s.Scope == ScopeProbe && hasProcesses(s.State) {
		d.add(DiagnosisInfo, "probe-running", subject, "Hermes asked it one question and left it behind (#74053)",
			reapRemedy(s, ClassProbes))
	}
	if s.Stranded {
		d.add(DiagnosisWarning, "stranded", subject, "it still runs although its session is over; Hermes never takes it back (#75467)",
			reapRemedy(s, ClassStranded))
	}
}

func joinWords(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + "; " + second
}

func violationRemedy(s *Sandbox, name string) string {
	command := "on"
	if s.Policy != nil && s.Policy.Position == PositionAllowlist {
		command = "allowlist"
	}
	return fmt.Sprintf("hermes-sandbox lockdown %s --sandbox %s, or remove it so that Hermes makes one by the policy", command, name)
}

// reapRemedy is the command that takes a sandbox by its class.
func reapRemedy(s *Sandbox, class ReapClass) string {
	return fmt.Sprintf("hermes-sandbox reap --profile %s --include %s", s.Profile.Display(), class)
}

// voidRemedy says where what voids the isolation comes from.
func voidRemedy(code, name string) string {
	where := "terminal.docker_extra_args"
	switch code {
	case "engine-socket", "sensitive-mount":
		where = "terminal.docker_volumes"
	}
	return fmt.Sprintf("take it out of %s, then hermes-sandbox remove %s", where, name)
}
