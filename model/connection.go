package model

import (
	"net/netip"
	"time"
)

// Connection is one socket in a sandbox's network namespace.
type Connection struct {
	Protocol string // tcp, tcp6, udp or udp6
	Local    netip.AddrPort
	// Remote is the other end; its port is 0 when there is none.
	Remote netip.AddrPort
	// State is the kernel's word in lower case, such as "established"; empty
	// for udp without a peer.
	State string
	// Pid and Process name who holds the socket, the pid as the host counts; 0
	// and empty when that cannot be seen.
	Pid     int
	Process Text
}

// Listens reports whether the socket waits for others to come.
func (c *Connection) Listens() bool {
	return c.State == "listen" || c.State == "" && c.Remote.Port() == 0
}

// Leaves reports whether the socket reaches out of the sandbox itself: it has
// a peer that is no loopback address.
func (c *Connection) Leaves() bool {
	return c.Remote.Port() != 0 && !c.Remote.Addr().Unmap().IsLoopback()
}

// ConnectionView is the kernel's account of a sandbox's sockets.
type ConnectionView struct {
	// Problem says why there is none; the rest but ReadAt is zero then.
	Problem     string
	Connections []Connection
	// Dropped is how many were left out.
	Dropped int
	// Shared means that the namespace is not the sandbox's alone, so that some
	// of the sockets can be another's.
	Shared bool
	ReadAt time.Time
}
