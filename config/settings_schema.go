package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

// kind is the type a setting must have.
type kind int

const (
	kindString kind = iota
	kindBool
	kindInt
	kindDuration
	kindList
	kindObject
)

func (k kind) String() string {
	switch k {
	case kindBool:
		return "true or false"
	case kindInt:
		return "a whole number"
	case kindDuration:
		return "a duration such as 30s"
	case kindList:
		return "a list"
	case kindObject:
		return "a block of keys"
	case kindString:
	}
	return "a text"
}

// field describes one setting.
type field struct {
	kind   kind
	item   *field           // of a list
	fields map[string]field // of an object
}

// settingsSchema lists every known key. It stands beside the struct so that
// errors can name the line and the known keys.
func settingsSchema() field {
	text := field{kind: kindString}
	number := field{kind: kindInt}
	flag := field{kind: kindBool}
	duration := field{kind: kindDuration}
	texts := field{kind: kindList, item: &text}
	object := func(fields map[string]field) field { return field{kind: kindObject, fields: fields} }
	engine := object(map[string]field{"name": text, "host": text, "context": text, "hermes_home": text})
	binding := object(map[string]field{"action": text, "keys": texts})
	return object(map[string]field{
		"engines":         {kind: kindList, item: &engine},
		"hermes_homes":    texts,
		"read_only":       flag,
		"theme":           text,
		"ascii":           flag,
		"mouse":           flag,
		"columns":         texts,
		"group":           text,
		"sort":            text,
		"keys":            {kind: kindList, item: &binding},
		"stats_interval":  duration,
		"resync_interval": duration,
		"idle_after":      duration,
		"confirm_above":   number,
		"mask":            texts,
		"log_file":        text,
		"egress": object(map[string]field{
			"binary": text, "image": text, "ports": {kind: kindList, item: &number}, "allow_cidrs": texts,
		}),
	})
}

// layer is one source of settings: values by nested key, and where each
// dotted key came from.
type layer struct {
	values  map[string]any
	sources map[string]string
}

// place is where a value stands, for errors.
type place struct {
	file string // file or variable
	key  string
	line bool // whether lines mean anything
}

func (p place) errorf(node *yaml.Node, format string, args ...any) error {
	where := model.NewText(p.file).Display()
	if p.line && node != nil {
		where += ":" + strconv.Itoa(node.Line)
	}
	return fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...))
}

func (p place) child(name string) place {
	if p.key != "" {
		name = p.key + "." + name
	}
	return place{file: p.file, key: name, line: p.line}
}

func (p place) index(i int) place {
	return place{file: p.file, key: fmt.Sprintf("%s[%d]", p.key, i), line: p.line}
}

// parseSettings reads a settings file. An empty file sets nothing.
func parseSettings(path string, data []byte) (layer, error) {
	where := place{file: path, line: true}
	root, err := hermesyaml.ParseDocument(data)
	if err != nil {
		return layer{}, where.errorf(nil, "not valid YAML: %s", model.NewText(err.Error()).Display())
	}
	if root == nil {
		return layer{}, nil
	}
	value, err := decodeNode(root, settingsSchema(), where)
	if err != nil {
		return layer{}, err
	}
	values, ok := value.(map[string]any)
	if !ok {
		return layer{}, nil
	}
	sources := map[string]string{}
	for _, key := range dottedKeys(values, settingsSchema()) {
		sources[key] = path
	}
	return layer{values: values, sources: sources}, nil
}

// dottedKeys names the settings that are set, at the depth they can be set at.
func dottedKeys(values map[string]any, schema field) []string {
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inner, ok := values[name].(map[string]any)
		if !ok {
			keys = append(keys, name)
			continue
		}
		for _, key := range dottedKeys(inner, schema.fields[name]) {
			keys = append(keys, name+"."+key)
		}
	}
	return keys
}

// decodeNode checks a node against the schema and returns its value, with
// every problem below it joined.
func decodeNode(node *yaml.Node, schema field, where place) (any, error) {
	if node.Kind == yaml.AliasNode {
		return nil, where.errorf(node, "key %s: anchors and aliases are not supported here; write the value out", quote(where.key))
	}
	switch schema.kind {
	case kindObject:
		return decodeObject(node, schema, where)
	case kindList:
		return decodeList(node, schema, where)
	default:
		return decodeScalar(node, schema.kind, where)
	}
}

func decodeObject(node *yaml.Node, schema field, where place) (any, error) {
	if node.Kind != yaml.MappingNode {
		if where.key == "" {
			return nil, where.errorf(node, "the settings must be a block of keys, such as read_only: true")
		}
		return nil, wrongType(node, schema.kind, where)
	}
	values := map[string]any{}
	var problems []error
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		name := where.child(key.Value)
		inner, known := schema.fields[key.Value]
		_, twice := values[key.Value]
		switch {
		case !known:
			problems = append(problems, unknownKey(key, name, schema))
			continue
		case twice:
			problems = append(problems, where.errorf(key, "key %s is given twice", quote(name.key)))
			continue
		}
		decoded, err := decodeNode(value, inner, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		values[key.Value] = decoded
	}
	return values, errors.Join(problems...)
}

func unknownKey(node *yaml.Node, where place, schema field) error {
	known := slices.Sorted(maps.Keys(schema.fields))
	return where.errorf(node, "unknown key %s; known are %s", quote(where.key), strings.Join(known, ", "))
}

func wrongType(node *yaml.Node, want kind, where place) error {
	return where.errorf(node, "key %s must be %s", quote(where.key), want)
}

func decodeList(node *yaml.Node, schema field, where place) (any, error) {
	if node.Kind != yaml.SequenceNode {
		return nil, wrongType(node, schema.kind, where)
	}
	values := make([]any, 0, len(node.Content))
	var problems []error
	for i, item := range node.Content {
		value, err := decodeNode(item, *schema.item, where.index(i))
		if err != nil {
			problems = append(problems, err)
			continue
		}
		values = append(values, value)
	}
	return values, errors.Join(problems...)
}

func decodeScalar(node *yaml.Node, want kind, where place) (any, error) {
	if node.Kind != yaml.ScalarNode {
		return nil, wrongType(node, want, where)
	}
	tag := node.ShortTag()
	switch want {
	case kindBool:
		if value, err := strconv.ParseBool(node.Value); err == nil && tag == "!!bool" {
			return value, nil
		}
	case kindInt:
		var value int
		if tag == "!!int" && node.Decode(&value) == nil {
			return value, nil
		}
	case kindDuration:
		if value, err := time.ParseDuration(node.Value); err == nil && tag == "!!str" {
			return value, nil
		}
	case kindString:
		if tag == "!!str" {
			return node.Value, nil
		}
	case kindList, kindObject:
	}
	return nil, wrongType(node, want, where)
}
