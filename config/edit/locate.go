package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
)

// spot is how far a path leads in a file.
type spot struct {
	// keys and values are the pairs found, one per element of the path. Of
	// several copies of a key the last is taken, as it is the one that counts.
	keys, values []*yaml.Node
	// rootFlow is true when the whole file is in flow style.
	rootFlow bool
	// holder is the mapping in which the next element would stand; nil in an
	// empty file, or when the last value found is no mapping.
	holder *yaml.Node
}

// found reports how many elements of the path there are.
func (s spot) found() int { return len(s.keys) }

// locate follows a path through the mappings that are written out. An alias
// ends it: what it stands for is never edited.
func locate(root *yaml.Node, path []string) spot {
	s := spot{holder: root, rootFlow: isFlow(root)}
	for _, name := range path {
		if s.holder == nil || s.holder.Kind != yaml.MappingNode {
			s.holder = nil
			return s
		}
		key, value := lastPair(s.holder, name)
		if key == nil {
			return s
		}
		s.keys, s.values, s.holder = append(s.keys, key), append(s.values, value), value
	}
	return s
}

func lastPair(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if k := mapping.Content[i]; !hermesyaml.IsMerge(k) && hermesyaml.ScalarOf(k).Text == name {
			key, value = k, mapping.Content[i+1]
		}
	}
	return key, value
}

// anchoredUse returns the line of an alias to one of the nodes, 0 when there
// is none: changing such a node would change another place too.
func anchoredUse(root *yaml.Node, nodes ...*yaml.Node) int {
	if root == nil {
		return 0
	}
	if root.Kind == yaml.AliasNode {
		for _, node := range nodes {
			if node.Kind != yaml.AliasNode && root.Alias == node {
				return root.Line
			}
		}
		return 0
	}
	for _, child := range root.Content {
		if line := anchoredUse(child, nodes...); line > 0 {
			return line
		}
	}
	return 0
}

func isFlow(node *yaml.Node) bool { return node != nil && node.Style&yaml.FlowStyle != 0 }

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && hermesyaml.ScalarOf(node).Kind == hermesyaml.Null
}

// renderFlow writes the rest of a path with its value on one line.
func renderFlow(path []string, value string) string {
	out := value
	for i := len(path) - 1; i >= 0; i-- {
		out = keyText(path[i]) + ": " + out
		if i > 0 {
			out = "{" + out + "}"
		}
	}
	return out
}

// step is the indentation of a section made here.
const step = "  "

// renderBlock writes the rest of a path with its value, a line per element,
// each line ended.
func renderBlock(path []string, value, indent, eol string) string {
	var out strings.Builder
	for i, name := range path {
		out.WriteString(indent + strings.Repeat(step, i) + keyText(name) + ":")
		if i == len(path)-1 {
			out.WriteString(" " + value)
		}
		out.WriteString(eol)
	}
	return out.String()
}

// keyText writes a key, quoted when it would not be read as the same word.
func keyText(name string) string {
	plain := hermesyaml.PlainScalar(name)
	for _, r := range name {
		letter := r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter {
			plain.Kind = hermesyaml.Null
		}
	}
	if plain.Kind == hermesyaml.String && name != "" && name[0] != '-' {
		return name
	}
	if text, err := quoted(name); err == nil {
		return text
	}
	return ""
}
