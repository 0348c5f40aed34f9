package dockerx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// fakeEngine is an engine in memory with the rules that actions depend on. Its
// hooks stand for other clients and for faults.
type fakeEngine struct {
	mu         sync.Mutex
	containers map[model.ID]*model.Container
	networks   []network.Summary
	podman     bool            // lists its default network as Podman does
	execs      map[string]bool // exec ID to running
	starts     int
	changes    []string // the mutating calls, in order

	// before runs right before a call takes effect, with the call's name.
	before map[string]func(e *fakeEngine, id model.ID)
	// fault replaces a call's answer. The call takes effect first when the
	// fault says so.
	fault map[string]func(e *fakeEngine, id model.ID) (err error, takesEffect bool)
	views map[model.ID]*model.KernelView
}

func newFakeEngine(containers ...model.Container) *fakeEngine {
	e := &fakeEngine{
		containers: map[model.ID]*model.Container{}, execs: map[string]bool{},
		before: map[string]func(*fakeEngine, model.ID){}, fault: map[string]func(*fakeEngine, model.ID) (error, bool){},
		views: map[model.ID]*model.KernelView{},
		networks: []network.Summary{
			fakeNetwork("none", "0"), fakeNetwork("host", "1"), fakeNetwork("bridge", "2"), fakeNetwork("work", "3"), fakeNetwork("inner", "4"),
		},
	}
	for _, c := range containers {
		c.Networks.Endpoints = slices.Clone(c.Networks.Endpoints)
		e.containers[c.ID] = &c
	}
	return e
}

func fakeNetwork(name, digit string) network.Summary {
	return network.Summary{Network: network.Network{Name: name, ID: strings.Repeat(digit, 64)}}
}

func (e *fakeEngine) acting() actingEngine {
	return actingEngine{
		inspector: e, calls: func() engineCalls { return e },
		kernel: func(c model.Container) *model.KernelView { return e.views[c.ID] },
		pruner: e,
	}
}

