package edit

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
)

// Unset plans removing a key with its value, all copies of it. A section that
// would be left without keys becomes an empty one. A key that is absent is no
// change; one that comes through an alias or a merge is refused.
func (f *File) Unset(path []string) (Edit, error) {
	if err := f.checkPath(path); err != nil {
		return Edit{}, err
	}
	from := f.written(locate(f.root, path), path)
	current := *f
	for {
		at := locate(current.root, path)
		if at.found() < len(path) {
			break
		}
		if err := current.removePair(at, path); err != nil {
			return Edit{}, err
		}
	}
	if _, there := current.Written(path); there {
		return Edit{}, f.refuse(path, "comes through an alias or a merge")
	}
	if !f.prove(current.data, path, nil) {
		if string(current.data) == string(f.data) {
			return f.edit(f.data, "", ""), nil
		}
		return Edit{}, f.refuse(path, "stands in a form that could not be removed without changing something else")
	}
	return f.edit(current.data, from, ""), nil
}

// removePair takes the pair found out of the copy's bytes and parses them
// again.
func (f *File) removePair(at spot, path []string) error {
	if line := anchoredUse(f.root, at.values...); line > 0 {
		return f.refuse(path, fmt.Sprintf("is shared with line %d through an anchor", line))
	}
	for _, c := range removeCandidates(newText(f.data), f.root, at) {
		after := apply(f.data, c)
		root, err := hermesyaml.Parse(after)
		if err == nil && len(after) < len(f.data) {
			f.data, f.root = after, root
			return nil
		}
	}
	return f.refuse(path, "stands in a form that could not be removed without changing something else")
}

func removeCandidates(t text, root *yaml.Node, at spot) []candidate {
	n := at.found()
	key, value := at.keys[n-1], at.values[n-1]
	holder := root
	if n > 1 {
		holder = at.values[n-2]
	}
	end := t.nodeEnd(key, value)
	start := t.Offset(key)
	if isFlow(holder) {
		var before []*yaml.Node
		for i := 0; i+1 < len(holder.Content) && holder.Content[i] != key; i += 2 {
			before = append(before, holder.Content[i+1])
		}
		if cut := t.flowCut(start, end, before); cut.start >= 0 {
			return []candidate{{cut}}
		}
		return nil
	}
	cut := t.lineCut(key, end)
	if cut.start < 0 || start < cut.start || !hermesyaml.Blank(t.Data[cut.start:start]) {
		return nil
	}
	if n == 1 || len(holder.Content) > 2 {
		return []candidate{{cut}}
	}
	// The last key of a section: null would not be an empty section.
	colon := t.Colon(at.keys[n-2])
	if colon < 0 {
		return nil
	}
	return []candidate{{{colon, colon, " {}"}, cut}}
}

// nodeEnd returns the offset at which a value ends, -1 when it cannot be told.
// The key gives the indentation that a value over several lines exceeds.
func (t text) nodeEnd(key, node *yaml.Node) int {
	if node.Kind == yaml.ScalarNode && node.Value == "" && node.Style == 0 && node.Anchor == "" {
		if node == key {
			return -1
		}
		return t.Colon(key)
	}
	start := t.Offset(node)
	if start < 0 {
		return -1
	}
	switch {
	case node.Kind == yaml.ScalarNode || node.Kind == yaml.AliasNode:
		if end := t.ScalarEnd(node); end >= 0 {
			return end
		}
		return t.foldedEnd(key, start)
	case isFlow(node):
		return t.FlowEnd(start)
	case len(node.Content) == 0:
		return -1
	}
	last := node.Content[len(node.Content)-1]
	if node.Kind == yaml.MappingNode {
		return t.nodeEnd(node.Content[len(node.Content)-2], last)
	}
	return t.nodeEnd(&yaml.Node{Line: last.Line, Column: node.Column, Kind: yaml.MappingNode}, last)
}
