package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

const (
	configName = "config.yaml"
	dotEnvName = ".env"

	// maxConfig and maxDotEnv bound what is read of Hermes' files, in bytes.
	maxConfig = 4 << 20
	maxDotEnv = 1 << 20

	// managedDir holds an administrator's pinned values; HERMES_MANAGED_DIR
	// names another.
	managedDir = "/etc/hermes"
)

// yamlLayer is one config.yaml.
type yamlLayer struct {
	root *yaml.Node // nil: absent or empty
	// source is the source of the layer's values.
	source model.Source
	// unreadable is set when the file is there but its values are not known.
	unreadable bool
	// differ is what one of Hermes' two loaders refuses the file for, nil when
	// both read it.
	differ error
}

// section returns a top-level block, nil when it is absent or no block, and
// how often the file has it.
func (l yamlLayer) section(name string) (*yaml.Node, int) {
	node, copies := hermesyaml.Lookup(l.root, name)
	if node == nil || hermesyaml.Resolve(node).Kind != yaml.MappingNode {
		return nil, copies
	}
	return node, copies
}

// envLayer is one .env file or the process environment.
type envLayer struct {
	values     environment
	source     model.Source
	unreadable bool
}

// managedScope is the administrator's layer above everything else.
type managedScope struct {
	config   yamlLayer
	env      envLayer
	problems []string
}

// loadManaged reads the managed scope; a machine without one has an empty one.
// A managed config.yaml that does not parse is ignored, as Hermes does; one
// that cannot be opened leaves every value unknown.
func loadManaged(env environment) managedScope {
	dir := strings.TrimSpace(env["HERMES_MANAGED_DIR"])
	if dir == "" {
		dir = managedDir
	}
	scope := managedScope{
		config: yamlLayer{source: model.SourceManaged},
		env:    envLayer{source: model.SourceManaged},
	}
	path := filepath.Join(dir, configName)
	data, err := safefile.Read(path, maxConfig)
	switch {
	case isAbsent(err):
	case err != nil:
		scope.config.unreadable = true
		scope.problems = append(scope.problems, unreadable(path, err))
	default:
		root, err := hermesyaml.Parse(data)
		if err != nil {
			scope.problems = append(scope.problems, fmt.Sprintf("managed %s does not parse, so Hermes ignores it: %s",
				model.NewText(path).Display(), displayError(err)))
		} else if differ := hermesyaml.LoadersDiffer(data); differ != nil {
			scope.problems = append(scope.problems, fmt.Sprintf("managed %s is ignored by a Hermes that reads it with the strict loader: %s",
				model.NewText(path).Display(), displayError(differ)))
		}
		scope.config.root = root
	}
	var problem string
	scope.env, problem = loadDotEnv(filepath.Join(dir, dotEnvName), env, model.SourceManaged)
	if problem != "" {
		scope.problems = append(scope.problems, problem)
	}
	return scope
}

// isAbsent reports whether a path names nothing, a file used as a folder
// included.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist)
}

func unreadable(path string, err error) string {
	return fmt.Sprintf("%s cannot be read, so its values are not known: %s", model.NewText(path).Display(), displayError(err))
}

func loadDotEnv(path string, env environment, source model.Source) (envLayer, string) {
	data, err := safefile.Read(path, maxDotEnv)
	switch {
	case isAbsent(err):
		return envLayer{source: source}, ""
	case err != nil:
		return envLayer{source: source, unreadable: true}, unreadable(path, err)
	}
	return envLayer{source: source, values: parseDotEnv(data, env)}, ""
}

// loadConfig reads a home's config.yaml. One that does not parse is replaced
// by the newest readable good copy, as Hermes does (contract 5.1).
func loadConfig(dir string) (yamlLayer, []string) {
	path := filepath.Join(dir, configName)
	data, err := safefile.Read(path, maxConfig)
	switch {
	case isAbsent(err):
		return yamlLayer{source: model.SourceConfig}, nil
	case err != nil:
		return yamlLayer{source: model.SourceConfig, unreadable: true}, []string{unreadable(path, err)}
	}
	root, err := hermesyaml.Parse(data)
	if err == nil {
		return yamlLayer{source: model.SourceConfig, root: root, differ: hermesyaml.LoadersDiffer(data)}, nil
	}
	problem := fmt.Sprintf("%s does not parse: %s", model.NewText(path).Display(), displayError(err))
	if root, backup := loadBackup(dir); backup != "" {
		problem += fmt.Sprintf("; the policy shown comes from Hermes' last good copy, %s; repair the file or restore the copy",
			model.NewText(backup).Display())
		return yamlLayer{source: model.SourceBackup, root: root}, []string{problem}
	}
	problem += "; there is no good copy to fall back to, so the policy is not known; repair the file"
	return yamlLayer{source: model.SourceConfig, unreadable: true}, []string{problem}
}

// loadBackup returns the newest good copy that can be opened; one that opens
// but does not parse ends the search. The path is "" when there is none.
func loadBackup(dir string) (*yaml.Node, string) {
	folder := filepath.Join(dir, "backups", "config")
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, ""
	}
	// Names end in a time stamp, so the greatest is the newest.
	slices.Reverse(list)
	for _, item := range list {
		if !strings.HasPrefix(item.Name(), configName+".good.") {
			continue
		}
		path := filepath.Join(folder, item.Name())
		data, err := safefile.Read(path, maxConfig)
		if err != nil {
			continue
		}
		root, err := hermesyaml.Parse(data)
		if err != nil {
			return nil, ""
		}
		return root, path
	}
	return nil, ""
}
