package model

import (
	"cmp"
	"slices"
	"strings"
)

// FindingsOf returns what weakens or voids the isolation of a sandbox, worst
// first (contract 6.4.9). Its posture must be set. What an inspect would tell
// is left out until there is one. The result is never nil; the findings that
// compare sandboxes with each other are added by [Assess].
func FindingsOf(s *Sandbox, snap *Snapshot) []Finding {
	if snap == nil {
		snap = &Snapshot{}
	}
	found := findings{}
	if s.Inspected {
		found.privileges(s.Container)
		found.security(s.Container)
		found.namespaces(s.Container)
		found.resources(s.Container)
		found.inbound(s.Container)
	}
	found.mounts(s, snap.Engine)
	found.reach(s, snap)
	found.proxies(s, snap)
	found.labels(s)
	found.clocks(s, snap)
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
	return found
}

// findings collects the findings of one sandbox.
type findings []Finding

func (f *findings) add(code string, severity Severity, detail string) {
	*f = append(*f, Finding{Code: code, Severity: severity, Detail: detail})
}

// addList adds a finding about several things, if there are any.
func (f *findings) addList(code string, severity Severity, lead string, things []string) {
	if len(things) > 0 {
		f.add(code, severity, lead+strings.Join(things, ", "))
	}
}

func displays(texts []Text) []string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = text.Display()
	}
	return shown
}

// privileges judges what the container may do to the kernel.
func (f *findings) privileges(c *Container) {
	if c.Host.Privileged {
		f.add("privileged", SeverityVoid, "it runs privileged, which gives it the host")
	}
	var grave, extra []string
	for _, capability := range c.Host.CapAdd {
		switch capabilityName(capability) {
		case "ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "SYS_PTRACE", "DAC_READ_SEARCH", "BPF":
			grave = append(grave, capability.Display())
		case "DAC_OVERRIDE", "CHOWN", "FOWNER", "SETUID", "SETGID":
		default:
			extra = append(extra, capability.Display())
		}
	}
	f.addList("cap-add", SeverityVoid, "capabilities that reach the host: ", grave)
	f.addList("cap-add", SeverityWeak, "capabilities that Hermes does not give: ", extra)
	if !slices.ContainsFunc(c.Host.CapDrop, func(t Text) bool { return capabilityName(t) == "ALL" }) {
		f.add("cap-drop-missing", SeverityWeak, "the engine's default capabilities are not dropped")
	}
}

func capabilityName(capability Text) string {
	return strings.TrimPrefix(strings.ToUpper(capability.Raw()), "CAP_")
}

// security judges the security options.
func (f *findings) security(c *Container) {
	option := func(name, value string) bool {
		return slices.ContainsFunc(c.Host.SecurityOpt, func(t Text) bool {
			key, set, _ := strings.Cut(strings.Replace(t.Raw(), ":", "=", 1), "=")
			return key == name && set == value
		})
	}
	if !option("no-new-privileges", "") && !option("no-new-privileges", "true") {
		detail := "programs can gain privileges (no-new-privileges is not set)"
		if !c.Host.Init {
			detail += "; docker_snap_compat leaves it out"
		}
		f.add("new-privileges", SeverityWeak, detail)
	}
	if option("seccomp", "unconfined") {
		f.add("seccomp-off", SeverityWeak, "system calls are not filtered (seccomp=unconfined)")
	}
	if option("apparmor", "unconfined") {
		f.add("apparmor-off", SeverityWeak, "AppArmor does not confine it (apparmor=unconfined)")
	}
	if option("label", "disable") {
		f.add("selinux-off", SeverityWeak, "SELinux does not confine it (label=disable)")
	}
}

// namespaces judges what is shared with the host or with other containers.
func (f *findings) namespaces(c *Container) {
	for _, namespace := range []struct {
		code, name string
		severity   Severity
		mode       Text
	}{
		{"host-pid", "process", SeverityVoid, c.Host.PidMode},
		{"host-ipc", "IPC", SeverityWeak, c.Host.IpcMode},
		{"host-uts", "host name", SeverityWeak, c.Host.UTSMode},
		{"host-userns", "user", SeverityWeak, c.Host.UsernsMode},
		{"host-cgroupns", "cgroup", SeverityWeak, c.Host.CgroupnsMode},
	} {
		other, joined := strings.CutPrefix(namespace.mode.Raw(), containerPrefix)
		switch {
		case namespace.mode.Raw() == "host":
			f.add(namespace.code, namespace.severity, "it uses the host's "+namespace.name+" namespace")
		case joined:
			f.add(namespace.code, namespace.severity,
				"it shares the "+namespace.name+" namespace of container "+NewText(other).Display())
		}
	}
}

// resources judges devices and limits.
func (f *findings) resources(c *Container) {
	things := displays(c.Host.Devices)
	if c.Host.DeviceRequests > 0 {
		things = append(things, "requested devices such as GPUs")
	}
	for _, rule := range c.Host.DeviceCgroupRules {
		things = append(things, "device rule "+rule.Display())
	}
	for _, from := range c.Host.VolumesFrom {
		things = append(things, "volumes of "+from.Display())
	}
	f.addList("devices", SeverityWeak, "it was given ", things)

	var missing []string
	if c.Host.PidsLimit <= 0 {
		missing = append(missing, "processes")
	}
	if c.Host.Memory <= 0 {
		missing = append(missing, "memory")
	}
	if c.Host.NanoCPUs <= 0 {
		missing = append(missing, "CPU")
	}
	f.addList("no-limits", SeverityWeak, "no limit for ", missing)
}

// labels judges what the labels say against what else is known.
func (f *findings) labels(s *Sandbox) {
	if s.Inherited {
		f.add("inherited-labels", SeverityWeak, "its hermes labels come from its image, so Hermes may never have made it")
	}
	if s.HomeLabel != "" && !s.Profile.Empty() && s.Profile.Raw() != s.HomeLabel && !sharedLabel(s.Profile.Raw()) {
		f.add("profile-mismatch", SeverityWeak, "the label says profile "+s.Profile.Display()+
			", but its files are those of profile "+NewText(s.HomeLabel).Display())
	}
	var escaped []string
	for key, value := range s.Labels {
		if key.Escaped() || value.Escaped() {
			escaped = append(escaped, key.Display())
		}
	}
	slices.Sort(escaped)
	f.addList("escaped-label", SeverityInfo, "labels with characters that cannot be shown as they are: ", escaped)
}
