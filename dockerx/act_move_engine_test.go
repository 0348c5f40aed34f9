package dockerx

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// standIn makes an allowlist network of a list that only this test has, with a
// container in the proxy's place. It returns the list, and the network's ID.
func standIn(t testing.TB, e *rig, entry string) (allow []string, id string) {
	t.Helper()
	allow = []string{entry + "." + e.Mark + ".example"}
	name, proxy := model.EgressNames(allow)
	made, err := e.Client.NetworkCreate(t.Context(), name, client.NetworkCreateOptions{
		Driver: "bridge", Internal: true, Labels: map[string]string{enginetest.TestLabel: e.Mark, model.LabelAllowlist: "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	created, err := e.Client.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Name: proxy,
		Config: &container.Config{
			Image: e.Image, Cmd: []string{"sleep", "infinity"}, StopTimeout: new(0), Env: []string{"EGRESS_ALLOWLIST=" + model.EgressAllowlist(allow)},
			Labels: map[string]string{enginetest.TestLabel: e.Mark, model.LabelAllowlist: "1"},
		},
		HostConfig: &container.HostConfig{NetworkMode: container.NetworkMode(name)},
		NetworkingConfig: &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{
			name: {Aliases: []string{egressAlias}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Start(t, model.ID(created.ID))
	join(t, e, bridgeNetwork, model.ID(created.ID))
	return allow, made.ID
}

// actOnto plans one method that leads to an allowlist network, and carries it
// out.
func actOnto(t testing.TB, actor *Actor, c *Client, method model.Method, allow []string, id model.ID) model.Target {
	t.Helper()
	plan := planFor(model.ActionLockdownAllowlist, method, inspected(t, c, id)...)
	plan.Targets[0].Allowlist = allow
	return carryOut(t, actor, plan)[0]
}

func TestEngineMove(t *testing.T) { onEachEngine(t, engineMove) }

func engineMove(t *testing.T, e *rig) {
	listed, first := standIn(t, e, "a")
	others, second := standIn(t, e, "b")
	nameA, _ := model.EgressNames(listed)
	nameB, _ := model.EgressNames(others)
	tests := map[string]struct {
		state  model.State
		mode   string
		before string
		again  bool // there is something to give back
	}{
		"running":                {model.StateRunning, "", "bridge", true},
		"paused":                 {model.StatePaused, "", "bridge", true},
		"exited":                 {model.StateExited, "", "bridge", true},
		"created":                {model.StateCreated, "", "bridge", true},
		"made without a network": {model.StateRunning, "none", "none", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, store := newWire(t, e.Host), newFakeStore()
			actor, c := w.connect(t, ActorOptions{Cuts: store})
			id := sandboxIn(t, e, test.state, func(s *enginetest.Spec) { s.Network = test.mode })
			began := inspected(t, c, id)[0].StartedAt
			left := networkNamed(t, e, test.before)
			for _, to := range []struct {
				allow    []string
				name, id string
			}{{listed, nameA, first}, {others, nameB, second}} {
				sent := len(w.changes())
				mustOutcome(t, actOnto(t, actor, c, model.MethodMove, to.allow, id), model.OutcomeDone, "")
				if got := attachedOf(t, e, id); got != to.name {
					t.Errorf("attached to %q, want %q", got, to.name)
				}
				now := inspected(t, c, id)[0]
				if now.State != test.state || !now.StartedAt.Time.Equal(began.Time) {
					t.Errorf("it is %s, started %s", now.State, now.StartedAt.Time)
				}
				wanted := []string{"POST /networks/" + left + "/disconnect", "POST /networks/" + to.id + "/connect"}
				if diff := cmp.Diff(wanted, w.changes()[sent:]); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				sent = len(w.changes())
				mustOutcome(t, actOnto(t, actor, c, model.MethodMove, to.allow, id), model.OutcomeDone, "already")
				if got := w.changes(); len(got) != sent {
					t.Errorf("a second move sent %q", got[sent:])
				}
				left = to.id
			}
			w.checkRequests(t)
			if !test.again {
				mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, model.MethodReconnect, id)[0], model.OutcomeRefused, "left alone")
				return
			}
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, model.MethodReconnect, id)[0], model.OutcomeDone, "")
			if got := attachedOf(t, e, id); got != test.before || len(store.records) > 0 {
				t.Errorf("attached to %q, records %v", got, store.records)
			}
		})
	}
}

