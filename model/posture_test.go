package model

import (
	"fmt"
	"strings"
	"testing"
)

// postureRow is what a container must come out as; the zero value of a field
// stands for false, the level itself, or attached.
type postureRow struct {
	options   []postureOption
	level     Level
	effective Level
	evidence  Evidence
	drifted   bool
	latched   bool
	reason    string // a part of the reasons
}

func (row postureRow) check(t *testing.T) {
	t.Helper()
	c, snap := postureWorld(row.options...)
	got := ClassifyPosture(c, snap)
	want := Posture{Level: row.level, Effective: row.effective, Evidence: row.evidence, Drifted: row.drifted, Latched: row.latched}
	if want.Effective == "" {
		want.Effective = want.Level
	}
	if want.Evidence == "" {
		want.Evidence = EvidenceAttached
	}
	shown := func(p Posture) string {
		return fmt.Sprintf("%s (%s) %s drifted=%v latched=%v", p.Level, p.Effective, p.Evidence, p.Drifted, p.Latched)
	}
	if shown(got) != shown(want) {
		t.Errorf("posture is %s, want %s; reasons %q", shown(got), shown(want), got.Reasons)
	}
	if all := strings.Join(got.Reasons, "; "); len(got.Reasons) == 0 || !strings.Contains(all, row.reason) {
		t.Errorf("reasons %q do not say %q", all, row.reason)
	}
}

func postureOptions(list ...postureOption) []postureOption { return list }

