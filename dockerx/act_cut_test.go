package dockerx

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/types/network"

	"hermes-sandbox/model"
)

// onNetworks is a sandbox attached to exactly the given networks.
func onNetworks(state model.State, networks ...string) model.Container {
	c := fixtureContainer(1, state)
	c.Networks.Endpoints = nil
	for _, name := range networks {
		attach(&c, name)
	}
	return c
}

// inMode is a sandbox with a network mode and nothing attached.
func inMode(mode string) model.Container {
	c := onNetworks(model.StateRunning)
	c.Host.NetworkMode = model.NewText(mode)
	return c
}

func recordOf(complete bool, networks ...string) model.CutRecord {
	record := model.CutRecord{Complete: complete}
	for _, name := range networks {
		record.Networks = append(record.Networks, model.CutNetwork{Name: model.NewText(name)})
	}
	return record
}

// onPodman gives an engine the networks that Podman has at its start.
func onPodman(e *fakeEngine) {
	e.podman, e.networks = true, []network.Summary{fakeNetwork("podman", "2")}
}

func attachedNames(e *fakeEngine) string {
	c := e.containers[fixtureID(1)]
	if c == nil {
		return "gone"
	}
	return names(c.Networks.Endpoints)
}

func recordNames(record model.CutRecord) string {
	var out []string
	for _, n := range record.Networks {
		out = append(out, n.Name.Display())
	}
	return strings.Join(out, ", ")
}

