package model

import (
	"fmt"
	"net/netip"
	"strings"
)

// judgeKernel sets the kernel's account against the posture. It raises the
// evidence when the two agree. An interface that no attached network explains
// makes a contained posture open, since the kernel does not lie; the absence of
// one never makes a posture more closed.
func (p *Posture) judgeKernel(c *Container, snap *Snapshot) {
	view := kernelView(c)
	if view == nil || p.Effective == LevelUnknown {
		return
	}
	if view.Problem != "" {
		p.Reasons = append(p.Reasons, "the kernel's view could not be read: "+view.Problem)
		return
	}
	owner, _ := networkOwner(c, snap)
	if owner == nil {
		return
	}
	counting := countingInterfaces(view)
	outside := outsideMembers(attachedMembers(owner, snap))
	if contained(p.Effective) {
		if why := unexplained(counting, outside); why != "" {
			p.worsen(LevelOpen, EvidenceProbed, why)
			return
		}
	}
	expectsNone := contained(p.Effective) && len(outside) == 0
	if expectsNone == (len(counting) == 0) {
		p.Evidence = EvidenceProbed
	}
}

// kernelView returns the kernel's account of a container that can have one: of
// a stopped container it would be that of another process.
func kernelView(c *Container) *KernelView {
	switch c.State {
	case StateRunning, StatePaused, StateRestarting:
		return c.Kernel
	default:
		return nil
	}
}

func countingInterfaces(view *KernelView) []KernelInterface {
	var counting []KernelInterface
	for _, i := range view.Interfaces {
		if i.Counts() {
			counting = append(counting, i)
		}
	}
	return counting
}

// unexplained describes an interface that the attached networks do not account
// for, "" when they account for all.
func unexplained(counting []KernelInterface, outside []member) string {
	if len(counting) > len(outside) {
		extra := counting[len(counting)-1]
		return fmt.Sprintf("the kernel sees %s, but the engine has %d networks attached", interfaceName(extra), len(outside))
	}
	given := map[netip.Addr]bool{}
	for _, m := range outside {
		for _, text := range []Text{m.endpoint.IPv4, m.endpoint.IPv6} {
			plain, _, _ := strings.Cut(text.Raw(), "/")
			if address, err := netip.ParseAddr(plain); err == nil {
				given[address] = true
			}
		}
	}
	for _, i := range counting {
		for _, address := range i.Addresses {
			if len(given) > 0 && !address.IsLinkLocalUnicast() && !address.IsLoopback() && !given[address.Unmap().WithZone("")] {
				return fmt.Sprintf("the kernel sees %s, an address that no attached network gave", interfaceName(i))
			}
		}
	}
	return ""
}

func interfaceName(i KernelInterface) string {
	name := "interface " + NewText(i.Name).Display()
	if len(i.Addresses) > 0 {
		name += " with " + NewText(i.Addresses[0].String()).Display()
	}
	return name
}

// judgeRuntime doubts a contained posture under a runtime that keeps the network
// to itself: there only a namespace without any interface proves anything. What
// gVisor and Kata do inside is not visible, so they are unknown; a runtime nobody
// knows counts as open.
func (p *Posture) judgeRuntime(c *Container) {
	if !contained(p.Effective) || plainRuntime(c.Host.Runtime) || noInterface(kernelView(c)) {
		return
	}
	runtime := c.Host.Runtime.Raw()
	if strings.Contains(runtime, "runsc") || strings.Contains(runtime, "kata") {
		p.worsen(LevelUnknown, EvidenceDeclared,
			fmt.Sprintf("runtime %s keeps its network out of sight", c.Host.Runtime))
		return
	}
	p.worsen(LevelOpen, EvidenceDeclared,
		fmt.Sprintf("what runtime %s lets out is not known, so it counts as open", c.Host.Runtime))
}

// plainRuntime reports whether a runtime leaves the network to the kernel's
// namespaces. The empty name is the engine's default one.
func plainRuntime(runtime Text) bool {
	switch runtime.Raw() {
	case "", "runc", "crun", "oci", "youki", "nvidia", "io.containerd.runc.v1", "io.containerd.runc.v2":
		return true
	default:
		return false
	}
}

func noInterface(view *KernelView) bool {
	if view == nil || view.Problem != "" {
		return false
	}
	for _, i := range view.Interfaces {
		if i.Name != "lo" {
			return false
		}
	}
	return true
}
