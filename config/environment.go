package config

import (
	"path/filepath"
	"strings"
)

// environment is a process environment as a map; of a name given twice the
// last counts.
type environment map[string]string

// parseEnviron reads NAME=value pairs, as os.Environ gives them. Entries
// without a name are left out.
func parseEnviron(pairs []string) environment {
	env := make(environment, len(pairs))
	for _, pair := range pairs {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
}

// expandHome replaces a leading ~ by the user's home folder. Without a home
// folder, or for another user's (~name), the path stays as it is.
func expandHome(path, userHome string) string {
	if userHome == "" || path == "" || path[0] != '~' {
		return path
	}
	if path == "~" {
		return userHome
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(userHome, rest)
	}
	return path
}
