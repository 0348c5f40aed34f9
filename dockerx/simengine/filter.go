package simengine

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// filterSet holds the values of each filter of a request.
type filterSet map[string][]string

// parseFilters reads a filters parameter in both forms the API takes and
// refuses names that are not known.
func parseFilters(text string, known ...string) (filterSet, error) {
	filters := filterSet{}
	if text == "" {
		return filters, nil
	}
	modern := map[string]map[string]bool{}
	if err := json.Unmarshal([]byte(text), &modern); err == nil {
		for name, values := range modern {
			filters[name] = slices.Sorted(maps.Keys(values))
		}
	} else if err := json.Unmarshal([]byte(text), (*map[string][]string)(&filters)); err != nil {
		return nil, refuse(http.StatusInternalServerError, "filters are no JSON object of lists: %v", err)
	}
	for name := range filters {
		if !slices.Contains(known, name) {
			return nil, refuse(http.StatusBadRequest, "unknown filter %q", name)
		}
	}
	return filters, nil
}

// any reports whether a filter is absent or one of its values is accepted.
func (f filterSet) any(name string, accepts func(string) bool) bool {
	return len(f[name]) == 0 || slices.ContainsFunc(f[name], accepts)
}

// labels reports whether all label filters hold.
func (f filterSet) labels(labels map[string]string) bool {
	for _, want := range f["label"] {
		if !hasLabel(labels, want) {
			return false
		}
	}
	for _, unwanted := range f["label!"] {
		if hasLabel(labels, unwanted) {
			return false
		}
	}
	return true
}

// hasLabel reports whether "key" or "key=value" is among the labels.
func hasLabel(labels map[string]string, want string) bool {
	key, value, withValue := strings.Cut(want, "=")
	have, ok := labels[key]
	return ok && (!withValue || have == value)
}

// matchesPattern reports whether a value is found in text, as a regular
// expression where it is one.
func matchesPattern(pattern, text string) bool {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return pattern == text
	}
	return expression.MatchString(text)
}
