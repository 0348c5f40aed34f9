// Package theme holds the dashboard's looks: a handful of colour tokens per
// theme, the styles made from them, and the glyphs.
//
// Colour never carries a meaning alone: whatever a colour says, a glyph or a
// word next to it says too. The monochrome theme has no colour at all, only
// bold, faint and reverse, and is the one used with NO_COLOR.
package theme

import (
	"image/color"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// Names of the themes. Auto follows the terminal's background.
const (
	Auto        = "auto"
	Dark        = "dark"
	Light       = "light"
	ColourBlind = "colour-blind"
	Monochrome  = "monochrome"
)

// Names returns the themes in the order the theme key steps through them.
func Names() []string {
	return []string{Auto, Dark, Light, ColourBlind, Monochrome}
}

// Known reports whether there is a theme of that name.
func Known(name string) bool { return slices.Contains(Names(), name) }

// Tokens are the colours a theme is made of. A nil colour is the terminal's
// own.
type Tokens struct {
	Text   color.Color // ordinary text
	Dim    color.Color // secondary text and borders
	Accent color.Color // focus, cursor, the active tab
	Bar    color.Color // background of the row under the cursor
	Calm   color.Color // as asked for: in line, done
	Warn   color.Color // worth a look
	Alarm  color.Color // needs a person
}

// Look is how a piece of one-line text is drawn. The zero value is plain.
// Rendering is two concatenations, since a frame has some thousand pieces.
type Look struct{ open, shut string }

// look takes a style's sequences.
func look(style lipgloss.Style) Look {
	open, shut, _ := strings.Cut(style.Render("x"), "x")
	return Look{open: open, shut: shut}
}

// Render draws a text.
func (l Look) Render(text string) string {
	if text == "" || l.open == "" {
		return text
	}
	return l.open + text + l.shut
}

// Styles are the looks used on the screen, made from tokens.
type Styles struct {
	Text, Dim, Bold, Title   Look
	Accent, Calm, Warn       Look
	Alarm, Badge             Look
	Selected, SelectedQuiet  Look // row under the cursor, pane in focus or not
	Cursor                   Look // of a text field
	Border, BorderFocus      Look
	Tab, TabActive           Look
	Key, Button, ButtonFocus Look
}

// Theme is a set of styles with its name.
type Theme struct {
	Name   string
	Styles Styles
	Glyphs Glyphs
}

// New returns the theme of that name; dark chooses between dark and light for
// auto. An unknown name is auto. With ascii the glyphs are plain ASCII.
func New(name string, dark, ascii bool) Theme {
	glyphs := UnicodeGlyphs()
	if ascii {
		glyphs = ASCIIGlyphs()
	}
	styles := colourStyles(tokens(name, dark))
	if name == Monochrome {
		styles = plainStyles()
	}
	return Theme{Name: name, Styles: styles, Glyphs: glyphs}
}

func tokens(name string, dark bool) Tokens {
	switch {
	case name == ColourBlind && dark:
		// Blue, yellow and orange keep apart for every common colour vision.
		return Tokens{
			Dim: lipgloss.Color("#8a8f98"), Accent: lipgloss.Color("#56b4e9"), Bar: lipgloss.Color("#26323c"),
			Calm: lipgloss.Color("#56b4e9"), Warn: lipgloss.Color("#f0e442"), Alarm: lipgloss.Color("#e69f00"),
		}
	case name == ColourBlind:
		return Tokens{
			Dim: lipgloss.Color("#5f6670"), Accent: lipgloss.Color("#0072b2"), Bar: lipgloss.Color("#d9e6f0"),
			Calm: lipgloss.Color("#0072b2"), Warn: lipgloss.Color("#7a6a00"), Alarm: lipgloss.Color("#b34700"),
		}
	case name == Light, name != Dark && !dark:
		return Tokens{
			Dim: lipgloss.Color("#666e78"), Accent: lipgloss.Color("#1d5fb4"), Bar: lipgloss.Color("#e1e9f4"),
			Calm: lipgloss.Color("#2f7d4f"), Warn: lipgloss.Color("#8a5d00"), Alarm: lipgloss.Color("#b3261e"),
		}
	}
	return Tokens{
		Dim: lipgloss.Color("#828a97"), Accent: lipgloss.Color("#7fb2f0"), Bar: lipgloss.Color("#28323f"),
		Calm: lipgloss.Color("#86b892"), Warn: lipgloss.Color("#d8b163"), Alarm: lipgloss.Color("#ee7a72"),
	}
}

func colourStyles(t Tokens) Styles {
	plain := lipgloss.NewStyle()
	text := plain
	if t.Text != nil {
		text = text.Foreground(t.Text)
	}
	dim := plain.Foreground(t.Dim)
	accent := plain.Foreground(t.Accent)
	return Styles{
		Text: look(text), Dim: look(dim), Bold: look(text.Bold(true)), Title: look(accent.Bold(true)),
		Accent: look(accent), Calm: look(plain.Foreground(t.Calm)), Warn: look(plain.Foreground(t.Warn)),
		Alarm: look(plain.Foreground(t.Alarm).Bold(true)), Badge: look(plain.Foreground(t.Warn).Bold(true)),
		Selected: look(text.Background(t.Bar).Bold(true)), SelectedQuiet: look(text.Background(t.Bar)),
		Cursor: look(text.Reverse(true)), Border: look(dim), BorderFocus: look(accent),
		Tab: look(dim), TabActive: look(accent.Bold(true).Underline(true)),
		Key: look(accent), Button: look(dim), ButtonFocus: look(accent.Bold(true).Reverse(true)),
	}
}

// plainStyles uses attributes alone.
func plainStyles() Styles {
	plain := lipgloss.NewStyle()
	none, bold, faint := look(plain), look(plain.Bold(true)), look(plain.Faint(true))
	reverse := look(plain.Reverse(true))
	return Styles{
		Text: none, Dim: faint, Bold: bold, Title: bold,
		Accent: bold, Calm: none, Warn: none, Alarm: bold, Badge: bold,
		Selected: reverse, SelectedQuiet: look(plain.Underline(true)), Cursor: reverse,
		Border: faint, BorderFocus: bold,
		Tab: faint, TabActive: look(plain.Bold(true).Underline(true)),
		Key: bold, Button: none, ButtonFocus: reverse,
	}
}
