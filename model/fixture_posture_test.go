package model

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// The fixtures below describe containers as the engine words them; each option
// changes one thing of a sandbox on the default bridge of a Docker 20.10.

type postureOption func(c *Container, snap *Snapshot)

func postureID(n int) ID { return ID(fmt.Sprintf("%064x", n)) }

// postureNetworkID is the ID of a network by its number.
func postureNetworkID(n int) string { return fmt.Sprintf("%064x", 0xf000+n) }

func postureLabels(pairs map[string]string) Labels {
	labels := Labels{}
	for key, value := range pairs {
		labels[NewText(key)] = NewText(value)
	}
	return labels
}

func postureTexts(values ...string) []Text {
	texts := make([]Text, len(values))
	for i, value := range values {
		texts[i] = NewText(value)
	}
	return texts
}

func postureNetwork(n int, name, driver string, internal bool) Network {
	return Network{ID: postureNetworkID(n), Name: NewText(name), Driver: NewText(driver), Internal: internal, Options: Labels{}, Labels: Labels{}}
}

const (
	fixtureAllowlist = "hermes-egress-a4aa2ac280" // pypi.org
	fixtureProxy     = "hermes-egress-proxy-a4aa2ac280"
	fixtureMark      = "0123456789abcdef01234567"
)

// postureWorld returns a snapshot with the usual networks and one sandbox on
// the default bridge, as Hermes makes it.
func postureWorld(options ...postureOption) (*Container, *Snapshot) {
	allowlist := postureNetwork(6, fixtureAllowlist, "bridge", true)
	allowlist.Labels = postureLabels(map[string]string{"hermes.egress": "1"})
	snap := &Snapshot{
		Engine:        Engine{Name: "here", Kind: "docker", Version: NewText("20.10.24"), Host: "unix:///srv/engine/api.sock"},
		At:            time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		NetworksKnown: true,
		Networks: []Network{
			postureNetwork(1, "bridge", "bridge", false), postureNetwork(2, "host", "host", false),
			postureNetwork(3, "none", "null", false), postureNetwork(4, "team", "bridge", false),
			postureNetwork(5, "inner", "bridge", true), allowlist,
			postureNetwork(7, "inner-too", "bridge", true), postureNetwork(8, "lan", "macvlan", false),
			postureNetwork(9, "lan-inner", "macvlan", true), postureNetwork(10, "swarm", "overlay", false),
			postureNetwork(11, "vlan", "ipvlan", false), postureNetwork(12, "plugged", "weave", true),
		},
	}
	c := postureContainer(1)
	withMode("default")(&c, snap)
	withNetworks("bridge")(&c, snap)
	for _, option := range options {
		option(&c, snap)
	}
	snap.Containers = append([]*Container{&c}, snap.Containers...)
	return snap.Containers[0], snap
}

func postureContainer(n int) Container {
	return Container{
		Engine: "here", ID: postureID(n), Name: NewText(fmt.Sprintf("hermes-%08x", n)), State: StateRunning, Inspected: true,
		Labels: postureLabels(map[string]string{
			"hermes-agent": "1", "hermes-task-id": "default", "hermes-profile": "default", "hermes-egress": "off",
		}),
		Mounts: []Mount{
			{Type: NewText("bind"), Source: NewText("/home/u/.hermes/sandboxes/docker/default/home"), Destination: NewText("/root"), RW: true},
			{Type: NewText("bind"), Source: NewText("/home/u/.hermes/sandboxes/docker/default/workspace"), Destination: NewText("/workspace"), RW: true},
		},
		Networks: NetworkSettings{Known: true},
		Host: HostConfig{
			CapDrop: postureTexts("ALL"), CapAdd: postureTexts("CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_SETUID", "CAP_SETGID"),
			SecurityOpt: postureTexts("no-new-privileges"), PidsLimit: 2048, Memory: 5 << 30, NanoCPUs: 1e9, Runtime: NewText("runc"), Init: true,
			IpcMode: NewText("private"),
		},
	}
}

func withMode(mode string) postureOption {
	return func(c *Container, _ *Snapshot) {
		c.Networks.Mode, c.Host.NetworkMode = NewText(mode), NewText(mode)
	}
}

// withNetworks puts the container on exactly the named networks of the snapshot.
func withNetworks(networks ...string) postureOption {
	return func(c *Container, snap *Snapshot) {
		c.Networks.Endpoints = nil
		for i, name := range networks {
			endpoint := Endpoint{Network: NewText(name)}
			for _, network := range snap.Networks {
				if network.Name.Raw() == name {
					endpoint.NetworkID = network.ID
				}
			}
			if name != "none" && name != "host" {
				endpoint.IPv4 = NewText(fmt.Sprintf("172.20.%d.2", i))
			}
			c.Networks.Endpoints = append(c.Networks.Endpoints, endpoint)
		}
	}
}

