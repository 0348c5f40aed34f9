package model

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// versionForm reads "26.0.0-rc2" and distribution forms such as "20.10.24+dfsg1".
var versionForm = regexp.MustCompile(`^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(.*)$`)

// engineVersion is a version as far as it orders.
type engineVersion struct {
	major, minor, patch int
	candidate           bool // older than the release of the same number
}

func parseEngineVersion(version Text) (parsed engineVersion, known bool) {
	parts := versionForm.FindStringSubmatch(version.Raw())
	if parts == nil {
		return engineVersion{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(parts[i]); return n } // an absent part is 0
	rest := strings.ToLower(parts[4])
	candidate := strings.HasPrefix(rest, "-rc") || strings.HasPrefix(rest, "-beta") || strings.HasPrefix(rest, "-dev")
	return engineVersion{major: number(1), minor: number(2), patch: number(3), candidate: candidate}, true
}

// atLeast reports whether a version is a given release or a later one.
func (v engineVersion) atLeast(release engineVersion) bool {
	order := cmp.Or(cmp.Compare(v.major, release.major), cmp.Compare(v.minor, release.minor), cmp.Compare(v.patch, release.patch))
	return order > 0 || (order == 0 && !v.candidate)
}

// knowsIsolation reports whether the engine has isolated gateways (Docker 28).
// Older ones keep the option and ignore it.
func knowsIsolation(engine Engine) bool {
	version, known := parseEngineVersion(engine.Version)
	return known && engine.Kind != kindPodman && version.atLeast(engineVersion{major: 28})
}

// leaksDNS reports whether an engine may forward names looked up on an internal
// network to resolvers outside (CVE-2024-29018). The fix is in 23.0.11, 25.0.5
// and 26.0; the 24 line never had it. An unknown version may.
func leaksDNS(engine Engine) bool {
	if engine.Kind == kindPodman {
		return false
	}
	version, known := parseEngineVersion(engine.Version)
	if !known {
		return true
	}
	switch version.major {
	case 23:
		return !version.atLeast(engineVersion{major: 23, patch: 11})
	case 25:
		return !version.atLeast(engineVersion{major: 25, patch: 5})
	default:
		return !version.atLeast(engineVersion{major: 26})
	}
}