func TestPostureByNetwork(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]postureRow{
		"default is the bridge":        {level: LevelOpen, reason: "network bridge leads outside"},
		"bridge by its name":           {options: postureOptions(withMode("bridge")), level: LevelOpen},
		"a network of its own":         {options: postureOptions(withMode("team"), withNetworks("team")), level: LevelOpen},
		"declared by ID":               {options: postureOptions(withMode(postureNetworkID(4)), withNetworks("team")), level: LevelOpen},
		"declared by short ID":         {options: postureOptions(withMode(postureNetworkID(4)[:63]), withNetworks("team")), level: LevelOpen},
		"macvlan":                      {options: postureOptions(withMode("lan"), withNetworks("lan")), level: LevelOpen, reason: "driver macvlan"},
		"ipvlan":                       {options: postureOptions(withMode("vlan"), withNetworks("vlan")), level: LevelOpen},
		"overlay":                      {options: postureOptions(withMode("swarm"), withNetworks("swarm")), level: LevelOpen},
		"internal of another driver":   {options: postureOptions(withMode("lan-inner"), withNetworks("lan-inner")), level: LevelOpen, reason: "driver macvlan"},
		"internal of a plugin":         {options: postureOptions(withMode("plugged"), withNetworks("plugged")), level: LevelOpen, reason: "driver weave"},
		"declared none":                {options: postureOptions(withMode("none"), withNetworks("none")), level: LevelAirGapped},
		"declared none, none attached": {options: postureOptions(withMode("none"), withNetworks()), level: LevelAirGapped},
		"none of a stopped one":        {options: postureOptions(withMode("none"), withNetworks("none"), withState(StateExited)), level: LevelAirGapped},
		"none without a network list":  {options: postureOptions(withMode("none"), withNetworks("none"), withoutNetwork("none")), level: LevelAirGapped},
		"disconnected":                 {options: postureOptions(withNetworks()), level: LevelCutOff, drifted: true, reason: "no network is attached"},
		"disconnected while stopped":   {options: postureOptions(withNetworks(), withState(StateExited)), level: LevelCutOff, drifted: true},
		"disconnected and latched":     {options: postureOptions(withNetworks("none")), level: LevelCutOff, drifted: true, latched: true, reason: "until it is taken off"},
		"own network gone":             {options: postureOptions(withMode("was-here"), withNetworks()), level: LevelCutOff, drifted: true},
		"none reconnected": {
			options: postureOptions(withMode("none"), withNetworks("bridge")), level: LevelOpen, drifted: true,
			reason: "created with network mode none",
		},
		"none connected to an inner one": {options: postureOptions(withMode("none"), withNetworks("inner")), level: LevelInternal, drifted: true},
		"moved to another network":       {options: postureOptions(withNetworks("team")), level: LevelOpen, drifted: true},
		"a second network":               {options: postureOptions(withNetworks("bridge", "team")), level: LevelOpen, drifted: true},
		"internal":                       {options: postureOptions(withMode("inner"), withNetworks("inner")), level: LevelInternal, reason: "the host's own addresses are reachable"},
		"two internal ones":              {options: postureOptions(withMode("inner"), withNetworks("inner", "inner-too")), level: LevelInternal, drifted: true},
		"internal and open":              {options: postureOptions(withMode("inner"), withNetworks("inner", "team")), level: LevelOpen, drifted: true, reason: "network team leads outside"},
		"internal and host":              {options: postureOptions(withMode("inner"), withNetworks("inner", "host")), level: LevelHost, drifted: true},
		"host":                           {options: postureOptions(withMode("host"), withNetworks("host")), level: LevelHost},
		"host after a stopped one was disconnected": {
			options: postureOptions(withMode("host"), withNetworks(), withState(StateExited)), level: LevelHost, evidence: EvidenceDeclared,
		},
		"listed only": {
			options: postureOptions(withChange(func(c *Container) { c.Inspected, c.Host = false, HostConfig{} })), level: LevelOpen,
		},
		"listed only, without a network": {
			options: postureOptions(withMode("none"), withNetworks("none"), withChange(func(c *Container) { c.Inspected, c.Host = false, HostConfig{} })), level: LevelAirGapped,
		},
		"the network lists what the container does not": {
			options: postureOptions(withMode("none"), withNetworks("none"), withNetwork("team", func(n *Network) { n.Containers = map[ID]Text{postureID(1): {}} })),
			level:   LevelOpen, drifted: true, reason: "though the container does not list it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestPostureWhenALookFailed(t *testing.T) {
	t.Parallel()
	failed := func(n *Network) { n.Driver, n.Error = Text{}, "404 not found" }
	for name, row := range map[string]postureRow{
		"inspect failed": {
			options: postureOptions(withMode("none"), withNetworks("none"), withChange(func(c *Container) { c.InspectError = "timed out" })),
			level:   LevelUnknown, evidence: EvidenceDeclared, reason: "the inspect failed: timed out",
		},
		"inspect of a host one failed": {
			options: postureOptions(withMode("host"), withNetworks("host"), withChange(func(c *Container) { c.InspectError = "timed out" })),
			level:   LevelUnknown, evidence: EvidenceDeclared,
		},
		"network inspect failed": {
			options: postureOptions(withNetwork("bridge", failed)), level: LevelUnknown, evidence: EvidenceDeclared, reason: "404 not found",
		},
		"network not listed": {options: postureOptions(withoutNetwork("bridge")), level: LevelUnknown, evidence: EvidenceDeclared, reason: "not known"},
		"network without a driver": {
			options: postureOptions(withNetwork("bridge", func(n *Network) { n.Driver = Text{} })), level: LevelUnknown, evidence: EvidenceDeclared,
		},
		"another network took the name": {
			options: postureOptions(withMode("inner"), withNetworks("inner"), withNetwork("inner", func(n *Network) { n.ID = postureNetworkID(77) })),
			level:   LevelUnknown, evidence: EvidenceDeclared,
		},
		"failed beside internal": {
			options: postureOptions(withMode("inner"), withNetworks("inner", "team"), withNetwork("team", failed)),
			level:   LevelUnknown, evidence: EvidenceDeclared, drifted: true,
		},
		"failed beside open": {
			options: postureOptions(withNetworks("bridge", "team"), withNetwork("team", failed)), level: LevelOpen, drifted: true, reason: "404 not found",
		},
		"no networks object": {
			options: postureOptions(withMode("none"), withNetworks(), withChange(func(c *Container) { c.Networks.Known = false })),
			level:   LevelUnknown, evidence: EvidenceDeclared,
		},
		"no network mode": {
			options: postureOptions(withMode(""), withNetworks()), level: LevelUnknown, evidence: EvidenceDeclared, reason: "which network mode",
		},
		"no network mode on an open network": {options: postureOptions(withMode("")), level: LevelOpen},
		"half a row": {
			options: postureOptions(withMode("none"), withNetworks("none"), withChange(func(c *Container) { c.Problem = "bad JSON" })),
			level:   LevelUnknown, evidence: EvidenceDeclared, reason: "bad JSON",
		},
		"half a row of an open one": {options: postureOptions(withChange(func(c *Container) { c.Problem = "bad JSON" })), level: LevelOpen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestPostureShared(t *testing.T) {
	t.Parallel()
	to := func(ref string) postureOption { return withMode("container:" + ref) }
	for name, row := range map[string]postureRow{
		"with an open one": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withSandbox(2, withMode("default"), withNetworks("bridge"))),
			level:   LevelShared, effective: LevelOpen, reason: "it shares the network of hermes-00000002",
		},
		"with an air-gapped one": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withSandbox(2, withMode("none"), withNetworks("none"))),
			level:   LevelShared, effective: LevelAirGapped,
		},
		"with one cut off": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withSandbox(2, withMode("default"), withNetworks())),
			level:   LevelShared, effective: LevelCutOff,
		},
		"with a host one": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withOther(2, withMode("host"), withNetworks("host"))),
			level:   LevelShared, effective: LevelHost,
		},
		"by name": {
			options: postureOptions(to("sidecar"), withNetworks(), withOther(2, withName("sidecar"), withMode("inner"), withNetworks("inner"))),
			level:   LevelShared, effective: LevelInternal,
		},
		"by short ID": {
			options: postureOptions(to("abababababab"), withNetworks(), withOther(2, withMode("none"), withNetworks("none"), withID("abababababab"))),
			level:   LevelShared, effective: LevelAirGapped,
		},
		"by a short ID that two have": {
			options: postureOptions(to("abababababab"), withNetworks(), withOther(2, withMode("none"), withNetworks("none"), withID("abababababab0")),
				withOther(3, withMode("none"), withNetworks("none"), withID("abababababab1"))),
			level: LevelShared, effective: LevelUnknown, evidence: EvidenceDeclared, reason: "which is gone",
		},
		"over two": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withOther(2, to("last"), withNetworks()), withOther(3, withName("last"), withMode("none"), withNetworks("none"))),
			level:   LevelShared, effective: LevelAirGapped,
		},
		"with one gone": {
			options: postureOptions(to(string(postureID(2))), withNetworks()),
			level:   LevelShared, effective: LevelUnknown, evidence: EvidenceDeclared, reason: "which is gone",
		},
		"with itself": {
			options: postureOptions(to(string(postureID(1))), withNetworks()),
			level:   LevelShared, effective: LevelUnknown, evidence: EvidenceDeclared, reason: "in a circle",
		},
		"in a circle": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withOther(2, to(string(postureID(1))), withNetworks())),
			level:   LevelShared, effective: LevelUnknown, evidence: EvidenceDeclared, reason: "in a circle",
		},
		"with one that could not be inspected": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withOther(2, withChange(func(c *Container) { c.InspectError = "timed out" }))),
			level:   LevelShared, effective: LevelUnknown, evidence: EvidenceDeclared, reason: "timed out",
		},
		"the kernel sees more than the other has": {
			options: postureOptions(to(string(postureID(2))), withNetworks(), withKernel(kernelDevice("eth0", "172.17.0.9")),
				withSandbox(2, withMode("none"), withNetworks("none"))),
			level: LevelShared, effective: LevelOpen, evidence: EvidenceProbed, reason: "the kernel sees interface eth0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
	c, snap := postureWorld(to(string(postureID(2))), withNetworks(), withOther(2, withMode("none"), withNetworks("none")))
	if got := ClassifyPosture(c, snap).Target; got != postureID(2) {
		t.Errorf("target is %q, want the other container", got)
	}
}

