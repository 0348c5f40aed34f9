package config

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

// activeHelp is the variable that scripts of shell completion set for the
// library that answers them. It bears our name and is no setting.
const activeHelp = envPrefix + "ACTIVE_HELP"

// environmentLayer reads HERMES_SANDBOX_KEY__SUBKEY variables. Lists of plain
// values are separated by commas; a value starting with "[" and every list of
// objects is read as YAML. Unknown names are errors: a misspelt variable that
// is silently ignored could leave read_only off.
func environmentLayer(env environment) (layer, error) {
	out := layer{values: map[string]any{}, sources: map[string]string{}}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(env)) {
		rest, ok := strings.CutPrefix(name, envPrefix)
		if !ok || name == activeHelp {
			continue
		}
		key := strings.ToLower(strings.ReplaceAll(rest, "__", "."))
		where := place{file: name, key: key}
		schema, known := schemaOf(key)
		if !known {
			problems = append(problems, where.errorf(nil, "no setting is called %s", quote(key)))
			continue
		}
		node, err := environmentNode(env[name], schema)
		if err != nil {
			problems = append(problems, where.errorf(nil, "key %s must be %s: %s", quote(key), schema.kind, err))
			continue
		}
		problems = append(problems, out.set(key, name, node, schema, where))
	}
	return out, errors.Join(problems...)
}

// flagLayer takes the flags that were given. They are checked like a file:
// cmd and the schema must agree on names and types.
func flagLayer(flags map[string]any) (layer, error) {
	out := layer{values: map[string]any{}, sources: map[string]string{}}
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		where := place{file: "flag", key: key}
		schema, known := schemaOf(key)
		if !known {
			problems = append(problems, where.errorf(nil, "no setting is called %s", quote(key)))
			continue
		}
		node := &yaml.Node{}
		if err := node.Encode(flags[key]); err != nil {
			problems = append(problems, where.errorf(nil, "key %s: %s", quote(key), displayError(err)))
			continue
		}
		problems = append(problems, out.set(key, "flag", node, schema, where))
	}
	return out, errors.Join(problems...)
}

// set decodes a node and puts it at a dotted key.
func (l layer) set(key, source string, node *yaml.Node, schema field, where place) error {
	value, err := decodeNode(node, schema, where)
	if err != nil {
		return err
	}
	values, name := l.values, key
	for {
		head, rest, nested := strings.Cut(name, ".")
		if !nested {
			break
		}
		inner, ok := values[head].(map[string]any)
		if !ok {
			inner = map[string]any{}
			values[head] = inner
		}
		values, name = inner, rest
	}
	values[name] = value
	l.sources[key] = source
	return nil
}

// schemaOf finds the field of a dotted key; blocks themselves are no settings.
func schemaOf(key string) (field, bool) {
	found := settingsSchema()
	for name := range strings.SplitSeq(key, ".") {
		inner, ok := found.fields[name]
		if !ok {
			return field{}, false
		}
		found = inner
	}
	return found, found.kind != kindObject
}

// environmentNode turns a variable's text into the node a file would have.
func environmentNode(text string, schema field) (*yaml.Node, error) {
	switch schema.kind {
	case kindString:
		return stringNode(text), nil
	case kindList:
		if schema.item.kind == kindObject || strings.HasPrefix(strings.TrimSpace(text), "[") {
			return yamlNode(text)
		}
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				node, err := environmentNode(item, *schema.item)
				if err != nil {
					return nil, err
				}
				list.Content = append(list.Content, node)
			}
		}
		return list, nil
	case kindBool:
		// Shells have no booleans, so the usual spellings are taken.
		if text == "1" || text == "0" {
			text = map[string]string{"1": "true", "0": "false"}[text]
		}
		return yamlNode(strings.ToLower(text))
	case kindInt, kindDuration, kindObject:
	}
	return yamlNode(text)
}

func stringNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func yamlNode(text string) (*yaml.Node, error) {
	node, err := hermesyaml.ParseDocument([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("not valid YAML: %s", model.NewText(err.Error()).Display())
	}
	if node == nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, nil
	}
	return node, nil
}

// checkSettings checks what the types alone do not say.
func checkSettings(s *Settings) error {
	var problems []error
	report := func(key, format string, args ...any) {
		source := model.NewText(s.Sources[key]).Display()
		problems = append(problems, fmt.Errorf("%s: key %s %s", source, quote(key), fmt.Sprintf(format, args...)))
	}
	checkInterval := func(key string, value, least time.Duration) {
		if value < least {
			report(key, "must be at least %s", least)
		}
	}
	checkInterval("stats_interval", s.StatsInterval, time.Second)
	checkInterval("resync_interval", s.ResyncInterval, 5*time.Second)
	checkInterval("idle_after", s.IdleAfter, time.Minute)
	if s.ConfirmAbove < 0 {
		report("confirm_above", "must not be negative")
	}
	for _, port := range s.Egress.Ports {
		if port < 1 || port > 65535 {
			report("egress.ports", "holds %d, which is no port", port)
		}
	}
	for _, prefix := range s.Egress.AllowCIDRs {
		if _, err := netip.ParsePrefix(prefix); err != nil {
			report("egress.allow_cidrs", "holds %s, which is no address range such as 10.0.0.0/8", quote(prefix))
		}
	}
	for i, binding := range s.Keys {
		if binding.Action == "" || len(binding.Keys) == 0 {
			report("keys", "entry %d needs action and keys", i+1)
		}
	}
	if _, err := model.NewMasker(s.Mask); err != nil {
		report("mask", "%s", err)
	}
	checkEngines(s.Engines, report)
	return errors.Join(problems...)
}

func checkEngines(engines []EngineSetting, report func(key, format string, args ...any)) {
	seen := map[string]bool{}
	for i, engine := range engines {
		if (engine.Host == "") == (engine.Context == "") {
			report("engines", "entry %d needs either host or context", i+1)
		}
		if engine.Name != "" && seen[engine.Name] {
			report("engines", "has the name %s twice", quote(engine.Name))
		}
		seen[engine.Name] = true
	}
}
