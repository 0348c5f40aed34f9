package model

import (
	"slices"
	"strings"
	"time"
)

// Inventory is what one engine holds besides the sandboxes of a [Snapshot], as
// far as a check of the whole machine needs it.
type Inventory struct {
	Engine string
	// Failure says why the engine's containers could not be listed; nil when
	// they were. Containers and Networks mean nothing then.
	Failure *EngineFailure
	// Containers are all containers in any state. Allowlist proxies and what
	// may be left of a probe are inspected; of the others only what a list
	// tells is known.
	Containers []Container
	// Networks are those labelled hermes.egress, with their members.
	Networks []Network
	// NetworksKnown is false when the networks could not be listed.
	NetworksKnown bool
	// Socket is the unix socket the engine is reached by; nil for others.
	Socket   *SocketAccess
	Problems []Problem
}

// EngineFailure is why an engine could not be asked. All texts are safe to show.
type EngineFailure struct {
	Reason string // the kind, such as "permission" or "too-old"
	Detail string // what happened
	Next   string // the next step; empty when there is none to name
}

// SocketAccess is who may open an engine's unix socket. Whoever may controls
// the engine, and by it everything the engine may do.
type SocketAccess struct {
	Path string
	Mode uint32 // permission bits
	// Group is the name or number of the socket's group, safe to show.
	Group string
	// RootGroup is true when the group is root's own.
	RootGroup bool
	// Reachable is true when every folder above the socket lets everybody pass.
	Reachable bool
}

// SandboxFolder is one task's folder below a home's sandboxes (contract 1.4).
type SandboxFolder struct {
	Home string // HERMES_HOME whose policy names the place
	Name Text
	Path string
	// RealPath is the path with symbolic links above the folder resolved.
	RealPath string
	// Link is true for a symbolic link, which is neither followed nor measured.
	Link bool
	// Size is the sum of the files' lengths in bytes; it means nothing unless
	// SizeKnown. SizeProblem says why it is not.
	Size        int64
	SizeKnown   bool
	SizeProblem string
}

// SandboxRoot returns the folder that holds a home's sandbox folders, ""
// without a home. A sandbox_dir that is no absolute path counts as none.
func SandboxRoot(p *Profile) string {
	if p.Policy != nil {
		if root := sandboxRoot(p.Policy.SandboxDir); root != "" {
			return root
		}
	}
	if p.Home == "" {
		return ""
	}
	return strings.TrimRight(p.Home, "/") + strings.TrimRight(sandboxesDir, "/")
}

// Hermes' two probes (contract 1.2): one runs "sleep 0" under tight limits to
// see whether the engine can limit, the other creates a hello-world container
// of limited size. Killed in between, a probe leaves its container behind.
const (
	probeImage     = "hello-world"
	probeSize      = "1m"
	probeNanoCPUs  = 500_000_000
	probeMemory    = 64 << 20
	probePidsLimit = 32
	// probeGrace is how old a leftover must be: a younger one may be a probe
	// that is still at work.
	probeGrace = 10 * time.Minute
)

// MayBeProbe reports whether a container's list row looks like a leftover of a
// probe, so that an inspect is worth its while.
func MayBeProbe(c *Container) bool {
	if _, labelled := c.Labels.Get(LabelAgent); labelled || hasProcesses(c.State) {
		return false
	}
	return probesSize(c) || strings.HasSuffix(joined(c.Command), "sleep 0")
}

// ProbeLeftover reports whether an inspected container is what a killed probe
// of Hermes leaves: it has every setting of the probe, does not run, and was
// created some time ago by the engine's clock. Names and labels tell nothing.
func ProbeLeftover(c *Container, engineNow time.Time) bool {
	if !c.Inspected || c.InspectError != "" || !MayBeProbe(c) || !c.CreatedAt.Known() {
		return false
	}
	if engineNow.Sub(c.CreatedAt.Time) < probeGrace {
		return false
	}
	if probesSize(c) {
		return c.Host.StorageOpt[NewText("size")].Raw() == probeSize
	}
	return c.Host.NanoCPUs == probeNanoCPUs && c.Host.Memory == probeMemory && c.Host.PidsLimit == probePidsLimit && c.Host.AutoRemove
}

func probesSize(c *Container) bool {
	image := c.Image.Raw()
	if at := strings.LastIndex(image, "/"); at >= 0 {
		image = image[at+1:]
	}
	image, _, _ = strings.Cut(image, "@")
	image, _, _ = strings.Cut(image, ":")
	return image == probeImage && c.State == StateCreated
}

func joined(words []Text) string {
	raw := make([]string, len(words))
	for i, word := range words {
		raw[i] = word.Raw()
	}
	return strings.Join(raw, " ")
}

// Lookalike reports whether a container looks like a sandbox of a Hermes from
// before labels: name and command are a sandbox's, the label is missing
// (contract 0.2). It is never acted on.
func Lookalike(c *Container) bool {
	if _, labelled := c.Labels.Get(LabelAgent); labelled {
		return false
	}
	digits, named := strings.CutPrefix(c.Name.Raw(), "hermes-")
	words := strings.Fields(joined(c.Command))
	return named && hexDigits(digits, sandboxNameDigits) && slices.Contains(words, "sleep")
}

// sandboxNameDigits is the length of the random part of a sandbox's name
// (contract 1.2).
const sandboxNameDigits = 8