func TestPostureOfOtherEngines(t *testing.T) {
	t.Parallel()
	podman := withEngine("podman", "4.3.1")
	withRuntime := func(name string) postureOption {
		return withChange(func(c *Container) { c.Host.Runtime = NewText(name) })
	}
	airGapped := func(more ...postureOption) []postureOption {
		return append(postureOptions(withMode("none"), withNetworks("none")), more...)
	}
	for name, row := range map[string]postureRow{
		"slirp4netns":                     {options: postureOptions(podman, withMode("slirp4netns"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared, reason: "slirp4netns"},
		"slirp4netns with options":        {options: postureOptions(podman, withMode("slirp4netns:mtu=1500"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared},
		"pasta":                           {options: postureOptions(podman, withMode("pasta"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared},
		"pasta with none attached":        {options: postureOptions(podman, withMode("pasta:-4"), withNetworks("none")), level: LevelOpen, evidence: EvidenceDeclared},
		"private":                         {options: postureOptions(podman, withMode("private"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared},
		"a namespace by path":             {options: postureOptions(podman, withMode("ns:/run/netns/x"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared},
		"a word nobody knows":             {options: postureOptions(podman, withMode("teleport"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared, reason: "teleport"},
		"a mode Docker does not have":     {options: postureOptions(withMode("teleport:x"), withNetworks()), level: LevelOpen, evidence: EvidenceDeclared},
		"a Docker network called private": {options: postureOptions(withMode("private"), withNetworks("inner")), level: LevelOpen, evidence: EvidenceDeclared},
		"pasta beside a network of that name": {
			options: postureOptions(podman, withNetwork("inner", func(n *Network) { n.Name = NewText("pasta") }), withMode("pasta"), withNetworks("pasta")),
			level:   LevelOpen, evidence: EvidenceDeclared,
		},
		"bridge of Podman":               {options: postureOptions(podman, withMode("bridge"), withNetworks("team")), level: LevelOpen},
		"bridge of Podman, internal":     {options: postureOptions(podman, withMode("bridge"), withNetworks("inner")), level: LevelInternal},
		"bridge of Podman, disconnected": {options: postureOptions(podman, withMode("bridge"), withNetworks()), level: LevelCutOff, drifted: true},
		"bridge of Podman with options":  {options: postureOptions(podman, withMode("bridge:ip=10.88.0.9"), withNetworks("team")), level: LevelOpen},
		"none of Podman":                 {options: postureOptions(podman, withMode("none"), withNetworks()), level: LevelAirGapped},
		"the mode in Podman's list is not the container's": {
			options: postureOptions(podman, withMode("host"), withNetworks("inner"), withChange(func(c *Container) { c.Inspected = false })),
			level:   LevelUnknown, evidence: EvidenceDeclared, reason: "which network mode",
		},
		"gVisor without a network":       {options: airGapped(withRuntime("runsc")), level: LevelUnknown, evidence: EvidenceDeclared, reason: "runsc"},
		"gVisor with an idle route view": {options: airGapped(withRuntime("runsc"), withKernel(KernelInterface{Name: "eth0"})), level: LevelUnknown, evidence: EvidenceDeclared},
		"gVisor without any interface":   {options: airGapped(withRuntime("runsc"), withKernel()), level: LevelAirGapped, evidence: EvidenceProbed},
		"gVisor on the bridge":           {options: postureOptions(withRuntime("runsc")), level: LevelOpen},
		"Kata without a network":         {options: airGapped(withRuntime("io.containerd.kata.v2")), level: LevelUnknown, evidence: EvidenceDeclared},
		"a runtime nobody knows":         {options: airGapped(withRuntime("wondrous")), level: LevelOpen, evidence: EvidenceDeclared, reason: "wondrous"},
		"crun":                           {options: airGapped(withRuntime("crun")), level: LevelAirGapped},
		"the default runtime":            {options: airGapped(withRuntime("")), level: LevelAirGapped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestPostureAndTheKernel(t *testing.T) {
	t.Parallel()
	airGapped := func(more ...postureOption) []postureOption {
		return append(postureOptions(withMode("none"), withNetworks("none")), more...)
	}
	eth0 := kernelDevice("eth0", "172.20.0.2")
	for name, row := range map[string]postureRow{
		"agrees with none":      {options: airGapped(withKernel()), level: LevelAirGapped, evidence: EvidenceProbed},
		"agrees with a cut":     {options: postureOptions(withNetworks(), withKernel()), level: LevelCutOff, evidence: EvidenceProbed, drifted: true},
		"agrees with open":      {options: postureOptions(withKernel(eth0)), level: LevelOpen, evidence: EvidenceProbed},
		"agrees with internal":  {options: postureOptions(withMode("inner"), withNetworks("inner"), withKernel(eth0)), level: LevelInternal, evidence: EvidenceProbed},
		"agrees with host":      {options: postureOptions(withMode("host"), withNetworks(), withKernel(eth0)), level: LevelHost, evidence: EvidenceProbed},
		"idle tunnels":          {options: airGapped(withKernel(KernelInterface{Name: "tunl0"}, KernelInterface{Name: "sit0"})), level: LevelAirGapped, evidence: EvidenceProbed},
		"interface though none": {options: airGapped(withKernel(eth0)), level: LevelOpen, evidence: EvidenceProbed, reason: "the kernel sees interface eth0 with 172.20.0.2"},
		"a route though none": {
			options: airGapped(withKernel(KernelInterface{Name: "eth9", Routes: []string{"default"}})), level: LevelOpen, evidence: EvidenceProbed,
		},
		"interface though latched": {options: postureOptions(withNetworks("none"), withKernel(eth0)), level: LevelOpen, evidence: EvidenceProbed, drifted: true},
		"one more than attached": {
			options: postureOptions(withMode("inner"), withNetworks("inner"), withKernel(eth0, kernelDevice("eth1", "10.0.0.2"))), level: LevelOpen, evidence: EvidenceProbed,
		},
		"an address nobody gave": {
			options: postureOptions(withMode("inner"), withNetworks("inner"), withKernel(kernelDevice("eth0", "192.168.1.5"))), level: LevelOpen, evidence: EvidenceProbed,
			reason: "no attached network gave",
		},
		"a link-local address": {
			options: postureOptions(withMode("inner"), withNetworks("inner"), withKernel(kernelDevice("eth0", "fe80::1"))), level: LevelInternal, evidence: EvidenceProbed,
		},
		"nothing though open": {options: postureOptions(withKernel()), level: LevelOpen},
		"could not be read": {
			options: airGapped(withChange(func(c *Container) { c.Kernel = &KernelView{Problem: "permission denied"} })), level: LevelAirGapped,
			reason: "permission denied",
		},
		"of a stopped one": {options: airGapped(withKernel(eth0), withState(StateExited)), level: LevelAirGapped},
		"of a paused one":  {options: airGapped(withKernel(), withState(StatePaused)), level: LevelAirGapped, evidence: EvidenceProbed},
		"does not close what is unknown": {
			options: postureOptions(withoutNetwork("bridge"), withKernel()), level: LevelUnknown, evidence: EvidenceDeclared,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}
