package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// The truth tables are written by hand from the contract, one row a line. The
// left side describes a sandbox in a small language that truthWorld reads, the
// right side is what must follow:
//
//	declared attached state policy generation | level drift violation reuse reap reason

const (
	truthHome        = "/home/u/.hermes/profiles/work"
	truthEnvironment = "eeeeeeeeeeeeeeeeeeeeeeee"
	truthFingerprint = "abcdefabcdefabcdefabcdef"
	truthEgress      = "hermes-egress-a4aa2ac280" // the network of the allowlist pypi.org
	truthProxy       = "hermes-egress-proxy-a4aa2ac280"
)

// truthNow is when every row is looked at, on our clock.
func truthNow() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func truthID(n int) ID { return ID(fmt.Sprintf("%064x", n)) }

// truthRows splits a table into rows; blank lines and # lines are left out.
func truthRows(table string) []string {
	var rows []string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, line)
		}
	}
	return rows
}

// truthWorld builds the input that the left side of a row describes.
func truthWorld(t testing.TB, left string) Input {
	t.Helper()
	fields := strings.Fields(left)
	if len(fields) != 5 {
		t.Fatalf("row %q has %d fields on the left, not 5", left, len(fields))
	}
	declared, attached, state, policy := fields[0], fields[1], fields[2], fields[3]
	generation, features, _ := strings.Cut(fields[4], "/")
	c := truthContainer(1, generation)
	truthState(t, &c, state)
	if declared == "container:peer" || declared == "container:open-peer" {
		declared = "container:" + string(truthID(map[string]int{"container:peer": 8, "container:open-peer": 9}[declared]))
	}
	truthNetwork(&c, declared, attached)
	snap := truthSnapshot()
	for feature := range strings.SplitSeq(features, ",") {
		truthFeature(t, &c, &snap, feature)
	}
	snap.Containers = []*Container{&c}
	truthAttach(&snap)
	return Input{Now: truthNow(), Snapshots: []Snapshot{snap}, Profiles: []Profile{truthProfile(t, policy, generation)}}
}

// truthContainer is a sandbox of profile work and task default as a generation
// of Hermes makes it.
func truthContainer(n int, generation string) Container {
	labels := map[string]string{LabelAgent: "1", LabelTask: "default", LabelProfile: "work"}
	name, dir := fmt.Sprintf("hermes-%08x", n), "default"
	switch generation {
	case "G1":
	case "G2-G3":
		labels[LabelEgress] = "off"
	case "G3-G4":
		labels[LabelEgress] = "off"
		labels[LabelTask], labels[LabelProfile], dir = "shared_team", SharedIdentity("team"), DirName("shared:team")
	case "G4":
		labels[LabelEgress], labels[LabelEnvironment] = "off", truthEnvironment
	case "G5":
		labels[LabelEgress], labels[LabelEnvironment] = "off", truthEnvironment
		labels[LabelSpawn], name = strings.Repeat("5", 32), "hermes-"+truthEnvironment[:12]
	}
	root := truthHome + "/sandboxes/docker/" + dir
	c := Container{
		Engine: "test", ID: truthID(n), Name: NewText(name), Image: NewText("image:1"),
		Labels: truthLabels(labels), State: StateRunning, Inspected: true, InspectedAt: truthNow(),
		CreatedAt: Stamp{Time: truthNow().Add(-48 * time.Hour)}, StartedAt: Stamp{Time: truthNow().Add(-47 * time.Hour)},
		ImageLabelsKnown: true,
		Mounts: []Mount{
			{Type: NewText("bind"), Source: NewText(root + "/home"), Destination: NewText("/root"), RW: true},
			{Type: NewText("bind"), Source: NewText(root + "/workspace"), Destination: NewText("/workspace"), RW: true},
		},
	}
	return c
}

func truthLabels(values map[string]string) Labels {
	labels := Labels{}
	for key, value := range values {
		labels[NewText(key)] = NewText(value)
	}
	return labels
}

// truthState reads a state: a word of the engine, or exited with the time since
// (a duration, "zero" or "garbage").
func truthState(t testing.TB, c *Container, state string) {
	t.Helper()
	word, since, _ := strings.Cut(state, ":")
	c.State = State(word)
	switch since {
	case "", "zero":
	case "garbage":
		c.FinishedAt = Stamp{Problem: "not a time"}
	default:
		age, err := time.ParseDuration(since)
		if err != nil {
			t.Fatalf("state %q: %v", state, err)
		}
		c.FinishedAt = Stamp{Time: truthNow().Add(-age)}
	}
}

