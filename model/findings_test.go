package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// findingRow says which findings a sandbox must have, each as "code severity"
// in any order; detail is a part of one of their details.
type findingRow struct {
	options []postureOption
	want    []string
	detail  string
	home    string // HERMES_HOME, "" for the fixture's own
}

func (row findingRow) check(t *testing.T) {
	t.Helper()
	c, snap := postureWorld(row.options...)
	s := identify(c, nil)
	if row.home != "" {
		s.Home, s.HomeLabel = row.home, ""
	}
	s.Posture = ClassifyPosture(c, snap)
	found := FindingsOf(&s, snap)
	var got, details []string
	for _, finding := range found {
		got = append(got, finding.Code+" "+string(finding.Severity))
		details = append(details, finding.Detail)
	}
	if !slices.IsSortedFunc(found, func(a, b Finding) int { return a.Severity.Rank() - b.Severity.Rank() }) {
		t.Errorf("findings %q are not sorted worst first", got)
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(row.want))
	if !slices.Equal(got, want) {
		t.Errorf("findings are %q, want %q; details %q", got, want, details)
	}
	if all := strings.Join(details, "; "); !strings.Contains(all, row.detail) {
		t.Errorf("details %q do not say %q", all, row.detail)
	}
}

func TestFindingsOfPrivileges(t *testing.T) {
	t.Parallel()
	host := func(apply func(h *HostConfig)) []postureOption {
		return postureOptions(withChange(func(c *Container) { apply(&c.Host) }))
	}
	rows := map[string]findingRow{
		"a sandbox as Hermes makes it": {},
		"not inspected":                {options: postureOptions(withChange(func(c *Container) { c.Inspected, c.Host = false, HostConfig{} }))},
		"privileged":                   {options: host(func(h *HostConfig) { h.Privileged = true }), want: []string{"privileged void"}},
		"net admin":                    {options: host(func(h *HostConfig) { h.CapAdd = postureTexts("NET_ADMIN") }), want: []string{"cap-add weak"}, detail: "NET_ADMIN"},
		"both kinds": {
			options: host(func(h *HostConfig) { h.CapAdd = postureTexts("CAP_NET_RAW", "CAP_SYS_ADMIN") }), want: []string{"cap-add void", "cap-add weak"},
		},
		"nothing dropped":      {options: host(func(h *HostConfig) { h.CapDrop = nil }), want: []string{"cap-drop-missing weak"}},
		"one dropped":          {options: host(func(h *HostConfig) { h.CapDrop = postureTexts("NET_RAW") }), want: []string{"cap-drop-missing weak"}},
		"dropped in lower":     {options: host(func(h *HostConfig) { h.CapDrop = postureTexts("all") })},
		"no-new-privileges":    {options: host(func(h *HostConfig) { h.SecurityOpt = nil }), want: []string{"new-privileges weak"}},
		"no-new-privileges on": {options: host(func(h *HostConfig) { h.SecurityOpt = postureTexts("no-new-privileges:true") })},
		"no-new-privileges off": {
			options: host(func(h *HostConfig) { h.SecurityOpt = postureTexts("no-new-privileges=false") }), want: []string{"new-privileges weak"},
		},
		"snap":           {options: host(func(h *HostConfig) { h.SecurityOpt, h.Init = nil, false }), want: []string{"new-privileges weak"}, detail: "docker_snap_compat"},
		"host PID":       {options: host(func(h *HostConfig) { h.PidMode = NewText("host") }), want: []string{"host-pid void"}},
		"another's PID":  {options: host(func(h *HostConfig) { h.PidMode = NewText("container:abc") }), want: []string{"host-pid void"}, detail: "container abc"},
		"host IPC":       {options: host(func(h *HostConfig) { h.IpcMode = NewText("host") }), want: []string{"host-ipc weak"}},
		"another's IPC":  {options: host(func(h *HostConfig) { h.IpcMode = NewText("container:abc") }), want: []string{"host-ipc weak"}},
		"shareable IPC":  {options: host(func(h *HostConfig) { h.IpcMode = NewText("shareable") })},
		"host UTS":       {options: host(func(h *HostConfig) { h.UTSMode = NewText("host") }), want: []string{"host-uts weak"}},
		"host users":     {options: host(func(h *HostConfig) { h.UsernsMode = NewText("host") }), want: []string{"host-userns weak"}},
		"host cgroups":   {options: host(func(h *HostConfig) { h.CgroupnsMode = NewText("host") }), want: []string{"host-cgroupns weak"}},
		"devices":        {options: host(func(h *HostConfig) { h.Devices = postureTexts("/dev/kvm") }), want: []string{"devices weak"}, detail: "/dev/kvm"},
		"GPUs":           {options: host(func(h *HostConfig) { h.DeviceRequests = 1 }), want: []string{"devices weak"}},
		"device rules":   {options: host(func(h *HostConfig) { h.DeviceCgroupRules = postureTexts("c 1:3 mr") }), want: []string{"devices weak"}},
		"volumes from":   {options: host(func(h *HostConfig) { h.VolumesFrom = postureTexts("db") }), want: []string{"devices weak"}, detail: "volumes of db"},
		"no memory":      {options: host(func(h *HostConfig) { h.Memory = 0 }), want: []string{"no-limits weak"}, detail: "memory"},
		"no CPU":         {options: host(func(h *HostConfig) { h.NanoCPUs = 0 }), want: []string{"no-limits weak"}, detail: "CPU"},
		"unlimited PIDs": {options: host(func(h *HostConfig) { h.PidsLimit = -1 }), want: []string{"no-limits weak"}, detail: "processes"},
		"every exposed port": {
			options: host(func(h *HostConfig) { h.PublishAllPorts = true }), want: []string{"published-port weak"},
		},
		"extra host":  {options: host(func(h *HostConfig) { h.ExtraHosts = postureTexts("db:10.0.0.1") }), want: []string{"extra-hosts info"}},
		"name server": {options: host(func(h *HostConfig) { h.DNS = postureTexts("1.1.1.1") }), want: []string{"extra-hosts info"}},
		"link":        {options: host(func(h *HostConfig) { h.Links = postureTexts("/db:/x/db") }), want: []string{"extra-hosts info"}},
		"gVisor":      {options: host(func(h *HostConfig) { h.Runtime = NewText("runsc") }), want: []string{"runtime-opaque weak"}},
	}
	for _, capability := range []string{"ALL", "SYS_ADMIN", "SYS_MODULE", "SYS_RAWIO", "SYS_PTRACE", "DAC_READ_SEARCH", "BPF", "cap_sys_admin"} {
		rows["capability "+capability] = findingRow{
			options: host(func(h *HostConfig) { h.CapAdd = postureTexts(capability) }), want: []string{"cap-add void"}, detail: capability,
		}
	}
	for option, code := range map[string]string{
		"seccomp=unconfined": "seccomp-off", "seccomp:unconfined": "seccomp-off",
		"apparmor=unconfined": "apparmor-off", "label=disable": "selinux-off", "label:disable": "selinux-off",
	} {
		rows[option] = findingRow{
			options: host(func(h *HostConfig) { h.SecurityOpt = append(h.SecurityOpt, NewText(option)) }), want: []string{code + " weak"},
		}
	}
	for address, reachable := range map[string]bool{"": true, "0.0.0.0": true, "::": true, "192.168.1.4": true, "127.0.0.1": false, "127.0.0.53": false, "::1": false} {
		row := findingRow{options: host(func(h *HostConfig) { h.Published = []Port{{Container: NewText("80/tcp"), HostIP: NewText(address)}} })}
		if reachable {
			row.want, row.detail = []string{"published-port weak"}, "80/tcp"
		}
		rows["published on "+address] = row
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestFindingsOfMounts(t *testing.T) {
	t.Parallel()
	rows := map[string]findingRow{
		"a project":            {options: postureOptions(withBind("/srv/project", "/workspace/p", true)), want: []string{"host-write weak"}, detail: "/srv/project"},
		"a project to read":    {options: postureOptions(withBind("/srv/project", "/workspace/p", false))},
		"below the sandbox":    {options: postureOptions(withBind("/home/u/.hermes/sandboxes/docker/default/extra", "/x", true))},
		"another's sandbox":    {options: postureOptions(withBind("/home/u/.hermes/sandboxes/docker/other/home", "/x", true)), want: []string{"host-write weak"}},
		"a sandbox's prefix":   {options: postureOptions(withBind("/home/u/.hermes/sandboxes/docker/default-2", "/x", true)), want: []string{"host-write weak"}},
		"skills":               {options: postureOptions(withBind("/home/u/.hermes/skills", "/root/.hermes/skills", false))},
		"Hermes' home":         {options: postureOptions(withBind("/home/u/.hermes", "/h", true)), want: []string{"sensitive-mount void"}},
		"Hermes' home to read": {options: postureOptions(withBind("/home/u/.hermes/", "/h", false)), want: []string{"sensitive-mount weak"}},
		"over Hermes' home": {
			options: postureOptions(withBind("/srv/hermes", "/h", true)), home: "/srv/hermes/profiles/work", want: []string{"sensitive-mount void"},
		},
		"proxy secrets":        {options: postureOptions(withBind("/home/u/.hermes/proxy", "/p", true)), want: []string{"sensitive-mount void"}},
		"proxy's key":          {options: postureOptions(withBind("/home/u/.hermes/proxy/ca.key", "/p", false)), want: []string{"sensitive-mount weak"}},
		"proxy's certificate":  {options: postureOptions(withBind("/home/u/.hermes/proxy/ca.crt", proxyCAMount, false))},
		"certificate to write": {options: postureOptions(withBind("/home/u/.hermes/proxy/ca.crt", proxyCAMount, true)), want: []string{"sensitive-mount void"}},
		"a volume": {options: postureOptions(withChange(func(c *Container) {
			c.Mounts = append(c.Mounts, Mount{Type: NewText("volume"), Name: NewText("data"), Source: NewText("/var/lib/docker/volumes/data/_data"), Destination: NewText("/data"), RW: true})
		}))},
		"a pipe": {options: postureOptions(withChange(func(c *Container) {
			c.Mounts = append(c.Mounts, Mount{Type: NewText("npipe"), Source: NewText(`\\.\pipe\docker_engine`), Destination: NewText(`\\.\pipe\docker_engine`)})
		})), want: []string{"engine-socket void"}},
		"only in Binds": {
			options: postureOptions(withChange(func(c *Container) { c.Host.Binds = postureTexts("/var/run/docker.sock:/sock:ro") })), want: []string{"engine-socket void"},
		},
		"only in the mounts API": {options: postureOptions(withChange(func(c *Container) {
			c.Host.Mounts = []Mount{{Type: NewText("bind"), Source: NewText("/run/docker.sock"), Destination: NewText("/var/run/docker.sock")}}
		})), want: []string{"engine-socket void"}},
		"a bind twice listed": {
			options: postureOptions(withBind("/srv/a", "/a", false), withChange(func(c *Container) { c.Host.Binds = postureTexts("/srv/a:/a") })),
		},
		"a volume in Binds":         {options: postureOptions(withChange(func(c *Container) { c.Host.Binds = postureTexts("data:/data") }))},
		"socket under another path": {options: postureOptions(withBind("/opt/engine/d.sock", "/var/run/docker.sock", false)), want: []string{"engine-socket void"}},
		"this engine's socket":      {options: postureOptions(withBind("/srv/engine/api.sock", "/s", false)), want: []string{"engine-socket void"}},
		"over this engine's socket": {options: postureOptions(withBind("/srv/engine", "/s", false)), want: []string{"engine-socket void"}},
		"air-gapped with a socket": {
			options: postureOptions(withMode("none"), withNetworks("none"), withBind("/run/docker.sock", "/d.sock", false)), want: []string{"engine-socket void"},
		},
	}
	for _, source := range []string{
		"/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock", "/run/user/1000/podman/podman.sock", "/run/user/1000/docker.sock",
		"/run/containerd/containerd.sock", "/home/u/.docker/run/docker.sock", "/run", "/var/run", "/run/user", "/run/user/1000", "/var/run/user/0", "/run/podman",
	} {
		rows["engine through "+source] = findingRow{options: postureOptions(withBind(source, "/x", false)), want: []string{"engine-socket void"}, detail: source}
	}
	for _, source := range []string{"/", "/var"} {
		rows["engine through "+source] = findingRow{
			options: postureOptions(withBind(source, "/x", false)), want: []string{"engine-socket void", "sensitive-mount weak"},
		}
	}
	for _, source := range []string{
		"/etc", "/etc/shadow", "/proc", "/sys", "/sys/fs/cgroup", "/dev", "/dev/sda", "/boot", "/var/lib", "/var/lib/docker", "/var/lib/docker/overlay2",
		"/var/lib/containers", "/home/u/.ssh", "/root/.ssh/id_ed25519", "/home/u", "/root", "/home", "/home/u/.local/share/docker",
	} {
		rows["write "+source] = findingRow{options: postureOptions(withBind(source, "/x", true)), want: []string{"sensitive-mount void"}, detail: "it can write to " + source}
		rows["read "+source] = findingRow{options: postureOptions(withBind(source, "/x", false)), want: []string{"sensitive-mount weak"}, detail: "it can read " + source}
	}
	for _, source := range []string{"/etcetera", "/devel", "/srv/etc", "/home/u/project", "/run/user-data", "/runtime", "/srv/ssh"} {
		rows["plain "+source] = findingRow{options: postureOptions(withBind(source, "/x", false))}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestFindingsOfTheNetwork(t *testing.T) {
	t.Parallel()
	inner := func(more ...postureOption) []postureOption {
		return append(postureOptions(withMode("inner"), withNetworks("inner")), more...)
	}
	isolated := withNetwork("inner", networkOption("gateway_mode_ipv4", "isolated"))
	current := withEngine("docker", "28.3.3")
	rootless := func(_ *Container, snap *Snapshot) { yes := true; snap.Engine.Rootless = &yes }
	rows := map[string]findingRow{
		"internal":                  {options: inner(), want: []string{"host-reachable weak", "dns-leak weak"}, detail: "engine 20.10.24"},
		"internal, current engine":  {options: inner(current), want: []string{"host-reachable weak"}, detail: "network inner"},
		"internal and isolated":     {options: inner(current, isolated)},
		"internal with a peer":      {options: inner(current, isolated, withOther(40, withName("db"), withNetworks("inner"))), want: []string{"peer-reachable weak"}, detail: "db"},
		"a peer that leads outside": {options: inner(current, isolated, withOther(40, withName("db"), withNetworks("inner", "team"))), want: []string{"peer-reachable weak"}, detail: "db (which may lead outside)"},
		"a stopped peer":            {options: inner(current, isolated, withOther(40, withNetworks("inner"), withState(StateExited)))},
		"open":                      {options: postureOptions(withOther(40, withNetworks("bridge")))},
		"allowlist":                 {options: postureOptions(withAllowlist(), current), want: []string{"host-reachable weak"}},
		"allowlist of another sandbox": {
			options: postureOptions(withAllowlist(), current, withSandbox(2, withNetworks(fixtureAllowlist))), want: []string{"host-reachable weak", "peer-reachable weak"}, detail: "hermes-00000002",
		},
		"allowlist without a proxy": {
			options: postureOptions(withAllowlist(withName("x"), withNetworks("bridge")), current), want: []string{"host-reachable weak", "proxy-missing weak"}, detail: "has no proxy",
		},
		"allowlist with its proxy down": {
			options: postureOptions(withAllowlist(withState(StateExited)), current), want: []string{"host-reachable weak", "proxy-missing weak"}, detail: "is not running",
		},
		"allowlist with both proxies": {
			options: postureOptions(withAllowlist(), withIronProxy, current), want: []string{"host-reachable weak", "egress-conflict weak"},
		},
		"shares an internal one": {
			options: postureOptions(withMode("container:"+string(postureID(2))), withNetworks(), current, withOther(2, withMode("inner"), withNetworks("inner"))),
			want:    []string{"host-reachable weak"},
		},
		"credential proxy":            {options: postureOptions(withIronProxy)},
		"credential proxy, rootless":  {options: postureOptions(withIronProxy, rootless), want: []string{"proxy-unreachable weak"}, detail: "#81281"},
		"credential proxy, no way":    {options: postureOptions(withIronProxy, withMode("none"), withNetworks("none")), want: []string{"proxy-unreachable weak"}},
		"credential proxy, cut off":   {options: postureOptions(withIronProxy, withNetworks()), want: []string{"proxy-unreachable weak"}},
		"label without the variables": {options: postureOptions(withLabel("hermes-egress", fixtureMark)), want: []string{"egress-label-untrue weak"}},
		"label, variables not known": {
			options: postureOptions(withLabel("hermes-egress", fixtureMark), withChange(func(c *Container) { c.Inspected, c.Host = false, HostConfig{} })),
		},
		"variables without the label": {options: postureOptions(withEnv("HERMES_EGRESS_PROXY=1")), want: []string{"egress-label-untrue weak"}},
		"a label Hermes never writes": {options: postureOptions(withLabel("hermes-egress", "on")), want: []string{"egress-label-untrue weak"}, detail: "label on"},
		"before egress labels":        {options: postureOptions(withoutLabel("hermes-egress")), want: []string{"pre-egress info"}},
		"foreign":                     {options: postureOptions(withoutLabel("hermes-egress"), withoutLabel("hermes-task-id"))},
	}
	for version, leaks := range map[string]bool{
		"20.10.24+dfsg1": true, "23.0.10": true, "23.0.11": false, "24.0.9": true, "24.0.0-rc1": true, "25.0.4": true, "25.0.5": false,
		"26.0.0-rc2": true, "26.0.0": false, "26.1": false, "v27.0.1": false, "29.0.0-rc.1": false, "": true, "master": true,
	} {
		row := findingRow{options: inner(withEngine("docker", version)), want: []string{"host-reachable weak"}}
		if leaks {
			row.want = append(row.want, "dns-leak weak")
		}
		rows["names on engine "+version] = row
	}
	rows["names on Podman"] = findingRow{options: inner(withEngine("podman", "4.3.1"), withMode("bridge")), want: []string{"host-reachable weak"}}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestFindingsOfLabelsAndClocks(t *testing.T) {
	t.Parallel()
	skew := func(by time.Duration, known bool) postureOption {
		return func(_ *Container, snap *Snapshot) { snap.Engine.Skew, snap.Engine.SkewKnown = by, known }
	}
	finished := func(after time.Duration) postureOption {
		return func(c *Container, snap *Snapshot) { c.FinishedAt = Stamp{Time: snap.At.Add(after)} }
	}
	inherit := withChange(func(c *Container) { c.ImageLabels, c.ImageLabelsKnown = c.Labels, true })
	for name, row := range map[string]findingRow{
		"labels of the image":       {options: postureOptions(inherit), want: []string{"inherited-labels weak"}},
		"files of another profile":  {options: postureOptions(withLabel("hermes-profile", "work")), want: []string{"profile-mismatch weak"}, detail: "profile work"},
		"a home of its own":         {options: postureOptions(withLabel("hermes-profile", "custom"))},
		"a shared identity":         {options: postureOptions(withLabel("hermes-profile", SharedIdentity("team")), withLabel("hermes-task-id", "shared_team"))},
		"a label with an escape":    {options: postureOptions(withLabel("com.example", "\x1b[2J")), want: []string{"escaped-label info"}, detail: "com.example"},
		"a key with a hidden space": {options: postureOptions(withLabel("com\u200bexample", "1")), want: []string{"escaped-label info"}, detail: `com\u200bexample`},
		"a label that is no UTF-8":  {options: postureOptions(withLabel("com.example", "\xff")), want: []string{"escaped-label info"}},
		"clock ahead":               {options: postureOptions(skew(26*time.Hour, true)), want: []string{"clock-skew info"}, detail: "26h0m0s ahead of ours"},
		"clock behind":              {options: postureOptions(skew(-2*time.Minute, true)), want: []string{"clock-skew info"}, detail: "behind ours"},
		"clocks alike":              {options: postureOptions(skew(time.Minute, true))},
		"skew not known":            {options: postureOptions(skew(time.Hour, false))},
		"finished in the future":    {options: postureOptions(finished(time.Hour)), want: []string{"clock-skew info"}, detail: "2026-11-01T13:00:00Z"},
		"finished a moment ago":     {options: postureOptions(finished(time.Second))},
		"future by our clock only":  {options: postureOptions(skew(50*time.Second, true), finished(45*time.Second))},
		"both of another and info first": {
			options: postureOptions(skew(time.Hour, true), withBind("/etc", "/x", true), withoutLabel("hermes-egress")),
			want:    []string{"sensitive-mount void", "clock-skew info", "pre-egress info"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

// The words of a finding reach the terminal as they are.
func TestFindingsAreSafeToShow(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b]0;t\x07\u202e"
	c, snap := postureWorld(withLabel("k"+hostile, hostile), withLabel("hermes-egress", hostile), withLabel("hermes-profile", hostile),
		withBind("/etc/"+hostile, "/a", true), withBind("/srv/"+hostile, "/b", true), withMode("inner"), withNetworks("inner"),
		withOther(40, withName("p"+hostile), withNetworks("inner")), withChange(func(c *Container) {
			c.Host.CapAdd, c.Host.Devices, c.Host.ExtraHosts = postureTexts(hostile), postureTexts(hostile), postureTexts(hostile)
			c.Host.PidMode = NewText("container:" + hostile)
			c.Host.Published = []Port{{Container: NewText(hostile)}}
		}))
	s := identify(c, nil)
	s.Posture = ClassifyPosture(c, snap)
	found := FindingsOf(&s, snap)
	if len(found) < 11 {
		t.Errorf("only %d findings, so the hostile text was not looked at", len(found))
	}
	for _, text := range append([]string{strings.Join(s.Posture.Reasons, "")}, fmt.Sprint(found)) {
		if strings.ContainsAny(text, "\x1b\x07\u202e") {
			t.Errorf("%q holds what a terminal would act on", text)
		}
	}
}

func TestFindingCodesAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	void := []string{"privileged", "engine-socket", "host-pid", "cap-add", "sensitive-mount"}
	info := []string{"extra-hosts", "clock-skew", "escaped-label", "pre-egress"}
	for name, options := range map[string][]postureOption{
		"inner": {withMode("inner"), withNetworks("inner")}, "allowlist": {withAllowlist(withState(StateExited)), withIronProxy},
	} {
		worst := withChange(func(c *Container) {
			c.Host = HostConfig{
				NetworkMode: c.Host.NetworkMode, Privileged: true, PidMode: NewText("host"), IpcMode: NewText("host"), UTSMode: NewText("host"),
				UsernsMode: NewText("host"), CgroupnsMode: NewText("host"), CapAdd: postureTexts("ALL"), Devices: postureTexts("x"),
				SecurityOpt: postureTexts("seccomp=unconfined", "apparmor=unconfined", "label=disable"), PublishAllPorts: true, ExtraHosts: postureTexts("x"),
				Runtime: NewText("x"), Binds: postureTexts("/:/x", "/srv:/y"),
			}
		})
		c, snap := postureWorld(append(options, worst)...)
		s := identify(c, nil)
		s.Posture = ClassifyPosture(c, snap)
		for _, finding := range FindingsOf(&s, snap) {
			if !slices.Contains(findingCodes(), finding.Code) {
				t.Errorf("%s: %q is no code of the reference", name, finding.Code)
			}
			if finding.Severity == SeverityVoid && !slices.Contains(void, finding.Code) {
				t.Errorf("%s: %q is never void", name, finding.Code)
			}
			if (finding.Severity == SeverityInfo) != slices.Contains(info, finding.Code) {
				t.Errorf("%s: %q has severity %s", name, finding.Code, finding.Severity)
			}
		}
	}
}
