package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

// terminalSection is the block the sandbox policy stands in.
const terminalSection = "terminal"

// policyReader looks up policy values through the layers of contract 5.1 and
// collects what is odd about them.
type policyReader struct {
	managed managedScope
	user    yamlLayer
	dotEnv  envLayer
	process envLayer // empty unless the profile is the active one
	active  bool

	policy   *model.Policy
	problems []string
}

// openPolicy reads a home's files. Problems with them are in reader.problems;
// the policy can be read all the same.
func openPolicy(dir string, managed managedScope, env environment, active bool) *policyReader {
	r := &policyReader{
		managed:  managed,
		active:   active,
		policy:   &model.Policy{Sources: map[string]model.Source{}},
		problems: append([]string(nil), managed.problems...),
	}
	var problem string
	r.dotEnv, problem = loadDotEnv(dir+"/"+dotEnvName, env, model.SourceDotEnv)
	if problem != "" {
		r.problems = append(r.problems, problem)
	}
	var problems []string
	r.user, problems = loadConfig(dir)
	r.problems = append(r.problems, problems...)
	if active {
		r.process = envLayer{values: env, source: model.SourceEnvironment}
	}
	return r
}

// setting is a value as found in one layer.
type setting struct {
	source model.Source
	// known is false when a layer that may hold the value cannot be read, or
	// when the value refers to a variable we cannot see.
	known bool
	// set is false when no layer has the key; the default holds then.
	set bool
	// node is the YAML value, nil when it came from an environment.
	node *yaml.Node
	// scalar is the value as text; meaningless for lists and blocks.
	scalar hermesyaml.Scalar
	// name is how a person would look for it: the dotted key or the variable.
	name string
}

func (s setting) fromFile() bool { return s.node != nil }

// isBlock reports whether the value is a list or a block, where a plain value
// is wanted.
func (s setting) isBlock() bool {
	return s.node != nil && hermesyaml.Resolve(s.node).Kind != yaml.ScalarNode
}

// find looks a terminal key up: managed scope, config.yaml, .env, process
// environment. A key present in config.yaml beats the environment.
func (r *policyReader) find(key, variable string) setting {
	if found, ok := r.inYAML(r.managed.config, terminalSection, key); ok {
		return found
	}
	if found, ok := r.inEnv(r.managed.env, variable); ok {
		return found
	}
	found, ok := r.inYAML(r.user, terminalSection, key)
	if ok {
		r.noteOverridden(found, variable)
		return found
	}
	for _, layer := range []envLayer{r.dotEnv, r.process} {
		if found, ok := r.inEnv(layer, variable); ok {
			return found
		}
	}
	return setting{source: model.SourceDefault, known: true, name: terminalSection + "." + key}
}

func (r *policyReader) inYAML(layer yamlLayer, section, key string) (setting, bool) {
	name := section + "." + key
	if layer.unreadable {
		return setting{source: model.SourceUnreadable, name: name}, true
	}
	block, _ := layer.section(section)
	node, copies := hermesyaml.Lookup(block, key)
	if node == nil {
		return setting{}, false
	}
	if copies > 1 {
		r.note("duplicate-key", name, fmt.Sprintf("%s stands %d times in %s; the last one counts", name, copies, configName),
			"remove the other copies")
	}
	found := setting{source: layer.source, known: true, set: true, node: node, scalar: hermesyaml.ScalarOf(node), name: name}
	if found.scalar.Kind == hermesyaml.String && !found.isBlock() {
		expanded := r.expand(found.scalar.Text)
		found.scalar.Text = expanded.text
		found.known = r.judge(name, expanded)
	}
	return found, true
}

func (r *policyReader) inEnv(layer envLayer, variable string) (setting, bool) {
	if layer.unreadable {
		return setting{source: model.SourceUnreadable, name: variable}, true
	}
	value, ok := layer.values[variable]
	if !ok || variable == "" {
		return setting{}, false
	}
	return setting{
		source: layer.source, known: true, set: true, name: variable,
		scalar: hermesyaml.Scalar{Kind: hermesyaml.String, Text: value},
	}, true
}

// expand replaces references by the values a Hermes process of this profile
// would see.
func (r *policyReader) expand(text string) expansion {
	return expand(text, func(name string) (string, bool) {
		for _, layer := range []envLayer{r.managed.env, r.dotEnv, r.process} {
			if value, ok := layer.values[name]; ok {
				return value, true
			}
		}
		return "", false
	})
}

// judge says whether a value with references is known. Of a profile that is
// not the active one a missing variable may well be set in its own process.
func (r *policyReader) judge(name string, expanded expansion) bool {
	if len(expanded.missing) == 0 {
		return true
	}
	list := model.NewText(strings.Join(expanded.missing, ", ")).Display()
	if !r.active {
		r.note("unresolved-reference", name, fmt.Sprintf("%s refers to %s, which is only known to that profile's own process", name, list),
			"write the value into config.yaml or the profile's .env")
		return false
	}
	r.note("unresolved-reference", name, fmt.Sprintf("%s refers to %s, which is not set; Hermes takes the text as it stands", name, list),
		"set the variable or write the value out")
	return true
}

func (r *policyReader) note(code, key, detail, remedy string) {
	for _, n := range r.policy.Notes {
		if n.Code == code && n.Key == key && n.Detail == detail {
			return
		}
	}
	r.policy.Notes = append(r.policy.Notes, model.PolicyNote{Code: code, Key: key, Detail: detail, Remedy: remedy})
}

// noteOverridden says that a variable has no effect because config.yaml holds
// the key.
func (r *policyReader) noteOverridden(found setting, variable string) {
	if !found.fromFile() || variable == "" {
		return
	}
	for _, layer := range []envLayer{r.dotEnv, r.process} {
		value, ok := layer.values[variable]
		if !ok || strings.EqualFold(value, found.scalar.Text) && !found.isBlock() {
			continue
		}
		where := "the environment"
		if layer.source == model.SourceDotEnv {
			where = dotEnvName
		}
		r.note("env-overridden", found.name,
			fmt.Sprintf("%s in %s has no effect: %s in %s comes first", variable, where, found.name, configName),
			fmt.Sprintf("change %s, or remove it to let the variable count", found.name))
		return
	}
}
