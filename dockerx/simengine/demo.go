package simengine

import (
	"fmt"
	"time"
)

// DemoProxyImage is the image of the demonstration's allowlist proxy, which its
// engine has.
const DemoProxyImage = "hermes-sandbox-proxy:latest"

// Places and names of the demonstration fleet.
const (
	demoImage        = "nousresearch/hermes-sandbox:desktop"
	demoAllowNetwork = "hermes-egress-b9ca2e323c" // of github.com and pypi.org
	demoAllowProxy   = "hermes-egress-proxy-b9ca2e323c"
	demoAllowSubnet  = "172.28.91.0/24"
	demoAllowClient  = "172.28.91.3"              // the first sandbox on it: the proxy comes before it
	demoEmptyNetwork = "hermes-egress-e3b0c44298" // of nothing; nobody is on it
	demoInternal     = "work-internal"
	demoFingerprint  = "5d0c4f7e9a1b2c3d4e5f6a7b"
)

// demo builds the demonstration fleet.
type demo struct {
	engine *Engine
	homes  demoHomes
	now    time.Time
	err    error
}

// Demo fills the engine with a fleet that shows every posture, verdict and
// kind of finding, and writes the Hermes homes it belongs to below homesDir.
// It returns the root home; its profiles lie in it as Hermes lays them out.
func Demo(e *Engine, homesDir string) (rootHome string, err error) {
	homes, err := writeDemoHomes(homesDir)
	if err != nil {
		return "", err
	}
	d := &demo{engine: e, homes: homes, now: e.now()}
	d.networks()
	d.defaultProfile()
	d.workProfile()
	d.researchProfile()
	d.oddities()
	return homes.root, d.err
}

// add puts a container in; the first error is kept.
func (d *demo) add(spec Spec) {
	if d.err != nil {
		return
	}
	if _, err := d.engine.Add(spec); err != nil {
		d.err = fmt.Errorf("demonstration fleet: %w", err)
	}
}

func (d *demo) network(spec NetworkSpec) {
	if d.err != nil {
		return
	}
	if _, err := d.engine.AddNetwork(spec); err != nil {
		d.err = fmt.Errorf("demonstration fleet: %w", err)
	}
}

func (d *demo) networks() {
	egress := map[string]string{"hermes.egress": "1"}
	d.network(NetworkSpec{Name: demoAllowNetwork, Internal: true, Labels: egress, Subnet: demoAllowSubnet})
	d.network(NetworkSpec{Name: demoEmptyNetwork, Internal: true, Labels: egress})
	d.network(NetworkSpec{Name: demoInternal, Internal: true})
	d.engine.AddImage(DemoProxyImage, Config{Entrypoint: []string{"/hermes-sandbox", "egress-proxy"}})
	yes := true
	limit := int64(256)
	proxy := Spec{
		Name: demoAllowProxy, Image: DemoProxyImage, Command: []string{"egress-proxy"}, Labels: egress,
		Env:     []string{"EGRESS_ALLOWLIST=github.com,pypi.org", "PROXY_PORT=8888", "EGRESS_CLIENTS=" + demoAllowSubnet},
		Created: d.ago(50 * time.Hour),
		Host: HostConfig{
			NetworkMode: demoAllowNetwork, CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
			RestartPolicy: RestartPolicy{Name: "unless-stopped"}, Init: &yes,
		},
		Networks:  []string{demoAllowNetwork, "bridge"},
		Endpoints: map[string]EndpointConfig{demoAllowNetwork: {Aliases: []string{"egress-proxy"}}},
		Logs:      d.decisions(),
	}
	proxy.Host.PidsLimit = &limit
	d.add(proxy)
	d.add(Spec{Name: "postgres", Image: "postgres:17", Command: []string{"postgres"}, Created: d.ago(300 * time.Hour)})
}

func (d *demo) ago(age time.Duration) time.Time { return d.now.Add(-age) }

// sandbox is the start of a Hermes sandbox: labels, limits and hardening as
// Hermes makes them (contract 1.4).
func (d *demo) sandbox(name, profile, task string, age time.Duration) Spec {
	yes := true
	limit := int64(2048)
	spec := Spec{
		Name: name, Image: demoImage, Command: []string{"sleep", "infinity"}, WorkingDir: "/workspace",
		Created: d.ago(age),
		Labels: map[string]string{
			"hermes-agent": "1", "hermes-profile": profile, "hermes-task-id": task,
			"hermes-egress": "off", "hermes-environment": environmentOf(profile),
		},
		Host: HostConfig{
			CapDrop: []string{"ALL"}, CapAdd: []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETGID", "CAP_SETUID"},
			SecurityOpt: []string{"no-new-privileges"}, RestartPolicy: RestartPolicy{Name: "no"}, Init: &yes, ShmSize: 1 << 30,
			Tmpfs: map[string]string{
				"/tmp": "rw,nosuid,size=512m", "/var/tmp": "rw,noexec,nosuid,size=256m", "/run": "rw,noexec,nosuid,size=64m",
			},
		},
	}
	spec.Host.PidsLimit, spec.Host.NanoCPUs, spec.Host.Memory = &limit, 1e9, 5<<30
	return spec
}

// environmentOf is the demonstration's environment fingerprint of a profile.
func environmentOf(profile string) string {
	return map[string]string{
		"default": "0f3c9a1d7be24865aa90cd41", "work": "7a51e0b2c84f4d39b6617e0c", "research": "c2d8840fe1b94a7c93f05b6e",
	}[profile]
}

// kept gives a sandbox the folders of a persistent one.
func (d *demo) kept(spec Spec, folder string) Spec {
	below := d.homes.of(spec.Labels["hermes-profile"]) + "/sandboxes/docker/" + folder
	spec.Host.Binds = append(spec.Host.Binds, below+"/home:/root", below+"/workspace:/workspace")
	return spec
}

// passing gives a sandbox the memory folders of a session's.
func (d *demo) passing(spec Spec) Spec {
	spec.Host.Tmpfs["/workspace"] = "rw,exec,size=10g"
	spec.Host.Tmpfs["/home"] = "rw,exec,size=1g"
	spec.Host.Tmpfs["/root"] = "rw,exec,size=1g"
	return spec
}
