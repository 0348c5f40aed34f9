package model

import "testing"

func TestNamesOfAnAllowlist(t *testing.T) {
	for name, c := range map[string]struct {
		list           []string
		text           string
		network, proxy string
	}{
		"empty":     {nil, "", "hermes-egress-e3b0c44298", "hermes-egress-proxy-e3b0c44298"},
		"one":       {[]string{" PyPI.org ", ""}, "pypi.org", "hermes-egress-a4aa2ac280", "hermes-egress-proxy-a4aa2ac280"},
		"two":       {[]string{"pypi.org", "github.com"}, "github.com,pypi.org", "hermes-egress-b9ca2e323c", "hermes-egress-proxy-b9ca2e323c"},
		"one twice": {[]string{"pypi.org", "pypi.org"}, "pypi.org,pypi.org", "hermes-egress-7ccb002153", "hermes-egress-proxy-7ccb002153"},
	} {
		if text := EgressAllowlist(c.list); text != c.text {
			t.Errorf("%s: list = %q, want %q", name, text, c.text)
		}
		if network, proxy := EgressNames(c.list); network != c.network || proxy != c.proxy {
			t.Errorf("%s: names = %s and %s, want %s and %s", name, network, proxy, c.network, c.proxy)
		}
	}
}
