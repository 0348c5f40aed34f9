package simengine

import "time"

// Config is the portable part of a container's creation, as the API spells it.
type Config struct {
	Hostname     string
	Domainname   string
	User         string
	AttachStdin  bool
	AttachStdout bool
	AttachStderr bool
	ExposedPorts map[string]struct{} `json:",omitempty"`
	Tty          bool
	OpenStdin    bool
	StdinOnce    bool
	Env          []string
	Cmd          words
	Healthcheck  map[string]any `json:",omitempty"`
	Image        string
	Volumes      map[string]struct{}
	WorkingDir   string
	Entrypoint   words
	OnBuild      []string
	Labels       map[string]string
	StopSignal   string `json:",omitempty"`
	StopTimeout  *int   `json:",omitempty"`
}

// stateBody is State of an inspect.
type stateBody struct {
	Status     string
	Running    bool
	Paused     bool
	Restarting bool
	OOMKilled  bool
	Dead       bool
	Pid        int
	ExitCode   int
	Error      string
	StartedAt  time.Time
	FinishedAt time.Time
	Health     *Health `json:",omitempty"`
}

// Health is the health check's state, with what its command printed.
type Health struct {
	Status        string
	FailingStreak int
	Log           []HealthResult
}

// HealthResult is one run of the health check.
type HealthResult struct {
	Start, End time.Time
	ExitCode   int
	Output     string
}

// mountBody is one of Mounts.
type mountBody struct {
	Type        string
	Name        string `json:",omitempty"`
	Source      string
	Destination string
	Driver      string `json:",omitempty"`
	Mode        string
	RW          bool
	Propagation string
}

// EndpointIPAM is the address a caller asked for at connect.
type EndpointIPAM struct {
	IPv4Address  string   `json:",omitempty"`
	IPv6Address  string   `json:",omitempty"`
	LinkLocalIPs []string `json:",omitempty"`
}

// endpointBody is one of NetworkSettings.Networks.
type endpointBody struct {
	IPAMConfig          *EndpointIPAM
	Links               []string
	Aliases             []string
	NetworkID           string
	EndpointID          string
	Gateway             string
	IPAddress           string
	IPPrefixLen         int
	IPv6Gateway         string
	GlobalIPv6Address   string
	GlobalIPv6PrefixLen int
	MacAddress          string
	DriverOpts          map[string]string
	DNSNames            *[]string `json:",omitempty"` // since API 1.44
}

// settingsBody is NetworkSettings of an inspect. Legacy holds the fields that
// API 1.52 dropped.
type settingsBody struct {
	*settingsLegacy
	SandboxID  string
	Ports      map[string][]PortBinding
	SandboxKey string
	Networks   map[string]*endpointBody
}

type settingsLegacy struct {
	Bridge                 string
	HairpinMode            bool
	LinkLocalIPv6Address   string
	LinkLocalIPv6PrefixLen int
	SecondaryIPAddresses   []string
	SecondaryIPv6Addresses []string
	EndpointID             string
	Gateway                string
	GlobalIPv6Address      string
	GlobalIPv6PrefixLen    int
	IPAddress              string
	IPPrefixLen            int
	IPv6Gateway            string
	MacAddress             string
}

// inspectBody is the answer to a container inspect.
type inspectBody struct {
	ID              string `json:"Id"`
	Created         time.Time
	Path            string
	Args            []string
	State           stateBody
	Image           string
	ResolvConfPath  string
	HostnamePath    string
	HostsPath       string
	LogPath         string
	Name            string
	RestartCount    int
	Driver          string
	Platform        string
	MountLabel      string
	ProcessLabel    string
	AppArmorProfile string
	ExecIDs         []string
	HostConfig      *HostConfig
	GraphDriver     graphDriver
	SizeRw          *int64 `json:",omitempty"`
	SizeRootFs      *int64 `json:",omitempty"`
	Mounts          []mountBody
	Config          *Config
	NetworkSettings settingsBody
}

type graphDriver struct {
	Data map[string]string
	Name string
}

// rowBody is one row of the container list.
type rowBody struct {
	ID         string `json:"Id"`
	Names      []string
	Image      string
	ImageID    string
	Command    string
	Created    int64
	Ports      []portBody
	SizeRw     int64 `json:",omitempty"`
	SizeRootFs int64 `json:",omitempty"`
	Labels     map[string]string
	State      string
	Status     string
	HostConfig struct{ NetworkMode string }

	NetworkSettings struct{ Networks map[string]*endpointBody }
	Mounts          []mountBody
}

type portBody struct {
	IP          string `json:",omitempty"`
	PrivatePort int
	PublicPort  int `json:",omitempty"`
	Type        string
}
