package simengine

import (
	"fmt"
	"strconv"
	"strings"
)

// apiVersion is a version of the HTTP API.
type apiVersion struct{ major, minor int }

// parseVersion reads "1.41"; anything else is 0.0.
func parseVersion(text string) apiVersion {
	major, minor, _ := strings.Cut(strings.TrimPrefix(text, "v"), ".")
	a, errMajor := strconv.Atoi(major)
	b, errMinor := strconv.Atoi(minor)
	if errMajor != nil || errMinor != nil {
		return apiVersion{}
	}
	return apiVersion{a, b}
}

func (v apiVersion) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

func (v apiVersion) less(other apiVersion) bool {
	return v.major < other.major || v.major == other.major && v.minor < other.minor
}

func (v apiVersion) atLeast(minor int) bool { return !v.less(apiVersion{1, minor}) }

// minimum is the oldest version an engine with this highest one still serves.
func (v apiVersion) minimum() apiVersion {
	switch {
	case v.atLeast(52):
		return apiVersion{1, 44}
	case v.atLeast(44):
		return apiVersion{1, 24}
	default:
		return apiVersion{1, 12}
	}
}

// engine is the version of the Docker Engine that brought this API version.
func (v apiVersion) engine() string {
	switch {
	case v.atLeast(52):
		return "29.1.0"
	case v.atLeast(44):
		return "25.0.5"
	case v.atLeast(41):
		return "20.10.24"
	case v.atLeast(40):
		return "19.03.15"
	default:
		return "17.06.2-ce"
	}
}
