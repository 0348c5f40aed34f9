package model

import (
	"slices"
	"strings"
)

// profilesInScope returns the profiles that a person named, by name or label,
// or the active ones when none was named, and the names that no known profile
// bears.
func profilesInScope(fleet *Fleet, names []Text) (profiles []*Profile, unknown []Text) {
	for i := range fleet.Profiles {
		p := &fleet.Profiles[i]
		meant := slices.ContainsFunc(names, func(name Text) bool { return named(p, name) })
		if meant || len(names) == 0 && p.Active {
			profiles = append(profiles, p)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(profiles, func(p *Profile) bool { return named(p, name) }) {
			unknown = append(unknown, name)
		}
	}
	return profiles, unknown
}

// profilesAt returns the profiles with one of the homes.
func profilesAt(fleet *Fleet, homes []string) []*Profile {
	var profiles []*Profile
	for i := range fleet.Profiles {
		p := &fleet.Profiles[i]
		if slices.ContainsFunc(homes, func(home string) bool { return samePath(p.Home, home) }) {
			profiles = append(profiles, p)
		}
	}
	return profiles
}

// named reports whether a person means a profile by a name: its own, or one of
// the labels its sandboxes carry.
func named(p *Profile, name Text) bool {
	return !name.Empty() && (p.Name == name || p.Label == name.Raw() || identityLabel(p) == name.Raw())
}

// scopeNote says which profiles a plan looked at. Active tells that nobody
// named them.
func scopeNote(profiles []*Profile, unknown []Text, active bool) string {
	var names []string
	for _, p := range profiles {
		names = append(names, p.Name.Display())
	}
	names = append(names, displayAll(unknown)...)
	slices.Sort(names)
	scope := "profiles looked at: " + strings.Join(slices.Compact(names), ", ")
	switch {
	case len(names) == 0:
		return "no profile to look at: none is active, and none was named"
	case active:
		return scope + " (active)"
	}
	return scope
}