// truthNetwork sets the declared mode and the attached networks: a list of
// names, "-" for none at all.
func truthNetwork(c *Container, declared, attached string) {
	c.Host.NetworkMode = NewText(declared)
	c.Networks = NetworkSettings{Mode: NewText(declared), Known: true}
	if attached == "-" {
		return
	}
	for name := range strings.SplitSeq(attached, ",") {
		if name == "egress" {
			name = truthEgress
		}
		c.Networks.Endpoints = append(c.Networks.Endpoints, Endpoint{
			Network: NewText(name), NetworkID: "id-" + name, EndpointID: "endpoint-" + name, IPv4: NewText("172.30.0.2"),
		})
	}
	if declared == "egress" {
		c.Host.NetworkMode, c.Networks.Mode = NewText(truthEgress), NewText(truthEgress)
	}
}

// truthSnapshot is an engine with one network of every kind and two peers whose
// network namespace can be shared.
func truthSnapshot() Snapshot {
	network := func(name, driver string, internal bool) Network {
		return Network{ID: "id-" + name, Name: NewText(name), Driver: NewText(driver), Internal: internal}
	}
	isolated := network("isolated", "bridge", true)
	isolated.Options = truthLabels(map[string]string{"com.docker.network.bridge.gateway_mode_ipv4": "isolated"})
	allow := network(truthEgress, "bridge", true)
	allow.Labels = truthLabels(map[string]string{LabelAllowlist: "1"})
	failed := Network{ID: "id-failed", Name: NewText("failed"), Error: "inspect timed out"}
	proxy := Container{
		Engine: "test", ID: truthID(7), Name: NewText(truthProxy), State: StateRunning, Inspected: true,
		Labels: truthLabels(map[string]string{LabelAllowlist: "1"}), Env: []Text{NewText("EGRESS_ALLOWLIST=pypi.org")},
	}
	truthNetwork(&proxy, "egress", "egress,bridge")
	peer := Container{Engine: "test", ID: truthID(8), Name: NewText("peer"), State: StateRunning, Inspected: true}
	truthNetwork(&peer, "none", "none")
	open := Container{Engine: "test", ID: truthID(9), Name: NewText("open-peer"), State: StateRunning, Inspected: true}
	truthNetwork(&open, "bridge", "bridge")
	return Snapshot{
		Engine: Engine{
			Name: "test", Host: "unix:///run/docker.sock", Kind: "docker", Version: NewText("29.0.0"), APIVersion: "1.52",
			State: Live, SkewKnown: true,
		},
		At: truthNow(), Others: []*Container{&proxy, &peer, &open}, NetworksKnown: true,
		Networks: []Network{
			network("none", "null", false), network("host", "host", false), network("bridge", "bridge", false),
			network("net", "bridge", false), network("inner", "bridge", true), network("vlan", "macvlan", false),
			network("inner-vlan", "macvlan", true),
			isolated, allow, failed,
		},
	}
}

// truthAttach fills in the network's own account of who is attached.
func truthAttach(snap *Snapshot) {
	for i := range snap.Networks {
		n := &snap.Networks[i]
		n.Containers = map[ID]Text{}
		for _, list := range [][]*Container{snap.Containers, snap.Others} {
			for _, c := range list {
				attached := slices.ContainsFunc(c.Networks.Endpoints, func(e Endpoint) bool { return e.NetworkID == n.ID })
				if attached && c.State == StateRunning {
					n.Containers[c.ID] = c.Name
				}
			}
		}
	}
}

// truthFeature changes one thing about a sandbox or its engine.
func truthFeature(t testing.TB, c *Container, snap *Snapshot, feature string) {
	t.Helper()
	set := func(key, value string) { c.Labels[NewText(key)] = NewText(value) }
	switch feature {
	case "":
	case "tmpfs":
		c.Mounts = nil
		c.Host.Tmpfs = map[Text]Text{NewText("/root"): NewText("rw,exec,size=1g"), NewText("/workspace"): NewText("rw")}
	case "session":
		set(LabelTask, "session_telegram_1")
	case "profile-task":
		set(LabelTask, "profile_work")
		root := truthHome + "/sandboxes/docker/" + DirName("profile:work")
		c.Mounts[0].Source, c.Mounts[1].Source = NewText(root+"/home"), NewText(root+"/workspace")
	case "probe":
		set(LabelTask, "prompt-backend-probe")
	case "no-task":
		delete(c.Labels, NewText(LabelTask))
	case "no-profile":
		delete(c.Labels, NewText(LabelProfile))
	case "not-labelled":
		set(LabelAgent, "0")
	case "stranger":
		set(LabelProfile, "stranger")
	case "no-egress":
		delete(c.Labels, NewText(LabelEgress))
	case "fingerprint":
		set(LabelEgress, truthFingerprint)
	case "proxied":
		truthProxied(c)
	case "inherited":
		c.ImageLabels = c.Labels
	case "uninspected":
		c.Inspected, c.InspectError, c.Host, c.Mounts = false, "inspect timed out", HostConfig{}, nil
		c.Networks = NetworkSettings{}
		c.FinishedAt = Stamp{}
	case "inspect-failed": // the list still tells the networks
		c.Inspected, c.InspectError, c.Host = false, "inspect timed out", HostConfig{}
		c.FinishedAt = Stamp{}
	case "egress-isolated":
		for i := range snap.Networks {
			if snap.Networks[i].Name.Raw() == truthEgress {
				snap.Networks[i].Options = truthLabels(map[string]string{"com.docker.network.bridge.gateway_mode_ipv4": "isolated"})
			}
		}
	case "other-home":
		for i := range c.Mounts {
			c.Mounts[i].Source = NewText("/srv/bot/sandboxes/docker/default/" + []string{"home", "workspace"}[i])
		}
	case "renamed":
		c.Name = NewText("mine")
	case "adopted":
		c.Name = NewText("hermes-0123456789ab")
	case "proxy-down":
		snap.Others[0].State = StateExited
	case "skew61s", "skew-61s":
		snap.Engine.Skew, _ = time.ParseDuration(strings.TrimPrefix(feature, "skew"))
	case "skew60s":
		snap.Engine.Skew = 60 * time.Second
	default:
		t.Fatalf("unknown feature %q", feature)
	}
}

