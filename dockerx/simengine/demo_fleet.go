package simengine

import "time"

// defaultProfile is open: its sandboxes reach the network.
func (d *demo) defaultProfile() {
	main := d.kept(d.sandbox("hermes-3fa1b20c", "default", "default", 26*time.Hour), "default")
	main.Execs = [][]string{{"bash", "-lc", "npm run build"}}
	main.Processes = []string{"node /workspace/node_modules/.bin/vite build"}
	main.Logs = []string{"sandbox ready"}
	d.add(main)

	old := d.kept(d.sandbox("hermes-91d07e44", "default", "default", 6*24*time.Hour), "default")
	old.State, old.Finished, old.ExitCode = statusExited, d.ago(3*24*time.Hour), 137
	d.add(old) // a twin of the first, and an orphan

	stale := d.passing(d.sandbox("hermes-c07be9a5", "default", "20261128_091512_61bb69", 31*time.Hour))
	d.add(stale)

	proxied := d.passing(d.sandbox("hermes-8be2470f", "default", "20261130_074401_a91f03", 40*time.Minute))
	proxied.Labels["hermes-egress"] = demoFingerprint
	proxied.Host.Binds = append(proxied.Host.Binds, d.homes.root+"/proxy/ca.crt:/etc/ssl/certs/hermes-egress-ca.crt:ro")
	proxied.Host.ExtraHosts = []string{"host.docker.internal:host-gateway"}
	proxied.Env = []string{
		"HERMES_EGRESS_PROXY=1", "HTTPS_PROXY=http://host.docker.internal:9090", "https_proxy=http://host.docker.internal:9090",
		"HTTP_PROXY=http://host.docker.internal:9091", "NO_PROXY=127.0.0.1,localhost,::1",
		"SSL_CERT_FILE=/etc/ssl/certs/hermes-egress-ca.crt", "HERMES_PROXY_TOKEN_OPENAI=hermes-proxy-0123456789abcdef0123456789abcdef",
	}
	proxied.Execs = [][]string{{"python3", "fetch_models.py"}}
	d.add(proxied)

	probe := d.passing(d.sandbox("hermes-0b5dd3e1", "default", "prompt-backend-probe", 9*time.Hour))
	d.add(probe)

	builder := d.kept(d.sandbox("hermes-e64c11aa", "default", "docker-builder", 5*time.Hour), "docker-builder")
	builder.Host.Privileged = true
	builder.Host.Binds = append(builder.Host.Binds, "/var/run/docker.sock:/var/run/docker.sock")
	d.add(builder)
}

// workProfile is locked down: whatever reaches the network is a violation.
func (d *demo) workProfile() {
	airGapped := d.kept(d.sandbox("hermes-5c2f8d13", "work", "default", 7*time.Hour), "default")
	airGapped.Host.NetworkMode = "none"
	d.add(airGapped)

	latched := d.kept(d.sandbox("hermes-d94a0e6b", "work", "profile_work", 52*time.Hour), "profile_work-ccca98e57b69")
	latched.Networks = []string{"none"}
	latched.Execs = [][]string{{"bash", "-lc", "pytest -q"}}
	d.add(latched)

	cut := d.kept(d.sandbox("hermes-4e7716c2", "work", "reports", 20*time.Hour), "reports")
	cut.Networks = []string{}
	d.add(cut)

	before := d.passing(d.sandbox("hermes-a8301f9d", "work", "20261129_163302_5d20ee", 15*time.Hour))
	d.add(before) // made before the lockdown: still open

	drifted := d.kept(d.sandbox("hermes-72b9c4e8", "work", "rollout-17", 11*time.Hour), "rollout-17")
	drifted.Host.NetworkMode, drifted.Networks = "none", []string{"bridge"}
	d.add(drifted)

	paused := d.kept(d.sandbox("hermes-1fd6e370", "work", "ledger", 29*time.Hour), "ledger")
	paused.State, paused.Host.NetworkMode = statusPaused, demoInternal
	d.add(paused)

	young := d.kept(d.sandbox("hermes-b3358ca7", "work", "profile_work", 4*time.Hour), "profile_work-ccca98e57b69")
	young.Host.NetworkMode, young.State, young.Finished = "none", statusExited, d.ago(4*time.Minute)
	d.add(young)
}

// researchProfile goes out through an allowlist.
func (d *demo) researchProfile() {
	const proxy, inside = "http://egress-proxy:8888", "localhost,127.0.0.1,::1"
	proxyEnv := []string{
		"HTTPS_PROXY=" + proxy, "https_proxy=" + proxy, "HTTP_PROXY=" + proxy, "http_proxy=" + proxy,
		"NO_PROXY=" + inside, "no_proxy=" + inside,
	}
	allowed := d.kept(d.sandbox("hermes-6d18ef02", "research", "default", 3*time.Hour), "default")
	allowed.Host.NetworkMode, allowed.Env = demoAllowNetwork, proxyEnv
	allowed.Execs = [][]string{{"python3", "train.py", "--epochs", "3"}}
	d.add(allowed)

	sidecar := d.kept(d.sandbox("hermes-f20b7c96", "research", "eval-sidecar", 2*time.Hour), "eval-sidecar")
	sidecar.Host.NetworkMode = "container:hermes-6d18ef02"
	d.add(sidecar)

	onHost := d.kept(d.sandbox("hermes-29e5ad48", "research", "eval-042", 8*time.Hour), "eval-042")
	onHost.Host.NetworkMode = "host"
	d.add(onHost)

	failing := d.kept(d.sandbox("hermes-8c4416bd", "research", "profile_research", 90*time.Minute), "profile_research")
	failing.State, failing.Host.NetworkMode, failing.Env = statusRestarting, demoAllowNetwork, proxyEnv
	failing.ExitCode, failing.Finished = 1, d.ago(20*time.Second)
	d.add(failing)

	leftover := d.kept(d.sandbox("hermes-03d97fe5", "research", "eval-041", 27*time.Hour), "eval-041")
	leftover.State = statusCreated
	d.add(leftover)

	corpse := d.kept(d.sandbox("hermes-95ba60c1", "research", "eval-039", 80*time.Hour), "eval-039")
	corpse.State, corpse.Finished, corpse.ExitCode = statusDead, d.ago(60*time.Hour), 137
	d.add(corpse)

	orphan := d.kept(d.sandbox("hermes-ee3f4a70", "research", "eval-040", 75*time.Hour), "eval-040")
	orphan.State, orphan.Finished, orphan.Host.NetworkMode = statusExited, d.ago(49*time.Hour), demoAllowNetwork
	d.add(orphan)
}

// oddities are containers whose labels cannot be taken as they are.
func (d *demo) oddities() {
	foreign := d.sandbox("ci-sandbox-4", "", "", 12*time.Hour)
	foreign.Labels = map[string]string{"hermes-agent": "1", "ci.pipeline": "4711"}
	d.add(foreign)

	hostile := d.passing(d.sandbox("hermes-7e0d52bb", "default", "default\x1b[31m\u202e\u200btluafed", 95*time.Minute))
	hostile.Labels["note"] = "\x1b]52;c;Z290Y2hh\x07\rall is well"
	d.add(hostile)
}
