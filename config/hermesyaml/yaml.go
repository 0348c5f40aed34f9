// Package hermesyaml reads YAML as Hermes' loader does: by the rules of YAML
// 1.1, with merges, and with what that loader refuses refused.
package hermesyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ParseDocument parses a file of at most one YAML document and returns its
// root node, nil for an empty one. Every error the parser can raise, panics
// included, comes back as an error: the input is not ours.
func ParseDocument(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			root, err = nil, fmt.Errorf("parser failed: %v", caught)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, errors.New("more than one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, nil
	}
	return document.Content[0], nil
}

// Parse parses a file as Hermes' own loader would accept it: one UTF-8
// document whose root is a block of keys, plain tags only, scalar keys only.
// An empty file is an empty block (nil). What that loader rejects is an error
// here too, because Hermes then falls back to its backup (contract 5.1).
func Parse(data []byte) (*yaml.Node, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the file is not UTF-8")
	}
	root, err := ParseDocument(data)
	if err != nil || root == nil {
		return nil, err
	}
	if refused, _ := checkGaps(data, root); refused != nil {
		return nil, refused
	}
	if err := (checker{anchors: map[string]bool{}}).check(root, 0); err != nil {
		return nil, err
	}
	switch {
	case root.Kind == yaml.MappingNode:
		return root, nil
	case root.Kind == yaml.ScalarNode && Falsy(ScalarOf(root)), root.Kind == yaml.SequenceNode && len(root.Content) == 0:
		return nil, nil
	}
	return nil, errors.New("the top level is not a block of keys")
}

// maxDepth bounds every walk over a parsed document.
const maxDepth = 200

// checker walks a document for what the parser takes and a safe loader does
// not.
type checker struct{ anchors map[string]bool }

func (c checker) check(node *yaml.Node, depth int) error {
	switch {
	case depth > maxDepth:
		return errors.New("nested too deeply")
	case node.Kind == yaml.AliasNode:
		return nil
	case !knownTag(node.Tag):
		return fmt.Errorf("line %d: unknown tag", node.Line)
	case !fitsTag(node):
		return fmt.Errorf("line %d: a value that is not what its tag says", node.Line)
	case node.Anchor != "" && c.anchors[node.Anchor]:
		return fmt.Errorf("line %d: an anchor that is there already", node.Line)
	}
	c.anchors[node.Anchor] = true
	for i, child := range node.Content {
		isKey := node.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case !isKey && child.Kind == yaml.ScalarNode && child.Style == 0 && child.Value == "=":
			return fmt.Errorf("line %d: a lone equals sign", child.Line)
		case isKey && Resolve(child).Kind != yaml.ScalarNode:
			return fmt.Errorf("line %d: a key that is not a plain value", child.Line)
		case isKey && IsMerge(child) && !mergeable(node.Content[i+1]), !isKey && IsMerge(child):
			return fmt.Errorf("line %d: a merge of something that is no block of keys", child.Line)
		}
		if err := c.check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// mergeable reports whether a value is a mapping or a list of mappings.
func mergeable(node *yaml.Node) bool {
	node = Resolve(node)
	if node.Kind != yaml.SequenceNode {
		return node.Kind == yaml.MappingNode
	}
	for _, item := range node.Content {
		if Resolve(item).Kind != yaml.MappingNode {
			return false
		}
	}
	return true
}

// knownTag reports whether a safe YAML loader knows the tag.
func knownTag(tag string) bool {
	tag = strings.Replace(tag, "tag:yaml.org,2002:", "!!", 1)
	switch tag {
	case "", "!", "!!str", "!!bool", "!!int", "!!float", "!!null", "!!map", "!!seq", "!!merge",
		"!!timestamp", "!!binary", "!!set", "!!omap", "!!pairs":
		return true
	}
	return false
}

// fitsTag reports whether a node with a tag of its own is of the tag's kind: a
// safe loader fails on a block of keys tagged as text, or on a number that is
// none.
func fitsTag(node *yaml.Node) bool {
	if node.Style&yaml.TaggedStyle == 0 {
		return true
	}
	switch kind := PlainScalar(node.Value).Kind; node.ShortTag() {
	case "!!map", "!!set":
		return node.Kind == yaml.MappingNode
	case "!!seq", "!!omap", "!!pairs":
		return node.Kind == yaml.SequenceNode
	case "!!bool":
		return node.Kind == yaml.ScalarNode && kind == Bool
	case "!!int":
		return node.Kind == yaml.ScalarNode && kind == Int
	case "!!float":
		return node.Kind == yaml.ScalarNode && (kind == Float || kind == Int)
	default:
		return node.Kind == yaml.ScalarNode
	}
}

// Resolve follows aliases. A chain too long to be meant ends at an empty node.
func Resolve(node *yaml.Node) *yaml.Node {
	for range maxDepth {
		if node == nil {
			return &yaml.Node{}
		}
		if node.Kind != yaml.AliasNode {
			return node
		}
		node = node.Alias
	}
	return &yaml.Node{}
}

// Entry is one key of a mapping as Hermes sees it.
type Entry struct {
	Key   string
	Value *yaml.Node
	// Copies counts how often the mapping itself gives the key.
	Copies int
}

// Entries returns a mapping's keys in order, with merges applied as YAML 1.1
// has it: a key of the mapping itself beats a merged one, of several copies
// the last wins, and the first of a list of merged mappings wins.
func Entries(node *yaml.Node) []Entry {
	return collector{}.collect(Resolve(node))
}

// collector remembers the keys of mappings it has seen, so that merges of
// merges cost no more than they are long. A mapping merged into itself adds
// nothing.
type collector map[*yaml.Node][]Entry

func (c collector) collect(node *yaml.Node) []Entry {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	if list, seen := c[node]; seen {
		return list
	}
	c[node] = nil
	var list []Entry
	index := map[string]int{}
	put := func(e Entry) {
		i, known := index[e.Key]
		if !known {
			index[e.Key] = len(list)
			list = append(list, e)
			return
		}
		e.Copies += list[i].Copies
		list[i] = e
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if IsMerge(node.Content[i]) {
			for _, e := range c.merged(node.Content[i+1]) {
				put(Entry{Key: e.Key, Value: e.Value})
			}
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := node.Content[i]; !IsMerge(key) {
			put(Entry{Key: ScalarOf(key).Text, Value: node.Content[i+1], Copies: 1})
		}
	}
	c[node] = list
	return list
}

// merged returns the keys a merge value brings.
func (c collector) merged(node *yaml.Node) []Entry {
	node = Resolve(node)
	if node.Kind != yaml.SequenceNode {
		return c.collect(node)
	}
	var list []Entry
	seen := map[string]bool{}
	for _, item := range node.Content {
		for _, e := range c.collect(Resolve(item)) {
			if !seen[e.Key] {
				seen[e.Key] = true
				list = append(list, e)
			}
		}
	}
	return list
}

// IsMerge reports whether a key is the merge key, <<.
func IsMerge(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Value == "<<" && node.ShortTag() == "!!merge"
}

// Lookup returns the value of a key of a mapping, nil when it is absent, and
// how often the mapping itself gives it.
func Lookup(node *yaml.Node, key string) (*yaml.Node, int) {
	if node == nil {
		return nil, 0
	}
	for _, e := range Entries(node) {
		if e.Key == key {
			return e.Value, e.Copies
		}
	}
	return nil, 0
}
