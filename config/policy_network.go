package config

import (
	"fmt"
	"regexp"
	"strings"

	"hermes-sandbox/model"
)

// egressNetwork matches the networks that lead to a filtering proxy (contract
// 6.2).
var egressNetwork = regexp.MustCompile(`^hermes-egress-[0-9a-f]{10}$`)

// noNetwork is Docker's name for no network at all.
const noNetwork = "none"

// readNetwork reads what decides the profile's position and derives it.
func (r *policyReader) readNetwork() {
	p := r.policy
	from := p.Sources
	args, argsSource, argsKnown := r.list("docker_extra_args", "TERMINAL_DOCKER_EXTRA_ARGS")
	p.ExtraArgs = args
	networks := model.NetworkFlags(args)
	from["extra_network"] = argsSource
	if argsKnown && len(networks) > 0 {
		p.ExtraNetwork = &networks[0]
	}
	mode := r.find("container_network", "TERMINAL_CONTAINER_NETWORK")
	from["container_network"] = mode.source
	if mode.known && mode.set {
		value := r.egressMode(mode)
		p.ContainerNetwork = &value
	}
	from["allowlist"] = model.SourceDefault
	if p.ContainerNetwork != nil && *p.ContainerNetwork == "allowlist" {
		p.Allowlist, from["allowlist"], _ = r.list("container_network_allowlist", "TERMINAL_CONTAINER_NETWORK_ALLOWLIST")
	}
	p.Position, from["position"] = r.position(argsKnown, mode.known)
	r.noteNetworks(networks)
	r.noteProxy(args, networks)
}

// egressMode reads container_network of contract 6.2, which no released Hermes
// has: YAML booleans are on and off, unknown words mean off.
func (r *policyReader) egressMode(mode setting) string {
	value := strings.ToLower(strings.TrimSpace(mode.scalar.Text))
	switch value {
	case "true":
		value = "on"
	case "false":
		value = "off"
	}
	r.note("container-network", mode.name, mode.name+" is only known to Hermes builds with the unreleased allowlist change; others ignore it",
		"use docker_network, or the allowlist position of this program")
	switch value {
	case "on", "off", "allowlist":
		return value
	}
	r.note("container-network-mode", mode.name, fmt.Sprintf("%s is %s, which counts as off", mode.name, quote(value)),
		"write on, off or allowlist")
	return "off"
}

// position places the profile on the switch. docker_network false beats all;
// then container_network; then a network named in docker_extra_args.
func (r *policyReader) position(argsKnown, modeKnown bool) (model.Position, model.Source) {
	p := r.policy
	switch {
	case p.DockerNetwork == nil:
		return model.PositionUnknown, p.Sources["docker_network"]
	case !*p.DockerNetwork:
		return model.PositionLocked, p.Sources["docker_network"]
	case !modeKnown:
		return model.PositionUnknown, p.Sources["container_network"]
	case !argsKnown:
		return model.PositionUnknown, p.Sources["extra_network"]
	}
	if p.ContainerNetwork != nil {
		switch *p.ContainerNetwork {
		case "off":
			return model.PositionLocked, p.Sources["container_network"]
		case "allowlist":
			return model.PositionAllowlist, p.Sources["container_network"]
		}
	}
	if p.ExtraNetwork != nil {
		switch {
		case *p.ExtraNetwork == noNetwork:
			return model.PositionLocked, p.Sources["extra_network"]
		case egressNetwork.MatchString(*p.ExtraNetwork):
			return model.PositionAllowlist, p.Sources["extra_network"]
		}
	}
	return model.PositionOpen, p.Sources["docker_network"]
}

// noteNetworks points out network flags that contradict the policy or each
// other.
func (r *policyReader) noteNetworks(networks []string) {
	const key = "terminal.docker_extra_args"
	if len(networks) == 0 {
		return
	}
	first := model.NewText(networks[0]).Display()
	locked := r.policy.DockerNetwork != nil && !*r.policy.DockerNetwork
	switch {
	case locked && networks[0] != noNetwork:
		r.note("network-conflict", key, fmt.Sprintf(
			"docker_network is false, but docker_extra_args asks for network %s; Hermes refuses to create a sandbox", first),
			"remove the network from docker_extra_args, or set docker_network to true")
	case len(networks) > 1 && (locked || !distinctNamed(networks)):
		r.note("network-conflict", key, "docker_extra_args names several networks that cannot be combined; Docker refuses to create a sandbox",
			"keep one --network")
	case len(networks) > 1:
		r.note("network-conflict", key,
			"docker_extra_args names several networks; new engines attach to all of them, older ones refuse to create a sandbox",
			"keep one --network")
	}
}

// distinctNamed reports whether all networks are different user-defined ones.
func distinctNamed(networks []string) bool {
	seen := map[string]bool{}
	for _, name := range networks {
		if name == noNetwork || name == "host" || name == "bridge" || name == "default" ||
			strings.HasPrefix(name, "container:") || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

// noteProxy points out settings the credential proxy cannot live with
// (contract 3.4 and 9).
func (r *policyReader) noteProxy(args, networks []string) {
	p := r.policy
	if p.ProxyEnabled == nil || !*p.ProxyEnabled {
		return
	}
	const key = "proxy.enabled"
	if p.Position == model.PositionAllowlist {
		r.note("proxy-allowlist", key,
			"the credential proxy and an allowlist exclude each other: both own the proxy variables, and the internal network does not reach the credential proxy",
			"set proxy.enabled to false, or leave the allowlist")
	}
	if p.Position == model.PositionLocked {
		r.note("proxy-locked", key, "the credential proxy is on, but the sandboxes have no network to reach it",
			"set proxy.enabled to false while the profile is locked")
	}
	if p.ProxyEnforced == nil || !*p.ProxyEnforced {
		return
	}
	envFile := false
	for _, arg := range args {
		envFile = envFile || arg == "--env-file" || strings.HasPrefix(arg, "--env-file=")
	}
	if len(networks) > 0 || envFile {
		r.note("proxy-extra-args", key,
			"the credential proxy is enforced, but docker_extra_args holds --network or --env-file; Hermes refuses to create a sandbox",
			"remove them from docker_extra_args, or set proxy.enforce_on_docker to false")
	}
}
