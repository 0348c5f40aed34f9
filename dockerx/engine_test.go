package dockerx_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// connectTo returns a client of its own for the engine of a test.
func connectTo(t *testing.T, engine *enginetest.Engine) *dockerx.Client {
	t.Helper()
	client, err := dockerx.Connect(dockerx.Endpoint{Name: "test", Host: engine.Host, Chosen: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// find returns a container of a snapshot.
func find(t *testing.T, snapshot model.Snapshot, id model.ID) model.Container {
	t.Helper()
	for _, list := range [][]*model.Container{snapshot.Containers, snapshot.Others} {
		for _, c := range list {
			if c.ID == id {
				return *c
			}
		}
	}
	t.Fatalf("container %s is not in the snapshot; engine %+v, problems %+v", id, snapshot.Engine, snapshot.Problems)
	return model.Container{}
}

func endpointNames(c model.Container) []string {
	var names []string
	for _, endpoint := range c.Networks.Endpoints {
		names = append(names, endpoint.Network.Raw())
	}
	return names
}

// carries lists the interfaces that count, after checking that the kernel was
// asked.
func carries(t *testing.T, c model.Container) []string {
	t.Helper()
	if c.Kernel == nil || c.Kernel.Problem != "" {
		t.Fatalf("no kernel view: %+v", c.Kernel)
	}
	var names []string
	for _, device := range c.Kernel.Interfaces {
		if device.Counts() {
			names = append(names, device.Name)
		}
	}
	return names
}

func TestSnapshotOfEachNetworkMode(t *testing.T) {
	engine := enginetest.Require(t)
	sandbox := func(network string) model.ID {
		spec := engine.Sandbox("work", "default")
		spec.Network = network
		return engine.Run(t, spec)
	}
	internal := engine.Network(t, "inner", true, nil)
	bridge, none, host, inner := sandbox("bridge"), sandbox("none"), sandbox("host"), sandbox(internal)
	target := engine.Run(t, enginetest.Spec{})
	joined := sandbox("container:" + string(target))
	peer := engine.Run(t, enginetest.Spec{Network: internal})
	engine.Join(t, "bridge", peer)
	created := engine.Sandbox("work", "new")
	created.Created = true
	fresh := engine.Run(t, created)

	snapshot := connectTo(t, engine).Snapshot(t.Context())
	if snapshot.Engine.State != model.Live || snapshot.Engine.Kind != "docker" || snapshot.Engine.APIVersion == "" || !snapshot.Engine.SkewKnown {
		t.Errorf("engine %+v", snapshot.Engine)
	}
	if len(snapshot.Problems) > 0 {
		t.Errorf("problems %+v", snapshot.Problems)
	}
	cases := map[string]struct {
		id       model.ID
		attached []string
		devices  []string
	}{
		"bridge":    {bridge, []string{"bridge"}, []string{"eth0"}},
		"none":      {none, []string{"none"}, nil},
		"internal":  {inner, []string{"inner-" + engine.Mark}, []string{"eth0"}},
		"container": {joined, nil, []string{"eth0"}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			c := find(t, snapshot, tt.id)
			if got := endpointNames(c); !slices.Equal(got, tt.attached) {
				t.Errorf("attached to %q, want %q", got, tt.attached)
			}
			if got := carries(t, c); !slices.Equal(got, tt.devices) {
				t.Errorf("interfaces %q, want %q", got, tt.devices)
			}
			if !c.Inspected || c.State != model.StateRunning || !c.StartedAt.Known() || c.Problem != "" {
				t.Errorf("container %+v", c)
			}
		})
	}
	t.Run("host", func(t *testing.T) {
		c := find(t, snapshot, host)
		if c.Networks.Mode.Raw() != "host" || len(carries(t, c)) == 0 {
			t.Errorf("mode %s, interfaces %+v", c.Networks.Mode, c.Kernel)
		}
	})
	t.Run("created", func(t *testing.T) {
		c := find(t, snapshot, fresh)
		if c.State != model.StateCreated || c.FinishedAt.Known() || c.StartedAt.Known() || c.Kernel != nil || !c.CreatedAt.Known() {
			t.Errorf("container %+v", c)
		}
	})
	t.Run("others", func(t *testing.T) {
		if got := endpointNames(find(t, snapshot, peer)); len(got) != 2 {
			t.Errorf("the peer is on %q, want both networks", got)
		}
		find(t, snapshot, target)
		network, ok := snapshot.Network(internal, model.Text{})
		if !ok || !network.Internal || len(network.Containers) != 2 || len(network.Gateways) != 1 {
			t.Errorf("network %+v", network)
		}
	})
}

func TestSnapshotShowsDriftedNetworks(t *testing.T) {
	engine := enginetest.Require(t)
	spec := engine.Sandbox("work", "default")
	spec.Network = "none"
	fooled := engine.Run(t, spec)
	engine.Leave(t, "none", fooled)
	engine.Join(t, "bridge", fooled)
	cut := engine.Run(t, engine.Sandbox("work", "cut"))
	engine.Leave(t, "bridge", cut)

	snapshot := connectTo(t, engine).Snapshot(t.Context())
	c := find(t, snapshot, fooled)
	if c.Networks.Mode.Raw() != "none" || !slices.Equal(endpointNames(c), []string{"bridge"}) || len(carries(t, c)) != 1 {
		t.Errorf("declared %s, attached %q, kernel %+v", c.Networks.Mode, endpointNames(c), c.Kernel)
	}
	c = find(t, snapshot, cut)
	if !c.Networks.Known || len(c.Networks.Endpoints) != 0 || len(carries(t, c)) != 0 {
		t.Errorf("after the cut: %+v, kernel %+v", c.Networks, c.Kernel)
	}
}

// watch runs a watcher for the length of a test.
func watch(t *testing.T, engine *enginetest.Engine) *dockerx.Watcher {
	t.Helper()
	watcher := dockerx.NewWatcher(connectTo(t, engine), dockerx.WatchOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- watcher.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watcher ended with %v", err)
		}
	})
	return watcher
}

