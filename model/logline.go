package model

import (
	"strings"
	"time"
)

// LogStream says which output of a container a line came from.
type LogStream string

// Streams of a log. A container with a terminal has one stream for both.
const (
	StreamStdout   LogStream = "stdout"
	StreamStderr   LogStream = "stderr"
	StreamTerminal LogStream = "terminal"
)

// LogLine is one line that a container wrote.
type LogLine struct {
	// At is the engine's time of the line; zero when it gave none.
	At     time.Time
	Stream LogStream
	Text   Text // without the line end
	// Cut is how many bytes of an overlong line were dropped behind Text.
	Cut int64
}

// tabWidth is what a tab becomes in a shown line. It is fixed, since the place
// of a tab stop depends on what is drawn in front of the line.
const tabWidth = 4

// Display returns the line for a terminal: colours stay, everything else that
// could act on the terminal is escaped (see [SafeSGR]). A carriage return at the
// end is part of the line end, and tabs become spaces.
func (l LogLine) Display() string {
	text := strings.TrimSuffix(l.Text.Raw(), "\r")
	shown := SafeSGR(strings.ReplaceAll(text, "\t", strings.Repeat(" ", tabWidth)))
	if l.Cut > 0 {
		shown += " (+" + groupDigits(int(l.Cut)) + " B)"
	}
	return shown
}

// maxSGR bounds the parameters of one colour sequence; no real one is as long.
const maxSGR = 64

// SafeSGR returns text in which only SGR sequences survive: ESC [, digits,
// semicolons and colons, m. Everything else that [Text.Display] escapes is
// escaped in the same way, so no other sequence, in its 7-bit or its 8-bit form,
// reaches the terminal. When a sequence was kept, the text ends with a reset, so
// that colours do not run on.
func SafeSGR(text string) string {
	if plainASCII(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text) + 16)
	kept := false
	for text != "" {
		start := strings.IndexByte(text, 0x1b)
		if start < 0 {
			out.WriteString(NewText(text).Display())
			break
		}
		size := sgrSize(text[start:])
		if size == 0 {
			// The escape character alone is looked at again with what follows,
			// so that marks and backslashes are escaped as in one text.
			next := nextSGR(text, start+1)
			out.WriteString(NewText(text[:next]).Display())
			text = text[next:]
			continue
		}
		out.WriteString(NewText(text[:start]).Display())
		out.WriteString(text[start : start+size])
		text = text[start+size:]
		kept = true
	}
	if kept {
		out.WriteString("\x1b[m")
	}
	return out.String()
}

// nextSGR returns where the next colour sequence begins, from a place on, or
// the end of the text.
func nextSGR(text string, from int) int {
	for from < len(text) {
		step := strings.IndexByte(text[from:], 0x1b)
		if step < 0 {
			return len(text)
		}
		from += step
		if sgrSize(text[from:]) > 0 {
			return from
		}
		from++
	}
	return len(text)
}

// sgrSize returns the length of the colour sequence that a text begins with; 0
// when it begins with none. Private markers such as ? and > and intermediate
// characters make other sequences of it, which change more than colours.
func sgrSize(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	for i := 2; i < len(text) && i < maxSGR; i++ {
		switch c := text[i]; {
		case c == 'm':
			return i + 1
		case c >= '0' && c <= '9', c == ';', c == ':':
		default:
			return 0
		}
	}
	return 0
}
