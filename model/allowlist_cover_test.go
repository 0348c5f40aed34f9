package model

import (
	"slices"
	"testing"
)

func TestCoveringEntries(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		entries []string
		host    string
		port    int
		want    []string
		wide    bool
	}{
		"exact":                    {[]string{"pypi.org", "x.org"}, "pypi.org", 443, []string{"pypi.org"}, false},
		"case and dot":             {[]string{"PyPI.org"}, "pypi.ORG.", 80, []string{"pypi.org"}, false},
		"another port":             {[]string{"pypi.org"}, "pypi.org", 8080, nil, false},
		"its port":                 {[]string{"pypi.org:8080"}, "pypi.org", 8080, []string{"pypi.org:8080"}, false},
		"not its port":             {[]string{"pypi.org:8080"}, "pypi.org", 443, nil, false},
		"below":                    {[]string{"*.pypi.org"}, "files.pypi.org", 443, []string{"*.pypi.org"}, true},
		"the domain is not below":  {[]string{"*.pypi.org"}, "pypi.org", 443, nil, false},
		"no part of a label":       {[]string{"*.pypi.org"}, "evilpypi.org", 443, nil, false},
		"both":                     {[]string{"*.pypi.org", "files.pypi.org"}, "files.pypi.org", 443, []string{"*.pypi.org", "files.pypi.org"}, true},
		"below at a port":          {[]string{"*.pypi.org:22"}, "a.pypi.org", 22, []string{"*.pypi.org:22"}, true},
		"address":                  {[]string{"10.1.2.3:8080"}, "10.1.2.3", 8080, []string{"10.1.2.3:8080"}, false},
		"address of IPv6":          {[]string{"[fd00::1]:443"}, "fd00::1", 443, []string{"[fd00::1]:443"}, false},
		"address of IPv6, no port": {[]string{"FD00:0::1"}, "fd00::1", 443, []string{"fd00:0::1"}, false},
		"nothing":                  {nil, "pypi.org", 443, nil, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, wide := CoveringEntries(c.entries, c.host, c.port, nil)
			if !slices.Equal(got, c.want) || wide != c.wide {
				t.Errorf("%v %v, want %v %v", got, wide, c.want, c.wide)
			}
		})
	}
}

func TestEntryForCoversItsHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host string
		port int
		want string
	}{
		{"Pypi.org.", 443, "pypi.org"},
		{"pypi.org", 80, "pypi.org"},
		{"pypi.org", 22, "pypi.org:22"},
		{"fd00::1", 443, "fd00::1"},
		{"fd00::1", 22, "[fd00::1]:22"},
		{"10.1.2.3", 22, "10.1.2.3:22"},
	} {
		entry := EntryFor(c.host, c.port, nil)
		if covering, wide := CoveringEntries([]string{entry}, c.host, c.port, nil); entry != c.want || len(covering) != 1 || wide {
			t.Errorf("%s %d: %q covers %v %v, want %q", c.host, c.port, entry, covering, wide, c.want)
		}
	}
}
