package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Text is a string that came from outside: the engine, a configuration file
// or the session database. Its raw value serves equality, filters, requests
// and JSON. Only what [Text.Display] returns may reach a terminal, and it is
// never escaped a second time. Two different values never display as the same
// string.
//
// The zero value is the empty text. Text is comparable, so it can be a map key.
type Text struct{ raw string }

// NewText marks a string as coming from outside.
func NewText(raw string) Text { return Text{raw: raw} }

// Raw returns the value as it came in. It must not reach a terminal.
func (t Text) Raw() string { return t.raw }

// Empty reports whether the text has no bytes.
func (t Text) Empty() bool { return t.raw == "" }

// String returns Display, so that a stray %s cannot write control characters.
func (t Text) String() string { return t.Display() }

// GoString returns the display form, for the same reason as String.
func (t Text) GoString() string { return strconv.Quote(t.Display()) }

// Escaped reports whether Display differs from the raw value.
func (t Text) Escaped() bool { return t.Display() != t.raw }

// MarshalJSON writes the raw value; bytes that are no UTF-8 become U+FFFD.
// [MarshalJSON] then escapes control, bidi and zero-width characters.
func (t Text) MarshalJSON() ([]byte, error) {
	return json.Marshal(t.raw) //nolint:wrapcheck // a string always marshals
}

// MarshalText lets a Text be a key of a JSON object.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.raw), nil }

// UnmarshalJSON reads a JSON string; null leaves the empty text.
func (t *Text) UnmarshalJSON(data []byte) error {
	var raw string
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("text is not a JSON string: %w", err)
	}
	t.raw = raw
	return nil
}

// UnmarshalText reads a JSON object key.
func (t *Text) UnmarshalText(data []byte) error {
	t.raw = string(data)
	return nil
}

// DetailCap is how many bytes of a single value a detail view shows.
const DetailCap = 4096

// Capped returns the display form of at most limit bytes of the text; what is
// left out is counted behind it, such as "(+99 744 B)". Characters are never
// split.
func (t Text) Capped(limit int) string {
	if len(t.raw) <= limit {
		return t.Display()
	}
	cut := max(0, limit)
	for i := 0; i < utf8.UTFMax && cut > 0 && !utf8.RuneStart(t.raw[cut]); i++ {
		cut--
	}
	return NewText(t.raw[:cut]).Display() + " (+" + groupDigits(len(t.raw)-cut) + " B)"
}

// groupDigits writes a count with a space between groups of three digits.
func groupDigits(count int) string {
	digits := strconv.Itoa(count)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + " " + digits[at:]
	}
	return digits
}