func TestCut(t *testing.T) {
	const id = " 000000000000 "
	timeout := fmt.Errorf("no answer: %w", context.DeadlineExceeded)
	cutBridge := []string{"disconnect" + id + "bridge", "connect" + id + "none"}
	tests := map[string]struct {
		container model.Container
		record    *model.CutRecord
		setup     func(*fakeEngine)
		want      want
		attached  string
		recorded  string // networks of the record afterwards, "-" for no record
		open      bool   // the record must not be marked complete
	}{
		"running":  {container: onNetworks(model.StateRunning, "bridge"), want: want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge"},
		"paused":   {container: onNetworks(model.StatePaused, "bridge"), want: want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge"},
		"exited":   {container: onNetworks(model.StateExited, "bridge"), want: want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge"},
		"created":  {container: onNetworks(model.StateCreated, "bridge"), want: want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge"},
		"internal": {container: onNetworks(model.StateRunning, "inner"), want: want{model.OutcomeDone, "", []string{"disconnect" + id + "inner", "connect" + id + "none"}}, attached: "none", recorded: "inner"},
		"two networks": {
			container: onNetworks(model.StateRunning, "bridge", "work"),
			want:      want{model.OutcomeDone, "", []string{"disconnect" + id + "bridge", "disconnect" + id + "work", "connect" + id + "none"}},
			attached:  "none", recorded: "bridge, work",
		},
		"declared none, connected by someone": {
			container: func() model.Container {
				c := onNetworks(model.StateRunning, "bridge")
				c.Host.NetworkMode = model.NewText("none")
				return c
			}(),
			want: want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge",
		},
		"latched already": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(true, "bridge")),
			want: want{model.OutcomeDone, "already", nil}, attached: "none", recorded: "bridge",
		},
		"latched, but the record was left open": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(false, "bridge")),
			want: want{model.OutcomeDone, "already", nil}, attached: "none", recorded: "bridge",
		},
		"cut by someone else": {
			container: onNetworks(model.StateRunning),
			want:      want{model.OutcomeDone, "already", nil}, attached: "", recorded: "-",
		},
		"cut by us, latch missing": {
			container: onNetworks(model.StateRunning), record: new(recordOf(false, "bridge")),
			want: want{model.OutcomeDone, "", []string{"connect" + id + "none"}}, attached: "none", recorded: "bridge",
		},
		"half cut earlier": {
			container: onNetworks(model.StateRunning, "work"), record: new(recordOf(false, "bridge")),
			want:     want{model.OutcomeDone, "", []string{"disconnect" + id + "work", "connect" + id + "none"}},
			attached: "none", recorded: "work, bridge",
		},
		"reconnected by someone else after a whole cut": {
			container: onNetworks(model.StateRunning, "inner"), record: new(recordOf(true, "bridge")),
			want:     want{model.OutcomeDone, "", []string{"disconnect" + id + "inner", "connect" + id + "none"}},
			attached: "none", recorded: "inner",
		},
		"another client disconnects first": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     atCall("disconnect", func(_ *fakeEngine, c *model.Container) { c.Networks.Endpoints = nil }),
			want:      want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge",
		},
		"another client latches first": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     atCall("connect", func(_ *fakeEngine, c *model.Container) { attach(c, "none") }),
			want:      want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge",
		},
		"another client connects in between": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     atCall("connect", func(_ *fakeEngine, c *model.Container) { attach(c, "work") }),
			want:      want{model.OutcomePartial, "still attached to work", cutBridge}, attached: "work", recorded: "bridge", open: true,
		},
		"one network stays": {
			container: onNetworks(model.StateRunning, "bridge", "work"),
			setup: func(e *fakeEngine) {
				e.fault["disconnect"] = func(e *fakeEngine, _ model.ID) (error, bool) {
					if strings.HasSuffix(e.changes[len(e.changes)-1], "work") {
						return fmt.Errorf("busy: %w", errdefs.ErrInternal), false
					}
					return nil, true
				}
			},
			want: want{model.OutcomePartial, "still attached to work", []string{
				"disconnect" + id + "bridge", "disconnect" + id + "work", "connect" + id + "none",
			}},
			attached: "work", recorded: "bridge, work", open: true,
		},
		"not supported": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     answer("disconnect", fmt.Errorf("invalid network mode: %w", errdefs.ErrInternal), false),
			want:      want{model.OutcomeFailed, "nothing was cut", cutBridge}, attached: "bridge", recorded: "bridge", open: true,
		},
		"no answer, no effect": {
			container: onNetworks(model.StateRunning, "bridge", "work"), setup: answer("disconnect", timeout, false),
			want:     want{model.OutcomeUnknown, "without an answer", []string{"disconnect" + id + "bridge", "connect" + id + "none"}},
			attached: "bridge, work", recorded: "bridge, work", open: true,
		},
		"no answer to anything": {
			container: onNetworks(model.StateRunning, "bridge", "work"),
			setup:     both(answer("disconnect", timeout, false), atCall("disconnect", func(e *fakeEngine, _ *model.Container) { answer("inspect", timeout, false)(e) })),
			want:      want{model.OutcomeUnknown, "could not be read", cutBridge[:1]},
			attached:  "bridge, work", recorded: "bridge, work", open: true,
		},
		"no answer, but it worked": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("disconnect", timeout, true),
			want: want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge",
		},
		"no latch on this engine": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     func(e *fakeEngine) { e.networks = e.networks[1:] },
			want:      want{model.OutcomeDone, "not latched", cutBridge[:1]}, attached: "", recorded: "bridge",
		},
		"the default network of Podman": {
			container: onNetworks(model.StateRunning, "podman"), setup: onPodman,
			want: want{model.OutcomeDone, "not latched", []string{"disconnect" + id + "podman"}}, attached: "", recorded: "podman",
		},
		"kernel agrees": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     view(model.KernelInterface{Name: "lo", Up: true}, model.KernelInterface{Name: "tunl0"}),
			want:      want{model.OutcomeDone, "", cutBridge}, attached: "none", recorded: "bridge",
		},
		"kernel disagrees": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     view(model.KernelInterface{Name: "eth0", Up: true, Addresses: []netip.Addr{netip.MustParseAddr("172.17.0.2")}}),
			want:      want{model.OutcomePartial, "eth0", cutBridge}, attached: "none", recorded: "bridge", open: true,
		},
		"kernel cannot be read": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     func(e *fakeEngine) { e.views[fixtureID(1)] = &model.KernelView{Problem: "permission denied"} },
			want:      want{model.OutcomeDone, "permission denied", cutBridge}, attached: "none", recorded: "bridge",
		},
		"vanishes": {
			container: onNetworks(model.StateRunning, "bridge"), setup: atCall("disconnect", removeIt),
			want: want{model.OutcomeFailed, "gone", cutBridge}, attached: "gone", recorded: "bridge", open: true,
		},
		"networks cannot be listed": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("networks", errBroken, false),
			want: want{model.OutcomeFailed, "nothing was sent", nil}, attached: "bridge", recorded: "-",
		},
		"read-only engine": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("disconnect", ErrReadOnly, false),
			want: want{model.OutcomeRefused, "read-only", cutBridge[:1]}, attached: "bridge", recorded: "bridge", open: true,
		},
		"host mode":           {container: inMode("host"), want: want{model.OutcomeRefused, "host's network", nil}, recorded: "-"},
		"another's namespace": {container: inMode("container:abc"), want: want{model.OutcomeRefused, "container abc", nil}, recorded: "-"},
		"pasta":               {container: inMode("pasta:--map-gw"), want: want{model.OutcomeRefused, "rebuild", nil}, recorded: "-"},
		"slirp":               {container: inMode("slirp4netns"), want: want{model.OutcomeRefused, "rebuild", nil}, recorded: "-"},
		"no mode":             {container: inMode(""), want: want{model.OutcomeRefused, "rebuild", nil}, recorded: "-"},
		"dead":                {container: onNetworks(model.StateDead, "bridge"), want: want{model.OutcomeRefused, "it is dead", nil}, attached: "bridge", recorded: "-"},
		"networks not told": {
			container: func() model.Container {
				c := onNetworks(model.StateRunning)
				c.Networks.Known = false
				return c
			}(),
			want: want{model.OutcomeRefused, "does not say", nil}, recorded: "-",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, store := newFakeEngine(test.container), newFakeStore()
			if test.record != nil {
				store.records[test.container.ID] = *test.record
			}
			if test.setup != nil {
				test.setup(e)
			}
			target := execute(t, e, ActorOptions{Cuts: store}, planFor(model.ActionLockdownOn, model.MethodCut, test.container))
			test.want.check(t, e, target)
			if got := attachedNames(e); got != test.attached {
				t.Errorf("attached to %q, want %q", got, test.attached)
			}
			record, known := store.records[test.container.ID]
			switch {
			case !known && test.recorded != "-":
				t.Errorf("no record, want %q", test.recorded)
			case known && recordNames(record) != test.recorded:
				t.Errorf("recorded %q, want %q", recordNames(record), test.recorded)
			case known && record.Complete == test.open:
				t.Errorf("record complete is %t", record.Complete)
			}
		})
	}
}

