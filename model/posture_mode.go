package model

import (
	"fmt"
	"slices"
	"strings"
)

type modeKind int

const (
	modeUnset modeKind = iota
	modeNone
	modeBridge
	modeHost
	modeContainer
	modeNetwork
	modeOpaque
)

const (
	kindDocker = "docker"
	kindPodman = "podman"
)

const containerPrefix = "container:"

// networkMode is the network a container was created with.
type networkMode struct {
	kind  modeKind
	value Text
}

// declaredMode reads the network mode. Podman's list gives one that is not the
// container's, so there only an inspect counts.
func declaredMode(c *Container, snap *Snapshot) networkMode {
	value := c.Networks.Mode
	switch {
	case c.Inspected && !c.Host.NetworkMode.Empty():
		value = c.Host.NetworkMode
	case !c.Inspected && snap.Engine.Kind == kindPodman:
		value = Text{}
	}
	return networkMode{kind: kindOfMode(value, c, snap), value: value}
}

func kindOfMode(value Text, c *Container, snap *Snapshot) modeKind {
	raw := value.Raw()
	switch {
	case raw == "":
		return modeUnset
	case raw == "none":
		return modeNone
	case raw == "host":
		return modeHost
	case raw == "default", raw == "bridge":
		return modeBridge
	case strings.HasPrefix(raw, containerPrefix):
		return modeContainer
	case snap.Engine.Kind == kindPodman && strings.HasPrefix(raw, "bridge:"):
		return modeBridge
	case opaqueMode(value, c, snap):
		return modeOpaque
	default:
		return modeNetwork
	}
}

// opaqueMode reports whether a mode is neither one with a known meaning nor the
// name of a network. Docker keeps the name of a network that is gone; there a
// plain word stays a network's name.
func opaqueMode(value Text, c *Container, snap *Snapshot) bool {
	raw := value.Raw()
	name, _, options := strings.Cut(raw, ":")
	podmans := slices.Contains([]string{"slirp4netns", "pasta", "private", "ns"}, name)
	if podmans && snap.Engine.Kind != kindDocker {
		return true
	}
	isNetwork := slices.ContainsFunc(c.Networks.Endpoints, func(e Endpoint) bool { return names(raw, e) }) ||
		slices.ContainsFunc(snap.Networks, func(n Network) bool { return n.Name == value || n.ID == raw })
	if isNetwork {
		return false
	}
	return podmans || options || snap.Engine.Kind != kindDocker
}

// names reports whether a declared network, given by name, ID or the beginning
// of one, is that of an endpoint.
func names(declared string, e Endpoint) bool {
	byID := len(declared) >= identityDigits && hexDigits(declared, len(declared)) && strings.HasPrefix(e.NetworkID, declared)
	return byID || e.Network.Raw() == declared
}

// drifted reports whether the attached networks are not the declared one
// (contract B). Nothing attached to a container declared "none" is no drift.
func drifted(mode networkMode, members []member, engineKind string) bool {
	attached := members
	switch mode.kind {
	case modeNone:
		return len(outsideMembers(members)) > 0
	case modeBridge:
		if engineKind == kindPodman {
			return len(outsideMembers(members)) == 0
		}
		return len(attached) != 1 || attached[0].endpoint.Network.Raw() != "bridge"
	case modeNetwork:
		return len(attached) != 1 || !names(mode.value.Raw(), attached[0].endpoint)
	case modeUnset, modeHost, modeContainer, modeOpaque:
	}
	return false
}

// networkOwner follows container: modes to the container whose network
// namespace is used; for any other mode that is the container itself. When it
// cannot be found the reason is given instead.
func networkOwner(c *Container, snap *Snapshot) (owner *Container, why string) {
	seen := map[*Container]bool{}
	for {
		mode := declaredMode(c, snap)
		if mode.kind != modeContainer || c.InspectError != "" {
			return c, ""
		}
		if seen[c] {
			return nil, "containers share each other's network in a circle"
		}
		seen[c] = true
		ref := strings.TrimPrefix(mode.value.Raw(), containerPrefix)
		next := findContainer(ref, snap)
		if next == nil {
			return nil, fmt.Sprintf("it shares the network of container %s, which is gone", ID(ref).Short())
		}
		c = next
	}
}

// findContainer looks a container up as the engine does: by ID, else by name,
// else by a beginning of the ID that only one has.
func findContainer(ref string, snap *Snapshot) *Container {
	var byName, byPrefix *Container
	prefixes := 0
	for _, list := range [][]*Container{snap.Containers, snap.Others} {
		for _, c := range list {
			switch {
			case ref == "":
			case string(c.ID) == ref:
				return c
			case c.Name.Raw() == ref:
				byName = c
			case len(ref) >= identityDigits && strings.HasPrefix(string(c.ID), ref):
				byPrefix = c
				prefixes++
			}
		}
	}
	if byName == nil && prefixes == 1 {
		return byPrefix
	}
	return byName
}
