package model

import (
	"strings"
	"time"
)

// maskedValue stands for an environment value that is not shown.
const maskedValue = "***"

// MaskEnv hides the values of NAME=value entries, since the engine hands out
// the secrets of a sandbox to whoever can inspect it (contract 1.4). Entries
// without a value stay.
func MaskEnv(env []Text) []Text {
	masked := make([]Text, len(env))
	for i, entry := range env {
		masked[i] = entry
		if name, _, ok := strings.Cut(entry.Raw(), "="); ok {
			masked[i] = NewText(name + "=" + maskedValue)
		}
	}
	return masked
}

// sandboxDetailDoc is the detail object of `show`.
type sandboxDetailDoc struct {
	Status          Text                `json:"status"`
	Problem         string              `json:"problem"`
	Inspected       bool                `json:"inspected"`
	InspectedAt     *time.Time          `json:"inspected_at"`
	InspectError    string              `json:"inspect_error"`
	Inherited       bool                `json:"inherited"`
	Orphan          bool                `json:"orphan"`
	ViolationReason string              `json:"violation_reason"`
	ReuseRules      []ruleDocument      `json:"reuse_rules"`
	ReapRules       []ruleDocument      `json:"reap_rules"`
	ReapDetail      string              `json:"reap_detail"`
	SessionEnd      Text                `json:"session_end_reason"`
	ImageID         string              `json:"image_id"`
	ImageLabels     *Labels             `json:"image_labels"`
	Command         []Text              `json:"command"`
	User            Text                `json:"user"`
	WorkingDir      Text                `json:"working_dir"`
	Hostname        Text                `json:"hostname"`
	Pid             int                 `json:"pid"`
	ExitCode        int                 `json:"exit_code"`
	OOMKilled       bool                `json:"oom_killed"`
	StateError      Text                `json:"state_error"`
	Health          Text                `json:"health"`
	ExecIDs         []string            `json:"exec_ids"`
	Env             []Text              `json:"env"`
	Mounts          []mountDocument     `json:"mounts"`
	Endpoints       []endpointDocument  `json:"endpoints"`
	Kernel          *kernelDocument     `json:"kernel"`
	Host            *hostConfigDocument `json:"host_config"`
}

type ruleDocument struct {
	Rule    string      `json:"rule"`
	Outcome RuleOutcome `json:"outcome"`
	Detail  string      `json:"detail"`
}

type mountDocument struct {
	Type        Text `json:"type"`
	Name        Text `json:"name"`
	Source      Text `json:"source"`
	Destination Text `json:"destination"`
	RW          bool `json:"rw"`
	Anonymous   bool `json:"anonymous"`
}

type endpointDocument struct {
	Network   Text   `json:"network"`
	NetworkID string `json:"network_id"`
	IPv4      Text   `json:"ipv4"`
	IPv6      Text   `json:"ipv6"`
	Gateway   Text   `json:"gateway"`
	MAC       Text   `json:"mac"`
	Aliases   []Text `json:"aliases"`
}

type kernelDocument struct {
	ReadAt     *time.Time          `json:"read_at"`
	Problem    string              `json:"problem"`
	Interfaces []interfaceDocument `json:"interfaces"`
}

type interfaceDocument struct {
	Name      string   `json:"name"`
	Up        bool     `json:"up"`
	Addresses []string `json:"addresses"`
	Routes    []string `json:"routes"`
}

// hostConfigDocument is the declared part, null while it was not read.
type hostConfigDocument struct {
	NetworkMode       Text            `json:"network_mode"`
	Binds             []Text          `json:"binds"`
	Mounts            []mountDocument `json:"mounts"`
	Privileged        bool            `json:"privileged"`
	PidMode           Text            `json:"pid_mode"`
	IpcMode           Text            `json:"ipc_mode"`
	UTSMode           Text            `json:"uts_mode"`
	UsernsMode        Text            `json:"userns_mode"`
	CgroupnsMode      Text            `json:"cgroupns_mode"`
	CapAdd            []Text          `json:"cap_add"`
	CapDrop           []Text          `json:"cap_drop"`
	SecurityOpt       []Text          `json:"security_opt"`
	Tmpfs             map[Text]Text   `json:"tmpfs"`
	Devices           []Text          `json:"devices"`
	DeviceRequests    int             `json:"device_requests"`
	DeviceCgroupRules []Text          `json:"device_cgroup_rules"`
	VolumesFrom       []Text          `json:"volumes_from"`
	PublishAllPorts   bool            `json:"publish_all_ports"`
	ExtraHosts        []Text          `json:"extra_hosts"`
	DNS               []Text          `json:"dns"`
	Links             []Text          `json:"links"`
	PidsLimit         int64           `json:"pids_limit"`
	Memory            int64           `json:"memory_bytes"`
	NanoCPUs          int64           `json:"nano_cpus"`
	ShmSize           int64           `json:"shm_size_bytes"`
	Runtime           Text            `json:"runtime"`
	RestartPolicy     Text            `json:"restart_policy"`
	AutoRemove        bool            `json:"auto_remove"`
	ReadonlyRootfs    bool            `json:"readonly_rootfs"`
	Init              bool            `json:"init"`
}