func view(interfaces ...model.KernelInterface) func(*fakeEngine) {
	return func(e *fakeEngine) { e.views[fixtureID(1)] = &model.KernelView{Interfaces: interfaces} }
}

func TestCutIsRecordedBeforeItBegins(t *testing.T) {
	c := onNetworks(model.StateRunning, "bridge")
	tests := map[string]struct {
		options ActorOptions
		want    want
	}{
		"no store":        {ActorOptions{}, want{model.OutcomeRefused, "no place to record", nil}},
		"store is full":   {ActorOptions{Cuts: &fakeStore{saveErr: errBroken}}, want{model.OutcomeFailed, "nothing was sent", nil}},
		"store is broken": {ActorOptions{Cuts: &fakeStore{loadErr: errBroken}}, want{model.OutcomeFailed, "nothing was sent", nil}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newFakeEngine(c)
			test.want.check(t, e, execute(t, e, test.options, planFor(model.ActionLockdownOn, model.MethodCut, c)))
		})
	}
}

func TestCutRecordKeepsEndpointSettings(t *testing.T) {
	c := onNetworks(model.StateRunning, "work")
	endpoint := &c.Networks.Endpoints[0]
	endpoint.StaticIPv4 = model.NewText("10.9.0.5")
	endpoint.Aliases = []model.Text{model.NewText("db"), model.NewText(string(c.ID[:12])), model.NewText("store")}
	options := map[model.Text]model.Text{model.NewText("k"): model.NewText("v")}
	endpoint.DriverOpts = options
	e, store := newFakeEngine(c), newFakeStore()
	execute(t, e, ActorOptions{Cuts: store}, planFor(model.ActionLockdownOn, model.MethodCut, c))
	got := store.records[c.ID].Networks[0]
	wanted := model.CutNetwork{
		ID: strings.Repeat("3", 64), Name: model.NewText("work"), StaticIPv4: model.NewText("10.9.0.5"),
		Aliases: []model.Text{model.NewText("db"), model.NewText("store")}, DriverOpts: options,
	}
	if diff := cmp.Diff(wanted, got, cmp.Comparer(func(a, b model.Text) bool { return a == b })); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	config := endpointConfig(got)
	if config.IPAMConfig.IPv4Address.String() != "10.9.0.5" || strings.Join(config.Aliases, " ") != "db store" || config.DriverOpts["k"] != "v" {
		t.Errorf("connect would give %+v", config)
	}
	if endpointConfig(model.CutNetwork{Name: model.NewText("bridge"), Aliases: got.Aliases}) != nil {
		t.Error("the default bridge is given settings, which engines refuse")
	}
}

