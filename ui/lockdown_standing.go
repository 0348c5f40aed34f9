package ui

import (
	"fmt"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// closedLevel reports whether nothing leads out at a level.
func closedLevel(level model.Level) bool {
	return level == model.LevelAirGapped || level == model.LevelCutOff
}

// standing counts sandboxes by what they reach.
type standing struct{ closed, listed, total int }

func (s *standing) count(level model.Level) {
	s.total++
	switch {
	case closedLevel(level):
		s.closed++
	case level == model.LevelAllowlist:
		s.listed++
	}
}

func (s standing) words() string {
	text := fmt.Sprintf("%d of %s without a way out", s.closed, plural(s.total, "sandbox", "sandboxes"))
	if s.listed > 0 {
		text += fmt.Sprintf(", %d on an allowlist", s.listed)
	}
	return text
}

// standing counts the plan's sandboxes as they are and as they will be.
// Removed ones are no longer counted then.
func (d *planDialog) standing(m *Model) (before, after standing) {
	rows := make(map[model.Key]*model.Target, len(d.plan.Targets))
	for i := range d.plan.Targets {
		rows[targetKey(&d.plan.Targets[i])] = &d.plan.Targets[i]
	}
	for i := range d.plan.Targets {
		t := &d.plan.Targets[i]
		at, known := m.index[targetKey(t)]
		if !known {
			continue
		}
		s := &m.fleet.Sandboxes[at]
		before.count(s.Posture.Effective)
		if owner := rows[model.Key{Engine: s.Engine, ID: s.Posture.Target}]; t.Decision != model.DecisionAct && owner != nil {
			t = owner
		}
		if level, left := levelAfter(t, s.Posture.Effective); left {
			after.count(level)
		}
	}
	return before, after
}

// levelAfter is what a sandbox reaches once its row is carried out. Left is
// false for one that is removed.
func levelAfter(t *model.Target, now model.Level) (level model.Level, left bool) {
	switch t.Method {
	case model.MethodRemove, model.MethodRemoveForce, model.MethodStopRemove:
		return "", false
	case model.MethodMove, model.MethodRebuild:
		if t.Allowlist != nil {
			return model.LevelAllowlist, true
		}
		return model.LevelAirGapped, true
	case model.MethodCut:
		return model.LevelCutOff, true
	case model.MethodReconnect, model.MethodReconnectHot:
		return model.LevelOpen, true
	default:
		return now, true
	}
}

// beforeAfterLines say how things stand now and how they will.
func (d *planDialog) beforeAfterLines(m *Model, width int) []string {
	before, after := d.standing(m)
	now, then := "", ""
	for i, seen := 0, map[string]bool{}; i < len(d.plan.Config); i++ {
		edit := &d.plan.Config[i]
		if seen[edit.File] {
			continue
		}
		seen[edit.File] = true
		is := "position not known"
		if p := m.homeOf(func(p *model.Profile) bool { return p.ConfigFile == edit.File }); p != nil && p.Policy != nil {
			is = m.positionHint(p)
		}
		will := is
		if !refusedFile(&d.plan, edit.File) {
			will = d.positionAfter(m)
		}
		now += raw(edit.Profile.Raw()) + " " + is + ", "
		then += raw(edit.Profile.Raw()) + " " + will + ", "
	}
	styles := m.theme.Styles
	clip := func(text string) string { return widget.Clip(text, width, m.theme.Glyphs.Ellipsis) }
	return []string{
		styles.Text.Render(clip("before     " + now + before.words())),
		styles.Bold.Render(clip("after      " + then + after.words())),
	}
}

// refusedFile reports whether a change of a file is refused.
func refusedFile(plan *model.Plan, file string) bool {
	for i := range plan.Config {
		if plan.Config[i].File == file && plan.Config[i].Outcome == model.OutcomeRefused {
			return true
		}
	}
	return false
}

// positionAfter says the position that the plan brings.
func (d *planDialog) positionAfter(m *Model) string {
	switch d.plan.Action {
	case model.ActionLockdownOn:
		return positionWord(model.PositionLocked)
	case model.ActionLockdownAllowlist:
		return positionWord(model.PositionAllowlist) + " of " + plural(len(d.hosts(m)), "host", "hosts")
	default:
		return positionWord(model.PositionOpen)
	}
}

// positionWord says a position as a person does.
func positionWord(position model.Position) string {
	switch position {
	case model.PositionLocked:
		return "locked down"
	case model.PositionUnknown, "":
		return "position not known"
	default:
		return strings.ReplaceAll(safe(string(position)), "-", " ")
	}
}
