package theme

// Glyphs are the signs drawn around and beside text. Every one is one column
// wide in the terminals that agree on its width; the ASCII set is for those
// that do not.
type Glyphs struct {
	// Postures maps a posture level, in its JSON word, to its sign.
	Postures map[string]string
	// Unknown is the sign of a level that has none.
	Unknown string

	Cursor, Mark           string
	Folded, Unfolded       string
	Ascending, Descending  string
	Ellipsis, Escaped      string
	Live, Stale, Down      string
	Alert, Lock, Dot       string
	Pass, Fail, NotReached string
	Ticked, Unticked       string // of several
	Chosen, NotChosen      string // of one in several
	BarFull, BarEmpty      string
	Arrow, Dash            string
	Bars                   []string // of a course of figures, from low to high
	Box                    Box
}

// Box are the parts of a frame.
type Box struct {
	Horizontal, Vertical                       string
	TopLeft, TopRight, BottomLeft, BottomRight string
}

// Posture returns the sign of a posture level.
func (g Glyphs) Posture(level string) string {
	if sign, ok := g.Postures[level]; ok {
		return sign
	}
	return g.Unknown
}

// UnicodeGlyphs returns the usual set.
func UnicodeGlyphs() Glyphs {
	return Glyphs{
		Postures: map[string]string{
			"air-gapped": "○", "cut-off": "◌", "internal": "◔", "allowlist": "◑",
			"credential-proxied": "◕", "open": "▲", "host": "▲", "shared": "⇄", "unknown": "?",
		},
		Unknown: "?", Cursor: "›", Mark: "✓", Folded: "▸", Unfolded: "▾",
		Ascending: "↑", Descending: "↓", Ellipsis: "…", Escaped: "‼",
		Live: "●", Stale: "◐", Down: "○", Alert: "▲", Lock: "⚿", Dot: "·",
		Pass: "✓", Fail: "✗", NotReached: "–", Ticked: "[✓]", Unticked: "[ ]", Chosen: "(•)", NotChosen: "( )",
		BarFull: "█", BarEmpty: "░", Arrow: "→", Dash: "–",
		Bars: []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Box: Box{
			Horizontal: "─", Vertical: "│", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
		},
	}
}

// ASCIIGlyphs returns the set without any character outside ASCII.
func ASCIIGlyphs() Glyphs {
	return Glyphs{
		Postures: map[string]string{
			"air-gapped": "o", "cut-off": ":", "internal": "%", "allowlist": "&",
			"credential-proxied": "@", "open": "^", "host": "^", "shared": "=", "unknown": "?",
		},
		Unknown: "?", Cursor: ">", Mark: "*", Folded: "+", Unfolded: "-",
		Ascending: "^", Descending: "v", Ellipsis: "~", Escaped: "!!",
		Live: "*", Stale: "~", Down: "x", Alert: "!", Lock: "#", Dot: "-",
		Pass: "+", Fail: "x", NotReached: "-", Ticked: "[x]", Unticked: "[ ]", Chosen: "(*)", NotChosen: "( )",
		BarFull: "#", BarEmpty: ".", Arrow: "->", Dash: "-",
		Bars: []string{"_", ".", "-", "=", "*", "#"},
		Box: Box{
			Horizontal: "-", Vertical: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		},
	}
}
