package theme

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestEveryThemeHasADarkAndALightSide(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		if !Known(name) {
			t.Errorf("%s is not known", name)
		}
		dark := New(name, true, false).Styles.Accent.Render("x")
		light := New(name, false, false).Styles.Accent.Render("x")
		follows := name == Auto || name == ColourBlind
		if follows == (dark == light) {
			t.Errorf("%s: dark %q, light %q", name, dark, light)
		}
	}
	if Known("neon") {
		t.Error("an unknown theme is known")
	}
}

func TestMonochromeHasNoColour(t *testing.T) {
	t.Parallel()
	s := New(Monochrome, true, false).Styles
	for _, text := range []string{
		s.Text.Render("x"), s.Dim.Render("x"), s.Alarm.Render("x"), s.Warn.Render("x"), s.Selected.Render("x"), s.ButtonFocus.Render("x"),
	} {
		if strings.Contains(text, "38;") || strings.Contains(text, "48;") {
			t.Errorf("a colour: %q", text)
		}
	}
	if s.Selected.Render("x") == s.Text.Render("x") || s.ButtonFocus.Render("x") == s.Button.Render("x") {
		t.Error("what is chosen looks like the rest")
	}
}

func TestColourBlindAvoidsRedAndGreen(t *testing.T) {
	t.Parallel()
	for _, dark := range []bool{true, false} {
		s := New(ColourBlind, dark, false).Styles
		if s.Calm.Render("x") == s.Alarm.Render("x") || s.Warn.Render("x") == s.Alarm.Render("x") {
			t.Error("calm, warn and alarm are not three looks")
		}
	}
}

func TestASCIIGlyphsAreASCIIAndOneColumn(t *testing.T) {
	t.Parallel()
	unicode, ascii := UnicodeGlyphs(), ASCIIGlyphs()
	if len(unicode.Postures) != len(ascii.Postures) {
		t.Error("the sets differ in what they cover")
	}
	for level := range unicode.Postures {
		sign := ascii.Posture(level)
		if len(sign) != 1 || sign[0] > 0x7e {
			t.Errorf("%s is drawn as %q", level, sign)
		}
		if ansi.StringWidth(unicode.Posture(level)) != 1 {
			t.Errorf("%s is not one column wide", level)
		}
	}
	if unicode.Posture("something new") != unicode.Unknown {
		t.Error("an unknown level has a sign of its own")
	}
}

// A terminal with sixteen colours is given its own, by number; calm, warn and
// alarm stay three looks, and the row under the cursor needs no colour at all.
func TestSixteenColoursAreTheTerminalsOwn(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			s := InSixteen(name, dark, false).Styles
			for _, text := range []string{s.Dim.Render("x"), s.Accent.Render("x"), s.Calm.Render("x"), s.Warn.Render("x"), s.Alarm.Render("x"), s.Selected.Render("x")} {
				if strings.Contains(text, "8;") {
					t.Errorf("%s: a colour that is not the terminal's own: %q", name, text)
				}
			}
			if s.Selected.Render("x") != plainStyles().Selected.Render("x") {
				t.Errorf("%s: the row under the cursor is %q", name, s.Selected.Render("x"))
			}
			if name == Monochrome {
				continue
			}
			if s.Calm.Render("x") == s.Warn.Render("x") || s.Warn.Render("x") == s.Alarm.Render("x") || s.Calm.Render("x") == s.Alarm.Render("x") {
				t.Errorf("%s: calm, warn and alarm are not three looks", name)
			}
		}
	}
}
