package model

import "strings"

// modeWords says the network mode of a container to a person: the default is
// bridge, and a shared network is named by its container.
func modeWords(c *Container, snap *Snapshot) string {
	mode := declaredMode(c, snap)
	switch mode.kind {
	case modeBridge:
		if mode.value.Raw() == "default" {
			return "bridge"
		}
	case modeContainer:
		if owner := findContainer(strings.TrimPrefix(mode.value.Raw(), containerPrefix), snap); owner != nil {
			return containerPrefix + displayName(owner)
		}
		return shortMode(mode.value)
	case modeUnset, modeNone, modeHost, modeNetwork, modeOpaque:
	}
	return mode.value.Display()
}

// shortMode is the display form of a network mode in which a container's full
// ID is its short one.
func shortMode(mode Text) string {
	if ref, shared := strings.CutPrefix(mode.Raw(), containerPrefix); shared {
		return containerPrefix + ID(ref).Short()
	}
	return mode.Display()
}

// NetworkWords says the declared mode of a sandbox and what is attached where
// that differs, such as "bridge", "none+bridge" or "bridge-cut".
func (s *Sandbox) NetworkWords() string {
	mode := s.DeclaredMode
	if !s.Networks.Known {
		return mode
	}
	declared := false
	var others []string
	for i := range s.Networks.Endpoints {
		name := s.Networks.Endpoints[i].Network.Display()
		switch name {
		case mode:
			declared = true
		case "none": // the network of those that are kept off every other
		default:
			others = append(others, name)
		}
	}
	switch {
	case len(others) > 0 && (mode == "" || mode == "bridge" && !declared && !s.Posture.Drifted):
		return strings.Join(others, "+") // Podman says so of a network of any name
	case len(others) > 0:
		return mode + "+" + strings.Join(others, "+")
	case declared || mode == "" || mode == "none" || mode == "host" || strings.HasPrefix(mode, containerPrefix):
		return mode
	}
	return mode + "-cut"
}
