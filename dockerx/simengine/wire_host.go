package simengine

import (
	"encoding/json"
	"fmt"
)

// words is a command: the API takes a string or a list.
type words []string

// UnmarshalJSON takes both forms, and null.
func (w *words) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*w = nil
		return nil
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("command is neither text nor list: %w", err)
	}
	*w = list
	return nil
}

// HostConfig is the host part of a container's creation, as the API spells it.
type HostConfig struct {
	Binds           []string
	ContainerIDFile string
	LogConfig       LogConfig
	NetworkMode     string
	PortBindings    map[string][]PortBinding
	RestartPolicy   RestartPolicy
	AutoRemove      bool
	VolumeDriver    string
	VolumesFrom     []string
	Mounts          []MountSpec `json:",omitempty"`

	CapAdd          []string
	CapDrop         []string
	CgroupnsMode    string
	DNS             []string `json:"Dns"`
	DNSOptions      []string `json:"DnsOptions"`
	DNSSearch       []string `json:"DnsSearch"`
	ExtraHosts      []string
	GroupAdd        []string
	IpcMode         string
	Cgroup          string
	Links           []string
	OomScoreAdj     int
	PidMode         string
	Privileged      bool
	PublishAllPorts bool
	ReadonlyRootfs  bool
	SecurityOpt     []string
	StorageOpt      map[string]string `json:",omitempty"`
	Tmpfs           map[string]string `json:",omitempty"`
	UTSMode         string
	UsernsMode      string
	ShmSize         int64
	Sysctls         map[string]string `json:",omitempty"`
	Runtime         string
	ConsoleSize     [2]int
	Isolation       string

	Resources

	MaskedPaths   []string
	ReadonlyPaths []string
	Init          *bool `json:",omitempty"`
}

// Resources are the limits of a container. Embedding keeps them flat in JSON.
type Resources struct {
	CPUShares            int64 `json:"CpuShares"`
	Memory               int64
	NanoCPUs             int64 `json:"NanoCpus"`
	CgroupParent         string
	BlkioWeight          int
	BlkioWeightDevice    []any
	BlkioDeviceReadBps   []any
	BlkioDeviceWriteBps  []any
	BlkioDeviceReadIOps  []any
	BlkioDeviceWriteIOps []any
	CPUPeriod            int64  `json:"CpuPeriod"`
	CPUQuota             int64  `json:"CpuQuota"`
	CPURealtimePeriod    int64  `json:"CpuRealtimePeriod"`
	CPURealtimeRuntime   int64  `json:"CpuRealtimeRuntime"`
	CpusetCpus           string `json:"CpusetCpus"`
	CpusetMems           string `json:"CpusetMems"`
	Devices              []Device
	DeviceCgroupRules    []string
	DeviceRequests       []any
	KernelMemory         int64
	KernelMemoryTCP      int64
	MemoryReservation    int64
	MemorySwap           int64
	MemorySwappiness     *int64
	OomKillDisable       *bool
	PidsLimit            *int64
	Ulimits              []any
	CPUCount             int64 `json:"CpuCount"`
	CPUPercent           int64 `json:"CpuPercent"`
	IOMaximumIOps        int64
	IOMaximumBandwidth   int64
}

// LogConfig is the log driver.
type LogConfig struct {
	Type   string
	Config map[string]string
}

// RestartPolicy tells when the engine starts a container again.
type RestartPolicy struct {
	Name              string
	MaximumRetryCount int
}

// PortBinding is a port on the host.
type PortBinding struct {
	HostIP   string `json:"HostIp"`
	HostPort string
}

// Device is a device of the host handed to a container.
type Device struct {
	PathOnHost        string
	PathInContainer   string
	CgroupPermissions string
}

// MountSpec is a mount in the long form.
type MountSpec struct {
	Type     string
	Source   string `json:",omitempty"`
	Target   string
	ReadOnly bool `json:",omitempty"`
}

// withDefaults fills what the engine fills at creation.
func (h *HostConfig) withDefaults() {
	if h.NetworkMode == "" {
		h.NetworkMode = "default"
	}
	if h.LogConfig.Type == "" {
		h.LogConfig = LogConfig{Type: "json-file", Config: map[string]string{}}
	}
	if h.ShmSize == 0 {
		h.ShmSize = 64 << 20
	}
	setDefault(&h.IpcMode, "private")
	setDefault(&h.CgroupnsMode, "host")
	setDefault(&h.Runtime, "runc")
	if h.MemorySwap == 0 {
		h.MemorySwap = 2 * h.Memory
	}
	if h.OomKillDisable == nil {
		h.OomKillDisable = new(bool)
	}
	if !h.Privileged {
		h.MaskedPaths = []string{
			"/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
			"/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware",
		}
		h.ReadonlyPaths = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
	} else {
		h.SecurityOpt = append(h.SecurityOpt, "label=disable")
	}
}

func setDefault(field *string, value string) {
	if *field == "" {
		*field = value
	}
}
