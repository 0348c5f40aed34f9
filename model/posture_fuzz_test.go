package model

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// postureDice draws decisions from fuzzed bytes; used up, it draws zeros.
type postureDice struct{ rest []byte }

func (d *postureDice) roll(sides int) int {
	if len(d.rest) == 0 {
		return 0
	}
	face := int(d.rest[0]) % sides
	d.rest = d.rest[1:]
	return face
}

func (d *postureDice) chance() bool { return d.roll(2) == 1 }

func pick[T any](d *postureDice, from ...T) T { return from[d.roll(len(from))] }

func (d *postureDice) network(n int) Network {
	network := postureNetwork(n, pick(d, "bridge", "none", "host", fixtureAllowlist, "inner", "\x1b["), pick(d, "bridge", "null", "host", "macvlan", "", "x"), d.chance())
	if d.chance() {
		network.Labels[NewText(LabelAllowlist)] = NewText("1")
	}
	if d.chance() {
		networkOption("gateway_mode_ipv4", "isolated")(&network)
	}
	if d.roll(4) == 0 {
		network.Error = "failed"
	}
	network.Containers = map[ID]Text{}
	for n := range 4 {
		if d.roll(4) == 0 {
			network.Containers[postureID(n)] = Text{}
		}
	}
	return network
}

func (d *postureDice) container(n int) Container {
	c := postureContainer(n)
	c.State = pick(d, StateRunning, StateExited, StatePaused, StateCreated, State("new"))
	mode := NewText(pick(d, "default", "none", "host", "bridge", "", "inner", "container:"+string(postureID(d.roll(4))), "pasta", "ns:x", "\x1b]"))
	c.Networks.Mode, c.Host.NetworkMode = mode, mode
	c.Networks.Known = d.roll(5) > 0
	c.Inspected = d.roll(5) > 0
	c.Host.Runtime = NewText(pick(d, "runc", "runsc", "x", ""))
	if d.roll(6) == 0 {
		c.InspectError = "failed"
	}
	if d.roll(6) == 0 {
		c.Problem = "failed"
	}
	for range d.roll(3) {
		c.Networks.Endpoints = append(c.Networks.Endpoints, Endpoint{
			Network: NewText(pick(d, "bridge", "none", "inner", fixtureAllowlist, "host")), NetworkID: pick(d, "", postureNetworkID(d.roll(4))),
		})
	}
	if d.chance() {
		c.Name, c.Env = NewText(fixtureProxy), postureTexts("EGRESS_ALLOWLIST="+pick(d, "pypi.org", ""))
		c.Labels[NewText(LabelAllowlist)] = Text{}
	}
	if d.chance() {
		c.Kernel = &KernelView{Problem: pick(d, "", "failed")}
		for range d.roll(3) {
			c.Kernel.Interfaces = append(c.Kernel.Interfaces, KernelInterface{
				Name: pick(d, "lo", "eth0"), Up: d.chance(), Addresses: []netip.Addr{pick(d, netip.Addr{}, netip.MustParseAddr("10.0.0.1"))},
			})
		}
	}
	return c
}

func FuzzPosture(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte(strings.Repeat("\x01", 120)))
	f.Add([]byte("a world in which everything that can be decided is decided by these letters, one after the other"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dice := &postureDice{rest: data}
		snap := &Snapshot{NetworksKnown: true, Engine: Engine{Kind: pick(dice, "docker", "podman", ""), Version: NewText(pick(dice, "28.0.0", "20.10.24", ""))}}
		for n := range 1 + dice.roll(4) {
			snap.Networks = append(snap.Networks, dice.network(n))
		}
		for n := range 1 + dice.roll(3) {
			snap.Containers = append(snap.Containers, pointer(dice.container(n)))
		}
		for n := range dice.roll(3) {
			snap.Others = append(snap.Others, pointer(dice.container(3+n)))
		}
		for i := range snap.Containers {
			checkPosture(t, snap.Containers[i], snap)
		}
		EgressPairs(snap, nil)
	})
}

// checkPosture checks what must hold of every posture, whatever the engine says.
func checkPosture(t *testing.T, c *Container, snap *Snapshot) {
	t.Helper()
	p := ClassifyPosture(c, snap)
	levels := []Level{
		LevelAirGapped, LevelCutOff, LevelInternal, LevelAllowlist, LevelCredentialProxied, LevelOpen, LevelHost, LevelUnknown,
	}
	if !slices.Contains(levels, p.Effective) || (p.Level != p.Effective && p.Level != LevelShared) {
		t.Errorf("level %s with effective %s", p.Level, p.Effective)
	}
	if len(p.Reasons) == 0 || strings.ContainsAny(strings.Join(p.Reasons, ""), "\x1b") {
		t.Errorf("reasons are %q", p.Reasons)
	}
	closed := Openness(p.Effective) < Openness(LevelOpen)
	if closed && (c.InspectError != "" || c.Problem != "" || !c.Networks.Known && p.Level != LevelShared) {
		t.Errorf("%s, though the container could not be read", p.Effective)
	}
	if closed && p.Evidence == EvidenceDeclared {
		t.Errorf("%s on what was declared alone", p.Effective)
	}
	if closed && p.Level != LevelShared {
		for _, endpoint := range c.Networks.Endpoints {
			network, known := networkOf(endpoint, snap)
			if known && (network.Error != "" || !network.Internal && network.Driver.Raw() != "null") {
				t.Errorf("%s, though it is on network %q", p.Effective, endpoint.Network.Raw())
			}
		}
	}
	if p.Latched && p.Level != LevelCutOff {
		t.Errorf("latched, but %s", p.Level)
	}
	s := identify(c, nil)
	s.Posture = p
	if violation, _ := violationOf(&Sandbox{Container: &Container{}, Policy: &Policy{Position: PositionLocked}, Posture: p}); violation != nil && !*violation && Openness(p.Effective) > 1 {
		t.Errorf("%s is in line with a locked policy", p.Effective)
	}
	for _, finding := range FindingsOf(&s, snap) {
		if strings.Contains(finding.Detail, "\x1b") || finding.Detail == "" {
			t.Errorf("finding %s says %q", finding.Code, finding.Detail)
		}
	}
}