// await reads snapshots until one is as wanted.
func await(t *testing.T, watcher *dockerx.Watcher, what string, ok func(model.Snapshot) bool) {
	t.Helper()
	late := time.After(enginetest.Wait)
	var last model.Snapshot
	for {
		select {
		case last = <-watcher.Updates():
			if ok(last) {
				return
			}
		case <-late:
			t.Fatalf("never %s; last: engine %+v, %d containers", what, last.Engine, len(last.Containers))
		}
	}
}

// with returns a condition on one container of a live snapshot.
func with(id model.ID, ok func(model.Container) bool) func(model.Snapshot) bool {
	return func(snapshot model.Snapshot) bool {
		i := slices.IndexFunc(snapshot.Containers, func(c *model.Container) bool { return c.ID == id })
		return snapshot.Engine.State == model.Live && i >= 0 && ok(*snapshot.Containers[i])
	}
}

func TestWatcherSeesWhatOtherClientsDo(t *testing.T) {
	engine := enginetest.Require(t)
	watcher := watch(t, engine)
	await(t, watcher, "live", func(s model.Snapshot) bool { return s.Engine.State == model.Live })

	id := engine.Run(t, engine.Sandbox("work", "default"))
	await(t, watcher, "running", with(id, func(c model.Container) bool { return c.State == model.StateRunning && len(c.Networks.Endpoints) == 1 }))
	engine.Leave(t, "bridge", id)
	await(t, watcher, "cut", with(id, func(c model.Container) bool {
		return c.Inspected && len(c.Networks.Endpoints) == 0 && c.Kernel != nil && c.Kernel.Problem == ""
	}))
	engine.Join(t, "bridge", id)
	await(t, watcher, "connected", with(id, func(c model.Container) bool { return len(c.Networks.Endpoints) == 1 }))
	engine.Stop(t, id)
	await(t, watcher, "exited", with(id, func(c model.Container) bool { return c.State == model.StateExited && c.FinishedAt.Known() }))
	engine.Remove(t, id)
	await(t, watcher, "gone", func(s model.Snapshot) bool {
		return !slices.ContainsFunc(s.Containers, func(c *model.Container) bool { return c.ID == id })
	})
}

func TestWatcherReadsAnewAfterSuspension(t *testing.T) {
	engine := enginetest.Require(t)
	watcher := watch(t, engine)
	await(t, watcher, "live", func(s model.Snapshot) bool { return s.Engine.State == model.Live })
	watcher.Suspend()
	id := engine.Run(t, engine.Sandbox("work", "default"))
	watcher.Resume()
	await(t, watcher, "running", with(id, func(c model.Container) bool { return c.State == model.StateRunning }))
}

func TestWatcherLeavesNoGoroutine(t *testing.T) {
	engine := enginetest.Require(t)
	before := goleak.IgnoreCurrent()
	client, err := dockerx.Connect(dockerx.Endpoint{Name: "test", Host: engine.Host})
	if err != nil {
		t.Fatal(err)
	}
	watcher := dockerx.NewWatcher(client, dockerx.WatchOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- watcher.Run(ctx) }()
	await(t, watcher, "live", func(s model.Snapshot) bool { return s.Engine.State == model.Live })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	goleak.VerifyNone(t, before)
}
