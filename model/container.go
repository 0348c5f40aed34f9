package model

import (
	"net/netip"
	"time"
)

// ID is a container's full identifier: 64 lower-case hex digits. A value that
// is no such thing is kept, so that its row can be shown, but Valid is false
// and no action is offered on it.
type ID string

// Valid reports whether the ID is 64 lower-case hex digits. Only valid IDs may
// stand in a request.
func (id ID) Valid() bool {
	if len(id) != 64 {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Short returns the first 12 characters, escaped for display.
func (id ID) Short() string {
	if id.Valid() {
		return string(id[:12])
	}
	return NewText(string(id)).Display()
}

// State is a container's state as the engine words it. Values outside the
// constants are kept as they are and are never acted on in bulk.
type State string

// States of the Docker Engine. Podman adds "stopped", "stopping" and others.
const (
	StateCreated    State = "created"
	StateRunning    State = "running"
	StatePaused     State = "paused"
	StateRestarting State = "restarting"
	StateRemoving   State = "removing"
	StateExited     State = "exited"
	StateDead       State = "dead"
)

// Stamp is a time the engine gave. The zero value means the engine gave none,
// or its "never" (year 1).
type Stamp struct {
	// Time is in UTC; zero when unknown.
	Time time.Time
	// Problem says why a given time could not be read; empty otherwise.
	Problem string
}

// Known reports whether there is a time.
func (s Stamp) Known() bool { return !s.Time.IsZero() }

// Labels are a container's, image's or network's labels.
type Labels map[Text]Text

// Get returns the value of a label and whether it is there.
func (l Labels) Get(key string) (Text, bool) {
	value, ok := l[NewText(key)]
	return value, ok
}

// Value returns the value of a label, empty when it is absent.
func (l Labels) Value(key string) Text { return l[NewText(key)] }

// Container is what the engine says about one container, decoded and nothing
// more. Fields of an inspect are zero until Inspected is true.
type Container struct {
	Engine    string // name of the engine it lives on
	ID        ID
	Name      Text // without the leading slash; may be empty
	Image     Text // the reference it was created from
	ImageID   string
	Command   []Text
	State     State
	Status    Text // the engine's own words, such as "Up 2 hours"
	Labels    Labels
	CreatedAt Stamp
	Networks  NetworkSettings
	Mounts    []Mount

	// Inspected is true when the fields below were read. InspectError says
	// why they were not; while it is set they are zero, never old values.
	Inspected    bool
	InspectError string
	InspectedAt  time.Time // our clock; no two answers of an engine have the same

	StartedAt  Stamp
	FinishedAt Stamp
	ExitCode   int
	OOMKilled  bool
	StateError Text
	Pid        int // 0 unless running
	Health     Text
	Env        []Text // NAME=value; values may be secrets
	User       Text
	WorkingDir Text
	Hostname   Text
	ExecIDs    []string // execs the engine still tracks; finished ones can linger
	Host       HostConfig

	// ImageLabels are the labels of the image itself, to tell inherited hermes
	// labels; nil with ImageLabelsKnown false when the image could not be read.
	ImageLabels      Labels
	ImageLabelsKnown bool

	// Kernel is what the host's kernel says of the network namespace; nil when
	// nothing was probed (remote engine, not running).
	Kernel *KernelView

	// Problem is set on a row that could not be decoded whole.
	Problem string
}

// HostConfig is the declared part of a container: what it was created with.
type HostConfig struct {
	NetworkMode       Text
	Binds             []Text  // as given, such as "/src:/dst:ro"
	Mounts            []Mount // asked for through the mounts API; not in Binds
	Privileged        bool
	PidMode           Text
	IpcMode           Text
	UTSMode           Text
	UsernsMode        Text
	CgroupnsMode      Text
	CapAdd            []Text
	CapDrop           []Text
	SecurityOpt       []Text
	Tmpfs             map[Text]Text // mount point to options
	Devices           []Text
	DeviceRequests    int
	DeviceCgroupRules []Text
	VolumesFrom       []Text
	Published         []Port // declared port bindings
	PublishAllPorts   bool
	ExtraHosts        []Text
	DNS               []Text
	Links             []Text
	PidsLimit         int64         // 0 or -1: none
	Memory            int64         // bytes, 0: none
	NanoCPUs          int64         // billionths of a CPU, 0: none
	ShmSize           int64         // bytes
	StorageOpt        map[Text]Text // of the storage driver, such as the layer's size
	Runtime           Text
	RestartPolicy     Text
	AutoRemove        bool
	ReadonlyRootfs    bool
	Init              bool
}

// Port is a port binding on the host.
type Port struct {
	Container Text // such as "80/tcp"
	HostIP    Text
	HostPort  Text
}

// Mount is one mount of a container.
type Mount struct {
	Type        Text // bind, volume, tmpfs, npipe
	Name        Text // volume name
	Source      Text // host path
	Destination Text
	RW          bool
	Anonymous   bool // a volume with an engine-made name
}

// NetworkSettings are the networks a container is attached to, in any state.
type NetworkSettings struct {
	// Mode is HostConfig.NetworkMode, which the list gives too.
	Mode Text
	// Known is false when the engine gave no Networks object at all.
	Known     bool
	Endpoints []Endpoint // sorted by network name
}

// Endpoint is a container's place on one network.
type Endpoint struct {
	Network    Text // name
	NetworkID  string
	EndpointID string
	IPv4       Text
	IPv6       Text
	Gateway    Text
	Aliases    []Text
	MAC        Text
	// Static IPAM settings asked for at connect; empty when none were.
	StaticIPv4 Text
	StaticIPv6 Text
	DriverOpts map[Text]Text
}

// Network is a network of the engine.
type Network struct {
	ID         string
	Name       Text
	Driver     Text
	Internal   bool
	Options    Labels
	Labels     Labels
	Gateways   []Text
	Containers map[ID]Text // attached running containers with their names
	// Error says why the network could not be inspected; the fields above but
	// ID and Name are then zero.
	Error string
}

// KernelView is the host kernel's own account of a container's network
// namespace, read from /proc/<pid>/net.
type KernelView struct {
	// Problem says why the namespace could not be read or trusted (pid gone,
	// another container's cgroup, permission); the rest is zero then.
	Problem    string
	Interfaces []KernelInterface
	ReadAt     time.Time
}

// KernelInterface is one network interface of a namespace.
type KernelInterface struct {
	Name      string
	Up        bool
	Addresses []netip.Addr
	Routes    []string // destination prefixes, "default" for the default route
}

// Counts reports whether the interface can carry traffic: it is not loopback,
// and it is up or has an address or a route.
func (k KernelInterface) Counts() bool {
	return k.Name != "lo" && (k.Up || len(k.Addresses) > 0 || len(k.Routes) > 0)
}
