package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
)

// AddToList plans putting texts in front of a list's entries; a list that is
// absent or null is made. In front, because of several network arguments
// Hermes looks at the first (contract 6.1).
func (f *File) AddToList(path []string, values ...string) (Edit, error) {
	if err := f.checkPath(path); err != nil {
		return Edit{}, err
	}
	old, err := f.listAt(path)
	if err != nil {
		return Edit{}, err
	}
	wanted := &yaml.Node{Kind: yaml.SequenceNode}
	texts := make([]string, 0, len(values))
	for _, value := range values {
		text, err := quoted(value)
		if err != nil {
			return Edit{}, f.refuse(path, err.Error())
		}
		texts = append(texts, text)
		wanted.Content = append(wanted.Content, stringNode(value))
	}
	if len(values) == 0 {
		return f.edit(f.data, "", ""), nil
	}
	at := locate(f.root, path)
	if at.found() == len(path) && at.values[len(path)-1].Kind == yaml.SequenceNode {
		wanted.Content = append(wanted.Content, old...)
		return f.addEntries(at, path, texts, wanted)
	}
	// What comes through an alias or a merge is written out with the new ones.
	for _, item := range old {
		text, err := quoted(hermesyaml.ScalarOf(item).Text)
		if err != nil || hermesyaml.ScalarOf(item).Kind != hermesyaml.String || hermesyaml.Resolve(item).Kind != yaml.ScalarNode {
			return Edit{}, f.refuse(path, "comes through an alias or a merge and holds more than plain texts")
		}
		texts = append(texts, text)
		wanted.Content = append(wanted.Content, stringNode(hermesyaml.ScalarOf(item).Text))
	}
	return f.set(path, "["+strings.Join(texts, ", ")+"]", wanted)
}

// SetList plans setting a list of texts as a whole, whatever it held.
func (f *File) SetList(path []string, values []string) (Edit, error) {
	wanted := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	texts := make([]string, 0, len(values))
	for _, value := range values {
		text, err := quoted(value)
		if err != nil {
			return Edit{}, f.refuse(path, err.Error())
		}
		texts = append(texts, text)
		wanted.Content = append(wanted.Content, stringNode(value))
	}
	written := "[" + strings.Join(texts, ", ") + "]"
	change, err := f.set(path, written, wanted)
	if !errors.Is(err, ErrShape) {
		return change, err
	}
	// A list with a line per entry is written anew.
	change, err = f.Unset(path)
	if err != nil {
		return Edit{}, err
	}
	from := change.From
	emptied, err := f.Then(change)
	if err != nil {
		return Edit{}, err
	}
	change, err = emptied.set(path, written, wanted)
	change.From = from
	return change, err
}

