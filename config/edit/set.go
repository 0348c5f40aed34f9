package edit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

// set plans writing a value, given as YAML text for one line, at a path.
func (f *File) set(path []string, value string, wanted *yaml.Node) (Edit, error) {
	if err := f.checkPath(path); err != nil {
		return Edit{}, err
	}
	at := locate(f.root, path)
	from := f.written(at, path)
	if at.found() == len(path) && (comparison{}).equal(at.values[len(path)-1], wanted) {
		return f.edit(f.data, from, from), nil
	}
	if line := anchoredUse(f.root, at.values...); line > 0 {
		return Edit{}, f.refuse(path, fmt.Sprintf("is shared with line %d through an anchor", line))
	}
	candidates, reason := f.setCandidates(at, path, value)
	for _, c := range candidates {
		if after := apply(f.data, c); f.prove(after, path, wanted) {
			return f.edit(after, from, value), nil
		}
	}
	if reason == "" {
		reason = "stands in a form that could not be changed without changing something else"
	}
	return Edit{}, f.refuse(path, reason)
}

func (f *File) checkPath(path []string) error {
	if len(path) == 0 {
		return f.refuse([]string{"the whole file"}, "is no single value")
	}
	for _, name := range path {
		if keyText(name) == "" || name == "<<" {
			return f.refuse(path, "has a name that cannot be written")
		}
	}
	return nil
}

// written returns the value at a path as the file has it, safe to show; ""
// when it is absent.
func (f *File) written(at spot, path []string) string {
	if at.found() == len(path) {
		node := at.values[len(path)-1]
		t := newText(f.data)
		if start, end := t.Offset(node), t.ScalarEnd(node); start >= 0 && end > start {
			return model.NewText(string(f.data[start:end])).Display()
		}
		if node.Kind == yaml.ScalarNode {
			return model.NewText(node.Value).Display()
		}
		return "a list or block"
	}
	node := f.root
	for _, name := range path {
		if node = valueOf(node, name); node == nil {
			return ""
		}
	}
	if node = hermesyaml.Resolve(node); node.Kind == yaml.ScalarNode {
		return model.NewText(node.Value).Display()
	}
	return "a list or block"
}

// Written returns the value at a path as the file has it, safe to show, and
// whether it is there at all.
func (f *File) Written(path []string) (string, bool) {
	node := f.root
	for _, name := range path {
		if node = valueOf(node, name); node == nil {
			return "", false
		}
	}
	return f.written(locate(f.root, path), path), true
}

// setCandidates lists the ways to write a value, best first. Without any, the
// reason says why.
func (f *File) setCandidates(at spot, path []string, value string) ([]candidate, string) {
	t := newText(f.data)
	n := at.found()
	if n == len(path) {
		return replaceValue(t, at, value)
	}
	rest := path[n:]
	switch {
	case f.root == nil:
		return fillEmpty(t, rest, value), ""
	case n == 0:
		return insertAtRoot(t, f.root, rest, value), ""
	}
	section := at.values[n-1]
	switch {
	case section.Kind == yaml.MappingNode:
		return insertInSection(t, at, rest, value), ""
	case section.Kind == yaml.AliasNode && section.Alias.Kind == yaml.MappingNode, isNull(section):
		return openSection(t, at, rest, value), ""
	}
	return nil, "cannot be set, because " + strings.Join(path[:n], ".") + " is not a block of keys"
}

// replaceValue overwrites the value of a key that is there.
func replaceValue(t text, at spot, value string) ([]candidate, string) {
	key, node := at.keys[at.found()-1], at.values[at.found()-1]
	if node.Kind == yaml.MappingNode {
		return nil, "is a block of keys"
	}
	if node.Kind == yaml.ScalarNode && node.Value == "" && node.Style == 0 && node.Anchor == "" {
		colon := t.Colon(key)
		if colon < 0 {
			return nil, ""
		}
		return []candidate{{{colon, colon, " " + value}}}, ""
	}
	start := t.Offset(node)
	if start < 0 {
		return nil, ""
	}
	var list []candidate
	if end := t.ScalarEnd(node); end >= start {
		list = append(list, candidate{{start, end, value}})
	}
	if node.Kind == yaml.SequenceNode {
		if !isFlow(node) {
			return nil, "is a list with a line per entry"
		}
		if end := t.FlowEnd(start); end > start {
			list = append(list, candidate{{start, end, value}})
		}
	}
	if node.Kind == yaml.ScalarNode {
		list = append(list, candidate{{start, t.foldedEnd(key, start), value}})
	}
	return list, ""
}

// foldedEnd returns the end of a scalar over several lines: the last line that
// is indented deeper than its key, without the break.
func (t text) foldedEnd(key *yaml.Node, start int) int {
	end, next := t.LineEnd(start)
	for next < len(t.Data) {
		lineEnd, after := t.LineEnd(next)
		line := string(t.Data[next:lineEnd])
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) != "" && indent < key.Column {
			break
		}
		if strings.TrimSpace(line) != "" {
			end = lineEnd
		}
		if after == lineEnd {
			break
		}
		next = after
	}
	return end
}
