package screenshots

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// Measures of a picture in its own units.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	baseline   = 13.5
	margin     = 14.0
	fontSize   = 14
)

// Colours are the terminal's own colours.
type Colours struct{ Ink, Ground string }

// DarkColours and LightColours return those of a dark and of a light terminal.
func DarkColours() Colours { return Colours{Ink: "#d6dae1", Ground: "#14181e"} }

// LightColours returns those of a light terminal.
func LightColours() Colours { return Colours{Ink: "#20262e", Ground: "#fbfcfd"} }

// SVG draws one screen.
func (s Screen) SVG(title string, colours Colours) []byte {
	var out strings.Builder
	open(&out, s.Width, s.Height, title, colours)
	s.draw(&out, colours)
	out.WriteString("</g>\n</svg>\n")
	return []byte(out.String())
}

// Still is one screen of a film and how long it stays.
type Still struct {
	Screen Screen
	Stays  time.Duration
}

// Film draws screens of one size one after the other, without end. Where
// animations are not played the last one stands.
func Film(stills []Still, title string, colours Colours) []byte {
	var out strings.Builder
	var whole time.Duration
	for _, still := range stills {
		whole += still.Stays
	}
	open(&out, stills[0].Screen.Width, stills[0].Screen.Height, title, colours)
	var begin time.Duration
	for i, still := range stills {
		from, to := share(begin, whole), share(begin+still.Stays, whole)
		values, times := "hidden;visible;hidden", fmt.Sprintf("0;%s;%s", from, to)
		switch {
		case len(stills) == 1:
			values, times = "visible", "0"
		case i == 0:
			values, times = "visible;hidden", "0;"+to
		case i == len(stills)-1:
			values, times = "hidden;visible", "0;"+from
		}
		hidden := ` visibility="hidden"`
		if i == len(stills)-1 {
			hidden = ""
		}
		fmt.Fprintf(&out, "<g%s><animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"%s\" repeatCount=\"indefinite\" values=\"%s\" keyTimes=\"%s\"/>\n",
			hidden, seconds(whole), values, times)
		still.Screen.draw(&out, colours)
		out.WriteString("</g>\n")
		begin += still.Stays
	}
	out.WriteString("</g>\n</svg>\n")
	return []byte(out.String())
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

func share(part, whole time.Duration) string {
	return fmt.Sprintf("%.4f", part.Seconds()/whole.Seconds())
}

func open(out *strings.Builder, width, height int, title string, colours Colours) {
	w, h := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.1f\" height=\"%.1f\" viewBox=\"0 0 %.1f %.1f\" role=\"img\">\n", w, h, w, h)
	fmt.Fprintf(out, "<title>%s</title>\n", escaped(title))
	fmt.Fprintf(out, "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", colours.Ground)
	fmt.Fprintf(out, "<g transform=\"translate(%.1f %.1f)\" fill=\"%s\" font-size=\"%d\" xml:space=\"preserve\" "+
		"font-family=\"ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace\">\n", margin, margin, colours.Ink, fontSize)
}

// draw writes the screen's grounds and texts, run by run of equal looks.
func (s Screen) draw(out *strings.Builder, colours Colours) {
	for y, row := range s.cells {
		column := 0
		for from := 0; from < len(row); {
			to, wide := from+1, row[from].width
			for to < len(row) && joins(row[from], row[to]) {
				wide += row[to].width
				to++
			}
			run{cells: row[from:to], column: column, row: y, wide: wide}.draw(out, colours)
			column, from = column+wide, to
		}
	}
}

// joins reports whether two cells can stand in one text: they look alike, and
// both are ASCII. Others get a place of their own, since a font that lacks them
// is replaced by one with other widths.
func joins(a, b cell) bool {
	if a.ground != b.ground || a.ink != b.ink || a.bold != b.bold || a.faint != b.faint || a.underline != b.underline {
		return false
	}
	line := a.text == "─" && b.text == "─"
	return line || plain(a.text) && plain(b.text)
}

func plain(text string) bool { return len(text) == 1 && text[0] < 0x7f }

// run is a piece of a line that looks the same all through.
type run struct {
	cells             []cell
	column, row, wide int
}

func (r run) draw(out *strings.Builder, colours Colours) {
	first := r.cells[0]
	x, y := float64(r.column)*cellWidth, float64(r.row)*cellHeight
	if first.ground != "" {
		fmt.Fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
			x, y, float64(r.wide)*cellWidth, cellHeight, named(first.ground, colours))
	}
	var text strings.Builder
	for _, c := range r.cells {
		text.WriteString(c.text)
	}
	shown := text.String()
	if strings.TrimSpace(shown) == "" {
		return
	}
	if trimmed := strings.TrimRight(shown, " "); !first.underline {
		r.wide -= len(shown) - len(trimmed)
		shown = trimmed
	}
	var looks strings.Builder
	if first.ink != "" {
		fmt.Fprintf(&looks, " fill=\"%s\"", named(first.ink, colours))
	}
	if first.bold {
		looks.WriteString(" font-weight=\"bold\"")
	}
	if first.faint {
		looks.WriteString(" opacity=\"0.6\"")
	}
	if first.underline {
		looks.WriteString(" text-decoration=\"underline\"")
	}
	fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"%s>%s</text>\n",
		x, y+baseline, float64(r.wide)*cellWidth, looks.String(), escaped(shown))
}

func named(colour string, colours Colours) string {
	switch colour {
	case inkColour:
		return colours.Ink
	case groundColour:
		return colours.Ground
	default:
		return colour
	}
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder takes all
	return out.String()
}
