package dockerx_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

const (
	unusedNetwork = "hermes-egress-a4aa2ac280" // of pypi.org
	unusedProxy   = "hermes-egress-proxy-a4aa2ac280"
)

// prunable is a simulated engine with one of each thing that can be pruned.
type prunable struct {
	engine *simengine.Engine
	client *dockerx.Client
}

func newPrunable(t *testing.T) *prunable {
	t.Helper()
	engine := simengine.New(simengine.Options{})
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	p := &prunable{engine: engine}
	egress := map[string]string{"hermes.egress": "1"}
	if _, err := engine.AddNetwork(simengine.NetworkSpec{Name: unusedNetwork, Internal: true, Labels: egress}); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	p.add(t, simengine.Spec{
		Name: unusedProxy, Labels: egress, Created: old, Env: []string{"EGRESS_ALLOWLIST=pypi.org"},
		Host: simengine.HostConfig{NetworkMode: unusedNetwork}, Networks: []string{unusedNetwork, "bridge"},
	})
	p.add(t, simengine.Spec{
		Name: "leftover", Image: "hello-world", State: "created", Created: old,
		Host: simengine.HostConfig{StorageOpt: map[string]string{"size": "1m"}},
	})
	p.add(t, simengine.Spec{Name: "bystander", Created: old})
	connected, err := dockerx.Connect(dockerx.Endpoint{Name: "test", Host: engine.Host(), Chosen: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connected.Close)
	p.client = connected
	return p
}

func (p *prunable) add(t *testing.T, spec simengine.Spec) {
	t.Helper()
	if _, err := p.engine.Add(spec); err != nil {
		t.Fatal(err)
	}
}

// joiner is a sandbox on the network, in a state.
func (p *prunable) joiner(t *testing.T, state string) {
	t.Helper()
	p.add(t, simengine.Spec{Name: "hermes-0123abcd", State: state, Host: simengine.HostConfig{NetworkMode: unusedNetwork}})
}

// plan looks at the engine and plans to prune it.
func (p *prunable) plan(t *testing.T) model.Plan {
	t.Helper()
	return planFrom(t, p.client)
}

func planFrom(t *testing.T, connected *dockerx.Client) model.Plan {
	t.Helper()
	fleet := model.Assess(model.Input{Now: time.Now(), Snapshots: []model.Snapshot{connected.Snapshot(t.Context())}})
	inventory := connected.Inventory(t.Context())
	if inventory.Failure != nil || len(inventory.Problems) > 0 {
		t.Fatalf("the inventory is not whole: %+v %+v", inventory.Failure, inventory.Problems)
	}
	return model.PlanPrune(&fleet, []model.Inventory{inventory}, nil)
}

// memory is a journal that forgets nothing until the test ends.
type memory struct{ results int }

func (m *memory) Intent(model.Plan) (int64, error) { return 1, nil }

func (m *memory) Result(int64, model.Action, model.Target) error {
	m.results++
	return nil
}

// outcomes carries a plan out and tells how each row ended.
func outcomes(t *testing.T, connected *dockerx.Client, plan model.Plan) map[string]string {
	t.Helper()
	journal := &memory{}
	actor := dockerx.NewActor(map[string]*dockerx.Client{"test": connected}, journal, dockerx.ActorOptions{Own: func(model.ID) bool { return false }})
	result, err := actor.Execute(t.Context(), plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	if journal.results != len(plan.Targets) {
		t.Errorf("%d results were recorded for %d rows", journal.results, len(plan.Targets))
	}
	ended := map[string]string{}
	for _, target := range result.Targets {
		ended[target.Name.Raw()] = string(target.Outcome) + ": " + target.Error
	}
	return ended
}

func TestInventory(t *testing.T) {
	p := newPrunable(t)
	inventory := p.client.Inventory(t.Context())
	inspected := map[string]bool{}
	for _, c := range inventory.Containers {
		inspected[c.Name.Raw()] = c.Inspected
		if c.Engine != "test" {
			t.Errorf("%s is of engine %q", c.Name, c.Engine)
		}
	}
	if len(inspected) != 3 || !inspected[unusedProxy] || !inspected["leftover"] || inspected["bystander"] {
		t.Errorf("inspected are %v: only what may be pruned is asked for", inspected)
	}
	if len(inventory.Networks) != 1 || inventory.Networks[0].Name.Raw() != unusedNetwork || len(inventory.Networks[0].Containers) != 1 {
		t.Errorf("the networks are %+v", inventory.Networks)
	}
	if inventory.Socket == nil || inventory.Socket.Reachable {
		t.Errorf("a socket in a folder of one's own is %+v", inventory.Socket)
	}
	for _, request := range p.engine.Requests() {
		if request.Method != http.MethodGet {
			t.Errorf("an inventory sends %s %s", request.Method, request.Path)
		}
	}
}

func TestInventoryOfABrokenEngine(t *testing.T) {
	p := newPrunable(t)
	remove := p.engine.Faults().Set(simengine.NetworkList, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusInternalServerError})
	if inventory := p.client.Inventory(t.Context()); inventory.Failure != nil || inventory.NetworksKnown || len(inventory.Problems) != 1 {
		t.Errorf("without networks it is %+v", inventory)
	}
	remove()
	p.engine.Faults().Set(simengine.List, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusForbidden})
	if inventory := p.client.Inventory(t.Context()); inventory.Failure == nil || inventory.Failure.Reason != string(dockerx.ReasonForbidden) {
		t.Errorf("without a list it is %+v", inventory)
	}
	gone, err := dockerx.Connect(dockerx.Endpoint{Name: "gone", Host: "unix:///nonexistent.sock"})
	if err != nil {
		t.Fatal(err)
	}
	if inventory := gone.Inventory(t.Context()); inventory.Failure == nil || inventory.Failure.Reason != string(dockerx.ReasonMissing) || inventory.Failure.Next == "" {
		t.Errorf("of no engine it is %+v", inventory.Failure)
	}
}

