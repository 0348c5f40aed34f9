//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// engineBench is a bench on the real engine with one profile of its own.
func engineBench(t *testing.T, engine *enginetest.Engine, profile, config string) *bench {
	t.Helper()
	b := &bench{home: t.TempDir(), state: t.TempDir()}
	program, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	settings := t.TempDir()
	b.env = map[string]string{
		"DOCKER_HOST": engine.Host, "HERMES_HOME": b.home, "HOME": t.TempDir(), "XDG_STATE_HOME": b.state, "TERM": "xterm",
		"HERMES_MANAGED_DIR": filepath.Join(b.home, "managed"), "XDG_CONFIG_HOME": settings,
	}
	for file, text := range map[string]string{
		b.configOf(profile): config,
		filepath.Join(settings, "hermes-sandbox", "config.yaml"): "egress:\n  binary: " + program + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(b.state, 0o700); err != nil {
		t.Fatal(err)
	}
	return b
}

// pair is the network and the proxy of a list, as far as the engine has them.
func pair(t *testing.T, engine *enginetest.Engine, list ...string) (network, proxy bool) {
	t.Helper()
	networkName, proxyName := model.EgressNames(list)
	_, err := engine.Client.NetworkInspect(t.Context(), networkName, client.NetworkInspectOptions{})
	network = err == nil
	answer, err := engine.Client.ContainerInspect(t.Context(), proxyName, client.ContainerInspectOptions{})
	return network, err == nil && answer.Container.State.Running
}

// dropPairs removes what a test that failed half way leaves of its lists.
func dropPairs(t *testing.T, engine *enginetest.Engine, lists ...[]string) {
	t.Helper()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		for _, list := range lists {
			network, proxy := model.EgressNames(list)
			if answer, err := engine.Client.ContainerInspect(ctx, proxy, client.ContainerInspectOptions{}); err == nil {
				_ = enginetest.Discard(ctx, engine.Client, proxy)
				_, _ = engine.Client.ImageRemove(ctx, answer.Container.Config.Image, client.ImageRemoveOptions{})
			}
			_, _ = engine.Client.NetworkRemove(ctx, network, client.NetworkRemoveOptions{})
		}
	})
}

// TestEngineAllowlistThereAndBack takes a profile through the allowlist: onto
// it, to another list, after its proxy died, back by undo, and open again.
func TestEngineAllowlistThereAndBack(t *testing.T) {
	engine := enginetest.Require(t)
	profile, first, second := "p"+engine.Mark, engine.Mark+".example", "b."+engine.Mark+".example"
	const config = "terminal:\n  backend: docker  # where commands run\n  docker_extra_args: [\"--cpus=2\"]\n"
	b := engineBench(t, engine, profile, config)
	spec := engine.Sandbox(profile, "default")
	for _, setting := range model.EgressEnv() {
		spec.Env = append(spec.Env, setting.Name+"="+setting.Value)
	}
	id := engine.Run(t, spec)
	plain := engine.Run(t, engine.Sandbox(profile, "other"))
	dropPairs(t, engine, []string{first}, []string{first, second})
	run := func(args ...string) {
		t.Helper()
		got := b.run(t, append(args, "--yes")...)
		if got.code != exitDone {
			t.Fatalf("%q: %d %s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	attached := func(id model.ID, want string) {
		t.Helper()
		if got, _ := networksOf(t, engine, id); got != want {
			t.Errorf("%s is attached to %q, want %q", id.Short(), got, want)
		}
	}

	firstNetwork, _ := model.EgressNames([]string{first})
	secondNetwork, secondProxy := model.EgressNames([]string{first, second})
	run("lockdown", "allowlist", "--profile", profile, "--allow", first)
	attached(id, firstNetwork)
	attached(plain, "none") // without the proxy variables it is cut
	if text := b.read(t, b.configOf(profile)); !strings.Contains(text, `["--network=`+firstNetwork+`", "--cpus=2"]`) || !strings.Contains(text, "HTTPS_PROXY: \"http://egress-proxy:8888\"") {
		t.Errorf("config.yaml is\n%s", text)
	}
	standing := decode(t, b.run(t, "lockdown", "status", "--profile", profile, "--output", "json").stdout)["profiles"].([]any)[0].(map[string]any)
	if policy := standing["policy"].(map[string]any); policy["position"] != "allowlist" || policy["allowlist"].([]any)[0] != first || standing["violations"] != float64(0) {
		t.Errorf("it stands at %v", standing)
	}

	run("lockdown", "allowlist", "--profile", profile, "--allow", second)
	attached(id, secondNetwork)
	if network, proxy := pair(t, engine, first); network || proxy {
		t.Error("the network of the first list is still there")
	}
	kill(t, engine, secondProxy)
	run("lockdown", "allowlist", "--profile", profile)
	if network, proxy := pair(t, engine, first, second); !network || !proxy {
		t.Error("the proxy that died does not run again")
	}

	run("undo", "2") // the second action of this state folder changed the list
	attached(id, firstNetwork)
	if network, proxy := pair(t, engine, first); !network || !proxy {
		t.Error("the first list did not come back")
	}
	run("lockdown", "off", "--profile", profile)
	attached(id, "bridge")
	attached(plain, "bridge")
	if text := b.read(t, b.configOf(profile)); strings.Contains(text, "egress") || !strings.Contains(text, `docker_extra_args: ["--cpus=2"]`) {
		t.Errorf("config.yaml is\n%s", text)
	}
	if network, proxy := pair(t, engine, first); network || proxy {
		t.Error("the network that nobody uses, or its proxy, is still there")
	}
}

func kill(t *testing.T, engine *enginetest.Engine, name string) {
	t.Helper()
	if _, err := engine.Client.ContainerKill(t.Context(), name, client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Client.ContainerStop(t.Context(), name, client.ContainerStopOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestEngineAllowlistAndCredentialProxyExcludeEachOther(t *testing.T) {
	engine := enginetest.Require(t)
	profile := "p" + engine.Mark
	const config = "terminal:\n  backend: docker\nproxy:\n  enabled: true\n"
	b := engineBench(t, engine, profile, config)
	id := engine.Run(t, engine.Sandbox(profile, "default"))
	got := b.run(t, "lockdown", "allowlist", "--profile", profile, "--allow", engine.Mark+".example", "--yes")
	if got.code != exitRefused || !strings.Contains(got.stdout, "proxy.enabled") || b.read(t, b.configOf(profile)) != config {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if network, _ := pair(t, engine, engine.Mark+".example"); network {
		t.Error("the network was made all the same")
	}
	if attached, _ := networksOf(t, engine, id); attached != "bridge" {
		t.Errorf("attached to %q", attached)
	}
}