func TestReconnect(t *testing.T) {
	const id = " 000000000000"
	unlatch, bridge := "disconnect"+id+" none", "connect"+id+" bridge"
	whole := []string{"stop" + id, unlatch, bridge, "start" + id}
	autoRemove := onNetworks(model.StateRunning, "none")
	autoRemove.Host.AutoRemove = true
	tests := map[string]struct {
		container model.Container
		method    model.Method
		record    *model.CutRecord
		setup     func(*fakeEngine)
		want      want
		attached  string
		state     model.State
		kept      bool // the record stays
	}{
		"running": {
			container: onNetworks(model.StateRunning, "none"), want: want{model.OutcomeDone, "", whole}, attached: "bridge", state: model.StateRunning,
		},
		"running, not latched": {
			container: onNetworks(model.StateRunning), want: want{model.OutcomeDone, "", []string{"stop" + id, bridge, "start" + id}},
			attached: "bridge", state: model.StateRunning,
		},
		"to the default network of Podman": {
			container: onNetworks(model.StateRunning), method: model.MethodReconnectHot, record: new(recordOf(true, "podman")), setup: onPodman,
			want: want{model.OutcomeDone, "", []string{"connect" + id + " podman"}}, attached: "podman", state: model.StateRunning,
		},
		"hot": {
			container: onNetworks(model.StateRunning, "none"), method: model.MethodReconnectHot,
			want: want{model.OutcomeDone, "", []string{unlatch, bridge}}, attached: "bridge", state: model.StateRunning,
		},
		"paused": {
			container: onNetworks(model.StatePaused, "none"), want: want{model.OutcomeDone, "", append(whole[:4:4], "pause"+id)},
			attached: "bridge", state: model.StatePaused,
		},
		"exited": {
			container: onNetworks(model.StateExited, "none"), want: want{model.OutcomeDone, "", []string{unlatch, bridge}},
			attached: "bridge", state: model.StateExited,
		},
		"created": {
			container: onNetworks(model.StateCreated, "none"), want: want{model.OutcomeDone, "", []string{unlatch, bridge}},
			attached: "bridge", state: model.StateCreated,
		},
		"removes itself when stopped": {
			container: autoRemove, want: want{model.OutcomeRefused, "hot", nil}, attached: "none", state: model.StateRunning, kept: true,
		},
		"removes itself when stopped, hot": {
			container: autoRemove, method: model.MethodReconnectHot,
			want: want{model.OutcomeDone, "", []string{unlatch, bridge}}, attached: "bridge", state: model.StateRunning,
		},
		"does not stop": {
			container: onNetworks(model.StateRunning, "none"), setup: answer("stop", fmt.Errorf("hung: %w", errdefs.ErrInternal), false),
			want: want{model.OutcomeFailed, "it stays cut off", []string{"stop" + id}}, attached: "none", state: model.StateRunning, kept: true,
		},
		"started by another after the stop": {
			container: onNetworks(model.StateRunning, "none"), setup: atCall("disconnect", startIt),
			want: want{model.OutcomeDone, "", whole}, attached: "bridge", state: model.StateRunning,
		},
		"one network is gone": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(true, "bridge", "lost")),
			want: want{model.OutcomePartial, "not connected to lost; connect lost: network lost no longer exists; all else is back", whole}, attached: "bridge", state: model.StateRunning,
		},
		"every network is gone": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(true, "lost")),
			want: want{model.OutcomeFailed, "nothing was sent", nil}, attached: "none", state: model.StateRunning, kept: true,
		},
		"half reconnected earlier": {
			container: onNetworks(model.StateExited, "bridge"), record: new(recordOf(true, "bridge", "work")),
			want: want{model.OutcomeDone, "", []string{"connect" + id + " work"}}, attached: "bridge, work", state: model.StateExited,
		},
		"latch stays": {
			container: onNetworks(model.StateRunning, "none"), setup: answer("disconnect", fmt.Errorf("busy: %w", errdefs.ErrInternal), false),
			want: want{model.OutcomePartial, "not connected to bridge", whole}, attached: "none", state: model.StateRunning, kept: true,
		},
		"start fails": {
			container: onNetworks(model.StateRunning, "none"), setup: answer("start", fmt.Errorf("no such file: %w", errdefs.ErrInvalidArgument), false),
			want: want{model.OutcomePartial, "it was running and is exited", whole}, attached: "bridge", state: model.StateExited, kept: true,
		},
		"cut by someone else": {
			container: onNetworks(model.StateRunning, "none"), record: &model.CutRecord{},
			want: want{model.OutcomeRefused, "left alone", nil}, attached: "none", state: model.StateRunning, kept: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, store := newFakeEngine(test.container), newFakeStore()
			if test.record == nil {
				test.record = new(recordOf(true, "bridge"))
			}
			store.records[test.container.ID] = *test.record
			if test.setup != nil {
				test.setup(e)
			}
			if test.method == "" {
				test.method = model.MethodReconnect
			}
			target := execute(t, e, ActorOptions{Cuts: store}, planFor(model.ActionLockdownOff, test.method, test.container))
			test.want.check(t, e, target)
			if got := attachedNames(e); got != test.attached {
				t.Errorf("attached to %q, want %q", got, test.attached)
			}
			if got := e.containers[fixtureID(1)].State; got != test.state {
				t.Errorf("it is %s, want %s", got, test.state)
			}
			record, kept := store.records[test.container.ID]
			if kept != test.kept {
				t.Errorf("record kept is %t, want %t", kept, test.kept)
			}
			// What we opened ourselves must not pass for someone else's doing.
			if partly := target.Outcome == model.OutcomePartial; kept && len(record.Networks) > 0 && partly == record.Complete {
				t.Errorf("after %s the record is complete: %t", target.Outcome, record.Complete)
			}
		})
	}
}