// call runs one call: another client first, then the effect, then the answer.
func (e *fakeEngine) call(ctx context.Context, op, id, detail string, mutates bool, effect func(c *model.Container) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if hook := e.before[op]; hook != nil {
		hook(e, model.ID(id))
	}
	e.mu.Lock()
	if mutates {
		e.changes = append(e.changes, strings.TrimSpace(op+" "+model.ID(id).Short()+" "+detail))
	}
	fault := e.fault[op]
	e.mu.Unlock()
	var faultErr error
	if fault != nil {
		err, takesEffect := fault(e, model.ID(id))
		if !takesEffect {
			return err
		}
		faultErr = err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.containers[model.ID(id)]
	if c == nil {
		return fmt.Errorf("no such container: %w", errdefs.ErrNotFound)
	}
	if err := effect(c); err != nil {
		return err
	}
	return faultErr
}

func conflict(text string) error { return fmt.Errorf("%s: %w", text, errdefs.ErrConflict) }

func (e *fakeEngine) InspectContainer(ctx context.Context, id model.ID) (model.Container, error) {
	var out model.Container
	err := e.call(ctx, "inspect", string(id), "", false, func(c *model.Container) error {
		out = *c
		out.Networks.Endpoints = slices.Clone(c.Networks.Endpoints)
		return nil
	})
	return out, err
}

func (e *fakeEngine) Ping(context.Context, client.PingOptions) (client.PingResult, error) {
	if fault := e.fault["ping"]; fault != nil {
		err, _ := fault(e, "")
		return client.PingResult{}, err
	}
	return client.PingResult{}, nil
}

func (e *fakeEngine) ContainerRemove(ctx context.Context, id string, o client.ContainerRemoveOptions) (client.ContainerRemoveResult, error) {
	detail := ""
	if o.Force {
		detail += " force"
	}
	if o.RemoveVolumes {
		detail += " volumes"
	}
	if o.RemoveLinks {
		detail += " link"
	}
	return client.ContainerRemoveResult{}, e.call(ctx, "remove", id, strings.TrimSpace(detail), true, func(c *model.Container) error {
		if c.State == model.StateRemoving {
			return conflict("removal is already in progress")
		}
		if alive(c.State) && !o.Force {
			return conflict("cannot remove a running container")
		}
		delete(e.containers, c.ID)
		return nil
	})
}

func (e *fakeEngine) ContainerStart(ctx context.Context, id string, _ client.ContainerStartOptions) (client.ContainerStartResult, error) {
	return client.ContainerStartResult{}, e.call(ctx, "start", id, "", true, func(c *model.Container) error {
		if c.State == model.StatePaused {
			return conflict("cannot start a paused container")
		}
		if c.State != model.StateRunning {
			e.start(c)
		}
		return nil
	})
}

// start runs a container; the lock is held.
func (e *fakeEngine) start(c *model.Container) {
	e.starts++
	c.State, c.Pid = model.StateRunning, 1000+e.starts
	c.StartedAt = model.Stamp{Time: fixtureTime.Add(time.Duration(e.starts) * time.Minute)}
}

func (e *fakeEngine) ContainerStop(ctx context.Context, id string, o client.ContainerStopOptions) (client.ContainerStopResult, error) {
	detail := ""
	if o.Signal != "" || o.Timeout != nil {
		detail = "own grace"
	}
	return client.ContainerStopResult{}, e.call(ctx, "stop", id, detail, true, func(c *model.Container) error {
		if alive(c.State) {
			c.State, c.Pid = model.StateExited, 0
		}
		if c.Host.AutoRemove {
			delete(e.containers, c.ID)
		}
		return nil
	})
}

func (e *fakeEngine) ContainerPause(ctx context.Context, id string, _ client.ContainerPauseOptions) (client.ContainerPauseResult, error) {
	return client.ContainerPauseResult{}, e.call(ctx, "pause", id, "", true, func(c *model.Container) error {
		if c.State != model.StateRunning {
			return conflict("is not running")
		}
		c.State = model.StatePaused
		return nil
	})
}

func (e *fakeEngine) ContainerUnpause(ctx context.Context, id string, _ client.ContainerUnpauseOptions) (client.ContainerUnpauseResult, error) {
	return client.ContainerUnpauseResult{}, e.call(ctx, "unpause", id, "", true, func(c *model.Container) error {
		if c.State != model.StatePaused {
			return fmt.Errorf("is not paused: %w", errdefs.ErrInternal)
		}
		c.State = model.StateRunning
		return nil
	})
}

func (e *fakeEngine) ExecInspect(_ context.Context, id string, _ client.ExecInspectOptions) (client.ExecInspectResult, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if fault := e.fault["exec"]; fault != nil {
		err, _ := fault(e, "")
		return client.ExecInspectResult{}, err
	}
	running, ok := e.execs[id]
	if !ok {
		return client.ExecInspectResult{}, fmt.Errorf("no such exec: %w", errdefs.ErrNotFound)
	}
	return client.ExecInspectResult{Running: running}, nil
}

func (e *fakeEngine) NetworkList(context.Context, client.NetworkListOptions) (client.NetworkListResult, error) {
	if fault := e.fault["networks"]; fault != nil {
		if err, _ := fault(e, ""); err != nil {
			return client.NetworkListResult{}, err
		}
	}
	items := slices.Clone(e.networks)
	for i := range items {
		if e.podman && items[i].Name == podmanNetwork {
			items[i].Name = bridgeNetwork
		}
	}
	return client.NetworkListResult{Items: items}, nil
}

func (e *fakeEngine) NetworkInspect(_ context.Context, name string, _ client.NetworkInspectOptions) (client.NetworkInspectResult, error) {
	for _, n := range e.networks {
		if n.Name == name {
			return client.NetworkInspectResult{Network: network.Inspect{Network: n.Network}}, nil
		}
	}
	return client.NetworkInspectResult{}, fmt.Errorf("network not found: %w", errdefs.ErrNotFound)
}

func (e *fakeEngine) network(id string) (model.Text, error) {
	for _, n := range e.networks {
		if n.ID == id {
			return model.NewText(n.Name), nil
		}
	}
	return model.Text{}, fmt.Errorf("network not found: %w", errdefs.ErrNotFound)
}

func (e *fakeEngine) NetworkConnect(ctx context.Context, id string, o client.NetworkConnectOptions) (client.NetworkConnectResult, error) {
	name, err := e.network(id)
	if err != nil {
		return client.NetworkConnectResult{}, err
	}
	detail := name.Raw()
	if o.EndpointConfig != nil {
		detail += " " + strings.Join(o.EndpointConfig.Aliases, ",")
		if o.EndpointConfig.IPAMConfig != nil {
			detail += " " + o.EndpointConfig.IPAMConfig.IPv4Address.String()
		}
	}
	return client.NetworkConnectResult{}, e.call(ctx, "connect", o.Container, strings.TrimSpace(detail), true, func(c *model.Container) error {
		switch {
		case attachedTo(*c, name):
			return fmt.Errorf("endpoint already exists: %w", errdefs.ErrPermissionDenied)
		case latched(*c), name.Raw() == noneNetwork && len(c.Networks.Endpoints) > 0:
			return fmt.Errorf("private (none) mode: %w", errdefs.ErrInvalidArgument)
		}
		endpoint := model.Endpoint{Network: name}
		if alive(c.State) {
			endpoint.NetworkID = id
		}
		c.Networks.Endpoints = append(c.Networks.Endpoints, endpoint)
		return nil
	})
}

func (e *fakeEngine) NetworkDisconnect(ctx context.Context, id string, o client.NetworkDisconnectOptions) (client.NetworkDisconnectResult, error) {
	name, err := e.network(id)
	if err != nil {
		return client.NetworkDisconnectResult{}, err
	}
	detail := name.Raw()
	if o.Force {
		detail += " force"
	}
	return client.NetworkDisconnectResult{}, e.call(ctx, "disconnect", o.Container, detail, true, func(c *model.Container) error {
		if !attachedTo(*c, name) {
			return fmt.Errorf("is not connected: %w", errdefs.ErrInternal)
		}
		c.Networks.Endpoints = slices.DeleteFunc(c.Networks.Endpoints, func(p model.Endpoint) bool { return p.Network == name })
		return nil
	})
}

// fakeJournal keeps its lines, with the number of changes the engine had seen
// when each was written.
type fakeJournal struct {
	mu        sync.Mutex
	engine    *fakeEngine
	lines     []string
	intentErr error
	resultErr error
}

func (j *fakeJournal) Intent(plan model.Plan) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.intentErr != nil {
		return 0, j.intentErr
	}
	j.lines = append(j.lines, fmt.Sprintf("intent %s of %d after %d changes", plan.Action, len(plan.Targets), j.engine.changeCount()))
	return 7, nil
}

