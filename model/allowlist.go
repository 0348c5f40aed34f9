package model

import (
	"slices"
	"strconv"
	"strings"
)

// Keys of config.yaml that the allowlist position writes beside [NetworkKey].
// The last two are only known to Hermes builds with the unreleased allowlist
// change (contract 6.2).
const (
	ExtraArgsKey          = "terminal.docker_extra_args"
	DockerEnvKey          = "terminal.docker_env"
	ContainerNetworkKey   = "terminal.container_network"
	ContainerAllowlistKey = "terminal.container_network_allowlist"
)

// WrittenAllowlist is what this program keeps of a profile's allowlist: the
// list itself, which the configuration names by its hash alone, and the entries
// it wrote into the configuration, so that the next position can take exactly
// those out again. The zero value: nothing was ever written.
type WrittenAllowlist struct {
	Allow []string     `json:"allow"` // canonical entries
	Args  []string     `json:"args"`  // entries of docker_extra_args
	Env   []EnvSetting `json:"env"`   // entries of docker_env
}

// Equal reports whether two records are the same.
func (w WrittenAllowlist) Equal(other WrittenAllowlist) bool {
	return slices.Equal(w.Allow, other.Allow) && slices.Equal(w.Args, other.Args) && slices.Equal(w.Env, other.Env)
}

// EnvSetting is a variable with its value.
type EnvSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// EgressStep is an allowlist network with its proxy that a plan makes sure of
// on an engine before it does anything else.
type EgressStep struct {
	Engine    string   `json:"engine"`
	Network   string   `json:"network"`
	Proxy     string   `json:"proxy"`
	Allowlist []string `json:"allowlist"`
	Outcome   Outcome  `json:"outcome"`
	Error     string   `json:"error"`
}

// AllowlistOf returns the entries of a profile's allowlist, also one it had
// before its present position. Known is false when there is none, or when the
// configuration names a list by a hash that nothing here resolves.
func AllowlistOf(fleet *Fleet, p *Profile) (entries []string, known bool) {
	if policy := p.Policy; policy != nil && policy.Position == PositionAllowlist {
		switch {
		case len(policy.Allowlist) > 0:
			return canonicalAllowlist(policy.Allowlist), true
		case policy.ExtraNetwork != nil:
			return listNamed(fleet, *policy.ExtraNetwork, p.Written.Allow)
		}
		return nil, false
	}
	return canonicalAllowlist(p.Written.Allow), len(p.Written.Allow) > 0
}

// AllowlistOn returns the entries of the allowlist network that a sandbox is
// on, and only on. Known is false when it is on none or the list is not known.
func AllowlistOn(fleet *Fleet, s *Sandbox) (entries []string, known bool) {
	network := allowlistOnly(s)
	if network == "" {
		return nil, false
	}
	var written []string
	if s.Policy != nil {
		written = s.Policy.Allowlist
	}
	return listNamed(fleet, network, written)
}

// listNamed finds the list that a network is named for: the one given, else
// that of a proxy.
func listNamed(fleet *Fleet, network string, written []string) ([]string, bool) {
	if name, _ := EgressNames(written); len(written) > 0 && name == network {
		return canonicalAllowlist(written), true
	}
	for i := range fleet.Egress {
		pair := &fleet.Egress[i]
		if name, _ := EgressNames(pair.Allowlist); pair.Network.Raw() == network && name == network {
			return canonicalAllowlist(pair.Allowlist), true
		}
	}
	return nil, false
}

// allowlistOnly is the name of the allowlist network that is all a sandbox is
// attached to; empty when it is attached to another, to several or to none.
func allowlistOnly(s *Sandbox) string {
	if !s.Networks.Known || len(s.Networks.Endpoints) != 1 {
		return ""
	}
	if name := s.Networks.Endpoints[0].Network; IsEgressNetwork(name) {
		return name.Raw()
	}
	return ""
}

// EditAllowlist returns a list with entries added and others taken off, in
// canonical order and each once.
func EditAllowlist(entries, allow, deny []string) []string {
	gone := canonicalAllowlist(deny)
	list := canonicalAllowlist(append(slices.Clone(entries), allow...))
	return slices.Compact(slices.DeleteFunc(list, func(entry string) bool { return slices.Contains(gone, entry) }))
}

// AllowedBy returns the entries of an allowlist that let a host through at a
// port, in the list's order. The host is one that a proxy reported. An entry
// without a port counts for every port: which ones it means is the proxy's.
func AllowedBy(entries []string, host string, port int) []string {
	var found []string
	for _, entry := range entries {
		name, wanted := entry, ""
		if colon := strings.LastIndexByte(entry, ':'); colon > strings.LastIndexByte(entry, ']') && (strings.Count(entry, ":") == 1 || strings.Contains(entry, "]")) {
			name, wanted = entry[:colon], entry[colon+1:]
		}
		name = strings.Trim(name, "[]")
		domain, below := strings.CutPrefix(name, "*.")
		if wanted != "" && wanted != strconv.Itoa(port) {
			continue
		}
		if name == host || below && strings.HasSuffix(host, "."+domain) {
			found = append(found, entry)
		}
	}
	return found
}

// networkArg is the entry of docker_extra_args that brings new sandboxes to an
// allowlist network.
func networkArg(list []string) string {
	network, _ := EgressNames(list)
	return "--network=" + network
}

// writtenList is a list as config.yaml has it on one line.
func writtenList(entries []string) string {
	quoted := make([]string, len(entries))
	for i, entry := range entries {
		quoted[i] = strconv.Quote(entry)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