func TestReconnectWithoutRecord(t *testing.T) {
	c := onNetworks(model.StateRunning, "none")
	tests := map[string]struct {
		store CutStore
		want  want
	}{
		"none":       {newFakeStore(), want{model.OutcomeRefused, "left alone", nil}},
		"no store":   {nil, want{model.OutcomeRefused, "no records", nil}},
		"unreadable": {&fakeStore{loadErr: errBroken}, want{model.OutcomeFailed, "nothing was sent", nil}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := newFakeEngine(c)
			test.want.check(t, e, execute(t, e, ActorOptions{Cuts: test.store}, planFor(model.ActionLockdownOff, model.MethodReconnect, c)))
		})
	}
}

func TestNetworkBook(t *testing.T) {
	named := fakeNetwork
	book := networkBook{named("bridge", "2"), named("twice", "5"), named("twice", "6"), named("bad", "/")}
	tests := map[string]struct {
		id, name string
		want     string
		fails    bool
	}{
		"by ID, whatever the name":    {strings.Repeat("5", 64), "bridge", strings.Repeat("5", 64), false},
		"by name when the ID is gone": {strings.Repeat("9", 64), "bridge", strings.Repeat("2", 64), false},
		"by name without an ID":       {"", "bridge", strings.Repeat("2", 64), false},
		"no such network":             {"", "lost", "", true},
		"part of a name":              {"", "brid", "", true},
		"two of one name":             {"", "twice", "", true},
		"an ID that is none":          {"", "bad", "", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := book.find(test.id, model.NewText(test.name))
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("found %q, error %v", got, err)
			}
		})
	}
}