// networkNamed returns the ID of a network.
func networkNamed(t testing.TB, e *rig, name string) string {
	t.Helper()
	answer, err := e.Client.NetworkInspect(t.Context(), name, client.NetworkInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Network.ID
}

// run runs a command in a container and returns what it printed.
func run(t testing.TB, e *enginetest.Engine, id model.ID, command ...string) string {
	t.Helper()
	made, err := e.Client.ExecCreate(t.Context(), string(id), client.ExecCreateOptions{Cmd: command, AttachStdout: true, AttachStderr: true})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := e.Client.ExecAttach(t.Context(), made.ID, client.ExecAttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	var out strings.Builder
	if _, err := stdcopy.StdCopy(&out, &out, attached.Reader); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return out.String()
}

// TestMovedSandboxFindsItsProxy moves containers that were made where the engine
// resolves no names of its own: the proxy's name must lead to the proxy of the
// network they are on now, and nothing else is left to go through.
func TestMovedSandboxFindsItsProxy(t *testing.T) {
	e := realEngine(t)
	listed, _ := standIn(t, e, "a")
	others, _ := standIn(t, e, "b")
	for name, test := range map[string]struct {
		state model.State
		mode  string
	}{
		"from the bridge": {model.StateRunning, ""}, "paused on the bridge": {model.StatePaused, ""}, "from no network": {model.StateRunning, "none"},
		"not begun": {model.StateCreated, ""},
	} {
		t.Run(name, func(t *testing.T) {
			actor, c := newWire(t, e.Host).connect(t, ActorOptions{Cuts: newFakeStore()})
			id := sandboxIn(t, e, test.state, func(s *enginetest.Spec) { s.Network = test.mode })
			for _, allow := range [][]string{listed, others} {
				network, proxy := model.EgressNames(allow)
				mustOutcome(t, actOnto(t, actor, c, model.MethodMove, allow, id), model.OutcomeDone, "")
				switch now := inspected(t, c, id)[0]; now.State {
				case model.StatePaused:
					if _, err := e.Client.ContainerUnpause(t.Context(), string(id), client.ContainerUnpauseOptions{}); err != nil {
						t.Fatal(err)
					}
				case model.StateCreated:
					e.Start(t, id)
				default:
				}
				address := addressOn(t, e.Engine, model.ID(inspectTrue(t, e, proxy).ID), network)
				if got := run(t, e.Engine, id, "busybox", "nslookup", egressAlias); !strings.Contains(got, address) {
					t.Errorf("it resolves %s to\n%s\nwant %s", egressAlias, got, address)
				}
				devices := carriesNow(t, c, id)
				if len(devices) != 1 {
					t.Errorf("its interfaces are %q", devices)
				}
			}
		})
	}
}

func carriesNow(t *testing.T, c *Client, id model.ID) (devices []string) {
	t.Helper()
	view := c.kernelView(inspected(t, c, id)[0])
	if view == nil || view.Problem != "" {
		t.Fatalf("the kernel's view: %+v", view)
	}
	for _, i := range view.Interfaces {
		if i.Counts() {
			devices = append(devices, i.Name)
		}
	}
	return devices
}

func TestEngineRebuildOntoAnAllowlist(t *testing.T) { onEachEngine(t, engineRebuildOntoAnAllowlist) }

func engineRebuildOntoAnAllowlist(t *testing.T, e *rig) {
	allow, _ := standIn(t, e, "a")
	network, proxy := model.EgressNames(allow)
	tests := map[string]struct {
		state  model.State
		mode   string
		after  string
		record string
	}{
		"running":               {model.StateRunning, "", "running", "bridge onto " + network},
		"paused":                {model.StatePaused, "", "paused", "bridge onto " + network},
		"exited":                {model.StateExited, "", "created", "bridge onto " + network},
		"on the host's network": {model.StateRunning, "host", "running", "-"},
	}
	sweepUp := sweep(t, e)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, store := newWire(t, e.Host), newFakeStore()
			actor, c := w.connect(t, ActorOptions{Cuts: store})
			id := sandboxIn(t, e, test.state, func(s *enginetest.Spec) {
				s.Network, s.Env = test.mode, []string{"KEPT=1", "HTTP_PROXY=http://elsewhere:1", "no_proxy=*"}
			})
			sweepUp(id)
			target := actOnto(t, actor, c, model.MethodRebuild, allow, id)
			mustOutcome(t, target, model.OutcomeDone, "")
			after := inspectTrue(t, e, string(target.NewID))
			if string(after.State.Status) != test.after || string(after.HostConfig.NetworkMode) != network || attachedOf(t, e, target.NewID) != network {
				t.Errorf("it is %s on %s, attached to %s", after.State.Status, after.HostConfig.NetworkMode, attachedOf(t, e, target.NewID))
			}
			twin := inspected(t, c, target.NewID)[0]
			if !model.CarriesEgressEnv(&twin) || !slices.Contains(after.Config.Env, "KEPT=1") || slices.Contains(after.Config.Env, "no_proxy=*") {
				t.Errorf("its environment is %q", after.Config.Env)
			}
			if got := stateOf(t, e, id); got != "gone" {
				t.Errorf("the old one is %s", got)
			}
			got := "-"
			if record, known := store.records[target.NewID]; known {
				got = recordNames(record) + " onto " + record.Onto.Display()
			}
			if got != test.record || len(store.records) > 1 {
				t.Errorf("recorded %q, want %q", got, test.record)
			}
			if test.record != "-" {
				mustOutcome(t, act(t, actor, c, model.ActionLockdownOff, model.MethodReconnect, target.NewID)[0], model.OutcomeDone, "")
				if got := attachedOf(t, e, target.NewID); got != "bridge" {
					t.Errorf("after the reconnect attached to %q", got)
				}
			}
		})
	}
	t.Run("proxy is down", func(t *testing.T) {
		w := newWire(t, e.Host)
		actor, c := w.connect(t, ActorOptions{Cuts: newFakeStore()})
		id := sandboxIn(t, e, model.StateRunning)
		e.Stop(t, model.ID(inspectTrue(t, e, proxy).ID))
		for _, method := range []model.Method{model.MethodMove, model.MethodRebuild} {
			mustOutcome(t, actOnto(t, actor, c, method, allow, id), model.OutcomeFailed, "is exited; nothing was sent")
		}
		if got := w.changes(); len(got) > 0 || stateOf(t, e, id) != "running" {
			t.Errorf("sent %q, and it is %s", got, stateOf(t, e, id))
		}
	})
}

// TestRebuildOntoAnAllowlistIsTakenBack lets the last look at the twin show it on
// another network.
func TestRebuildOntoAnAllowlistIsTakenBack(t *testing.T) {
	s := newRebuildScene(t, simengine.Spec{})
	allow, _ := standIn(t, s.rig, "a")
	s.plan.Targets[0].Allowlist = allow
	name := "target"
	started := func(r simengine.Request) bool { return !strings.Contains(r.Path, string(s.id)) }
	s.meanwhile(t, simengine.Start, started, func() error { return s.engine.ConnectContainer("bridge", name) })
	target := carryOut(t, s.actor, s.plan)[0]
	mustOutcome(t, target, model.OutcomeFailed, "alone")
	if got := attachedOf(t, s.rig, s.id); got != "bridge" || stateOf(t, s.rig, s.id) != "running" {
		t.Errorf("attached to %q, and it is %s", got, stateOf(t, s.rig, s.id))
	}
}
