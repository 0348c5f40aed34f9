package ui

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
)

// writeOverview is the first tab: what the sandbox can reach, whether that is
// in line, what Hermes will do with it, then what it is.
func (m *Model) writeOverview(p *page, s *model.Sandbox) {
	m.writePosture(p, s)
	m.writePolicyLine(p, s)
	p.styled("reuse", withReason(string(s.Reuse.Verdict), s.Reuse.Reason), p.theme.Styles.Text)
	reap := p.theme.Styles.Text
	if s.Orphan {
		reap = p.theme.Styles.Warn
	}
	p.styled("reap", withReason(string(s.Reap.Verdict), reapDetail(s.Reap)), reap)
	if s.Stranded {
		p.styled("stranded", "its session is over, yet it runs on; Hermes never takes such a one back", p.theme.Styles.Warn)
	}
	m.writeIdle(p, s)
	if s.Problem != "" {
		p.styled("problem", safe(s.Problem), p.theme.Styles.Warn)
	}
	if s.InspectError != "" {
		p.styled("problem", "not inspected: "+safe(s.InspectError), p.theme.Styles.Warn)
	}
	p.blank()
	m.writeState(p, s)
	p.blank()
	m.writeIdentity(p, s)
	m.writeFindings(p, s)
	m.writeLimits(p, s)
	m.writeLabels(p, s)
}

// withReason joins a verdict and its reason.
func withReason(verdict, reason string) string {
	if reason == "" {
		return safe(verdict)
	}
	return safe(verdict) + ": " + safe(reason)
}

func reapDetail(r model.Reap) string {
	if r.Detail != "" {
		return r.Detail
	}
	return string(r.Reason)
}

func (m *Model) writePosture(p *page, s *model.Sandbox) {
	text := m.posture(s.Posture.Level)
	if s.Posture.Level == model.LevelShared && s.Posture.Effective != "" {
		text += ", in effect " + m.posture(s.Posture.Effective)
	}
	text += "  (" + safe(string(s.Posture.Evidence)) + ")"
	if s.Posture.Drifted {
		text += "  drifted"
	}
	if s.Posture.Latched {
		text += "  latched"
	}
	p.styled("posture", text, m.style(postureTone(s)))
	for _, reason := range s.Posture.Reasons {
		p.styled("", safe(reason), p.theme.Styles.Dim)
	}
}

func (m *Model) writePolicyLine(p *page, s *model.Sandbox) {
	if s.Policy == nil {
		p.styled("policy", "not known", p.theme.Styles.Dim)
	} else {
		p.field("policy", policyWords(s.Policy))
	}
	p.field("hosts", m.hostsLine(s))
	if count := len(m.requests.undecided[s.Key()]); count > 0 {
		p.styled("requests", undecidedWords(count)+"; "+m.keys.keyOf("hosts")+" lists them", p.theme.Styles.Warn)
	}
	switch {
	case s.Violation == nil:
		p.styled("violation", withReason("not known", s.ViolationReason), p.theme.Styles.Dim)
	case *s.Violation:
		p.styled("violation", withReason("yes", s.ViolationReason), p.theme.Styles.Alarm)
	default:
		p.field("violation", "none")
	}
}

// policyWords says what a policy asks of the network, and where that comes
// from.
func policyWords(policy *model.Policy) string {
	words := safe(string(policy.Position))
	if policy.Position == model.PositionLocked {
		words = "locked: air-gapped asked for"
	}
	source, ok := policy.Sources["docker_network"]
	if policy.Position == model.PositionAllowlist {
		source, ok = policy.Sources["position"]
	}
	if ok {
		words += " (" + safe(string(source)) + ")"
	}
	return words
}

