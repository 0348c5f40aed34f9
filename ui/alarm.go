package ui

import (
	"slices"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// lostLockdown is the alarm about sandboxes that were locked down, by their
// policy or cut off here alone, and have a way out again. It stays until they
// are in line, a person acts on it or lets it be.
type lostLockdown struct {
	keys []model.Key
	at   time.Time
}

// watchLockdown raises the alarm at once, and lowers it for what is in line
// again or gone.
func (m *Model) watchLockdown(old *model.Fleet, places map[model.Key]int) {
	m.lost.keys = slices.DeleteFunc(m.lost.keys, func(key model.Key) bool {
		at, known := m.index[key]
		return !known || !lost(&m.fleet.Sandboxes[at])
	})
	if old == nil {
		return
	}
	for i := range m.fleet.Sandboxes {
		s := &m.fleet.Sandboxes[i]
		at, known := places[s.Key()]
		if known && broke(&old.Sandboxes[at], s) && !m.reconnectedHere(s.Key()) {
			m.lost.keys, m.lost.at = append(m.lost.keys, s.Key()), m.now
		}
	}
}

func violating(s *model.Sandbox) bool { return s.Violation != nil && *s.Violation }

// lost reports whether a sandbox is not as closed as its policy, or the cut or
// the move made here, wants it. One that is being taken back here is not whole
// any more.
func lost(s *model.Sandbox) bool {
	return violating(s) || s.Cut != nil && s.Cut.Complete && !held(s)
}

// held reports whether a sandbox with a record of ours is as closed as that
// made it: without a way out, or for one that was moved onto an allowlist, with
// none past that.
func held(s *model.Sandbox) bool {
	if !s.Cut.Onto.Empty() {
		return model.Openness(s.Posture.Effective) <= model.Openness(model.LevelAllowlist)
	}
	return closedLevel(s.Posture.Effective)
}

// broke reports whether a sandbox came out of line under a policy that was
// locked or had an allowlist before and still is, or was cut off or moved onto
// an allowlist here and no longer is.
func broke(was, is *model.Sandbox) bool {
	closed := func(s *model.Sandbox) bool {
		return s.Policy != nil && (s.Policy.Position == model.PositionLocked || s.Policy.Position == model.PositionAllowlist)
	}
	if closed(was) && closed(is) && was.Violation != nil && !*was.Violation && violating(is) {
		return true
	}
	return was.Cut != nil && held(was) && lost(is) && !violating(is)
}

// reconnectedHere reports whether the last action connected a sandbox itself.
func (m *Model) reconnectedHere(key model.Key) bool {
	if m.run == nil {
		return false
	}
	at, in := m.run.place[key]
	if !in {
		return false
	}
	method := m.run.plan.Targets[at].Method
	return method == model.MethodReconnect || method == model.MethodReconnectHot ||
		method == model.MethodMove && !m.run.finished // off its old networks it is not yet what it will be
}

// lostAlert is the alarm in words, empty when there is none.
func (m *Model) lostAlert() string {
	if len(m.lost.keys) == 0 {
		return ""
	}
	const named = 3
	var names []string
	for _, key := range m.lost.keys[:min(len(m.lost.keys), named)] {
		s := &m.fleet.Sandboxes[m.index[key]]
		names = append(names, m.nameCell(s)+networkWords(s))
	}
	text := m.lost.at.UTC().Format("15:04:05") + "  " + m.lostWords() + ": " + strings.Join(names, ", ")
	if more := len(m.lost.keys) - named; more > 0 {
		text += " and " + plural(more, "more", "more")
	}
	if key := m.keys.keyOf("cut"); key != "" && !m.options.ReadOnly {
		text += ": " + key + " cuts " + pronoun(len(m.lost.keys)) + " off again, esc lets be"
	}
	return text
}

// lostWords says what was lost: the lockdown of some, or of all no more than
// that an allowlist is the only way out.
func (m *Model) lostWords() string {
	for _, key := range m.lost.keys {
		s := &m.fleet.Sandboxes[m.index[key]]
		listed := s.Cut != nil && !s.Cut.Onto.Empty() || s.Policy != nil && s.Policy.Position == model.PositionAllowlist
		if !listed {
			return "locked down, and a way out again"
		}
	}
	return "on an allowlist, and a way past it"
}

func networkWords(s *model.Sandbox) string {
	var names []string
	for _, endpoint := range s.Networks.Endpoints {
		if endpoint.Network.Raw() != "none" {
			names = append(names, cell(endpoint.Network))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " on " + strings.Join(names, ", ")
}

func pronoun(count int) string {
	if count == 1 {
		return "it"
	}
	return "them"
}
