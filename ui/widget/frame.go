package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Look is how a piece of text is drawn.
type Look interface{ Render(text string) string }

// Edges are the characters of a frame.
type Edges struct {
	Horizontal, Vertical                       string
	TopLeft, TopRight, BottomLeft, BottomRight string
}

// Frame is a box with a title in its upper edge and a note in its lower one.
type Frame struct {
	Edges    Edges
	Style    Look   // of the edges
	Title    string // may be styled
	Note     string // may be styled
	Ellipsis string
}

// Draw puts lines into the frame, whose outer size is width by height. Lines
// that do not fit are cut, missing ones are blank.
func (f Frame) Draw(lines []string, width, height int) []string {
	if width < 2 || height < 2 {
		return Blank(width, height)
	}
	out := make([]string, 0, height)
	out = append(out, f.edge(f.Edges.TopLeft, f.Edges.TopRight, f.Title, width))
	side := f.Style.Render(f.Edges.Vertical)
	for i := range height - 2 {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out = append(out, side+Fit(line, width-2, f.Ellipsis)+side)
	}
	return append(out, f.edge(f.Edges.BottomLeft, f.Edges.BottomRight, f.Note, width))
}

// edge draws an upper or lower edge around a text.
func (f Frame) edge(left, right, text string, width int) string {
	room := width - 2
	if Width(text) == 0 || room < 4 { // styling nothing leaves no blank in the edge
		return f.Style.Render(left + strings.Repeat(f.Edges.Horizontal, room) + right)
	}
	text = Clip(text, room-2, f.Ellipsis)
	rest := room - 2 - Width(text)
	return f.Style.Render(left+" ") + text + f.Style.Render(" "+strings.Repeat(f.Edges.Horizontal, rest)+right)
}

// Blank returns height lines of width spaces.
func Blank(width, height int) []string {
	out := make([]string, max(0, height))
	for i := range out {
		out[i] = Spaces(width)
	}
	return out
}

// FitLines returns exactly height lines of exactly width columns.
func FitLines(lines []string, width, height int, ellipsis string) []string {
	out := make([]string, max(0, height))
	for i := range out {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out[i] = Fit(line, width, ellipsis)
	}
	return out
}

// Beside puts two blocks of equal height next to each other.
func Beside(left, right []string) []string {
	out := make([]string, min(len(left), len(right)))
	for i := range out {
		out[i] = left[i] + right[i]
	}
	return out
}

// Overlay draws a box over the middle of a screen. What stays visible around
// it loses its own looks and gets the style, so that the box stands out.
func Overlay(screen, box []string, width int, around Look) []string {
	if len(box) == 0 {
		return screen
	}
	boxWidth := min(width, Width(box[0]))
	left := (width - boxWidth) / 2
	top := max(0, (len(screen)-len(box))/2)
	out := make([]string, len(screen))
	for i, line := range screen {
		bare := ansi.Strip(line)
		if i < top || i >= top+len(box) {
			out[i] = around.Render(bare)
			continue
		}
		before := Fit(ansi.Truncate(bare, left, ""), left, "")
		after := Fit(ansi.TruncateLeft(bare, left+boxWidth, ""), width-left-boxWidth, "")
		out[i] = around.Render(before) + Fit(box[i-top], boxWidth, "") + around.Render(after)
	}
	return out
}
