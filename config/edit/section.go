package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
)

// fillEmpty writes into a file without values: at its end, else before
// anything else.
func fillEmpty(t text, path []string, value string) []candidate {
	return []candidate{appendBlock(t, path, value), {{t.Mark, t.Mark, renderBlock(path, value, "", t.EOL(0))}}}
}

// appendBlock writes a section at the end of the file, ending its last line
// first.
func appendBlock(t text, path []string, value string) candidate {
	eol := t.EOL(0)
	block := renderBlock(path, value, "", eol)
	size := len(t.Data)
	if size > t.Mark && t.Starts[len(t.Starts)-1] != size {
		block = eol + block
	}
	return candidate{{size, size, block}}
}

// insertAtRoot writes a section that is missing.
func insertAtRoot(t text, root *yaml.Node, path []string, value string) []candidate {
	if isFlow(root) {
		return insertInFlow(t, root, path, value)
	}
	first := root.Content[0]
	start := t.LineStart(first)
	if first.Line == 1 {
		start += t.Mark
	}
	return []candidate{
		appendBlock(t, path, value),
		{{start, start, renderBlock(path, value, "", t.EOL(start))}},
	}
}

// insertInSection writes a key into a section that has others: below the
// section's own line, so that comments stay with the keys they stand above.
func insertInSection(t text, at spot, path []string, value string) []candidate {
	n := at.found()
	key, section := at.keys[n-1], at.values[n-1]
	if isFlow(section) {
		if len(section.Content) == 0 && !inFlow(at) {
			if start := t.Offset(section); start >= 0 {
				return openFrom(t, at, start, t.FlowEnd(t.SkipProperties(start)), "", path, value)
			}
		}
		return insertInFlow(t, section, path, value)
	}
	first := section.Content[0]
	start := t.Offset(first)
	if start < 0 {
		return nil
	}
	indent := t.Data[t.LineStart(first):start]
	if !hermesyaml.Blank(indent) {
		return nil
	}
	_, below := t.LineEnd(max(0, t.Colon(key)))
	block := renderBlock(path, value, string(indent), t.EOL(t.LineStart(key)))
	return []candidate{{{below, below, block}}, {{t.LineStart(first), t.LineStart(first), block}}}
}

// inFlow reports whether the last key found stands in a flow mapping.
func inFlow(at spot) bool {
	for _, node := range at.values[:at.found()-1] {
		if isFlow(node) {
			return true
		}
	}
	return at.rootFlow
}

// insertInFlow writes a key behind the opening brace.
func insertInFlow(t text, mapping *yaml.Node, path []string, value string) []candidate {
	start := t.Offset(mapping)
	if start < 0 {
		return nil
	}
	if start = t.SkipProperties(start); start < 0 || start >= len(t.Data) || t.Data[start] != '{' {
		return nil
	}
	entry := renderFlow(path, value)
	if len(mapping.Content) > 0 {
		entry += ", "
	}
	return []candidate{{{start + 1, start + 1, entry}}}
}

// openSection turns a section that is null or an alias into a block. An alias
// is kept as a merge.
func openSection(t text, at spot, path []string, value string) []candidate {
	n := at.found()
	key, section := at.keys[n-1], at.values[n-1]
	merge := ""
	if section.Kind == yaml.AliasNode {
		merge = "*" + section.Value
	}
	start, end := t.Offset(section), t.ScalarEnd(section)
	if section.Kind == yaml.ScalarNode && section.Value == "" && section.Anchor == "" {
		start = t.Colon(key)
		end = start
	}
	if start < 0 || end < start {
		return nil
	}
	if inFlow(at) {
		entry := renderFlow(path, value)
		if merge != "" {
			entry = "<<: " + merge + ", " + entry
		}
		return []candidate{{{start, end, " {" + entry + "}"}}, {{start, end, "{" + entry + "}"}}}
	}
	return openFrom(t, at, start, end, merge, path, value)
}

// openFrom drops the bytes from start to end on the section's line and writes
// the section as lines below it.
func openFrom(t text, at spot, start, end int, merge string, path []string, value string) []candidate {
	key := at.keys[at.found()-1]
	keyStart := t.Offset(key)
	if keyStart < 0 || end < start || !hermesyaml.Blank(t.Data[t.LineStart(key)+t.markOn(key):keyStart]) {
		return nil
	}
	indent := strings.Repeat(" ", key.Column-1) + step
	eol := t.EOL(t.LineStart(key))
	block := renderBlock(path, value, indent, eol)
	if merge != "" {
		block = indent + "<<: " + merge + eol + block
	}
	lineEnd, below := t.LineEnd(end)
	if hermesyaml.Blank(t.Data[end:lineEnd]) {
		// Nothing else is on the line: the space before the value goes too.
		for start > 0 && t.Data[start-1] == ' ' {
			start--
		}
	}
	if below == lineEnd {
		return []candidate{{{start, end, ""}, {lineEnd, lineEnd, eol + block}}}
	}
	return []candidate{{{start, end, ""}, {below, below, block}}}
}

// markOn returns the length of the byte order mark on a node's line.
func (t text) markOn(node *yaml.Node) int {
	if node.Line == 1 {
		return t.Mark
	}
	return 0
}
