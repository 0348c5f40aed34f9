package model

import (
	"path"
	"regexp"
	"strings"
)

// sandboxesDir lies between a home and the bind directories of its sandboxes.
const sandboxesDir = "/sandboxes/docker/"

// profileName is the form of a named profile (contract 5.4).
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// settleHome fills in the HERMES_HOME of a sandbox and the profile label that
// belongs to it. What is bound decides; only without a telling bind does the
// label, and only when one home alone has it. Paths are compared as words.
func settleHome(s *Sandbox, profiles []Profile) {
	for _, target := range []string{"/root", "/workspace"} {
		if home, profile := homeOfBind(s, bindSource(s.Container, target), profiles); home != "" {
			s.Home, s.HomeLabel = home, homeLabel(home, profile, s.Profile)
			return
		}
	}
	labelled := func(p *Profile) bool { return !s.Profile.Empty() && p.Label == s.Profile.Raw() }
	if profile := onlyHome(profiles, labelled); profile != nil {
		s.Home, s.HomeLabel = profile.Home, profile.Label
	}
}

// bindSource returns the host path bound at a place, "" when none is.
func bindSource(c *Container, destination string) string {
	for _, mount := range allMounts(c) {
		if mount.Destination.Raw() == destination && mount.ofHost() {
			return cleanPath(mount.Source.Raw())
		}
	}
	return ""
}

// homeOfBind returns the home that a bind source lies in, and its profile when
// that is known.
func homeOfBind(s *Sandbox, source string, profiles []Profile) (string, *Profile) {
	if source == "" {
		return "", nil
	}
	within := func(p *Profile) bool { return p.Policy != nil && below(source, sandboxRoot(p.Policy.SandboxDir)) }
	labelled := func(p *Profile) bool { return within(p) && p.Label == s.Profile.Raw() }
	for _, fits := range []func(*Profile) bool{within, labelled} {
		if profile := onlyHome(profiles, fits); profile != nil {
			return profile.Home, profile
		}
	}
	at := strings.LastIndex(source, sandboxesDir)
	if at < 1 {
		return "", nil
	}
	if profile := profileAt(source[:at], profiles); profile != nil {
		return profile.Home, profile
	}
	return source[:at], nil
}

// sandboxRoot returns where a configured sandbox_dir keeps Docker's bind
// directories, "" when none is configured.
func sandboxRoot(dir string) string {
	if dir = cleanPath(dir); dir == "" {
		return ""
	}
	return path.Join(dir, "docker")
}

// onlyHome returns the profile with a home that fits, when exactly one home does.
func onlyHome(profiles []Profile, fits func(*Profile) bool) *Profile {
	var found *Profile
	for i := range profiles {
		profile := &profiles[i]
		if profile.Home == "" || !fits(profile) {
			continue
		}
		if found != nil && !samePath(found.Home, profile.Home) {
			return nil
		}
		found = profile
	}
	return found
}

// homeLabel returns what Hermes writes to hermes-profile under a home: the
// profile's own label, else what the path tells. Whether an unknown home counts
// as a root of its own ("default") or not ("custom") cannot be told from the
// path, so a "custom" label is believed (contract 2).
func homeLabel(home string, profile *Profile, label Text) string {
	if profile != nil && profile.Label != "" {
		return profile.Label
	}
	parent, name := path.Split(cleanPath(home))
	if path.Base(parent) == "profiles" && profileName.MatchString(name) {
		return Sanitize(name)
	}
	if profile == nil && label.Raw() == "custom" {
		return "custom"
	}
	return "default"
}

// cleanPath makes paths comparable as words: an absolute path in slashes
// without a trailing one, "" for anything else. Docker Desktop's prefix for
// the host's own files is taken off.
func cleanPath(name string) string {
	if len(name) > 1 && name[1] == ':' {
		name = "/" + strings.ReplaceAll(name, `\`, "/")
	}
	if !strings.HasPrefix(name, "/") {
		return ""
	}
	name = path.Clean(name)
	if rest, found := strings.CutPrefix(name, "/host_mnt/"); found {
		return "/" + rest
	}
	return name
}

func samePath(a, b string) bool { return a != "" && cleanPath(a) == cleanPath(b) }

// below reports whether a clean path lies under a clean directory.
func below(name, dir string) bool {
	if dir == "/" {
		return name != "" && name != "/"
	}
	return dir != "" && strings.HasPrefix(name, dir+"/")
}

// atOrBelow reports whether a clean path is a clean directory or under it.
func atOrBelow(name, dir string) bool { return name != "" && (name == dir || below(name, dir)) }