// Texts returns the plain texts of the list at a path, none when it is absent
// or no list.
func (f *File) Texts(path []string) []string {
	items, err := f.listAt(path)
	if err != nil {
		return nil
	}
	var texts []string
	for _, item := range items {
		if s := hermesyaml.ScalarOf(item); hermesyaml.Resolve(item).Kind == yaml.ScalarNode && s.Kind == hermesyaml.String {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

// listAt returns the entries of the list at a path, none when it is absent or
// null.
func (f *File) listAt(path []string) ([]*yaml.Node, error) {
	node := f.root
	for _, name := range path {
		if node = valueOf(node, name); node == nil {
			return nil, nil
		}
	}
	node = hermesyaml.Resolve(node)
	switch {
	case node.Kind == yaml.SequenceNode:
		return node.Content, nil
	case isNull(node):
		return nil, nil
	}
	return nil, f.refuse(path, "is not a list")
}

func (f *File) addEntries(at spot, path, texts []string, wanted *yaml.Node) (Edit, error) {
	if line := anchoredUse(f.root, at.values...); line > 0 {
		return Edit{}, f.refuse(path, fmt.Sprintf("is shared with line %d through an anchor", line))
	}
	t := newText(f.data)
	key, list := at.keys[len(path)-1], at.values[len(path)-1]
	var candidates []candidate
	if isFlow(list) {
		if start := t.SkipProperties(max(0, t.Offset(list))); start >= 0 && start < len(t.Data) && t.Data[start] == '[' {
			entries := strings.Join(texts, ", ")
			if len(list.Content) > 0 {
				entries += ", "
			}
			candidates = append(candidates, candidate{{start + 1, start + 1, entries}})
		}
	} else if indent, ok := t.dashIndent(list.Content[0]); ok {
		var block strings.Builder
		for _, text := range texts {
			block.WriteString(indent + "- " + text + t.EOL(t.LineStart(key)))
		}
		_, below := t.LineEnd(max(0, t.Colon(key)))
		first := t.LineStart(list.Content[0])
		candidates = append(candidates, candidate{{below, below, block.String()}}, candidate{{first, first, block.String()}})
	}
	for _, c := range candidates {
		if after := apply(f.data, c); f.prove(after, path, wanted) {
			return f.edit(after, "", strings.Join(texts, ", ")), nil
		}
	}
	return Edit{}, f.refuse(path, "is a list in a form that could not be changed without changing something else")
}

// dashIndent returns what stands before the dash of a list's entry.
func (t text) dashIndent(item *yaml.Node) (string, bool) {
	start := t.Offset(item)
	if start < 0 {
		return "", false
	}
	prefix := strings.TrimRight(string(t.Data[t.LineStart(item):start]), " \t")
	indent, ok := strings.CutSuffix(prefix, "-")
	return indent, ok && hermesyaml.Blank([]byte(indent))
}

// RemoveFromList plans taking texts out of a list, of equal ones the first.
// Those that are not in it are passed over. A list that would be left empty is
// removed with its key.
func (f *File) RemoveFromList(path []string, values ...string) (Edit, error) {
	if err := f.checkPath(path); err != nil {
		return Edit{}, err
	}
	items, err := f.listAt(path)
	if err != nil {
		return Edit{}, err
	}
	kept := slices.Clone(items)
	for _, value := range values {
		if i := slices.IndexFunc(kept, func(n *yaml.Node) bool { return isText(n, value) }); i >= 0 {
			kept = slices.Delete(kept, i, i+1)
		}
	}
	switch {
	case len(kept) == len(items):
		return f.edit(f.data, "", ""), nil
	case len(kept) == 0:
		return f.Unset(path)
	}
	current := *f
	for _, value := range values {
		if err := current.removeEntry(path, value); err != nil {
			return Edit{}, err
		}
	}
	wanted := &yaml.Node{Kind: yaml.SequenceNode, Content: kept}
	if !f.prove(current.data, path, wanted) {
		return Edit{}, f.refuse(path, "is a list in a form that could not be changed without changing something else")
	}
	return f.edit(current.data, strings.Join(values, ", "), ""), nil
}

func isText(node *yaml.Node, value string) bool {
	node = hermesyaml.Resolve(node)
	s := hermesyaml.ScalarOf(node)
	return node.Kind == yaml.ScalarNode && s.Kind == hermesyaml.String && s.Text == value
}

// removeEntry takes one entry out of the copy's bytes and parses them again.
func (f *File) removeEntry(path []string, value string) error {
	at := locate(f.root, path)
	if at.found() < len(path) || at.values[len(path)-1].Kind != yaml.SequenceNode {
		return f.refuse(path, "comes through an alias or a merge")
	}
	if line := anchoredUse(f.root, at.values...); line > 0 {
		return f.refuse(path, fmt.Sprintf("is shared with line %d through an anchor", line))
	}
	list := at.values[len(path)-1]
	i := slices.IndexFunc(list.Content, func(n *yaml.Node) bool { return isText(n, value) })
	if i < 0 {
		return nil
	}
	t := newText(f.data)
	item := list.Content[i]
	var cut splice
	if isFlow(list) {
		cut = t.flowCut(t.Offset(item), t.ScalarEnd(item), list.Content[:i])
	} else {
		cut = t.lineCut(item, t.ScalarEnd(item))
		if _, ok := t.dashIndent(item); !ok {
			cut = splice{start: -1}
		}
	}
	if cut.start < 0 {
		return f.refuse(path, "has an entry over several lines or with something beside it")
	}
	f.data = apply(f.data, candidate{cut})
	root, err := hermesyaml.Parse(f.data)
	if err != nil {
		return f.refuse(path, "is a list in a form that could not be changed without changing something else")
	}
	f.root = root
	return nil
}

// lineCut removes the lines from a node's to the one its value ends on. The
// start is -1 when something else than a comment follows the value.
func (t text) lineCut(node *yaml.Node, end int) splice {
	if end < 0 {
		return splice{start: -1}
	}
	lineEnd, below := t.LineEnd(end)
	rest := strings.TrimSpace(string(t.Data[end:lineEnd]))
	if rest != "" && rest[0] != '#' {
		return splice{start: -1}
	}
	return splice{start: t.LineStart(node) + t.markOn(node), end: below}
}

// flowCut removes an entry of a flow list or mapping with one comma: the one
// behind it, else the one after the entry before.
func (t text) flowCut(start, end int, before []*yaml.Node) splice {
	if start < 0 || end < start {
		return splice{start: -1}
	}
	next := t.skipSpaces(end)
	if next < len(t.Data) && t.Data[next] == ',' {
		return splice{start: start, end: t.skipSpaces(next + 1)}
	}
	if len(before) == 0 {
		return splice{start: start, end: end}
	}
	last := before[len(before)-1]
	if previous := t.nodeEnd(last, last); previous >= 0 {
		return splice{start: previous, end: end}
	}
	return splice{start: -1}
}

func (t text) skipSpaces(at int) int {
	for at < len(t.Data) && (t.Data[at] == ' ' || t.Data[at] == '\t') {
		at++
	}
	return at
}
