package hermesyaml

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Text is a file's bytes with an index of its lines as the parser counts them.
type Text struct {
	Data   []byte
	Starts []int // offset of each line
	Mark   int   // length of the byte order mark
}

const byteOrderMark = "\ufeff"

// NewText indexes a file.
func NewText(data []byte) Text {
	t := Text{Data: data, Starts: []int{0}}
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		t.Mark = len(byteOrderMark)
	}
	for i := 0; i < len(data); {
		if n := lineBreak(data[i:]); n > 0 {
			i += n
			t.Starts = append(t.Starts, i)
			continue
		}
		i++
	}
	return t
}

// lineBreak returns the length of the line break that data starts with, 0 when
// it starts with none. YAML 1.1 knows five.
func lineBreak(data []byte) int {
	for _, mark := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return len(mark)
		}
	}
	return 0
}

// Offset returns where a node starts, -1 when its position is not in the text.
// Columns count characters; a byte order mark counts for nothing.
func (t Text) Offset(node *yaml.Node) int {
	if node.Line < 1 || node.Line > len(t.Starts) || node.Column < 1 {
		return -1
	}
	at := t.Starts[node.Line-1]
	if node.Line == 1 {
		at += t.Mark
	}
	for range node.Column - 1 {
		if at >= len(t.Data) {
			return -1
		}
		_, size := utf8.DecodeRune(t.Data[at:])
		at += size
	}
	return at
}

// LineStart returns the offset at which a node's line starts.
func (t Text) LineStart(node *yaml.Node) int { return t.Starts[node.Line-1] }

// LineEnd returns the offset just before the break that ends the line at, and
// the offset just after it. They are equal at the end of the file.
func (t Text) LineEnd(at int) (end, next int) {
	for i := at; i < len(t.Data); i++ {
		if n := lineBreak(t.Data[i:]); n > 0 {
			return i, i + n
		}
	}
	return len(t.Data), len(t.Data)
}

// EOL returns the line break to write: that of the line at, else the file's
// first, else a line feed.
func (t Text) EOL(at int) string {
	if end, next := t.LineEnd(at); next > end {
		return string(t.Data[end:next])
	}
	if end, next := t.LineEnd(0); next > end {
		return string(t.Data[end:next])
	}
	return "\n"
}

// ScalarEnd returns the end of the token at an offset: a quoted scalar, an
// alias, or a plain scalar on one line, with tags and anchors before it. It
// returns -1 for anything else.
func (t Text) ScalarEnd(node *yaml.Node) int {
	at := t.Offset(node)
	if at < 0 {
		return -1
	}
	if node.Kind == yaml.AliasNode {
		return t.expect(at, "*"+node.Value)
	}
	if at = t.SkipProperties(at); at < 0 || at >= len(t.Data) && node.Value != "" {
		return -1
	}
	switch node.Style &^ yaml.TaggedStyle {
	case yaml.DoubleQuotedStyle:
		return quoteEnd(t.Data, at, '"')
	case yaml.SingleQuotedStyle:
		return quoteEnd(t.Data, at, '\'')
	case 0:
		return t.expect(at, node.Value)
	default:
		return -1
	}
}

func (t Text) expect(at int, token string) int {
	if !strings.HasPrefix(string(t.Data[at:min(len(t.Data), at+len(token))]), token) {
		return -1
	}
	return at + len(token)
}

// SkipProperties moves past a tag and an anchor. Where they end their line, -1
// is returned: the value is elsewhere.
func (t Text) SkipProperties(at int) int {
	for at < len(t.Data) && (t.Data[at] == '&' || t.Data[at] == '!') {
		for at < len(t.Data) && !bytes.ContainsRune([]byte(" \t\r\n"), rune(t.Data[at])) {
			at++
		}
		for at < len(t.Data) && (t.Data[at] == ' ' || t.Data[at] == '\t') {
			at++
		}
		if end, _ := t.LineEnd(at); end == at {
			return -1
		}
	}
	return at
}

// quoteEnd returns the offset after the quote that closes the one at an
// offset, -1 when there is none.
func quoteEnd(data []byte, at int, quote byte) int {
	if at >= len(data) || data[at] != quote {
		return -1
	}
	for i := at + 1; i < len(data); i++ {
		switch {
		case quote == '"' && data[i] == '\\':
			i++
		case data[i] != quote:
		case quote == '\'' && i+1 < len(data) && data[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// Colon returns the offset after the colon that follows a key on its line, -1
// when there is none (the long form with a question mark).
func (t Text) Colon(key *yaml.Node) int {
	at := t.ScalarEnd(key)
	if at < 0 {
		return -1
	}
	for at < len(t.Data) && (t.Data[at] == ' ' || t.Data[at] == '\t') {
		at++
	}
	if at >= len(t.Data) || t.Data[at] != ':' {
		return -1
	}
	return at + 1
}

// FlowEnd returns the offset after the bracket that closes the one at an
// offset, with quotes and comments skipped; -1 when there is none.
func (t Text) FlowEnd(at int) int {
	depth := 0
	for i := at; i >= 0 && i < len(t.Data); i++ {
		switch c := t.Data[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if startsToken(t.Data[i-1]) {
				if i = quoteEnd(t.Data, i, c) - 1; i < 0 {
					return -1
				}
			}
		case '#':
			if startsToken(t.Data[i-1]) {
				i, _ = t.LineEnd(i)
			}
		}
	}
	return -1
}

// startsToken reports whether a token can start after a byte.
func startsToken(before byte) bool {
	return bytes.IndexByte([]byte(" \t\r\n[]{},:"), before) >= 0
}
