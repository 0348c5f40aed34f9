package theme

import "charm.land/lipgloss/v2"

// InSixteen returns the theme of that name in the sixteen colours of the
// terminal's own palette, for one that has no more: what a finer colour would be
// turned into there can be unreadable on the background, or the same as another.
func InSixteen(name string, dark, ascii bool) Theme {
	made := New(name, dark, ascii)
	if name == Monochrome {
		return made
	}
	made.Styles = colourStyles(sixteen(name, dark))
	plain := plainStyles()
	made.Styles.Selected, made.Styles.SelectedQuiet = plain.Selected, plain.SelectedQuiet
	return made
}

func sixteen(name string, dark bool) Tokens {
	switch {
	case name == ColourBlind && dark:
		return Tokens{
			Dim: lipgloss.BrightBlack, Accent: lipgloss.BrightCyan,
			Calm: lipgloss.BrightCyan, Warn: lipgloss.Yellow, Alarm: lipgloss.BrightYellow,
		}
	case name == ColourBlind:
		return Tokens{Dim: lipgloss.BrightBlack, Accent: lipgloss.Blue, Calm: lipgloss.Blue, Warn: lipgloss.Yellow, Alarm: lipgloss.Red}
	case name == Light, name != Dark && !dark:
		return Tokens{Dim: lipgloss.BrightBlack, Accent: lipgloss.Blue, Calm: lipgloss.Green, Warn: lipgloss.Magenta, Alarm: lipgloss.Red}
	}
	return Tokens{
		Dim: lipgloss.BrightBlack, Accent: lipgloss.BrightBlue,
		Calm: lipgloss.Green, Warn: lipgloss.Yellow, Alarm: lipgloss.BrightRed,
	}
}
