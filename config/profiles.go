package config

import (
	"path/filepath"

	"hermes-sandbox/model"
)

// LoadProfiles finds Hermes' homes and reads every profile's policy (contract
// 5). A home that cannot be looked at is a problem of its own; a configuration
// that cannot be read is a problem of its profile. At most one profile is
// active: that of the first home named, else of HERMES_HOME or the native
// home; none when that home does not exist. Only for the active one the
// process environment counts.
func LoadProfiles(in HomesInput) ([]model.Profile, []model.Problem) {
	env := parseEnviron(in.Environ)
	finder := homeFinder{env: env, userHome: in.UserHome}
	installations, problems := finder.find(in)
	var managed managedScope
	if !in.Elsewhere {
		managed = loadManaged(env)
	}
	var profiles []model.Profile
	for _, found := range installations {
		for n, h := range found.homes {
			active := found.decides && n == found.active
			profiles = append(profiles, loadProfile(found.root, h, managed, env, active))
		}
	}
	return profiles, problems
}

func loadProfile(root string, h home, managed managedScope, env environment, active bool) model.Profile {
	reader := openPolicy(h.dir, managed, env, active)
	policy := reader.read()
	return model.Profile{
		Name:       model.NewText(h.name),
		Label:      model.Sanitize(h.name),
		Home:       h.dir,
		Root:       root,
		ConfigFile: filepath.Join(h.dir, configName),
		Active:     active,
		Policy:     policy,
		Problems:   append(h.problems, reader.problems...),
	}
}
