package config

import (
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

const proxySection = "proxy"

// Hermes' defaults (contract 5.3).
const (
	defaultBackend  = "local"
	defaultImage    = "nousresearch/hermes-sandbox:desktop"
	defaultLifetime = 300
	leastLifetime   = 60
)

// read fills the policy from the layers.
func (r *policyReader) read() *model.Policy {
	p := r.policy
	from := p.Sources
	p.Backend, from["backend"], _ = r.text("backend", "TERMINAL_ENV", defaultBackend)
	p.DockerNetwork, from["docker_network"] = r.boolean("docker_network", "TERMINAL_DOCKER_NETWORK")
	p.OrphanReaper, from["orphan_reaper"] = r.boolean("docker_orphan_reaper", "TERMINAL_DOCKER_ORPHAN_REAPER")
	p.PersistAcrossProcesses, from["persist_across_processes"] = r.boolean(
		"docker_persist_across_processes", "TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES")
	p.ContainerPersistent, from["container_persistent"] = r.boolean("container_persistent", "TERMINAL_CONTAINER_PERSISTENT")
	r.readLifetime()
	r.readImage()
	p.SharedContainerKey, from["shared_container_key"], _ = r.text(
		"docker_shared_container_key", "TERMINAL_DOCKER_SHARED_CONTAINER_KEY", "")
	if p.SharedContainerKey != nil {
		*p.SharedContainerKey = strings.TrimSpace(*p.SharedContainerKey)
	}
	p.ProxyEnabled, from["proxy_enabled"] = r.proxyFlag("enabled", false)
	p.ProxyEnforced, from["proxy_enforced"] = r.proxyFlag("enforce_on_docker", true)
	if dir, _, _ := r.text("sandbox_dir", "TERMINAL_SANDBOX_DIR", ""); dir != nil {
		p.SandboxDir = *dir
	}
	p.DockerEnv, p.EnvSource = r.table("docker_env", "TERMINAL_DOCKER_ENV")
	volumes, _, _ := r.list("docker_volumes", "TERMINAL_DOCKER_VOLUMES")
	p.Volumes = slices.DeleteFunc(volumes, func(v string) bool { return !strings.Contains(v, ":") })
	r.readNetwork()
	r.noteSections()
	return p
}

// readLifetime reads the idle window and derives the reaper's age: twice the
// lifetime, which counts as at least a minute and, when it is no number, as
// the default (contract 4.1.3).
func (r *policyReader) readLifetime() {
	p := r.policy
	lifetime, source, bad := r.integer("lifetime_seconds", "TERMINAL_LIFETIME_SECONDS", defaultLifetime)
	p.LifetimeSeconds, p.Sources["lifetime_seconds"] = lifetime, source
	p.Sources["reap_after_seconds"] = source
	effective := defaultLifetime
	switch {
	case lifetime != nil:
		effective = *lifetime
	case !bad:
		return
	}
	after := 2 * max(leastLifetime, effective)
	p.ReapAfterSeconds = &after
}

// readImage reads the image and whether the user chose it: an image that is
// set anywhere is pinned for Hermes' image guard (contract 3.1.4).
func (r *policyReader) readImage() {
	p := r.policy
	image, source, set := r.text("docker_image", "TERMINAL_DOCKER_IMAGE", defaultImage)
	p.Image, p.Sources["image"] = image, source
	p.Sources["image_pinned"] = source
	if source != model.SourceUnreadable {
		p.ImagePinned = &set
	}
}

// noteSections says when config.yaml is not read by all of Hermes, and when a
// section of it has no effect or stands there twice.
func (r *policyReader) noteSections() {
	if differ := r.user.differ; differ != nil {
		r.note("loaders-differ", configName, fmt.Sprintf(
			"Hermes' command line reads %s, but its gateway refuses it and serves its last good copy, if it has one: %s", configName, displayError(differ)),
			"write spaces where it has tabs, and one before each comment")
	}
	for _, name := range []string{terminalSection, proxySection} {
		block, copies := r.user.section(name)
		if copies > 1 {
			r.note("duplicate-key", name, name+" stands more than once in "+configName+"; only the last block counts",
				"merge the blocks into one")
		}
		if node, _ := hermesyaml.Lookup(r.user.root, name); node != nil && block == nil && hermesyaml.ScalarOf(node).Kind != hermesyaml.Null {
			r.note("bad-section", name, name+" is not a block of keys, so everything in it is ignored", "write one key: value per line below it")
		}
	}
}