func withState(state State) postureOption {
	return func(c *Container, _ *Snapshot) { c.State = state }
}

func withLabel(key, value string) postureOption {
	return func(c *Container, _ *Snapshot) { c.Labels[NewText(key)] = NewText(value) }
}

func withoutLabel(key string) postureOption {
	return func(c *Container, _ *Snapshot) { delete(c.Labels, NewText(key)) }
}

func withEnv(entries ...string) postureOption {
	return func(c *Container, _ *Snapshot) { c.Env = append(c.Env, postureTexts(entries...)...) }
}

func withBind(source, destination string, rw bool) postureOption {
	return func(c *Container, _ *Snapshot) {
		c.Mounts = append(c.Mounts, Mount{Type: NewText("bind"), Source: NewText(source), Destination: NewText(destination), RW: rw})
	}
}

// withIronProxy gives the container every mark of the credential proxy.
func withIronProxy(c *Container, snap *Snapshot) {
	withLabel("hermes-egress", fixtureMark)(c, snap)
	withEnv("HERMES_EGRESS_PROXY=1", "HTTPS_PROXY=http://host.docker.internal:9090", "https_proxy=http://host.docker.internal:9090")(c, snap)
	withBind("/home/u/.hermes/proxy/ca.crt", proxyCAMount, false)(c, snap)
}

// withAllowlist puts the container alone on the allowlist network, with a proxy
// that the options change.
func withAllowlist(options ...postureOption) postureOption {
	return func(c *Container, snap *Snapshot) {
		withMode(fixtureAllowlist)(c, snap)
		withNetworks(fixtureAllowlist)(c, snap)
		withOther(90, append([]postureOption{
			withName(fixtureProxy), withMode(fixtureAllowlist), withNetworks(fixtureAllowlist, "bridge"),
			withEnv("EGRESS_ALLOWLIST=pypi.org"), withoutLabel("hermes-agent"), withLabel("hermes.egress", "1"),
		}, options...)...)(c, snap)
	}
}

func withName(name string) postureOption {
	return func(c *Container, _ *Snapshot) { c.Name = NewText(name) }
}

// withID gives the container an ID with this beginning.
func withID(beginning string) postureOption {
	return withChange(func(c *Container) { c.ID = ID(beginning + strings.Repeat("0", 64-len(beginning))) })
}

// withOther adds a container that is no sandbox of the list.
func withOther(n int, options ...postureOption) postureOption {
	return func(_ *Container, snap *Snapshot) {
		c := postureContainer(n)
		for _, option := range options {
			option(&c, snap)
		}
		snap.Others = append(snap.Others, &c)
	}
}

// withSandbox adds a sandbox to the list.
func withSandbox(n int, options ...postureOption) postureOption {
	return func(_ *Container, snap *Snapshot) {
		c := postureContainer(n)
		for _, option := range options {
			option(&c, snap)
		}
		snap.Containers = append(snap.Containers, &c)
	}
}

// withNetwork changes a network of the snapshot.
func withNetwork(name string, change func(*Network)) postureOption {
	return func(_ *Container, snap *Snapshot) {
		for i := range snap.Networks {
			if snap.Networks[i].Name.Raw() == name {
				change(&snap.Networks[i])
			}
		}
	}
}

func withoutNetwork(name string) postureOption {
	return func(_ *Container, snap *Snapshot) {
		var kept []Network
		for _, network := range snap.Networks {
			if network.Name.Raw() != name {
				kept = append(kept, network)
			}
		}
		snap.Networks = kept
	}
}

func networkOption(name, value string) func(*Network) {
	return func(n *Network) { n.Options[NewText("com.docker.network.bridge."+name)] = NewText(value) }
}

func withEngine(kind, version string) postureOption {
	return func(_ *Container, snap *Snapshot) { snap.Engine.Kind, snap.Engine.Version = kind, NewText(version) }
}

// withKernel gives the container a kernel view with these interfaces beside lo.
func withKernel(interfaces ...KernelInterface) postureOption {
	return func(c *Container, _ *Snapshot) {
		lo := KernelInterface{Name: "lo", Up: true, Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
		c.Kernel = &KernelView{Interfaces: append([]KernelInterface{lo}, interfaces...)}
	}
}

func kernelDevice(name, address string) KernelInterface {
	return KernelInterface{Name: name, Up: true, Addresses: []netip.Addr{netip.MustParseAddr(address)}}
}

func withChange(apply func(c *Container)) postureOption {
	return func(c *Container, _ *Snapshot) { apply(c) }
}
