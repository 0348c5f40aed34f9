package model

import "fmt"

// ClassifyPosture says what the network lets a container reach now (contract
// B). What could not be looked at is unknown, and looks that contradict each
// other give the most open reading: nothing is called contained on a guess.
func ClassifyPosture(c *Container, snap *Snapshot) Posture {
	if snap == nil {
		snap = &Snapshot{}
	}
	posture := basePosture(c, snap)
	posture.judgeKernel(c, snap)
	posture.judgeRuntime(c)
	if c.Problem != "" && contained(posture.Effective) {
		posture.worsen(LevelUnknown, EvidenceDeclared, "the engine's answer could not be read whole: "+c.Problem)
	}
	return posture
}

// basePosture classifies by what is declared and attached.
func basePosture(c *Container, snap *Snapshot) Posture {
	if c.InspectError != "" {
		return newPosture(LevelUnknown, EvidenceDeclared, "the inspect failed: "+c.InspectError)
	}
	mode := declaredMode(c, snap)
	switch mode.kind {
	case modeHost:
		return hostPosture(c)
	case modeContainer:
		return sharedPosture(c, snap)
	case modeOpaque:
		return newPosture(LevelOpen, EvidenceDeclared,
			fmt.Sprintf("what network mode %s lets out is not known, so it counts as open", mode.value))
	default:
		return networkPosture(c, snap, mode)
	}
}

// newPosture returns a posture whose effective level is its level.
func newPosture(level Level, evidence Evidence, reasons ...string) Posture {
	return Posture{Level: level, Effective: level, Evidence: evidence, Reasons: reasons}
}

// worsen replaces the level by a more open one. A shared posture stays shared
// and changes what it amounts to.
func (p *Posture) worsen(level Level, evidence Evidence, reason string) {
	if p.Level != LevelShared {
		p.Level = level
	}
	p.Effective, p.Evidence = level, evidence
	p.Latched = false
	p.Reasons = append(p.Reasons, reason)
}

// hostPosture is that of network mode host, which holds even when the engine
// lists no network: disconnecting a stopped one changes nothing.
func hostPosture(c *Container) Posture {
	for _, endpoint := range c.Networks.Endpoints {
		if endpoint.Network.Raw() == string(LevelHost) {
			return newPosture(LevelHost, EvidenceAttached, "it uses the host's own network")
		}
	}
	return newPosture(LevelHost, EvidenceDeclared,
		"it uses the host's own network, though the engine lists none as attached")
}

// sharedPosture is that of a container in another one's network namespace.
func sharedPosture(c *Container, snap *Snapshot) Posture {
	owner, why := networkOwner(c, snap)
	if owner == nil {
		posture := newPosture(LevelShared, EvidenceDeclared, why)
		posture.Effective = LevelUnknown
		return posture
	}
	target := ClassifyPosture(owner, snap)
	posture := newPosture(LevelShared, target.Evidence, "it shares the network of "+displayName(owner))
	posture.Effective = target.Effective
	posture.Target = owner.ID
	posture.Reasons = append(posture.Reasons, target.Reasons...)
	return posture
}

// networkPosture classifies by the networks a container is attached to.
func networkPosture(c *Container, snap *Snapshot, mode networkMode) Posture {
	if !c.Networks.Known {
		return newPosture(LevelUnknown, EvidenceDeclared, "the engine did not say which networks are attached")
	}
	members := attachedMembers(c, snap)
	outside := outsideMembers(members)
	posture := detachedPosture(mode)
	if len(outside) > 0 {
		posture = attachedPosture(c, snap, outside)
	}
	posture.Drifted = drifted(mode, members, snap.Engine.Kind)
	posture.Latched = posture.Level == LevelCutOff && len(outside) == 0 && len(members) > 0
	if posture.Latched {
		posture.Reasons = append(posture.Reasons, `network "none" is attached, so no other can be connected until it is taken off`)
	}
	if mode.kind == modeUnset && contained(posture.Level) {
		posture.worsen(LevelUnknown, EvidenceDeclared, "the engine did not say which network mode it was created with")
	}
	if posture.Drifted && len(outside) > 0 {
		posture.Reasons = append(posture.Reasons, fmt.Sprintf("it was created with network mode %s, which is not what is attached", mode.value))
	}
	return posture
}

func detachedPosture(mode networkMode) Posture {
	if mode.kind == modeNone {
		return newPosture(LevelAirGapped, EvidenceAttached, "it was created without a network and none is attached")
	}
	return newPosture(LevelCutOff, EvidenceAttached,
		fmt.Sprintf("it was created with network mode %s, but no network is attached", mode.value))
}

// attachedPosture decides by the most open network.
func attachedPosture(c *Container, snap *Snapshot, outside []member) Posture {
	worst := outside[0]
	for _, m := range outside[1:] {
		if m.rank() > worst.rank() {
			worst = m
		}
	}
	var posture Posture
	switch worst.level {
	case LevelInternal:
		posture = internalPosture(c, snap, outside)
	case LevelOpen:
		posture = openPosture(c, worst)
	case LevelUnknown:
		posture = newPosture(LevelUnknown, EvidenceDeclared, worst.why)
	default:
		posture = newPosture(worst.level, EvidenceAttached, worst.why)
	}
	for _, m := range outside {
		if m.doubt != "" {
			posture.Reasons = append(posture.Reasons, m.doubt)
		}
		if len(outside) > 1 && m.why != worst.why {
			posture.Reasons = append(posture.Reasons, m.why)
		}
	}
	return posture
}

// openPosture tells credentials behind a proxy from plain open. Neither is
// contained: a program that ignores the proxy leaves directly (contract 6.3).
func openPosture(c *Container, worst member) Posture {
	if marks := readIronMarks(c); marks.complete() {
		return newPosture(LevelCredentialProxied, EvidenceAttached, worst.why,
			"credentials go through the proxy, but programs can go around it")
	}
	return newPosture(LevelOpen, EvidenceAttached, worst.why)
}

// internalPosture is that of internal networks only: an allowlist when it is
// one whose proxy can be trusted.
func internalPosture(c *Container, snap *Snapshot, outside []member) Posture {
	isolated := true
	for _, m := range outside {
		isolated = isolated && isolatedGateway(m, snap.Engine)
	}
	host := "the host's own addresses are reachable"
	if isolated {
		host = "the gateway is isolated, so the host is not reachable"
	}
	reason := outside[0].why
	if len(outside) == 1 {
		view := viewAllowlist(c, outside[0], snap)
		switch view.state {
		case allowlistUp:
			return newPosture(LevelAllowlist, EvidenceAttached, view.why, host)
		case allowlistDown:
			if isolated {
				return newPosture(LevelCutOff, EvidenceAttached, view.why, host)
			}
			return newPosture(LevelInternal, EvidenceAttached, view.why, host)
		case allowlistUnread:
			return newPosture(LevelUnknown, EvidenceDeclared, view.why)
		case allowlistBroken:
			return newPosture(LevelInternal, EvidenceAttached, reason, view.why, host)
		case allowlistNone:
		}
	}
	return newPosture(LevelInternal, EvidenceAttached, reason, host)
}

// displayName names a container for a person: its name, else its short ID.
func displayName(c *Container) string {
	if c.Name.Empty() {
		return c.ID.Short()
	}
	return c.Name.Display()
}
