package edit

import (
	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
)

// prove parses the spliced bytes and checks that the value at path is wanted
// (nil: absent) and that nothing else differs, as Hermes would read both.
func (f *File) prove(after []byte, path []string, wanted *yaml.Node) bool {
	root, err := hermesyaml.Parse(after)
	if err != nil {
		return false
	}
	c := comparison{}
	return c.differOnlyAt(f.root, root, path, wanted)
}

// pair is two nodes that were compared.
type pair struct{ before, after *yaml.Node }

// comparison remembers which nodes are equal, so that aliases of aliases cost
// nothing and circles end.
type comparison map[pair]bool

func (c comparison) differOnlyAt(before, after *yaml.Node, path []string, wanted *yaml.Node) bool {
	old, young := byKey(before), byKey(after)
	name := path[0]
	for key, value := range old {
		if key == name {
			continue
		}
		if other, ok := young[key]; !ok || !c.equal(value, other) {
			return false
		}
	}
	for key := range young {
		if _, ok := old[key]; !ok && key != name {
			return false
		}
	}
	was, is := valueOf(before, name), valueOf(after, name)
	if len(path) > 1 {
		return is != nil && hermesyaml.Resolve(is).Kind == yaml.MappingNode &&
			c.differOnlyAt(was, is, path[1:], wanted)
	}
	if wanted == nil || is == nil {
		return wanted == nil && is == nil
	}
	return c.equal(wanted, is)
}

// byKey returns a mapping's values by key; other nodes have none.
func byKey(node *yaml.Node) map[string]*yaml.Node {
	values := map[string]*yaml.Node{}
	if node == nil {
		return values
	}
	for _, e := range hermesyaml.Entries(node) {
		values[e.Key] = e.Value
	}
	return values
}

func valueOf(node *yaml.Node, key string) *yaml.Node {
	value, _ := hermesyaml.Lookup(node, key)
	return value
}

// equal compares two values as Hermes reads them.
func (c comparison) equal(before, after *yaml.Node) bool {
	before, after = hermesyaml.Resolve(before), hermesyaml.Resolve(after)
	key := pair{before, after}
	if known, ok := c[key]; ok {
		return known
	}
	c[key] = true
	same := c.same(before, after)
	c[key] = same
	return same
}

func (c comparison) same(before, after *yaml.Node) bool {
	if before.Kind != after.Kind {
		return false
	}
	switch before.Kind {
	case yaml.ScalarNode:
		a, b := hermesyaml.ScalarOf(before), hermesyaml.ScalarOf(after)
		return a.Kind == b.Kind && a.Text == b.Text
	case yaml.SequenceNode:
		if len(before.Content) != len(after.Content) {
			return false
		}
		for i := range before.Content {
			if !c.equal(before.Content[i], after.Content[i]) {
				return false
			}
		}
		return true
	case yaml.MappingNode:
		old, young := byKey(before), byKey(after)
		if len(old) != len(young) {
			return false
		}
		for key, value := range old {
			if other, ok := young[key]; !ok || !c.equal(value, other) {
				return false
			}
		}
		return true
	default:
		return true
	}
}
