package model

import "slices"

// EgressEnv returns the variables that make programs in a sandbox use the proxy
// of an allowlist network, in a fixed order (contract 6.2). NO_PROXY names
// what is inside the sandbox itself.
func EgressEnv() []EnvSetting {
	const proxy, inside = "http://egress-proxy:8888", "localhost,127.0.0.1,::1"
	return []EnvSetting{
		{"HTTP_PROXY", proxy},
		{"http_proxy", proxy},
		{"HTTPS_PROXY", proxy},
		{"https_proxy", proxy},
		{"NO_PROXY", inside},
		{"no_proxy", inside},
	}
}

// CarriesEgressEnv reports whether a container has the variables that lead its
// programs to the proxy of an allowlist network. What NO_PROXY exempts is up to
// whoever made it: it opens nothing on an internal network.
func CarriesEgressEnv(c *Container) bool {
	return !slices.ContainsFunc(EgressEnv(), func(s EnvSetting) bool {
		if s.Name == "NO_PROXY" || s.Name == "no_proxy" {
			return false
		}
		value, _ := envValue(c, s.Name)
		return value != s.Value
	})
}
