package ui

import (
	"fmt"
	"strings"
	"time"

	"hermes-sandbox/model"
)

func (m *Model) nameCell(s *model.Sandbox) string {
	if s.Name.Empty() {
		return s.ID.Short()
	}
	return label(s.Name, m.theme.Glyphs.Escaped)
}

// taskCell shows the session's title where there is one, else where it comes
// from: both say more than the task's key.
func (m *Model) taskCell(s *model.Sandbox) string {
	if !s.Session.Title.Empty() {
		return `"` + identity(s.Session.Title, m.theme.Glyphs.Escaped) + `"`
	}
	if !s.Session.Source.Empty() {
		return identity(s.Session.Source, m.theme.Glyphs.Escaped)
	}
	if s.Task.Empty() {
		return m.theme.Glyphs.Dash
	}
	return label(s.Task, m.theme.Glyphs.Escaped)
}

func stateCell(_ *Model, s *model.Sandbox) string { return stateWord(s.State) }

// stateWord shows a state, which the engine words.
func stateWord(state model.State) string {
	if state == "" {
		return "unknown"
	}
	return cell(model.NewText(string(state)))
}

func stateTone(s *model.Sandbox) tone {
	switch s.State {
	case model.StateRunning:
		return toneText
	case model.StateExited, model.StateCreated:
		return toneDim
	default:
		return toneWarn
	}
}

func (m *Model) ageCell(s *model.Sandbox) string {
	age, known := s.Age(m.engineNow(s.Engine))
	if !known {
		return m.theme.Glyphs.Dash
	}
	return model.ShortAge(age)
}

// idleCell shows for how long no command has run, with a plus where it can have
// been longer.
func (m *Model) idleCell(s *model.Sandbox) string {
	idle, known := s.Idle.For(m.engineNow(s.Engine))
	switch {
	case !known:
		return m.theme.Glyphs.Dash
	case s.Idle.Running:
		return "now"
	case s.Idle.AtLeast:
		return model.ShortAge(idle) + "+"
	default:
		return model.ShortAge(idle)
	}
}

func idleTone(s *model.Sandbox) tone {
	if s.Idle.Marked != nil && *s.Idle.Marked {
		return toneText
	}
	return toneDim
}

// stateSince returns since when a sandbox is in its state, on the engine's
// clock; zero when that is not known.
func (m *Model) stateSince(s *model.Sandbox) time.Time {
	switch s.State {
	case model.StateRunning, model.StatePaused, model.StateRestarting:
		if s.StartedAt.Known() {
			return s.StartedAt.Time
		}
	case model.StateExited, model.StateDead:
		if s.FinishedAt.Known() {
			return s.FinishedAt.Time
		}
	case model.StateCreated, model.StateRemoving:
	}
	return s.CreatedAt.Time
}

// networkCell names the declared mode and, where they differ, what is really
// attached. Whose network is shared is told beside the list.
func networkCell(_ *Model, s *model.Sandbox) string {
	word := safe(s.NetworkWords())
	if strings.HasPrefix(word, "container:") {
		return "container"
	}
	return word
}

// postureWord returns a posture level as the screen words it.
func postureWord(level model.Level) string {
	switch level {
	case model.LevelCutOff:
		return "cut off"
	case model.LevelCredentialProxied:
		return "proxied"
	case "":
		return string(model.LevelUnknown)
	default:
		return safe(string(level))
	}
}

// posture returns a posture with its glyph.
func (m *Model) posture(level model.Level) string {
	return m.theme.Glyphs.Posture(string(level)) + " " + postureWord(level)
}

func (m *Model) postureCell(s *model.Sandbox) string {
	text := m.posture(s.Posture.Level)
	if s.Posture.Level == model.LevelShared && s.Posture.Effective != "" {
		text = m.theme.Glyphs.Posture(string(model.LevelShared)) + " " + postureWord(s.Posture.Effective)
	}
	if s.Posture.Drifted {
		text += " !"
	}
	if count := len(m.requests.undecided[s.Key()]); count > 0 {
		text += fmt.Sprintf(" %s%d", m.theme.Glyphs.Fail, count)
	}
	return text
}

func postureTone(s *model.Sandbox) tone {
	switch {
	case s.Violation != nil && *s.Violation:
		return toneAlarm
	case s.Posture.Drifted:
		return toneWarn
	}
	return levelTone(s.Posture.Effective)
}

// levelTone says how a level looks where no policy speaks against it.
func levelTone(level model.Level) tone {
	switch level {
	case model.LevelAirGapped, model.LevelCutOff:
		return toneCalm
	case model.LevelInternal, model.LevelAllowlist, model.LevelCredentialProxied:
		return toneText
	default:
		return toneWarn
	}
}

func reapCell(_ *Model, s *model.Sandbox) string {
	if s.Reap.Verdict == model.ReapSpared {
		return safe(string(s.Reap.Reason))
	}
	return safe(string(s.Reap.Verdict))
}

func reapTone(s *model.Sandbox) tone {
	if s.Orphan {
		return toneWarn
	}
	return toneDim
}

func reuseCell(_ *Model, s *model.Sandbox) string { return safe(string(s.Reuse.Verdict)) }

func findingsCell(m *Model, s *model.Sandbox) string {
	void, weak := countFindings(s)
	switch {
	case void > 0:
		return plural(void, "void", "void")
	case weak > 0:
		return plural(weak, "weak", "weak")
	default:
		return m.theme.Glyphs.Dash
	}
}

func findingsTone(s *model.Sandbox) tone {
	void, weak := countFindings(s)
	switch {
	case void > 0:
		return toneAlarm
	case weak > 0:
		return toneWarn
	default:
		return toneDim
	}
}

func countFindings(s *model.Sandbox) (void, weak int) {
	for _, f := range s.Findings {
		switch f.Severity {
		case model.SeverityVoid:
			void++
		case model.SeverityWeak:
			weak++
		case model.SeverityInfo:
		}
	}
	return void, weak
}

func imageCell(_ *Model, s *model.Sandbox) string { return cell(s.Image) }
func idCell(_ *Model, s *model.Sandbox) string    { return s.ID.Short() }
func dimTone(*model.Sandbox) tone                 { return toneDim }

// engineCell names the engine. What all addresses of sockets begin with goes,
// so that two of them look different in a narrow column.
func engineCell(_ *Model, s *model.Sandbox) string {
	return cell(model.NewText(strings.TrimPrefix(s.Engine, "unix://")))
}
