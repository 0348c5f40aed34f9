package dockerx

import (
	"testing"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// TestANetworkThatTheLastSandboxLeft lets the event of a disconnect come in two
// halves, as it does while a refresh is under way: the sandbox is looked at first,
// and then nobody asks for the network any more.
func TestANetworkThatTheLastSandboxLeft(t *testing.T) {
	t.Parallel()
	engine, e := simulation(t)
	c := newCollector(connectTo(t, e.Engine))
	inner := e.Network(t, "inner", true, nil)
	id := sandboxIn(t, e, model.StateRunning, func(s *enginetest.Spec) { s.Network = inner })
	members := func() (names []string) {
		for _, network := range c.snapshot(model.Live, nil).Networks {
			for _, name := range network.Containers {
				names = append(names, name.Raw())
			}
		}
		return names
	}
	if err := c.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.details(t.Context())
	if got := members(); len(got) != 1 {
		t.Fatalf("the members are %q", got)
	}

	if err := engine.DisconnectContainer(inner, string(id)); err != nil {
		t.Fatal(err)
	}
	c.containers.mark(id)
	c.containers.settle(t.Context(), []model.ID{id}, 0)
	c.networks.markAll()
	if err := c.list(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.details(t.Context())
	if got := members(); len(got) > 0 {
		t.Errorf("after it left, the members are %q", got)
	}
}
