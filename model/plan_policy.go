package model

import (
	"fmt"
	"strconv"
)

// NetworkKey is the key of config.yaml that a lockdown writes.
const NetworkKey = "terminal.docker_network"

// policyEdit plans the change of a profile's docker_network. It is refused
// where an edit of config.yaml would not count or would not have the effect,
// and skipped where nothing is to be changed; the note then says so.
func policyEdit(p *Profile, action Action) (edit ConfigEdit, note string) {
	network := action != ActionLockdownOn
	edit = ConfigEdit{
		Profile: p.Name, File: p.ConfigFile, Key: NetworkKey, To: strconv.FormatBool(network), Outcome: OutcomePlanned,
	}
	if reason := uneditable(p, action); reason != "" {
		edit.Outcome, edit.Error = OutcomeRefused, reason
		return edit, ""
	}
	value, source := p.Policy.DockerNetwork, p.Policy.Sources["docker_network"]
	if value != nil && source == SourceConfig {
		edit.From = strconv.FormatBool(*value)
	}
	// What the environment of this program says need not hold for a Hermes
	// started elsewhere, so it is written down all the same.
	if value != nil && *value == network && source != SourceEnvironment {
		edit.From, edit.Outcome = edit.To, OutcomeSkipped
		if action == ActionLockdownAllowlist {
			return edit, ""
		}
		return edit, fmt.Sprintf("%s: docker_network is %t already (%s), so its policy stays as it is", p.Name, network, source)
	}
	if backend := p.Policy.Backend; backend != nil && *backend != "docker" {
		note = fmt.Sprintf("%s: its terminal backend is %s, so docker_network has no effect until that is docker", p.Name, NewText(*backend))
	}
	return edit, note
}

// uneditable says why docker_network of a profile cannot be set with effect;
// empty when it can (contract 3.4, 5.1).
func uneditable(p *Profile, action Action) string {
	network := action != ActionLockdownOn
	if p.ConfigFile == "" {
		return "no home of this profile is known on this machine, so there is no policy to write"
	}
	if p.Policy == nil {
		return "its configuration is not known; run doctor for the reason"
	}
	// A value in the file that only Hermes' own process can tell, such as a
	// reference to a variable, is overwritten like any other.
	value, source := p.Policy.DockerNetwork, p.Policy.Sources["docker_network"]
	switch {
	case source == SourceBackup:
		return "config.yaml does not parse, so Hermes runs on its last good copy and an edit would not count; repair the file first"
	case source == SourceUnreadable || value == nil && source != SourceConfig:
		return "its configuration cannot be read" + firstProblem(p)
	case source == SourceManaged && *value != network:
		return fmt.Sprintf("the administrator's managed settings pin docker_network to %t, and config.yaml does not count against them", *value)
	}
	switch action {
	case ActionLockdownOff:
		return stillClosed(p.Policy)
	case ActionLockdownAllowlist:
		return allowlistConflict(p.Policy)
	default:
	}
	for _, name := range foreignNetworks(p) {
		if name != "none" {
			return fmt.Sprintf("docker_extra_args asks for network %s, and with docker_network false Hermes would refuse to make any sandbox; take it out first",
				NewText(name))
		}
	}
	return ""
}

// stillClosed says what would keep a profile closed with docker_network on.
func stillClosed(policy *Policy) string {
	for _, name := range NetworkFlags(policy.ExtraArgs) {
		if name == "none" {
			return "docker_extra_args asks for network none, which keeps the profile closed; take it out instead"
		}
	}
	if mode := policy.ContainerNetwork; mode != nil && *mode == "off" {
		return "container_network is off, which keeps the profile closed; change it instead"
	}
	return ""
}

// allowlistConflict says why a profile cannot have an allowlist while Hermes'
// credential proxy is on (contract 9); empty when it is off.
func allowlistConflict(policy *Policy) string {
	if policy.ProxyEnabled == nil || !*policy.ProxyEnabled {
		return ""
	}
	return "Hermes' credential proxy is on (proxy.enabled): both own the proxy variables, and an internal network has no way to it; " +
		"set proxy.enabled to false, or keep the credential proxy and leave the profile open"
}

func firstProblem(p *Profile) string {
	if len(p.Problems) == 0 {
		return "; run doctor for the reason"
	}
	return ": " + p.Problems[0]
}