func (m *Model) writeState(p *page, s *model.Sandbox) {
	state := stateWord(s.State)
	if since := m.stateSince(s); !since.IsZero() {
		state += " " + p.duration(since)
		if s.State == model.StateExited || s.State == model.StateDead {
			state += " ago"
		}
	}
	if s.Inspected && (s.State == model.StateExited || s.State == model.StateDead) {
		state += fmt.Sprintf(", exit code %d", s.ExitCode)
	}
	if s.OOMKilled {
		state += ", out of memory"
	}
	if s.Health.Raw() != "" && s.Health.Raw() != "none" {
		state += ", " + cell(s.Health)
	}
	p.styled("state", state, m.style(stateTone(s)))
	if !s.StateError.Empty() {
		p.styled("", value(s.StateError), p.theme.Styles.Warn)
	}
	p.stamp("created", s.CreatedAt)
	p.stamp("started", s.StartedAt)
	if s.State != model.StateRunning {
		p.stamp("finished", s.FinishedAt)
	}
	if n := len(s.ExecIDs); n > 0 && s.State == model.StateRunning {
		p.field("commands", plural(n, "exec is", "execs are")+" known to the engine")
	}
}

func (m *Model) writeIdentity(p *page, s *model.Sandbox) {
	mark := m.theme.Glyphs.Escaped
	p.field("name", label(s.Name, mark))
	p.field("id", raw(string(s.ID)))
	p.field("engine", raw(s.Engine))
	p.field("profile", orNone(label(s.Profile, mark)))
	p.field("task", orNone(label(s.Task, mark)))
	scope := safe(string(s.Scope)) + ", generation " + safe(string(s.Generation))
	if s.Foreign {
		scope += ", foreign: never acted on in bulk"
	}
	if s.Inherited {
		scope += ", labels inherited from its image"
	}
	p.field("scope", scope)
	home := m.homePath(s.Home)
	if home == "" {
		home = "not known"
	}
	p.field("home", home)
	p.field("image", value(s.Image))
	words := make([]string, len(s.Command))
	for i, word := range s.Command {
		words[i] = value(word)
	}
	p.field("command", strings.Join(words, " "))
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return text
}

func (m *Model) writeFindings(p *page, s *model.Sandbox) {
	if len(s.Findings) == 0 {
		return
	}
	p.heading("Findings")
	for _, f := range s.Findings {
		p.item(safe(string(f.Severity)), safe(f.Code)+": "+safe(f.Detail), m.severityStyle(f.Severity))
	}
}

func (m *Model) severityStyle(severity model.Severity) theme.Look {
	switch severity {
	case model.SeverityVoid:
		return m.theme.Styles.Alarm
	case model.SeverityWeak:
		return m.theme.Styles.Warn
	default:
		return m.theme.Styles.Text
	}
}

func (m *Model) writeLimits(p *page, s *model.Sandbox) {
	if !s.Inspected {
		return
	}
	p.heading("Limits")
	h := &s.Host
	p.field("memory", limit(h.Memory > 0, byteSize(h.Memory)))
	p.field("cpus", limit(h.NanoCPUs > 0, fmt.Sprintf("%.4g", float64(h.NanoCPUs)/1e9)))
	p.field("processes", limit(h.PidsLimit > 0, fmt.Sprintf("%d", h.PidsLimit)))
	p.field("user", orNone(value(s.User)))
	p.field("workdir", value(s.WorkingDir))
	if !h.RestartPolicy.Empty() {
		p.field("restart", value(h.RestartPolicy))
	}
}

func limit(set bool, text string) string {
	if !set {
		return "no limit"
	}
	return text
}

func (m *Model) writeLabels(p *page, s *model.Sandbox) {
	if len(s.Labels) == 0 {
		return
	}
	p.heading("Labels")
	for _, key := range sortedTexts(s.Labels) {
		p.paragraph(identity(key, m.theme.Glyphs.Escaped)+" = "+value(s.Labels[key]), p.theme.Styles.Text)
	}
}

func sortedTexts(labels map[model.Text]model.Text) []model.Text {
	keys := make([]model.Text, 0, len(labels))
	for key := range labels {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b model.Text) int { return strings.Compare(a.Raw(), b.Raw()) })
	return keys
}
