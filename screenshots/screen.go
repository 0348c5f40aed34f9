package screenshots

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Screen is what a terminal shows.
type Screen struct {
	Width, Height int // in cells
	cells         [][]cell
}

// cell is one place of a screen. Empty colours are the terminal's own.
type cell struct {
	text                   string
	width                  int
	ink, ground            string
	bold, faint, underline bool
}

// NewScreen returns what a terminal of a size shows of a text with escape
// sequences, drawn from its upper left corner on.
func NewScreen(text string, width, height int) (Screen, error) {
	terminal := vt.NewEmulator(width, height)
	if _, err := terminal.WriteString(strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
		return Screen{}, fmt.Errorf("draw on the virtual terminal: %w", err)
	}
	s := Screen{Width: width, Height: height, cells: make([][]cell, height)}
	for y := range height {
		for x := 0; x < width; {
			next := newCell(terminal.CellAt(x, y))
			s.cells[y] = append(s.cells[y], next)
			x += next.width
		}
	}
	return s, nil
}

func newCell(from *uv.Cell) cell {
	if from == nil || from.Width < 1 {
		return cell{text: " ", width: 1}
	}
	c := cell{text: from.Content, width: from.Width, ink: colourOf(from.Style.Fg), ground: colourOf(from.Style.Bg)}
	if c.text == "" {
		c.text = " "
	}
	attributes := from.Style.Attrs
	c.bold = attributes&uv.AttrBold != 0
	c.faint = attributes&uv.AttrFaint != 0
	c.underline = from.Style.Underline != 0
	if attributes&uv.AttrReverse != 0 {
		c.ink, c.ground = c.ground, c.ink
		if c.ink == "" {
			c.ink = groundColour
		}
		if c.ground == "" {
			c.ground = inkColour
		}
	}
	return c
}

// The terminal's own colours, as classes of the style sheet.
const (
	inkColour    = "ink"
	groundColour = "ground"
)

func colourOf(c color.Color) string {
	if c == nil {
		return ""
	}
	red, green, blue, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", red>>8, green>>8, blue>>8)
}

// Text returns the screen's lines without blanks at their ends.
func (s Screen) Text() string {
	var out strings.Builder
	for _, row := range s.cells {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return out.String()
}