func newSandboxDetail(s *Sandbox) *sandboxDetailDoc {
	doc := &sandboxDetailDoc{
		Status: s.Status, Problem: s.Problem,
		Inspected: s.Inspected, InspectedAt: documentTime(s.InspectedAt), InspectError: s.InspectError,
		Inherited: s.Inherited, Orphan: s.Orphan, ViolationReason: s.ViolationReason,
		ReuseRules: ruleDocuments(s.Reuse.Rules), ReapRules: ruleDocuments(s.Reap.Rules), ReapDetail: s.Reap.Detail,
		SessionEnd: s.Session.EndReason,
		ImageID:    s.ImageID, Command: present(s.Command), User: s.User, WorkingDir: s.WorkingDir, Hostname: s.Hostname,
		Pid: s.Pid, ExitCode: s.ExitCode, OOMKilled: s.OOMKilled, StateError: s.StateError, Health: s.Health,
		ExecIDs: present(s.ExecIDs), Env: MaskEnv(s.Env),
		Mounts:    mountDocuments(s.Mounts),
		Endpoints: make([]endpointDocument, 0, len(s.Networks.Endpoints)),
	}
	if s.ImageLabelsKnown {
		labels := s.ImageLabels
		if labels == nil {
			labels = Labels{}
		}
		doc.ImageLabels = &labels
	}
	for _, endpoint := range s.Networks.Endpoints {
		doc.Endpoints = append(doc.Endpoints, endpointDocument{
			Network: endpoint.Network, NetworkID: endpoint.NetworkID, IPv4: endpoint.IPv4, IPv6: endpoint.IPv6,
			Gateway: endpoint.Gateway, MAC: endpoint.MAC, Aliases: present(endpoint.Aliases),
		})
	}
	if s.Kernel != nil {
		doc.Kernel = newKernelDocument(s.Kernel)
	}
	if s.Inspected {
		doc.Host = newHostConfigDocument(&s.Host)
	}
	return doc
}

func ruleDocuments(rules Trail) []ruleDocument {
	checks := rules.Checks()
	docs := make([]ruleDocument, 0, len(checks))
	for _, rule := range checks {
		docs = append(docs, ruleDocument(rule))
	}
	return docs
}

func mountDocuments(mounts []Mount) []mountDocument {
	docs := make([]mountDocument, 0, len(mounts))
	for _, mount := range mounts {
		docs = append(docs, mountDocument(mount))
	}
	return docs
}

func newKernelDocument(kernel *KernelView) *kernelDocument {
	doc := &kernelDocument{
		ReadAt: documentTime(kernel.ReadAt), Problem: kernel.Problem,
		Interfaces: make([]interfaceDocument, 0, len(kernel.Interfaces)),
	}
	for _, device := range kernel.Interfaces {
		addresses := make([]string, 0, len(device.Addresses))
		for _, address := range device.Addresses {
			addresses = append(addresses, address.String())
		}
		doc.Interfaces = append(doc.Interfaces, interfaceDocument{
			Name: device.Name, Up: device.Up, Addresses: addresses, Routes: present(device.Routes),
		})
	}
	return doc
}

func newHostConfigDocument(host *HostConfig) *hostConfigDocument {
	tmpfs := host.Tmpfs
	if tmpfs == nil {
		tmpfs = map[Text]Text{}
	}
	return &hostConfigDocument{
		NetworkMode: host.NetworkMode, Binds: present(host.Binds), Mounts: mountDocuments(host.Mounts), Privileged: host.Privileged, PidMode: host.PidMode, IpcMode: host.IpcMode,
		UTSMode: host.UTSMode, UsernsMode: host.UsernsMode, CgroupnsMode: host.CgroupnsMode,
		CapAdd: present(host.CapAdd), CapDrop: present(host.CapDrop), SecurityOpt: present(host.SecurityOpt),
		Tmpfs: tmpfs, Devices: present(host.Devices), DeviceRequests: host.DeviceRequests,
		DeviceCgroupRules: present(host.DeviceCgroupRules), VolumesFrom: present(host.VolumesFrom),
		PublishAllPorts: host.PublishAllPorts, ExtraHosts: present(host.ExtraHosts), DNS: present(host.DNS),
		Links: present(host.Links), PidsLimit: host.PidsLimit, Memory: host.Memory, NanoCPUs: host.NanoCPUs,
		ShmSize: host.ShmSize, Runtime: host.Runtime, RestartPolicy: host.RestartPolicy, AutoRemove: host.AutoRemove,
		ReadonlyRootfs: host.ReadonlyRootfs, Init: host.Init,
	}
}
