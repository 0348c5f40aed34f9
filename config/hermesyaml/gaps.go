package hermesyaml

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// LoadersDiffer reports why one of the two loaders that Hermes reads its
// configuration with refuses a file that the other takes, nil where both read
// it. The command line uses the fast one, the gateway the strict one, which
// knows tabs only in quotes, in comments and in the lines of a block of text.
func LoadersDiffer(data []byte) error {
	root, err := ParseDocument(data)
	if err == nil && root != nil {
		_, differ := checkGaps(data, root)
		return differ
	}
	return nil
}

// checkGaps walks over the bytes of a parsed file for what the parser takes
// and Hermes' loaders do not: refused is what both of them refuse, differ what
// one of them does.
func checkGaps(data []byte, root *yaml.Node) (refused, differ error) {
	gaps := gaps{Text: NewText(data)}
	at := gaps.Mark
	for _, scalar := range delimited(gaps.Text, root) {
		at = gaps.skipDelimited(gaps.skip(at, scalar.at), scalar.node)
	}
	gaps.skip(at, len(data))
	return gaps.refused, gaps.differ
}

// gaps is a file and the first fault of each kind found in it.
type gaps struct {
	Text
	refused, differ error
}

// delimitedScalar is a quoted scalar or a block of text, and where it starts.
type delimitedScalar struct {
	node *yaml.Node
	at   int
}

// delimited returns a document's quoted scalars and blocks of text in order.
func delimited(t Text, root *yaml.Node) []delimitedScalar {
	const styles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	var list []delimitedScalar
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		if at := t.Offset(node); node.Kind == yaml.ScalarNode && node.Style&styles != 0 && at >= 0 {
			list = append(list, delimitedScalar{node, at})
		}
		for _, child := range node.Content {
			walk(child)
		}
	}
	walk(root)
	slices.SortStableFunc(list, func(a, b delimitedScalar) int { return cmp.Compare(a.at, b.at) })
	return list
}

// skip moves from one offset to another over what is neither quoted nor a
// block of text.
func (g *gaps) skip(from, to int) int {
	for i := from; i < to; i++ {
		switch {
		case g.Data[i] == '\t' && g.differ == nil:
			g.differ = fmt.Errorf("line %d: a tab where only spaces are taken", g.lineOf(i))
		case g.Data[i] == '#' && g.startsComment(i):
			i, _ = g.LineEnd(i)
		case bytes.HasPrefix(g.Data[i:], []byte(byteOrderMark)) && g.startsLine(i) && g.refused == nil:
			g.refused = fmt.Errorf("line %d: a byte order mark inside the file", g.lineOf(i))
		}
	}
	return max(from, to)
}

// startsComment reports whether the number sign at an offset starts a comment.
func (t Text) startsComment(at int) bool {
	return t.startsLine(at) || bytes.IndexByte([]byte(" \t,[{"), t.Data[at-1]) >= 0
}

// startsLine reports whether an offset is the first of its line.
func (t Text) startsLine(at int) bool {
	_, found := slices.BinarySearch(t.Starts, at)
	return found || at == t.Mark
}

// skipDelimited moves past a quoted scalar or a block of text, with the tag
// and the anchor before it.
func (g *gaps) skipDelimited(at int, node *yaml.Node) int {
	opening := map[yaml.Style]byte{
		yaml.DoubleQuotedStyle: '"', yaml.SingleQuotedStyle: '\'', yaml.LiteralStyle: '|', yaml.FoldedStyle: '>',
	}[node.Style&^yaml.TaggedStyle]
	size := bytes.IndexByte(g.Data[at:], opening)
	if size < 0 {
		return at
	}
	start := g.skip(at, at+size)
	if opening == '|' || opening == '>' {
		return g.skipBlock(start, node)
	}
	end := quoteEnd(g.Data, start, opening)
	if end < 0 {
		return start
	}
	if opening == '"' && strings.Contains(strings.ReplaceAll(string(g.Data[start:end]), `\\`, ""), `\'`) && g.refused == nil {
		g.refused = fmt.Errorf("line %d: an escaped apostrophe in double quotes", node.Line)
	}
	return end
}

// skipBlock moves past a block of text that starts at an offset.
func (g *gaps) skipBlock(at int, node *yaml.Node) int {
	end, next := g.LineEnd(at)
	head := bytes.TrimLeft(g.Data[at+1:end], "+-123456789")
	if comment := bytes.TrimLeft(head, " "); g.differ == nil &&
		(len(comment) > 0 && (len(comment) == len(head) || comment[0] != '#')) {
		g.differ = fmt.Errorf("line %d: something else than spaces behind the sign of a block of text", node.Line)
	}
	// The block's own lines are those indented as its first one is, less what
	// that one shows of its indent, or further.
	first := strings.TrimLeft(node.Value, "\n")
	shown := len(first) - len(strings.TrimLeft(first, " "))
	indent := -1
	for next < len(g.Data) {
		end, after := g.LineEnd(next)
		line := g.Data[next:end]
		spaces := len(line) - len(bytes.TrimLeft(line, " "))
		switch {
		case first == "" && !Blank(line), indent >= 0 && spaces < indent && !Blank(line):
			return next
		case indent < 0 && !Blank(line):
			indent = spaces - shown
		}
		if after == end {
			return end
		}
		next = after
	}
	return next
}

// Blank reports whether the bytes are spaces only.
func Blank(data []byte) bool { return len(bytes.Trim(data, " ")) == 0 }

// lineOf returns the number of the line an offset stands in, from 1.
func (t Text) lineOf(at int) int {
	i, found := slices.BinarySearch(t.Starts, at)
	if found {
		return i + 1
	}
	return i
}
