package simengine

import (
	"fmt"
	"os"
	"path/filepath"
)

// demoHomes are the Hermes homes of the demonstration.
type demoHomes struct{ root string }

// of gives the home of a profile.
func (h demoHomes) of(profile string) string {
	if profile == "default" {
		return h.root
	}
	return filepath.Join(h.root, "profiles", profile)
}

const demoDefaultConfig = `# Demonstration: the default profile lets its sandboxes reach the network.
model: hermes-4-405b
terminal:
  backend: docker
  docker_image: nousresearch/hermes-sandbox:desktop
  docker_network: true
  lifetime_seconds: 300
`

const demoWorkConfig = `# Demonstration: the work profile is locked down.
model: hermes-4-70b
terminal:
  backend: docker
  docker_network: false   # air-gapped since the audit
  container_persistent: true
`

const demoResearchConfig = `# Demonstration: the research profile goes out through an allowlist.
model: hermes-4-405b
terminal:
  backend: docker
  docker_extra_args:
    - --network=` + demoAllowNetwork + `
  docker_env:
    HTTPS_PROXY: http://egress-proxy:8888
    https_proxy: http://egress-proxy:8888
    HTTP_PROXY: http://egress-proxy:8888
    http_proxy: http://egress-proxy:8888
    NO_PROXY: localhost,127.0.0.1,::1
    no_proxy: localhost,127.0.0.1,::1
  lifetime_seconds: 900
`

// writeDemoHomes writes the homes and the sandbox folders that are bound.
func writeDemoHomes(dir string) (demoHomes, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return demoHomes{}, fmt.Errorf("demonstration homes: %w", err)
	}
	homes := demoHomes{root: filepath.Join(absolute, "hermes")}
	for profile, config := range map[string]string{
		"default": demoDefaultConfig, "work": demoWorkConfig, "research": demoResearchConfig,
	} {
		home := homes.of(profile)
		if err := os.MkdirAll(filepath.Join(home, "sandboxes", "docker", "default", "home"), 0o700); err != nil {
			return demoHomes{}, fmt.Errorf("demonstration homes: %w", err)
		}
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
			return demoHomes{}, fmt.Errorf("demonstration homes: %w", err)
		}
	}
	return homes, nil
}
