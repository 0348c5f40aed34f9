// Package enginetest lets tests work on a real container engine without harm:
// what a test makes carries a label with a random value and is removed by that
// label alone. Tests skip when no engine answers, unless
// HERMES_SANDBOX_REQUIRE_ENGINE=1 says that one must.
package enginetest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// TestLabel marks everything a test makes; its value is random per test.
const TestLabel = "hermes-sandbox.test"

// Wait bounds every wait of a test for the engine.
const Wait = 3 * time.Minute

// Engine is a real engine for one test.
type Engine struct {
	// Client makes what the test needs; the code under test has one of its own.
	Client *client.Client
	// Host is the engine's address.
	Host string
	// Mark is the value of TestLabel of this test.
	Mark string
	// Image is a small image with busybox.
	Image string
}

// Require returns the engine, or skips the test when there is none.
func Require(t testing.TB) *Engine {
	t.Helper()
	host := os.Getenv("DOCKER_HOST")
	if host == "" {
		host = client.DefaultDockerHost
	}
	api, err := client.New(client.WithHost(host))
	if err != nil {
		t.Fatalf("engine address %q: %v", host, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), Wait)
	defer cancel()
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		_ = api.Close()
		if os.Getenv("HERMES_SANDBOX_REQUIRE_ENGINE") == "1" {
			t.Fatalf("HERMES_SANDBOX_REQUIRE_ENGINE=1, but no engine answers on %s: %v", host, err)
		}
		t.Skipf("no engine answers on %s: %v", host, err)
	}
	engine := &Engine{Client: api, Host: host, Mark: random(t)}
	t.Cleanup(engine.clean(t))
	engine.Image = engine.busybox(ctx, t)
	return engine
}

func random(t testing.TB) string {
	raw := make([]byte, 8)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(raw)
}

// clean removes what carries the mark of this test, containers before
// networks. The test's own context has ended by then.
func (e *Engine) clean(t testing.TB) func() {
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), Wait)
		defer cancel()
		defer func() { _ = e.Client.Close() }()
		filters := make(client.Filters).Add("label", TestLabel+"="+e.Mark)
		containers, err := e.Client.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filters})
		if err != nil {
			t.Errorf("list what the test made: %v", err)
		}
		for _, c := range containers.Items {
			if err := Discard(ctx, e.Client, c.ID); err != nil {
				t.Errorf("remove container %s: %v", c.ID, err)
			}
		}
		networks, err := e.Client.NetworkList(ctx, client.NetworkListOptions{Filters: filters})
		if err != nil {
			t.Errorf("list the networks the test made: %v", err)
		}
		for _, n := range networks.Items {
			if _, err := e.Client.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{}); err != nil {
				t.Errorf("remove network %s: %v", n.ID, err)
			}
		}
	}
}

// Spec says how a container is made. The zero value is a running container on
// the default network with no label but the test's own.
type Spec struct {
	Name    string
	Labels  map[string]string
	Network string // HostConfig.NetworkMode; empty: the engine's default
	Binds   []string
	Tmpfs   map[string]string
	Env     []string
	Command []string // empty: sleep infinity
	Created bool     // leave it created, do not start it
	Restart string   // restart policy; empty: none
}

// Sandbox returns the spec of a sandbox as Hermes labels it.
func (e *Engine) Sandbox(profile, task string) Spec {
	return Spec{Labels: map[string]string{
		"hermes-agent": "1", "hermes-profile": profile, "hermes-task-id": task, "hermes-egress": "off",
	}}
}

// Run makes a container and starts it, and returns its ID.
func (e *Engine) Run(t testing.TB, spec Spec) model.ID {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Wait)
	defer cancel()
	labels := map[string]string{TestLabel: e.Mark}
	for key, value := range spec.Labels {
		labels[key] = value
	}
	command := spec.Command
	if len(command) == 0 {
		command = []string{"sleep", "infinity"}
	}
	stop := 0
	made, err := e.Client.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name:   spec.Name,
		Config: &container.Config{Image: e.Image, Labels: labels, Cmd: command, Env: spec.Env, StopTimeout: &stop},
		HostConfig: &container.HostConfig{
			NetworkMode: container.NetworkMode(spec.Network), Binds: spec.Binds, Tmpfs: spec.Tmpfs,
			RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyMode(spec.Restart)},
		},
	})
	if err != nil {
		t.Fatalf("create container: %v", err)
	}
	if !spec.Created {
		e.Start(t, model.ID(made.ID))
	}
	return model.ID(made.ID)
}

// Start starts a container.
func (e *Engine) Start(t testing.TB, id model.ID) {
	t.Helper()
	if _, err := e.Client.ContainerStart(t.Context(), string(id), client.ContainerStartOptions{}); err != nil {
		t.Fatalf("start container: %v", err)
	}
}

// Stop stops a container at once.
func (e *Engine) Stop(t testing.TB, id model.ID) {
	t.Helper()
	none := 0
	if _, err := e.Client.ContainerStop(t.Context(), string(id), client.ContainerStopOptions{Timeout: &none}); err != nil {
		t.Fatalf("stop container: %v", err)
	}
}

// Discard removes a container by force, with its anonymous volumes, and waits
// until it is gone: another removal of it may be under way, or come first.
func Discard(ctx context.Context, api client.APIClient, id string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil || errdefs.IsNotFound(err) {
			return nil
		}
		if !errdefs.IsConflict(err) {
			return err //nolint:wrapcheck // the caller says what was removed
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err //nolint:wrapcheck // as above
		}
	}
}

// Remove removes a container by force.
func (e *Engine) Remove(t testing.TB, id model.ID) {
	t.Helper()
	if err := Discard(t.Context(), e.Client, string(id)); err != nil {
		t.Fatalf("remove container: %v", err)
	}
}

// Network makes a bridge network and returns its ID. Its name ends in the
// test's mark.
func (e *Engine) Network(t testing.TB, name string, internal bool, labels map[string]string) string {
	t.Helper()
	all := map[string]string{TestLabel: e.Mark}
	for key, value := range labels {
		all[key] = value
	}
	made, err := e.Client.NetworkCreate(t.Context(), name+"-"+e.Mark, client.NetworkCreateOptions{
		Driver: "bridge", Internal: internal, Labels: all,
	})
	if err != nil {
		t.Fatalf("create network: %v", err)
	}
	return made.ID
}

// Join connects a container to a network.
func (e *Engine) Join(t testing.TB, networkName string, id model.ID) {
	t.Helper()
	options := client.NetworkConnectOptions{Container: string(id), EndpointConfig: &network.EndpointSettings{}}
	if _, err := e.Client.NetworkConnect(t.Context(), networkName, options); err != nil {
		t.Fatalf("connect to %s: %v", networkName, err)
	}
}

// Leave disconnects a container from a network.
func (e *Engine) Leave(t testing.TB, networkName string, id model.ID) {
	t.Helper()
	if _, err := e.Client.NetworkDisconnect(t.Context(), networkName, client.NetworkDisconnectOptions{Container: string(id)}); err != nil {
		t.Fatalf("disconnect from %s: %v", networkName, err)
	}
}