func TestPrune(t *testing.T) {
	const done = "done: "
	cases := map[string]struct {
		between func(*testing.T, *prunable) // after the plan
		proxy   string
		network string
		left    string
		sent    int // changes asked of the engine
	}{
		"all of it":              {nil, done, done, done, 4}, // the proxy is stopped first
		"somebody was faster":    {func(_ *testing.T, p *prunable) { _ = p.engine.RemoveContainer("leftover") }, done, done, "done: ", 3},
		"a sandbox joined":       {func(t *testing.T, p *prunable) { p.joiner(t, "running") }, "skipped: kept", "skipped: kept", done, 1},
		"a stopped one is there": {func(t *testing.T, p *prunable) { p.joiner(t, "exited") }, "skipped: kept", "skipped: kept", done, 1},
		"the proxy was started again": {func(_ *testing.T, p *prunable) {
			_ = p.engine.StopContainer(unusedProxy)
			_ = p.engine.StartContainer(unusedProxy)
		}, "skipped: changed", "skipped: kept", done, 1},
		"the probe was started": {func(_ *testing.T, p *prunable) { _ = p.engine.StartContainer("leftover") }, done, done, "skipped: changed", 3},
		"the network stays": {func(_ *testing.T, p *prunable) {
			p.engine.Faults().Set(simengine.NetworkRemove, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusForbidden, Message: "busy"})
		}, done, "failed: it was not removed", done, 4},
		"the network cannot be looked at": {func(_ *testing.T, p *prunable) {
			p.engine.Faults().Set(simengine.NetworkInspect, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusInternalServerError})
		}, done, "failed: it could not be inspected", done, 3},
		"who is on it cannot be told": {func(_ *testing.T, p *prunable) {
			p.engine.Faults().Set(simengine.List, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusInternalServerError})
		}, "failed: who is on", "skipped: kept", done, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPrunable(t)
			plan := p.plan(t)
			if len(plan.Targets) != 3 {
				t.Fatalf("the plan is %+v", plan.Targets)
			}
			if c.between != nil {
				c.between(t, p)
			}
			before := len(p.changes())
			got := outcomes(t, p.client, plan)
			for target, want := range map[string]string{unusedProxy: c.proxy, unusedNetwork: c.network, "leftover": c.left} {
				if !strings.HasPrefix(got[target], want) {
					t.Errorf("%s ended as %q, want %q", target, got[target], want)
				}
			}
			if sent := p.changes()[before:]; len(sent) != c.sent || slices.ContainsFunc(sent, func(s string) bool { return strings.Contains(s, "force=1") }) {
				t.Errorf("sent %v, want %d changes and never force", sent, c.sent)
			}
		})
	}
}