func (j *fakeJournal) Result(n int64, action model.Action, target model.Target) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.resultErr != nil {
		return j.resultErr
	}
	j.lines = append(j.lines, fmt.Sprintf("result %d %s %s %s", n, action, target.ID.Short(), target.Outcome))
	return nil
}

func (e *fakeEngine) changeCount() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.changes)
}

// fakeStore keeps cut records in memory.
type fakeStore struct {
	mu      sync.Mutex
	records map[model.ID]model.CutRecord
	saveErr error
	loadErr error
}

func newFakeStore() *fakeStore { return &fakeStore{records: map[model.ID]model.CutRecord{}} }

func (s *fakeStore) Save(_ string, id model.ID, record model.CutRecord) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saveErr != nil {
		return s.saveErr
	}
	record.Networks = slices.Clone(record.Networks)
	s.records[id] = record
	return nil
}

func (s *fakeStore) Load(id model.ID) (model.CutRecord, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	record, ok := s.records[id]
	return record, ok, s.loadErr
}

func (s *fakeStore) Delete(id model.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, id)
	return nil
}

var errBroken = errors.New("it is broken")

//nolint:gochecknoglobals // a constant in all but name
var fixtureTime = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func fixtureID(n int) model.ID { return model.ID(fmt.Sprintf("%064x", 0xabc0000+n)) }

// fixtureContainer is a sandbox in a state, on the default bridge.
func fixtureContainer(n int, state model.State) model.Container {
	c := model.Container{
		Engine: "test", ID: fixtureID(n), Name: model.NewText(fmt.Sprintf("hermes-%08x", n)), State: state, Inspected: true,
		CreatedAt: model.Stamp{Time: fixtureTime.Add(time.Duration(n) * time.Nanosecond)},
		Labels:    model.Labels{model.NewText("hermes-agent"): model.NewText("1")},
		Host:      model.HostConfig{NetworkMode: model.NewText("default")},
		Networks:  model.NetworkSettings{Known: true},
	}
	if state != model.StateCreated {
		c.StartedAt = model.Stamp{Time: fixtureTime}
	}
	attach(&c, "bridge")
	return c
}

func attach(c *model.Container, name string) {
	endpoint := model.Endpoint{Network: model.NewText(name)}
	if alive(c.State) {
		digit := map[string]string{"none": "0", "host": "1", "bridge": "2", "work": "3", "inner": "4", listA: "5", listB: "6"}[name]
		endpoint.NetworkID = strings.Repeat(digit, 64)
	}
	c.Networks.Endpoints = append(c.Networks.Endpoints, endpoint)
}

// planFor plans one method for containers as they are.
func planFor(action model.Action, method model.Method, containers ...model.Container) model.Plan {
	plan := model.Plan{Schema: 1, Action: action}
	for _, c := range containers {
		plan.Targets = append(plan.Targets, model.Target{
			Engine: "test", ID: c.ID, Name: c.Name, State: c.State, Decision: model.DecisionAct, Method: method, Outcome: model.OutcomePlanned,
			Expect: model.Expect{CreatedAt: c.CreatedAt.Time, StartedAt: c.StartedAt.Time, State: c.State, Labels: maps.Clone(c.Labels)},
		})
	}
	return plan
}

func fakeActor(e *fakeEngine, options ActorOptions) (*Actor, *fakeJournal) {
	journal := &fakeJournal{engine: e}
	if options.Own == nil {
		options.Own = func(model.ID) bool { return false }
	}
	return newActor(map[string]actingEngine{"test": e.acting()}, journal, options), journal
}

// execute runs a plan and returns its only target.
func execute(t *testing.T, e *fakeEngine, options ActorOptions, plan model.Plan) model.Target {
	t.Helper()
	actor, _ := fakeActor(e, options)
	result, err := actor.Execute(t.Context(), plan, nil)
	if err != nil {
		t.Fatalf("execute: %v", err)
	}
	return result.Targets[0]
}

// hangingEngine never answers a removal; the caller gives up meanwhile.
func hangingEngine(e *fakeEngine, giveUp func()) actingEngine {
	acting := e.acting()
	acting.calls = func() engineCalls { return hangingCalls{e, giveUp} }
	return acting
}

type hangingCalls struct {
	*fakeEngine
	giveUp func()
}

func (h hangingCalls) ContainerRemove(ctx context.Context, _ string, _ client.ContainerRemoveOptions) (client.ContainerRemoveResult, error) {
	h.giveUp()
	<-ctx.Done()
	return client.ContainerRemoveResult{}, ctx.Err()
}
