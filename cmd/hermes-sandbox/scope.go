package main

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
)

// profileScope is the set of profiles that --profile names; empty means all.
// A name matches a profile's name or the raw label.
type profileScope struct {
	names []string
	homes []string // homes of the profiles with those names
}

// scopeOf resolves --profile against what is known. A name that is neither a
// profile nor any sandbox's label is a mistake of the command line.
func scopeOf(fleet *model.Fleet, names []string) (profileScope, error) {
	scope := profileScope{names: names}
	for _, name := range names {
		known := slices.ContainsFunc(fleet.Sandboxes, func(s model.Sandbox) bool { return s.Profile.Raw() == name })
		for _, profile := range fleet.Profiles {
			if profile.Name.Raw() == name || profile.Label == name {
				known = true
				if profile.Home != "" {
					scope.homes = append(scope.homes, profile.Home)
				}
			}
		}
		if !known {
			return scope, usageError(fmt.Errorf("no profile %q; known are: %s", name, profileNames(fleet)))
		}
	}
	return scope, nil
}

func profileNames(fleet *model.Fleet) string {
	names := make([]string, 0, len(fleet.Profiles))
	for _, profile := range fleet.Profiles {
		names = append(names, profile.Name.Display())
	}
	if len(names) == 0 {
		return "none"
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// covers reports whether a sandbox belongs to the scope.
func (p profileScope) covers(s *model.Sandbox) bool {
	if len(p.names) == 0 {
		return true
	}
	return slices.Contains(p.names, s.Profile.Raw()) || (s.Home != "" && slices.Contains(p.homes, s.Home))
}

// coversProfile reports whether a profile belongs to the scope.
func (p profileScope) coversProfile(profile *model.Profile) bool {
	return len(p.names) == 0 || slices.Contains(p.names, profile.Name.Raw()) || slices.Contains(p.names, profile.Label)
}

// narrow returns the fleet with only the profiles and sandboxes of the scope.
func (p profileScope) narrow(fleet model.Fleet) model.Fleet {
	if len(p.names) == 0 {
		return fleet
	}
	fleet.Sandboxes = slices.DeleteFunc(slices.Clone(fleet.Sandboxes), func(s model.Sandbox) bool { return !p.covers(&s) })
	fleet.Profiles = slices.DeleteFunc(slices.Clone(fleet.Profiles), func(profile model.Profile) bool { return !p.coversProfile(&profile) })
	return fleet
}