// changes are the requests that could have changed the engine.
func (p *prunable) changes() []string {
	var sent []string
	for _, request := range p.engine.Requests() {
		if request.Method != http.MethodGet && request.Method != http.MethodHead {
			sent = append(sent, request.Method+" "+request.Path+"?"+request.Query.Encode())
		}
	}
	return sent
}

func TestPruneRefuses(t *testing.T) {
	p := newPrunable(t)
	plan := p.plan(t)
	network := plan.Targets[len(plan.Targets)-1]
	network.Method = model.MethodRemoveForce
	plan.Targets = []model.Target{network}
	if got := outcomes(t, p.client, plan)[unusedNetwork]; !strings.HasPrefix(got, "refused") {
		t.Errorf("a network under another method ended as %q", got)
	}
	reading, err := dockerx.Connect(dockerx.Endpoint{Name: "test", Host: p.engine.Host()}, dockerx.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reading.Close)
	for name, got := range outcomes(t, reading, p.plan(t)) {
		if strings.HasPrefix(got, "done") {
			t.Errorf("%s ended as %q in read-only mode", name, got)
		}
	}
	if sent := p.changes(); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestPruneOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	connected := connectTo(t, engine)
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	labels := map[string]string{enginetest.TestLabel: engine.Mark, "hermes.egress": "1"}
	hash := model.EgressHash([]string{engine.Mark + ".example"})
	name := "hermes-egress-" + hash
	if _, err := engine.Client.NetworkCreate(ctx, name, client.NetworkCreateOptions{Driver: "bridge", Internal: true, Labels: labels}); err != nil {
		t.Fatal(err)
	}
	engine.Run(t, enginetest.Spec{Name: "hermes-egress-proxy-" + hash, Network: name, Labels: map[string]string{"hermes.egress": "1"}})
	user := engine.Run(t, enginetest.Spec{Network: name})
	limit := int64(32)
	probe, err := engine.Client.ContainerCreate(ctx, client.ContainerCreateOptions{
		Config: &container.Config{Image: engine.Image, Cmd: []string{"sleep", "0"}, Labels: labels},
		HostConfig: &container.HostConfig{
			AutoRemove: true, Resources: container.Resources{NanoCPUs: 5e8, Memory: 64 << 20, PidsLimit: &limit},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	own := func(plan model.Plan) model.Plan {
		plan.Targets = slices.DeleteFunc(plan.Targets, func(target model.Target) bool { return !strings.HasSuffix(target.Name.Raw(), hash) })
		return plan
	}
	if plan := own(planFrom(t, connected)); len(plan.Targets) != 0 {
		t.Fatalf("a network with a user is planned: %+v", plan.Targets)
	}
	engine.Stop(t, user)
	if plan := own(planFrom(t, connected)); len(plan.Targets) != 0 {
		t.Fatalf("a network with a stopped user is planned: %+v", plan.Targets)
	}
	engine.Remove(t, user)
	plan := own(planFrom(t, connected))
	if len(plan.Targets) != 2 {
		t.Fatalf("the plan is %+v", plan.Targets)
	}
	for name, got := range outcomes(t, connected, plan) {
		if !strings.HasPrefix(got, "done") {
			t.Errorf("%s ended as %q", name, got)
		}
	}
	inventory := connected.Inventory(ctx)
	at := slices.IndexFunc(inventory.Containers, func(c model.Container) bool { return c.ID == model.ID(probe.ID) })
	if at < 0 || model.ProbeLeftover(&inventory.Containers[at], time.Now()) || !model.ProbeLeftover(&inventory.Containers[at], time.Now().Add(time.Hour)) {
		t.Errorf("a killed probe is none, or one too early: %d of %d", at, len(inventory.Containers))
	}
}
