package dockerx

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// attachedOf asks the engine past the code under test which networks a
// container is attached to, without the test's mark in their names.
func attachedOf(t testing.TB, e *rig, id model.ID) string {
	t.Helper()
	answer, err := e.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for name := range answer.Container.NetworkSettings.Networks {
		out = append(out, strings.TrimSuffix(name, "-"+e.Mark))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func restart(t testing.TB, e *rig, id model.ID) {
	t.Helper()
	if _, err := e.Client.ContainerRestart(t.Context(), string(id), client.ContainerRestartOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestEngineCutAndReconnect(t *testing.T) { onEachEngine(t, engineCutAndReconnect) }

func engineCutAndReconnect(t *testing.T, e *rig) {
	work := e.Network(t, "work", false, nil)
	inner := e.Network(t, "inner", true, nil)
	on := func(network string) func(*enginetest.Spec) {
		return func(s *enginetest.Spec) { s.Network = network }
	}
	tests := map[string]struct {
		state  model.State
		spec   func(*enginetest.Spec)
		join   string
		leave  string
		method model.Method // of the reconnect
		before string
	}{
		"bridge":               {state: model.StateRunning, before: "bridge"},
		"bridge, hot":          {state: model.StateRunning, method: model.MethodReconnectHot, before: "bridge"},
		"two networks":         {state: model.StateRunning, join: work, before: "bridge work"},
		"own network":          {state: model.StateRunning, spec: on(work), before: "work"},
		"internal":             {state: model.StateRunning, spec: on(inner), before: "inner"},
		"paused":               {state: model.StatePaused, before: "bridge"},
		"exited":               {state: model.StateExited, before: "bridge"},
		"exited, two networks": {state: model.StateExited, join: inner, before: "bridge inner"},
		"created":              {state: model.StateCreated, before: "bridge"},
		"none, connected by someone": {
			state: model.StateRunning, spec: on("none"), leave: "none", join: "bridge", before: "bridge",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, store := newWire(t, e.Host), newFakeStore()
			actor, c := w.connect(t, ActorOptions{Cuts: store})
			var edits []func(*enginetest.Spec)
			if test.spec != nil {
				edits = append(edits, test.spec)
			}
			id := sandboxIn(t, e, test.state, edits...)
			if test.leave != "" {
				e.Leave(t, test.leave, id)
			}
			if test.join != "" {
				join(t, e, test.join, id)
			}
			if got := attachedOf(t, e, id); got != test.before {
				t.Fatalf("attached to %q at first, want %q", got, test.before)
			}

			mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "")
			if got := attachedOf(t, e, id); got != "none" {
				t.Errorf("after the cut attached to %q", got)
			}
			if got := stateOf(t, e, id); got != string(test.state) {
				t.Errorf("after the cut it is %s", got)
			}
			sent := len(w.changes())
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "already")
			if got := w.changes(); len(got) != sent {
				t.Errorf("a second cut sent %q", got[sent:])
			}

			if test.method == "" {
				test.method = model.MethodReconnect
			}
			began := inspected(t, c, id)[0].StartedAt
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, test.method, id)[0], model.OutcomeDone, "")
			if got := attachedOf(t, e, id); got != test.before {
				t.Errorf("after the reconnect attached to %q, want %q", got, test.before)
			}
			after := inspected(t, c, id)[0]
			if after.State != test.state {
				t.Errorf("after the reconnect it is %s, want %s", after.State, test.state)
			}
			restarts := alive(test.state) && test.method == model.MethodReconnect
			if restarted := !after.StartedAt.Time.Equal(began.Time); restarted != restarts {
				t.Errorf("restarted is %t, want %t", restarted, restarts)
			}
			if len(store.records) > 0 {
				t.Errorf("the record was kept: %v", store.records)
			}
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, test.method, id)[0], model.OutcomeRefused, "left alone")
			w.checkRequests(t)
		})
	}
}

func join(t testing.TB, e *rig, network string, id model.ID) {
	t.Helper()
	options := client.NetworkConnectOptions{Container: string(id)}
	if _, err := e.Client.NetworkConnect(t.Context(), network, options); err != nil {
		t.Fatal(err)
	}
}

// TestEngineCutHolds restarts a cut container in every way, and lets another
// client try to connect it.
func TestEngineCutHolds(t *testing.T) { onEachEngine(t, engineCutHolds) }

func engineCutHolds(t *testing.T, e *rig) {
	actor, c := newWire(t, e.Host).connect(t, ActorOptions{Cuts: newFakeStore()})
	for _, state := range []model.State{model.StateRunning, model.StateCreated} {
		id := sandboxIn(t, e, state)
		mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "")
		restart(t, e, id)
		e.Stop(t, id)
		e.Start(t, id)
		options := client.NetworkConnectOptions{Container: string(id)}
		if _, err := e.Client.NetworkConnect(t.Context(), "bridge", options); err == nil {
			t.Error("another client connected it past the latch")
		}
		if got := attachedOf(t, e, id); got != "none" {
			t.Errorf("%s at first: attached to %q", state, got)
		}
		if !e.kernel {
			continue // no kernel stands behind it
		}
		view := c.kernelView(inspected(t, c, id)[0])
		if view == nil || view.Problem != "" {
			t.Fatalf("the kernel's view: %+v", view)
		}
		for _, i := range view.Interfaces {
			if i.Counts() {
				t.Errorf("%s at first: the kernel shows %s", state, i.Name)
			}
		}
	}
}

func TestEngineCutRefusals(t *testing.T) { onEachEngine(t, engineCutRefusals) }

