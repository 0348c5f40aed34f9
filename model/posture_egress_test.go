package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPostureBehindAnAllowlist(t *testing.T) {
	t.Parallel()
	isolate := func(c *Container, snap *Snapshot) {
		withEngine("docker", "28.0.1")(c, snap)
		withNetwork(fixtureAllowlist, networkOption("gateway_mode_ipv4", "isolated"))(c, snap)
	}
	peer := func(options ...postureOption) postureOption {
		return withOther(50, append(postureOptions(withName("peer"), withMode(fixtureAllowlist)), options...)...)
	}
	for name, row := range map[string]postureRow{
		"every condition holds":        {options: postureOptions(withAllowlist()), level: LevelAllowlist, reason: "lets an allowlist through"},
		"whatever the mode says":       {options: postureOptions(withAllowlist(), withMode("none")), level: LevelAllowlist, drifted: true},
		"stopped sandbox":              {options: postureOptions(withAllowlist(), withState(StateExited)), level: LevelAllowlist},
		"on an isolated gateway":       {options: postureOptions(withAllowlist(), isolate), level: LevelAllowlist, reason: "the gateway is isolated"},
		"proxy exited":                 {options: postureOptions(withAllowlist(withState(StateExited))), level: LevelInternal, reason: "the allowlist proxy is down"},
		"proxy paused":                 {options: postureOptions(withAllowlist(withState(StatePaused))), level: LevelInternal},
		"proxy exited, isolated":       {options: postureOptions(withAllowlist(withState(StateExited)), isolate), level: LevelCutOff},
		"proxy not on the network":     {options: postureOptions(withAllowlist(withNetworks("bridge"))), level: LevelInternal, reason: "the allowlist proxy is down"},
		"proxy gone":                   {options: postureOptions(withAllowlist(withName("renamed"))), level: LevelInternal, reason: "no proxy"},
		"proxy without the label":      {options: postureOptions(withAllowlist(withoutLabel("hermes.egress"))), level: LevelInternal, reason: "no proxy"},
		"proxy's list of another hash": {options: postureOptions(withAllowlist(withChange(func(c *Container) { c.Env = postureTexts("EGRESS_ALLOWLIST=example.com") }))), level: LevelInternal, reason: "not the one"},
		"proxy without a list":         {options: postureOptions(withAllowlist(withChange(func(c *Container) { c.Env = nil }))), level: LevelInternal, reason: "not the one"},
		"proxy with two lists":         {options: postureOptions(withAllowlist(withEnv("EGRESS_ALLOWLIST=example.com"))), level: LevelInternal},
		"proxy's list in other order":  {options: postureOptions(withAllowlist(withChange(func(c *Container) { c.Env = postureTexts("EGRESS_ALLOWLIST= PyPI.org ,") }))), level: LevelAllowlist},
		"proxy could not be inspected": {
			options: postureOptions(withAllowlist(withChange(func(c *Container) { c.InspectError = "timed out" }))), level: LevelUnknown, evidence: EvidenceDeclared,
		},
		"proxy not inspected": {
			options: postureOptions(withAllowlist(withChange(func(c *Container) { c.Inspected, c.Env = false, nil }))), level: LevelUnknown, evidence: EvidenceDeclared,
		},
		"network without the label": {
			options: postureOptions(withAllowlist(), withNetwork(fixtureAllowlist, func(n *Network) { n.Labels = nil })), level: LevelInternal,
		},
		"network not internal": {
			options: postureOptions(withAllowlist(), withNetwork(fixtureAllowlist, func(n *Network) { n.Internal = false })), level: LevelOpen,
		},
		"a second network":          {options: postureOptions(withAllowlist(), withNetworks(fixtureAllowlist, "inner")), level: LevelInternal, drifted: true},
		"an open network beside it": {options: postureOptions(withAllowlist(), withNetworks(fixtureAllowlist, "team")), level: LevelOpen, drifted: true},
		"a peer on it alone":        {options: postureOptions(withAllowlist(), peer(withNetworks(fixtureAllowlist))), level: LevelAllowlist},
		"a peer with a leg outside": {
			options: postureOptions(withAllowlist(), peer(withNetworks(fixtureAllowlist, "team"))), level: LevelInternal, reason: "peer is on network",
		},
		"a peer with a leg inside": {options: postureOptions(withAllowlist(), peer(withNetworks(fixtureAllowlist, "inner"))), level: LevelAllowlist},
		"a stopped peer with a leg": {
			options: postureOptions(withAllowlist(), peer(withNetworks(fixtureAllowlist, "team"), withState(StateExited))), level: LevelAllowlist,
		},
		"a peer on a network nobody knows": {
			options: postureOptions(withAllowlist(), peer(withNetworks(fixtureAllowlist, "gone"))), level: LevelInternal,
		},
		"a peer that only the network lists": {
			options: postureOptions(withAllowlist(), withNetwork(fixtureAllowlist, func(n *Network) { n.Containers = map[ID]Text{postureID(70): NewText("stranger")} })),
			level:   LevelInternal, reason: "stranger is on network",
		},
		"with the marks of the credential proxy": {options: postureOptions(withAllowlist(), withIronProxy), level: LevelAllowlist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestPostureBehindTheCredentialProxy(t *testing.T) {
	t.Parallel()
	setEnv := func(entries ...string) postureOption {
		return withChange(func(c *Container) { c.Env = postureTexts(entries...) })
	}
	const flag, proxy = "HERMES_EGRESS_PROXY=1", "HTTPS_PROXY=http://host.docker.internal:9090"
	for name, row := range map[string]postureRow{
		"every condition holds": {options: postureOptions(withIronProxy), level: LevelCredentialProxied, reason: "can go around it"},
		"on another network":    {options: postureOptions(withIronProxy, withMode("team"), withNetworks("team")), level: LevelCredentialProxied},
		"variables are enough in capitals": {
			options: postureOptions(withIronProxy, setEnv(flag, proxy)), level: LevelCredentialProxied,
		},
		"label off":             {options: postureOptions(withIronProxy, withLabel("hermes-egress", "off")), level: LevelOpen},
		"label in capitals":     {options: postureOptions(withIronProxy, withLabel("hermes-egress", "0123456789ABCDEF01234567")), level: LevelOpen},
		"label too short":       {options: postureOptions(withIronProxy, withLabel("hermes-egress", fixtureMark[:23])), level: LevelOpen},
		"no flag":               {options: postureOptions(withIronProxy, setEnv(proxy)), level: LevelOpen},
		"no proxy variable":     {options: postureOptions(withIronProxy, setEnv(flag)), level: LevelOpen},
		"proxy of another host": {options: postureOptions(withIronProxy, setEnv(flag, "HTTPS_PROXY=http://host.docker.internal.example:9090")), level: LevelOpen},
		"host as the user name": {options: postureOptions(withIronProxy, setEnv(flag, "HTTPS_PROXY=http://host.docker.internal@example.com:9090")), level: LevelOpen},
		"lower case disagrees":  {options: postureOptions(withIronProxy, setEnv(flag, proxy, "https_proxy=http://example.com")), level: LevelOpen},
		"certificate writable": {
			options: postureOptions(withIronProxy, withChange(func(c *Container) { c.Mounts[len(c.Mounts)-1].RW = true })), level: LevelOpen,
		},
		"certificate missing": {
			options: postureOptions(withIronProxy, withChange(func(c *Container) { c.Mounts = c.Mounts[:len(c.Mounts)-1] })), level: LevelOpen,
		},
		"on an internal network": {options: postureOptions(withIronProxy, withMode("inner"), withNetworks("inner")), level: LevelInternal},
		"without a network":      {options: postureOptions(withIronProxy, withMode("none"), withNetworks("none")), level: LevelAirGapped},
		"an ordinary proxy variable proves nothing": {
			options: postureOptions(withEnv("HTTP_PROXY=http://proxy.example:3128", "HTTPS_PROXY=http://proxy.example:3128")), level: LevelOpen,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

func TestPostureOfIsolatedGateways(t *testing.T) {
	t.Parallel()
	const isolated, reachable = "the gateway is isolated", "the host's own addresses are reachable"
	inner := func(engine, version string, apply ...func(*Network)) []postureOption {
		list := postureOptions(withMode("inner"), withNetworks("inner"), withEngine(engine, version))
		for _, change := range apply {
			list = append(list, withNetwork("inner", change))
		}
		return list
	}
	four := networkOption("gateway_mode_ipv4", "isolated")
	six := networkOption("gateway_mode_ipv6", "isolated")
	dual := func(n *Network) { n.Gateways = postureTexts("fd00::1") }
	for name, row := range map[string]postureRow{
		"isolated":                       {options: inner("docker", "28.0.0", four), reason: isolated},
		"isolated but for IPv6":          {options: inner("docker", "28.0.0", four, dual), reason: reachable},
		"isolated in both families":      {options: inner("docker", "28.0.0", four, six, dual), reason: isolated},
		"routed":                         {options: inner("docker", "28.0.0", networkOption("gateway_mode_ipv4", "routed")), reason: reachable},
		"an engine that ignores it":      {options: inner("docker", "27.5.1", four), reason: reachable},
		"an engine nobody knows":         {options: inner("docker", "", four), reason: reachable},
		"Podman":                         {options: inner("podman", "28.0.0", four), reason: reachable},
		"bridge without an address":      {options: inner("docker", "20.10.24", networkOption("inhibit_ipv4", "true")), reason: isolated},
		"bridge with an address, spoken": {options: inner("docker", "20.10.24", networkOption("inhibit_ipv4", "false")), reason: reachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.level = LevelInternal
			row.check(t)
		})
	}
}

func TestEgressPairs(t *testing.T) {
	t.Parallel()
	stray := withOther(91, withName("hermes-egress-proxy-b9ca2e323c"), withLabel("hermes.egress", "1"), withState(StateExited),
		withEnv("EGRESS_ALLOWLIST=pypi.org,github.com"))
	nameOnly := withOther(92, withName("hermes-egress-proxy-e3b0c44298"))
	_, snap := postureWorld(withAllowlist(), stray, nameOnly, withSandbox(2, withMode("bridge"), withNetworks("bridge")),
		withSandbox(3, withNetworks(fixtureAllowlist), withState(StateExited)))
	sandboxes := []Sandbox{}
	for _, c := range snap.Containers {
		sandboxes = append(sandboxes, Sandbox{Container: c})
	}
	sandboxes = append(sandboxes, Sandbox{Container: &Container{Engine: "elsewhere", ID: postureID(4), Networks: snap.Containers[0].Networks}})

	want := []EgressPair{
		{
			Engine: "here", Proxy: NewText("hermes-egress-proxy-b9ca2e323c"), Allowlist: []string{"github.com", "pypi.org"}, Sandboxes: []ID{},
		},
		{
			Engine: "here", Network: NewText(fixtureAllowlist), Proxy: NewText(fixtureProxy), ProxyRunning: true,
			Allowlist: []string{"pypi.org"}, Sandboxes: []ID{postureID(1), postureID(3)},
		},
	}
	if diff := cmp.Diff(want, EgressPairs(snap, sandboxes), cmp.AllowUnexported(Text{})); diff != "" {
		t.Errorf("pairs differ (-want +got):\n%s", diff)
	}
	// Before all containers were inspected, nobody knows that the proxy is down.
	inspected := snap.Others
	for _, pending := range []bool{true, false} {
		snap.Others = []*Container{{Engine: "here", ID: postureID(93), Inspected: !pending}}
		fleet := &Fleet{Egress: EgressPairs(snap, sandboxes)}
		if down := DownProxies(fleet); len(down) > 0 == pending {
			t.Errorf("with containers to inspect: %v, proxies that are down: %v", pending, down)
		}
	}
	snap.Others, snap.ProxiesPending = nil, true
	if down := DownProxies(&Fleet{Egress: EgressPairs(snap, sandboxes)}); len(down) > 0 {
		t.Errorf("before proxies were looked for, some are down: %v", down)
	}
	snap.Others, snap.ProxiesPending = inspected, false
	_, bare := postureWorld(withNetwork(fixtureAllowlist, func(n *Network) { n.Labels = nil }))
	if pairs := EgressPairs(bare, nil); pairs == nil || len(pairs) != 0 {
		t.Errorf("pairs of a network without the label are %v, want an empty list", pairs)
	}
}
