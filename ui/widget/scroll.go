package widget

import "strings"

// Follow returns the offset that keeps the cursor inside a window of height
// lines over total ones, moving the window as little as possible.
func Follow(cursor, offset, height, total int) int {
	if height <= 0 {
		return 0
	}
	if cursor < offset {
		offset = cursor
	}
	if cursor >= offset+height {
		offset = cursor - height + 1
	}
	return Clamp(offset, 0, max(0, total-height))
}

// Clamp returns value moved into low..high; low wins when they cross.
func Clamp(value, low, high int) int {
	return max(low, min(value, high))
}

// Scroll is a window over lines of text. The zero value is empty.
type Scroll struct {
	width, height int
	offset        int
	lines         []string
}

// SetSize sets the window's size in columns and lines.
func (s *Scroll) SetSize(width, height int) {
	s.width, s.height = max(0, width), max(0, height)
	s.By(0)
}

// SetLines sets the text. The place stays, as far as there is text.
func (s *Scroll) SetLines(lines []string) {
	s.lines = lines
	s.By(0)
}

// By moves the window by a number of lines.
func (s *Scroll) By(lines int) {
	s.offset = Clamp(s.offset+lines, 0, max(0, len(s.lines)-s.height))
}

// To moves the window to a line.
func (s *Scroll) To(line int) {
	s.offset = 0
	s.By(line)
}

// Bottom moves the window to the end.
func (s *Scroll) Bottom() { s.To(len(s.lines)) }

// Height returns the window's height.
func (s *Scroll) Height() int { return s.height }

// Top returns the number of the first line shown, from 0.
func (s *Scroll) Top() int { return s.offset }

// Lines returns the whole text.
func (s *Scroll) Lines() []string { return s.lines }

// Overflows reports whether there is more text than fits.
func (s *Scroll) Overflows() bool { return len(s.lines) > s.height }

// Seen returns the number of the last line shown and of all lines.
func (s *Scroll) Seen() (last, total int) {
	return min(len(s.lines), s.offset+s.height), len(s.lines)
}

// View returns exactly the window's lines, each of its width.
func (s *Scroll) View(ellipsis string) []string {
	from := min(s.offset, len(s.lines))
	return FitLines(s.lines[from:], s.width, s.height, ellipsis)
}

// Progress draws a bar of width columns, done of total filled.
func Progress(width, done, total int, full, empty string) string {
	if width <= 0 {
		return ""
	}
	filled := 0
	if total > 0 {
		filled = Clamp(done*width/total, 0, width)
	}
	return strings.Repeat(full, filled) + strings.Repeat(empty, width-filled)
}
