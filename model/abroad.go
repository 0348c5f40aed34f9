package model

import (
	"path"
	"strings"
)

// abroad is how the homes named for an engine on another machine are seen from
// its sandboxes.
type abroad struct {
	root     string            // where that machine keeps the installation; "" when it is not known, or as here
	profiles []Profile         // with the homes as that machine has them
	homes    map[string]string // from such a home to the one here
}

// elsewhere returns an assessor for an engine on another machine. The homes of
// this one are not those its containers belong to, even where a path or a label
// is the same: only those of the home named for the engine count. Without one
// no policy is known there, and no session in any case.
func (a *assessor) elsewhere(snap *Snapshot) *assessor {
	given := a.in.Given[snap.Engine.Name]
	remote := newAssessor(&Input{
		Now: a.in.Now, Profiles: given, Cuts: a.in.Cuts, Uses: a.in.Uses, IdleAfter: a.in.IdleAfter,
	})
	remote.memory, remote.abroad = a.memory, newAbroad(given, snap.Containers)
	return remote
}

// newAbroad finds where the other machine keeps the installation. The home can
// be read here at another path than it has there; when all sandboxes are bound
// from one installation, it is that one. With several, which one it is cannot be
// told, and only equal paths count.
func newAbroad(given []Profile, containers []*Container) *abroad {
	out := &abroad{profiles: given}
	root := boundRoot(containers)
	if len(given) == 0 || root == "" || samePath(root, given[0].Root) {
		return out
	}
	out.root, out.profiles, out.homes = root, nil, map[string]string{}
	for _, p := range given {
		here := p.Home
		if below, inside := strings.CutPrefix(cleanPath(p.Home), cleanPath(p.Root)); inside {
			p.Home = root + below
		}
		out.homes[p.Home] = here
		out.profiles = append(out.profiles, p)
	}
	return out
}

// boundRoot returns the installation that sandboxes are bound from, when it is
// only one.
func boundRoot(containers []*Container) string {
	found := ""
	for _, c := range containers {
		for _, target := range []string{"/root", "/workspace"} {
			source := bindSource(c, target)
			at := strings.LastIndex(source, sandboxesDir)
			if at < 1 {
				continue
			}
			root := source[:at]
			if parent := path.Dir(root); path.Base(parent) == "profiles" {
				root = path.Dir(parent)
			}
			if found != "" && found != root {
				return ""
			}
			found = root
		}
	}
	return found
}

// identify says what a container belongs to, on whichever machine it is.
func (a *assessor) identify(c *Container) Sandbox {
	if a.abroad == nil {
		return identify(c, a.profiles)
	}
	s := identify(c, a.abroad.profiles)
	if here, ok := a.abroad.homes[s.Home]; ok {
		s.Home = here
	}
	return s
}

// root is where another machine keeps the installation, as far as that differs.
func (a *assessor) root() string {
	if a.abroad == nil {
		return ""
	}
	return a.abroad.root
}
