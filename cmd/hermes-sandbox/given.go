package main

import (
	"slices"

	"hermes-sandbox/config"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

// give takes a home over that the settings name for an engine. Here it is one
// more home of this machine; for an engine on another it says what its
// sandboxes belong to.
func (w *workspace) give(endpoint dockerx.Endpoint, home string) {
	switch {
	case home == "":
	case !endpoint.Remote():
		w.homes.Added = append(w.homes.Added, home)
	default:
		if w.given == nil {
			w.given = map[string]string{}
		}
		w.given[endpoint.Name] = home
	}
}

// givenProfiles reads the homes named for engines on other machines. One that is
// a home of this machine too is the same: Hermes runs here and its containers
// there.
func (w *workspace) givenProfiles(here []model.Profile) (map[string][]model.Profile, []model.Problem) {
	if len(w.given) == 0 {
		return nil, nil
	}
	given, problems := map[string][]model.Profile{}, []model.Problem(nil)
	for engine, home := range w.given {
		profiles, failed := config.LoadProfiles(config.HomesInput{Homes: []string{home}, UserHome: w.homes.UserHome, Elsewhere: true})
		for i := range profiles {
			p := &profiles[i]
			p.Active = false // no new command of this machine uses it
			if at := slices.IndexFunc(here, func(own model.Profile) bool { return own.Home == p.Home }); at >= 0 {
				*p = here[at]
			}
		}
		if len(profiles) == 0 && len(failed) == 0 {
			failed = []model.Problem{{Part: "home of " + model.NewText(engine).Display(), Error: "there is none at " + model.NewText(home).Display()}}
		}
		given[engine], problems = profiles, append(problems, failed...)
	}
	return given, problems
}
