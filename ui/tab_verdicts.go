package ui

import (
	"fmt"
	"strconv"
	"time"

	"hermes-sandbox/model"
)

// writeVerdicts shows what Hermes will do and every rule that led there.
func (m *Model) writeVerdicts(p *page, s *model.Sandbox) {
	p.heading("Next start of " + orNone(label(s.Task, m.theme.Glyphs.Escaped)))
	p.styled("verdict", withReason(string(s.Reuse.Verdict), s.Reuse.Reason), p.theme.Styles.Text)
	for _, a := range s.Reuse.Alternatives {
		p.field("or", safe(a.When)+": "+withReason(string(a.Verdict), a.Reason))
	}
	m.writeRules(p, s.Reuse.Rules.Checks())
	p.heading("Orphan reaper")
	style := p.theme.Styles.Text
	if s.Orphan {
		style = p.theme.Styles.Warn
	}
	p.styled("verdict", withReason(string(s.Reap.Verdict), reapDetail(s.Reap)), style)
	if in := s.Reap.InSeconds; in != nil && *in > 0 {
		p.field("time left", p.left(time.Duration(*in)*time.Second-m.now.Sub(m.fleet.GeneratedAt)))
	}
	m.writeRules(p, s.Reap.Rules.Checks())
	m.writeSharing(p, s)
	m.writePolicy(p, s.Policy)
}

func (m *Model) writeRules(p *page, rules []model.RuleCheck) {
	for _, r := range rules {
		sign, style := m.theme.Glyphs.NotReached, p.theme.Styles.Dim
		switch r.Outcome {
		case model.RulePass:
			sign, style = m.theme.Glyphs.Pass, p.theme.Styles.Text
		case model.RuleFail:
			sign, style = m.theme.Glyphs.Fail, p.theme.Styles.Bold
		case model.RuleNotReached:
		}
		text := safe(r.Rule)
		if r.Outcome == model.RuleFail {
			text += " decides"
		}
		if r.Detail != "" {
			text += ": " + safe(r.Detail)
		}
		p.item(sign, text, style)
	}
}

// writePolicy lists the values the verdicts rest on, with their sources.
func (m *Model) writePolicy(p *page, policy *model.Policy) {
	if policy == nil {
		return
	}
	p.heading("Policy")
	line := func(key, text string) {
		if text == "" {
			text = "not known"
		}
		if source, ok := policy.Sources[key]; ok {
			text += "  (" + safe(string(source)) + ")"
		}
		p.paragraph(key+" = "+text, p.theme.Styles.Text)
	}
	line("docker_network", boolWord(policy.DockerNetwork))
	line("orphan_reaper", boolWord(policy.OrphanReaper))
	line("persist_across_processes", boolWord(policy.PersistAcrossProcesses))
	line("container_persistent", boolWord(policy.ContainerPersistent))
	line("lifetime_seconds", numberWord(policy.LifetimeSeconds))
	line("reap_after_seconds", numberWord(policy.ReapAfterSeconds))
	if policy.Image != nil {
		line("image", raw(*policy.Image))
	}
	for _, n := range policy.Notes {
		p.item(m.theme.Glyphs.Alert, safe(n.Detail), p.theme.Styles.Warn)
	}
}

func boolWord(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func numberWord(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// writeSession shows the Hermes session a sandbox serves.
func (m *Model) writeSession(p *page, s *model.Sandbox) {
	session := &s.Session
	p.field("state", sessionWords(session.State))
	p.field("title", identity(session.Title, m.theme.Glyphs.Escaped))
	p.field("id", value(session.ID))
	p.field("source", value(session.Source))
	p.when("active", session.LastActivityAt)
	if session.TurnRunning {
		p.field("turn", "running now")
	}
	p.field("ended by", value(session.EndReason))
	if len(session.Candidates) > 1 {
		p.heading("Could be any of")
		for _, c := range session.Candidates {
			p.item(m.theme.Glyphs.Dot, value(c), p.theme.Styles.Text)
		}
	}
	m.writeIdle(p, s)
	m.writeSharing(p, s)
}

// writeIdle says for how long no command has run in a running sandbox, and
// whether it counts as idle.
func (m *Model) writeIdle(p *page, s *model.Sandbox) {
	if s.State != model.StateRunning {
		return
	}
	words := "not known"
	switch idle := &s.Idle; {
	case idle.Running:
		words = "no, a command may be running"
	case idle.Since.IsZero():
	case idle.AtLeast:
		// For the first second after the start that would say nothing.
		if age := p.now.Sub(idle.Since); age < time.Second {
			p.waits = append(p.waits, time.Second-age)
		} else {
			words = "for at least " + p.duration(idle.Since)
		}
	default:
		words = "for " + p.duration(idle.Since)
	}
	switch marked := s.Idle.Marked; {
	case marked == nil:
		p.styled("idle", withReason(words, s.Idle.Reason), p.theme.Styles.Dim)
	case *marked:
		p.field("idle", withReason("yes, "+words, s.Idle.Reason))
	default:
		p.field("idle", words)
	}
}

// writeSharing lists the other sandboxes of the same profile and task: twins,
// duplicates, what subagents use.
func (m *Model) writeSharing(p *page, s *model.Sandbox) {
	others := m.sharing(s)
	if len(others) == 0 {
		return
	}
	p.heading("Also of task " + orNone(label(s.Task, m.theme.Glyphs.Escaped)))
	for _, other := range others {
		p.item(m.theme.Glyphs.Dot, fmt.Sprintf("%s, %s, %s", m.nameCell(other), stateWord(other.State), safe(string(other.Reuse.Verdict))), p.theme.Styles.Text)
	}
}

func sessionWords(state model.SessionState) string {
	switch state {
	case model.SessionNone, "":
		return "none: the sandbox belongs to no session"
	case model.SessionUnknown:
		return "not known: the database cannot be read, or several sessions fit"
	case model.SessionEnded:
		return "ended"
	case model.SessionLive:
		return "live"
	case model.SessionIdle:
		return "idle: silent for longer than its lifetime"
	default:
		return safe(string(state))
	}
}

// sharing returns the other sandboxes of the same profile and task.
func (m *Model) sharing(s *model.Sandbox) []*model.Sandbox {
	var out []*model.Sandbox
	for i := range m.fleet.Sandboxes {
		other := &m.fleet.Sandboxes[i]
		if other.Key() != s.Key() && other.Profile == s.Profile && other.Task == s.Task && other.Home == s.Home {
			out = append(out, other)
		}
	}
	return out
}
