package ui

import "time"

// noteKind is how much a message asks for attention.
type noteKind int

const (
	noteCalm noteKind = iota
	noteWarn
	noteAlarm
)

func (k noteKind) tone() tone {
	switch k {
	case noteWarn:
		return toneWarn
	case noteAlarm:
		return toneAlarm
	default:
		return toneText
	}
}

// say puts a message on the line above the footer, with the model's time.
func (m *Model) say(kind noteKind, text string) {
	m.noted(noted{text: text, kind: kind, at: m.now})
}

func (m *Model) noted(n noted) { m.note = n }

// timer is the one timer of the dashboard: it is set for the moment at which
// a shown age reads differently.
type timer struct {
	generation int
	due        time.Time // zero: not set
	stop       func()    // ends the one that runs; nil: none ever did
}

// settling is the quiet time after a dialog appeared, in which no key confirms
// anything.
type settling struct {
	generation int
	done       bool
}

// settle ends the quiet time, unless a key or another dialog began a new one.
func (s *settling) settle(generation int) {
	if generation == s.generation {
		s.done = true
	}
}

// begin starts a quiet time and returns its generation.
func (s *settling) begin() int {
	s.generation++
	s.done = false
	return s.generation
}
