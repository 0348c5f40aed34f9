package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxCombining is the longest run of combining marks shown as they are; a
// longer one is escaped whole, since stacked marks can overwrite the lines
// around them.
const maxCombining = 3

// Display returns the text with everything that could change how a terminal
// draws, or that a person could not see, written as \xNN, \uNNNN or \UNNNNNNNN.
// Nothing is dropped. A backslash in front of such an escape, of a letter that
// would make it look like one, or of another backslash is doubled, so that the
// text can be read back from its display form.
func (t Text) Display() string {
	if plainASCII(t.raw) {
		return t.raw
	}
	out := escaper{}
	out.Grow(len(t.raw) + 16)
	for i := 0; i < len(t.raw); {
		r, size := utf8.DecodeRuneInString(t.raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out.writeHex(`\x%02x`, rune(t.raw[i]))
		case unicode.Is(unicode.M, r):
			size = out.writeMarks(t.raw[i:])
		case !Printable(r):
			out.writeEscape(r)
		default:
			out.writePlain(r)
		}
		i += size
	}
	out.flush('.')
	return out.String()
}

// plainASCII reports whether s needs no look at all: printable ASCII without a
// backslash.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f || s[i] == '\\' {
			return false
		}
	}
	return true
}

// escaper builds a display form.
type escaper struct {
	strings.Builder
	// backslash is set while one is held back until it is known what follows.
	backslash bool
	// base is set when the last thing written is a character that combining
	// marks may stand on, not an escape or what was on the screen before.
	base bool
}

// flush writes a backslash held back: doubled when the next character would
// make an escape of it.
func (e *escaper) flush(next rune) {
	if !e.backslash {
		return
	}
	e.backslash = false
	if strings.ContainsRune(`\xuU`, next) {
		e.WriteByte('\\')
	}
	e.WriteByte('\\')
}

func (e *escaper) writePlain(r rune) {
	e.flush(r)
	e.base = true
	if r == '\\' {
		e.backslash = true
		return
	}
	e.WriteRune(r)
}

// writeEscape writes a code point as an escape.
func (e *escaper) writeEscape(r rune) {
	switch {
	case r < 0x80:
		e.writeHex(`\x%02x`, r)
	case r <= 0xffff:
		e.writeHex(`\u%04x`, r)
	default:
		e.writeHex(`\U%08x`, r)
	}
}

func (e *escaper) writeHex(format string, code rune) {
	e.flush('\\')
	e.base = false
	fmt.Fprintf(&e.Builder, format, code)
}

// writeMarks writes the run of combining marks at the start of s and returns
// how many bytes it took. A run is escaped whole when it is longer than
// maxCombining, when one of its marks cannot be seen, and when there is no
// character to stand on: it would change what was drawn before it.
func (e *escaper) writeMarks(s string) int {
	end, count, plain := 0, 0, e.base
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		plain = plain && Printable(r)
		end += size
		count++
	}
	for _, r := range s[:end] {
		if plain && count <= maxCombining {
			e.writePlain(r)
		} else {
			e.writeEscape(r)
		}
	}
	return end
}

// Printable reports whether a code point may be shown as it is: no C0 or C1
// control, no bidi or zero-width character, no separator but the plain space,
// no filler or other blank, variation selector, tag, private-use or unassigned
// code point, and no replacement character, which could be any bytes.
func Printable(r rune) bool {
	switch {
	case r == ' ':
		return true
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e:
		return false
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x16fe4: // fillers
		return false
	case r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x1d159: // drawn blank
		return false
	case r == utf8.RuneError: // stands for bytes that were lost
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff, r >= 0x180b && r <= 0x180f:
		return false
	}
	return unicode.IsPrint(r)
}