// truthProxied gives a sandbox everything that Hermes' credential proxy injects
// (contract 6.3).
func truthProxied(c *Container) {
	c.Labels[NewText(LabelEgress)] = NewText(truthFingerprint)
	for _, variable := range []string{
		"HERMES_EGRESS_PROXY=1", "HTTPS_PROXY=http://host.docker.internal:9090",
		"https_proxy=http://host.docker.internal:9090", "SSL_CERT_FILE=/etc/ssl/certs/hermes-egress-ca.crt",
	} {
		c.Env = append(c.Env, NewText(variable))
	}
	c.Mounts = append(c.Mounts, Mount{
		Type: NewText("bind"), Source: NewText(truthHome + "/proxy/ca.crt"),
		Destination: NewText("/etc/ssl/certs/hermes-egress-ca.crt"),
	})
	c.Host.ExtraHosts = []Text{NewText("host.docker.internal:host-gateway")}
}

// truthProfile reads a policy: a position and changes to it, joined with +.
func truthProfile(t testing.TB, spec, generation string) Profile {
	t.Helper()
	parts := strings.Split(spec, "+")
	profile := Profile{Name: NewText("work"), Label: "work", Home: truthHome, Root: "/home/u/.hermes"}
	if parts[0] == "unknown" {
		return profile
	}
	network, reaper, persist, persistent, pinned, proxy := parts[0] != "locked", true, true, true, false, false
	backend, key, image, lifetime, age := "docker", "", "image:1", 300, 600
	if generation == "G3-G4" {
		key = "team"
	}
	policy := &Policy{
		Backend: &backend, DockerNetwork: &network, Position: Position(parts[0]), OrphanReaper: &reaper,
		PersistAcrossProcesses: &persist, ContainerPersistent: &persistent, LifetimeSeconds: &lifetime,
		ReapAfterSeconds: &age, SharedContainerKey: &key, Image: &image, ImagePinned: &pinned,
		ProxyEnabled: &proxy, ProxyEnforced: &proxy,
	}
	if parts[0] == "allowlist" {
		policy.Allowlist = []string{"pypi.org"}
	}
	for _, change := range parts[1:] {
		switch change {
		case "noreaper":
			reaper = false
		case "nopersist":
			persist = false
		case "proxy":
			proxy = true
		case "life30":
			lifetime, age = 30, 120
		case "life900":
			lifetime, age = 900, 1800
		case "key":
			key = "team"
		case "image2":
			image = "image:2"
		case "pin2":
			image, pinned = "image:2", true
		case "reaper?":
			policy.OrphanReaper = nil
		case "age?":
			policy.ReapAfterSeconds, policy.LifetimeSeconds = nil, nil
		case "network?":
			policy.DockerNetwork, policy.Position = nil, PositionUnknown
		case "persist?":
			policy.PersistAcrossProcesses = nil
		case "proxy?":
			policy.ProxyEnabled = nil
		case "pin?":
			image, policy.ImagePinned = "image:2", nil
		case "cn-on", "cn-off", "cn-allowlist":
			mode := strings.TrimPrefix(change, "cn-")
			policy.ContainerNetwork, policy.Allowlist = &mode, []string{"pypi.org"}
		case "key?":
			policy.SharedContainerKey = nil
		default:
			t.Fatalf("unknown policy change %q", change)
		}
	}
	profile.Policy = policy
	return profile
}

// truthLine writes what follows for a sandbox in the words of a row.
func truthLine(s *Sandbox) string {
	level := string(s.Posture.Level)
	if s.Posture.Effective != s.Posture.Level {
		level += ":" + string(s.Posture.Effective)
	}
	drift, violation := "-", "?"
	if s.Posture.Drifted {
		drift = "drift"
	}
	if s.Violation != nil {
		violation = map[bool]string{true: "violation", false: "fine"}[*s.Violation]
	}
	return strings.Join([]string{
		level, drift, violation, string(s.Reuse.Verdict), string(s.Reap.Verdict), string(s.Reap.Reason),
	}, " ")
}