func engineCutRefusals(t *testing.T, e *rig) {
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{Cuts: newFakeStore()})
	owner := sandboxIn(t, e, model.StateRunning)
	mode := func(mode string) func(*enginetest.Spec) { return func(s *enginetest.Spec) { s.Network = mode } }
	hostRunning := sandboxIn(t, e, model.StateRunning, mode("host"))
	hostExited := sandboxIn(t, e, model.StateExited, mode("host"))
	joiner := sandboxIn(t, e, model.StateRunning, mode("container:"+string(owner)))
	for id, says := range map[model.ID]string{hostRunning: "host's network", hostExited: "host's network", joiner: "shares the network"} {
		mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeRefused, says)
	}
	if got := w.changes(); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}

// TestEngineCutInTheGap lets another client act between our re-inspect and our
// first disconnect.
func TestEngineCutInTheGap(t *testing.T) { onEachEngine(t, engineCutInTheGap) }

func engineCutInTheGap(t *testing.T, e *rig) {
	work := e.Network(t, "work", false, nil)
	tests := map[string]struct {
		other    func(t *testing.T, id model.ID)
		outcome  model.Outcome
		says     string
		attached string
	}{
		"disconnected": {func(t *testing.T, id model.ID) { e.Leave(t, "bridge", id) }, model.OutcomeDone, "", "none"},
		"restarted":    {func(t *testing.T, id model.ID) { restart(t, e, id) }, model.OutcomeDone, "", "none"},
		"connected elsewhere": {
			func(t *testing.T, id model.ID) { join(t, e, work, id) },
			model.OutcomePartial, "still attached to work", "work",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, e.Host)
			actor, c := w.connect(t, ActorOptions{Cuts: newFakeStore()})
			id := sandboxIn(t, e, model.StateRunning)
			plan := planFor(model.ActionLockdownOn, model.MethodCut, inspected(t, c, id)...)
			w.before(func() { test.other(t, id) })
			target := carryOut(t, actor, plan)[0]
			mustOutcome(t, target, test.outcome, test.says)
			if got := attachedOf(t, e, id); got != test.attached {
				t.Errorf("attached to %q, want %q", got, test.attached)
			}
			if test.outcome == model.OutcomePartial {
				mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "")
				if got := attachedOf(t, e, id); got != "none" {
					t.Errorf("after the second cut attached to %q", got)
				}
			}
		})
	}
}

// TestEngineCutInPart refuses one of two networks, first to let go and then to
// be connected again: both are partial, and a retry completes them.
func TestEngineCutInPart(t *testing.T) { onEachEngine(t, engineCutInPart) }

func engineCutInPart(t *testing.T, e *rig) {
	work := e.Network(t, "work", false, nil)
	w, store := newWire(t, e.Host), newFakeStore()
	actor, c := w.connect(t, ActorOptions{Cuts: store})
	id := sandboxIn(t, e, model.StateRunning)
	join(t, e, work, id)
	steps := []struct {
		action   model.Action
		method   model.Method
		refused  string // end of a path
		outcome  model.Outcome
		says     string
		attached string
	}{
		{model.ActionLockdownOn, model.MethodCut, work + "/disconnect", model.OutcomePartial, "still attached to work", "work"},
		{model.ActionLockdownOn, model.MethodCut, "", model.OutcomeDone, "", "none"},
		{model.ActionLockdownOff, model.MethodReconnectHot, work + "/connect", model.OutcomePartial, "not connected to work", "bridge"},
		{model.ActionLockdownOff, model.MethodReconnectHot, "", model.OutcomeDone, "", "bridge work"},
	}
	for i, step := range steps {
		w.refuseEach(func(r *http.Request) bool { return step.refused != "" && strings.HasSuffix(r.URL.Path, step.refused) })
		mustOutcome(t, act(t, actor, c, step.action, step.method, id)[0], step.outcome, step.says)
		if got := attachedOf(t, e, id); got != step.attached {
			t.Errorf("step %d: attached to %q, want %q", i, got, step.attached)
		}
	}
	if len(store.records) > 0 {
		t.Errorf("the record was kept: %v", store.records)
	}
}

func TestEngineReconnectGivesSettingsBack(t *testing.T) {
	onEachEngine(t, engineReconnectGivesSettingsBack)
}

func engineReconnectGivesSettingsBack(t *testing.T, e *rig) {
	work := subnet(t, e)
	w, store := newWire(t, e.Host), newFakeStore()
	actor, c := w.connect(t, ActorOptions{Cuts: store})
	id := sandboxIn(t, e, model.StateExited, func(s *enginetest.Spec) { s.Network = "none" })
	e.Leave(t, "none", id)
	options := client.NetworkConnectOptions{Container: string(id), EndpointConfig: endpointConfig(model.CutNetwork{
		Name: model.NewText("x"), StaticIPv4: model.NewText("10.213.77.9"), Aliases: []model.Text{model.NewText("store")},
	})}
	if _, err := e.Client.NetworkConnect(context.WithoutCancel(t.Context()), work, options); err != nil {
		t.Fatal(err)
	}
	e.Start(t, id)
	mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodCut, id)[0], model.OutcomeDone, "")
	mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, model.MethodReconnect, id)[0], model.OutcomeDone, "")
	endpoint := inspected(t, c, id)[0].Networks.Endpoints[0]
	if endpoint.IPv4.Raw() != "10.213.77.9" || !slices.Contains(endpoint.Aliases, model.NewText("store")) {
		t.Errorf("endpoint %+v", endpoint)
	}
}

// subnet makes a network with a subnet of its own, on which addresses can be
// asked for.
func subnet(t testing.TB, e *rig) string {
	t.Helper()
	made, err := e.Client.NetworkCreate(t.Context(), "subnet-"+e.Mark, client.NetworkCreateOptions{
		Driver: "bridge", Labels: map[string]string{enginetest.TestLabel: e.Mark},
		IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: netip.MustParsePrefix("10.213.77.0/24")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}
