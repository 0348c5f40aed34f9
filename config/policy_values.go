package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

// pythonInt matches what Python's int() accepts, for ASCII digits.
var pythonInt = regexp.MustCompile(`^[-+]?[0-9]+(?:_[0-9]+)*$`)

// boolean reads a terminal boolean (contract 5.2); nil when it is not known.
// Those read here are all true by default.
func (r *policyReader) boolean(key, variable string) (*bool, model.Source) {
	found := r.find(key, variable)
	switch {
	case !found.known:
		return nil, found.source
	case !found.set:
		return new(true), found.source
	case found.isBlock():
		r.note("odd-bool", found.name, found.name+" is a list or a block, which counts as false", "write true or false")
		return new(bool), found.source
	}
	value := hermesyaml.Truthy(found.scalar.Text)
	r.noteOddBool(found, value)
	return &value, found.source
}

// noteOddBool points out booleans that do not mean what they seem to.
func (r *policyReader) noteOddBool(found setting, value bool) {
	word := strings.ToLower(found.scalar.Text)
	switch word {
	case "true", "yes", "1", "false", "no", "0", "off":
		return
	}
	shown := quote(found.scalar.Text)
	meaning := fmt.Sprintf("%v, because only true, yes and 1 count as true", value)
	switch {
	case found.scalar.Kind == hermesyaml.Null:
		r.note("odd-bool", found.name, found.name+" has no value, which counts as false", "write true or false, or remove the key")
	case found.fromFile() && found.scalar.Quoted:
		r.note("quoted-bool", found.name, fmt.Sprintf("%s is the quoted text %s, which counts as %s", found.name, shown, meaning),
			"write true or false without quotes")
	case found.fromFile():
		r.note("odd-bool", found.name, fmt.Sprintf("%s is %s, which counts as %s", found.name, shown, meaning), "write true or false")
	default:
		r.note("env-bool", found.name, fmt.Sprintf("%s is %s, which counts as %s", found.name, shown, meaning), "set it to true or false")
	}
}

// text reads a plain value; nil when it is not known.
func (r *policyReader) text(key, variable, missing string) (*string, model.Source, bool) {
	found := r.find(key, variable)
	switch {
	case !found.known:
		return nil, found.source, found.set
	case !found.set:
		return &missing, found.source, false
	case found.isBlock():
		r.note("odd-text", found.name, found.name+" is a list or a block where a plain value is wanted", "write a plain value")
		return nil, found.source, true
	}
	value := found.scalar.Text
	return &value, found.source, true
}

// integer reads a whole number. bad is true when there is a value that is no
// number; the result is nil then, as it is when the value is not known.
func (r *policyReader) integer(key, variable string, missing int) (value *int, source model.Source, bad bool) {
	found := r.find(key, variable)
	switch {
	case !found.known:
		return nil, found.source, false
	case !found.set:
		return &missing, found.source, false
	}
	text := strings.TrimSpace(found.scalar.Text)
	if found.isBlock() || !pythonInt.MatchString(text) {
		r.note("bad-number", found.name, found.name+" is not a whole number; Hermes' terminal calls fail with it",
			fmt.Sprintf("write a number such as %d", missing))
		return nil, found.source, true
	}
	// A number too large for any clock is kept at a size that can be doubled.
	number, _ := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 10)
	limit := big.NewInt(math.MaxInt32)
	if number.CmpAbs(limit) > 0 {
		number.Set(new(big.Int).Mul(limit, big.NewInt(int64(number.Sign()))))
	}
	small := int(number.Int64())
	return &small, found.source, false
}

