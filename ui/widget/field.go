package widget

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// Field is a one-line text field without a blinking cursor, so that it needs
// no timer. It takes keys only; what a terminal pastes is the owner's choice.
type Field struct {
	input textinput.Model
}

// NewField returns an empty field that takes up to limit characters.
func NewField(limit int) Field {
	input := textinput.New()
	input.Prompt = ""
	input.CharLimit = limit
	input.SetVirtualCursor(false)
	// The binding would start a helper program to read the clipboard.
	input.KeyMap.Paste.SetEnabled(false)
	input.Focus()
	return Field{input: input}
}

// Value returns the text as typed.
func (f *Field) Value() string { return f.input.Value() }

// SetValue replaces the text; the cursor goes to its end.
func (f *Field) SetValue(value string) {
	f.input.SetValue(value)
	f.input.CursorEnd()
}

// Update handles one message, a key or a paste, and reports whether the text
// changed.
func (f *Field) Update(msg tea.Msg) bool {
	before := f.input.Value()
	f.input, _ = f.input.Update(msg)
	return f.input.Value() != before
}

// Parts returns the text before and after the cursor, as typed.
func (f *Field) Parts() (before, after string) {
	runes := []rune(f.input.Value())
	at := Clamp(f.input.Position(), 0, len(runes))
	return string(runes[:at]), string(runes[at:])
}
