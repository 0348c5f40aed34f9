package model

import "time"

// Health is how far an engine's data can be believed.
type Health string

// The three states of an engine.
const (
	// Live: the event stream is up and the last answer is young.
	Live Health = "live"
	// Stale: what is shown may be out of date; its age is said.
	Stale Health = "stale"
	// Down: the engine cannot be reached; the reason is said.
	Down Health = "down"
)

// Wire is how requests to an engine are protected on their way. The zero value
// is a socket or pipe of this machine, or ssh.
type Wire string

// The ways over TCP.
const (
	WirePlain      Wire = "plain"      // without TLS
	WireUnverified Wire = "unverified" // TLS with whoever answers
	WireVerified   Wire = "verified"   // TLS with a server whose certificate is checked
)

// Engine is one Docker or Podman engine and how it is reached.
type Engine struct {
	Name       string // context name, or the host for an unnamed one
	Host       string // address, such as unix:///var/run/docker.sock
	Chosen     string // which rule chose it, such as "DOCKER_HOST"
	Kind       string // docker, podman or unknown
	Version    Text
	APIVersion string
	OS         Text
	Rootless   *bool // nil: not known
	Local      bool  // a unix socket on this machine whose kernel we can read
	Remote     bool  // on another machine: homes of this one are not its containers'
	Wire       Wire  // how what is said to it is protected on its way
	Partial    bool  // its networks and what is no sandbox were not looked at yet
	State      Health
	Error      string    // what failed and what to do; empty when live
	Since      time.Time // since when the state holds, our clock
	LastAnswer time.Time // last answer of any kind, our clock; zero: none yet
	// Skew is engine clock minus our clock; meaningless unless SkewKnown.
	Skew      time.Duration
	SkewKnown bool
}

// Now translates our clock into the engine's; where their difference is not
// known they count as the same.
func (e Engine) Now(ours time.Time) time.Time {
	if !e.SkewKnown {
		return ours
	}
	return ours.Add(e.Skew)
}

// Problem is a part of the data that could not be had. Error is safe to show.
type Problem struct {
	Part  string `json:"part"`
	Error string `json:"error"`
}

// Snapshot is what one engine said at one time. Neither it nor its containers
// are changed after it was handed over: one that says the same as before is the
// same container.
type Snapshot struct {
	Engine Engine
	// At is when the list was answered, our clock; zero: never yet.
	At time.Time
	// Containers are those labelled hermes-agent=1, in list order (newest
	// created first), which Hermes' reuse look-up depends on.
	Containers []*Container
	// Others are containers that are no sandboxes but matter for a posture:
	// egress proxies, targets of container: modes and their peers.
	Others   []*Container
	Networks []Network
	// NetworksKnown is false when the network list failed; attached networks
	// whose properties are not known are treated as unknown.
	NetworksKnown bool
	Problems      []Problem
	// Pending counts the containers whose inspect has not come yet; they are
	// here as the list tells them.
	Pending int
	// ProxiesPending says that allowlist proxies have still to be looked for, or
	// anew.
	ProxiesPending bool

	// peers keeps what is on a network while the snapshot is assessed, by
	// network. It is nil but on the copy that [Assess] works on.
	peers map[string]*peerSet
}

// Network returns a network by ID, else by name, and whether it is there.
func (s *Snapshot) Network(id string, name Text) (Network, bool) {
	for _, n := range s.Networks {
		if n.ID == id && id != "" {
			return n, true
		}
	}
	for _, n := range s.Networks {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}