// list reads a list of texts. In an environment, and quoted in a file, it is
// JSON. ok is false when the value is not known or no list.
func (r *policyReader) list(key, variable string) (values []string, source model.Source, ok bool) {
	found := r.find(key, variable)
	switch {
	case !found.known:
		return nil, found.source, false
	case !found.set:
		return nil, found.source, true
	}
	node, final := r.structured(found)
	if node == nil || node.Kind != yaml.SequenceNode {
		r.note("bad-list", found.name, found.name+" is not a list; Hermes' terminal calls fail with it", `write a list such as ["--cpus=2"]`)
		return nil, found.source, false
	}
	for _, item := range node.Content {
		value := hermesyaml.ScalarOf(item)
		if hermesyaml.Resolve(item).Kind != yaml.ScalarNode || value.Kind != hermesyaml.String {
			r.note("dropped-entry", found.name, found.name+" holds an entry that is no text; Hermes leaves it out", "quote the entry")
			continue
		}
		if !final {
			expanded := r.expand(value.Text)
			if !r.judge(found.name, expanded) {
				return nil, found.source, false
			}
			value.Text = expanded.text
		}
		values = append(values, value.Text)
	}
	return values, found.source, true
}

// table reads a block of texts, like list.
func (r *policyReader) table(key, variable string) (map[string]string, model.Source) {
	found := r.find(key, variable)
	if !found.known || !found.set {
		return nil, found.source
	}
	node, final := r.structured(found)
	if node == nil || node.Kind != yaml.MappingNode {
		r.note("bad-list", found.name, found.name+" is not a block of names and values; Hermes' terminal calls fail with it",
			"write one NAME: value per line")
		return nil, found.source
	}
	values := map[string]string{}
	for _, e := range hermesyaml.Entries(node) {
		value := hermesyaml.ScalarOf(e.Value).Text
		if !final {
			value = r.expand(value).text
		}
		values[e.Key] = value
	}
	return values, found.source
}

// structured returns the list or block of a setting, reading text as JSON; it
// is nil when there is none. Entries of JSON text are final: references were
// expanded in the text already.
func (r *policyReader) structured(found setting) (node *yaml.Node, final bool) {
	if found.isBlock() {
		return hermesyaml.Resolve(found.node), false
	}
	var value any
	if json.Unmarshal([]byte(found.scalar.Text), &value) != nil {
		return nil, true
	}
	return jsonNode(value), true
}

// jsonNode turns a decoded JSON value into the node YAML would give it.
func jsonNode(value any) *yaml.Node {
	switch value := value.(type) {
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: value}
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range value {
			list.Content = append(list.Content, jsonNode(item))
		}
		return list
	case map[string]any:
		block := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			block.Content = append(block.Content, jsonNode(key), jsonNode(value[key]))
		}
		return block
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: jsonScalar(value)}
}

// jsonScalar writes a value that is no text so that YAML 1.1 reads it as the
// same type.
func jsonScalar(value any) string {
	number, ok := value.(float64)
	switch {
	case value == nil:
		return "null"
	case !ok:
		return fmt.Sprint(value)
	case number == math.Trunc(number) && math.Abs(number) < 1<<53:
		return strconv.FormatFloat(number, 'f', 0, 64)
	}
	return strconv.FormatFloat(number, 'f', 1, 64)
}

// proxyFlag reads a boolean of the proxy section, which goes by the truth
// value of the YAML value itself (contract 5.2).
func (r *policyReader) proxyFlag(key string, missing bool) (*bool, model.Source) {
	found, ok := r.inYAML(r.managed.config, proxySection, key)
	if !ok {
		found, ok = r.inYAML(r.user, proxySection, key)
	}
	switch {
	case !ok:
		return &missing, model.SourceDefault
	case !found.known:
		return nil, found.source
	}
	value := !hermesyaml.Falsy(found.scalar)
	if found.isBlock() {
		value = len(hermesyaml.Resolve(found.node).Content) > 0
	}
	word := strings.ToLower(found.scalar.Text)
	if !found.isBlock() && found.scalar.Kind == hermesyaml.String && value && word != "true" && word != "yes" && word != "1" {
		r.note("quoted-bool", found.name, fmt.Sprintf("%s is text, and any text that is not empty counts as true here", found.name),
			"write true or false without quotes")
	}
	return &value, found.source
}
