package model

import (
	"fmt"
	"slices"
	"strings"
)

// peer is a container on a network that may be running.
type peer struct {
	id      ID
	name    string
	outside bool // it has a way outside, or that could not be ruled out
}

// peerSet is everything on one network that may be running, in order of names.
type peerSet struct {
	all     []peer
	outside []peer // those of all that have a way outside
	ids     map[ID]bool
}

// peersOf returns the peers on a network. A snapshot that is assessed keeps
// them, since all sandboxes of a network ask for the same.
func peersOf(network Network, snap *Snapshot) *peerSet {
	if snap.peers == nil {
		return newPeerSet(network, snap)
	}
	key := network.ID + "/" + network.Name.Raw()
	if snap.peers[key] == nil {
		snap.peers[key] = newPeerSet(network, snap)
	}
	return snap.peers[key]
}

func newPeerSet(network Network, snap *Snapshot) *peerSet {
	set := &peerSet{ids: map[ID]bool{}}
	met := map[ID]bool{}
	for _, list := range [][]*Container{snap.Containers, snap.Others} {
		for _, other := range list {
			if met[other.ID] || !attachedTo(other, network) {
				continue
			}
			met[other.ID] = true
			if !atRest(other.State) {
				set.add(peer{id: other.ID, name: displayName(other), outside: otherLeg(other, network, snap)})
			}
		}
	}
	for id, name := range network.Containers {
		if !met[id] {
			set.add(peer{id: id, name: displayName(&Container{ID: id, Name: name}), outside: true})
		}
	}
	byName := func(a, b peer) int { return strings.Compare(a.name, b.name) }
	slices.SortFunc(set.all, byName)
	slices.SortFunc(set.outside, byName)
	return set
}

func (p *peerSet) add(found peer) {
	p.ids[found.id] = true
	p.all = append(p.all, found)
	if found.outside {
		p.outside = append(p.outside, found)
	}
}

// others describes the first few peers beside a container and the proxy, and
// says how many more there are.
func (p *peerSet) others(c, proxy *Container) []string {
	const limit = 8
	var names []string
	left := len(p.all)
	for _, skipped := range []*Container{c, proxy} {
		if skipped != nil && p.ids[skipped.ID] {
			left--
		}
	}
	for _, other := range p.all {
		switch {
		case isContainer(other, c) || isContainer(other, proxy):
			continue
		case len(names) == limit:
			return append(names, fmt.Sprintf("%d more", left-limit))
		case other.outside:
			names = append(names, other.name+" (which may lead outside)")
		default:
			names = append(names, other.name)
		}
	}
	return names
}

func isContainer(p peer, c *Container) bool { return c != nil && p.id == c.ID }

// outsidePeer returns a description of another container on the network that
// has, or may have, a way outside; "" when there is none.
func outsidePeer(c *Container, m member, proxy *Container, snap *Snapshot) string {
	for _, other := range peersOf(m.network, snap).outside {
		if !isContainer(other, c) && !isContainer(other, proxy) {
			return fmt.Sprintf("%s is on network %s and may pass traffic outside", other.name, m.network.Name)
		}
	}
	return ""
}

// otherLeg reports whether a container is also on another network that is not
// known to be internal.
func otherLeg(c *Container, network Network, snap *Snapshot) bool {
	if c.InspectError != "" || !c.Networks.Known {
		return true
	}
	for _, m := range outsideMembers(attachedMembers(c, snap)) {
		if !isEndpointOf(m.endpoint, network) && m.level != LevelInternal {
			return true
		}
	}
	return false
}
