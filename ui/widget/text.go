// Package widget holds the small parts the panes are drawn with: exact cell
// widths, frames, a scrolling window, a progress bar, a text field. They know
// nothing of sandboxes. Text they are given is already safe to show.
//
// Widths are terminal columns as the renderer counts them. Every function
// takes any size, zero and negative ones included, and draws nothing then.
package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width returns how many columns a string takes.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// plain reports whether s is printable ASCII, whose width is its length.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Spaces returns a run of spaces, empty for widths below one.
func Spaces(width int) string {
	return strings.Repeat(" ", max(0, width))
}

// Clip cuts a string to at most width columns. What was cut is shown by the
// ellipsis, as far as that fits.
func Clip(s string, width int, ellipsis string) string {
	switch {
	case width <= 0:
		return ""
	case Width(s) <= width:
		return s
	case Width(ellipsis) > width:
		return ansi.Truncate(s, width, "")
	}
	return ansi.Truncate(s, width, ellipsis)
}

// Fit clips or pads a string to exactly width columns.
func Fit(s string, width int, ellipsis string) string {
	s = Clip(s, width, ellipsis)
	return s + Spaces(width-Width(s))
}

// FitRight is Fit with the text at the right edge.
func FitRight(s string, width int, ellipsis string) string {
	s = Clip(s, width, ellipsis)
	return Spaces(width-Width(s)) + s
}

// Spread puts left at the left edge and right at the right one. When both do
// not fit, right goes first.
func Spread(left, right string, width int, ellipsis string) string {
	room := width - Width(right)
	if right == "" || room < Width(left)+1 {
		return Fit(left, width, ellipsis)
	}
	return Fit(left, room, ellipsis) + right
}

// Wrap breaks unstyled text into lines of at most width columns: at spaces,
// and inside a word only when it is longer than a line. It returns at least one
// line. Runs of spaces inside a line stay as they are.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return []string{""}
	}
	if Width(s) <= width {
		return []string{s}
	}
	if indent := len(s) - len(strings.TrimLeft(s, " ")); indent > 0 && indent <= width/2 { // keeps its place, as in JSON
		lines := Wrap(s[indent:], width-indent)
		for i := range lines {
			lines[i] = Spaces(indent) + lines[i]
		}
		return lines
	}
	var lines []string
	line := ""
	for _, word := range strings.Split(s, " ") {
		joined := word
		if line != "" {
			joined = line + " " + word
		}
		if Width(joined) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		parts := strings.Split(ansi.Hardwrap(word, width, true), "\n")
		lines = append(lines, parts[:len(parts)-1]...)
		line = parts[len(parts)-1]
	}
	return append(lines, line)
}
