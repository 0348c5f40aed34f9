package dockerx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/types/network"

	"hermes-sandbox/model"
)

// Two allowlist networks of contract 6.2.
const (
	listA = "hermes-egress-a4aa2ac280" // pypi.org
	listB = "hermes-egress-b9ca2e323c" // github.com, pypi.org
)

func allowlistOf(network string) []string {
	if network == listA {
		return []string{"pypi.org"}
	}
	return []string{"github.com", "pypi.org"}
}

// proxyOf is the running proxy of an allowlist network.
func proxyOf(n int, network string) model.Container {
	c := fixtureContainer(n, model.StateRunning)
	_, name := model.EgressNames(allowlistOf(network))
	c.Name, c.Labels = model.NewText(name), model.Labels{model.NewText("hermes.egress"): model.NewText("1")}
	c.Env = []model.Text{model.NewText("EGRESS_ALLOWLIST=" + model.EgressAllowlist(allowlistOf(network)))}
	attach(&c, network)
	return c
}

// egressEngine is a fake engine with both allowlist networks and their proxies.
func egressEngine(containers ...model.Container) *fakeEngine {
	e := newFakeEngine(append(containers, proxyOf(8, listA), proxyOf(9, listB))...)
	for name, digit := range map[string]string{listA: "5", listB: "6"} {
		made := fakeNetwork(name, digit)
		made.Internal, made.Labels = true, map[string]string{"hermes.egress": "1"}
		e.networks = append(e.networks, made)
	}
	return e
}

func (e *fakeEngine) inspectNetwork(_ context.Context, id string) (model.Network, error) {
	if fault := e.fault["network"]; fault != nil {
		err, _ := fault(e, "")
		return model.Network{}, err
	}
	for _, n := range e.networks {
		if n.ID == id {
			labels := model.Labels{}
			for key, value := range n.Labels {
				labels[model.NewText(key)] = model.NewText(value)
			}
			return model.Network{ID: n.ID, Name: model.NewText(n.Name), Internal: n.Internal, Labels: labels}, nil
		}
	}
	return model.Network{}, errdefs.ErrNotFound
}

func (e *fakeEngine) containersOn(_ context.Context, id string) ([]model.Container, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var on []model.Container
	for _, c := range e.containers {
		if slices.ContainsFunc(c.Networks.Endpoints, func(p model.Endpoint) bool { return p.NetworkID == id }) {
			on = append(on, *c)
		}
	}
	return on, nil
}

func (e *fakeEngine) removeNetwork(context.Context, string) error { return errors.ErrUnsupported }

// moveTo is a plan that moves a container to an allowlist network.
func moveTo(network string, c model.Container) model.Plan {
	plan := planFor(model.ActionLockdownAllowlist, model.MethodMove, c)
	plan.Targets[0].Allowlist = allowlistOf(network)
	return plan
}

func movedRecord(complete bool, onto string, networks ...string) *model.CutRecord {
	record := recordOf(complete, networks...)
	record.Onto = model.NewText(onto)
	return &record
}

// recordWords says what a record holds, "-" for none.
func recordWords(store *fakeStore) string {
	record, known := store.records[fixtureID(1)]
	if !known {
		return "-"
	}
	words := recordNames(record)
	if !record.Onto.Empty() {
		words += " onto " + record.Onto.Display()
	}
	if !record.Complete {
		words += ", open"
	}
	return words
}

func TestMove(t *testing.T) {
	const id = " 000000000000 "
	timeout := fmt.Errorf("no answer: %w", context.DeadlineExceeded)
	leave, arrive := "disconnect"+id+"bridge", "connect"+id+listA
	live := []string{leave, arrive}
	proxy := func(change func(*model.Container)) func(*fakeEngine) {
		return func(e *fakeEngine) { change(e.containers[fixtureID(8)]) }
	}
	withNetwork := func(change func(e *fakeEngine, at int)) func(*fakeEngine) {
		return func(e *fakeEngine) {
			change(e, slices.IndexFunc(e.networks, func(n network.Summary) bool { return n.Name == listA }))
		}
	}
	nothing := func(outcome model.Outcome, says string) want { return want{outcome, says, nil} }
	tests := map[string]struct {
		container model.Container
		record    *model.CutRecord
		setup     func(*fakeEngine)
		want      want
		attached  string
		record2   string
	}{
		"running": {container: onNetworks(model.StateRunning, "bridge"), want: want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA},
		"paused":  {container: onNetworks(model.StatePaused, "bridge"), want: want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA},
		"exited":  {container: onNetworks(model.StateExited, "bridge"), want: want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA},
		"created": {container: onNetworks(model.StateCreated, "bridge"), want: want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA},
		"two networks": {
			container: onNetworks(model.StateRunning, "bridge", "work"), want: want{model.OutcomeDone, "", []string{leave, "disconnect" + id + "work", arrive}},
			attached: listA, record2: "bridge, work onto " + listA,
		},
		"made without a network": {
			container: onNetworks(model.StateRunning, "none"), want: want{model.OutcomeDone, "", []string{"disconnect" + id + "none", arrive}},
			attached: listA, record2: "-",
		},
		"cut off by us": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(true, "bridge")),
			want:     want{model.OutcomeDone, "", []string{"disconnect" + id + "none", arrive}},
			attached: listA, record2: "bridge onto " + listA,
		},
		"from another list, made on it": {
			container: onNetworks(model.StateRunning, listB), want: want{model.OutcomeDone, "", []string{"disconnect" + id + listB, arrive}},
			attached: listA, record2: "-",
		},
		"from another list, moved there": {
			container: onNetworks(model.StateRunning, listB), record: movedRecord(true, listB, "bridge"),
			want:     want{model.OutcomeDone, "", []string{"disconnect" + id + listB, arrive}},
			attached: listA, record2: "bridge onto " + listA,
		},
		"connected elsewhere by someone after a move": {
			container: onNetworks(model.StateRunning, "work"), record: movedRecord(true, listB, "bridge"),
			want:     want{model.OutcomeDone, "", []string{"disconnect" + id + "work", arrive}},
			attached: listA, record2: "work onto " + listA,
		},
		"back to the list it was cut off from": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(true, listA)),
			want:     want{model.OutcomeDone, "", []string{"disconnect" + id + "none", arrive}},
			attached: listA, record2: "-",
		},
		"half moved earlier": {
			container: onNetworks(model.StateRunning), record: movedRecord(false, listA, "bridge"),
			want: want{model.OutcomeDone, "", []string{arrive}}, attached: listA, record2: "bridge onto " + listA,
		},
		"there already": {
			container: onNetworks(model.StateRunning, listA), want: want{model.OutcomeDone, "already", nil}, attached: listA, record2: "-",
		},
		"there already, but the record was left open": {
			container: onNetworks(model.StateRunning, listA), record: movedRecord(false, listA, "bridge"),
			want: want{model.OutcomeDone, "already", nil}, attached: listA, record2: "bridge onto " + listA,
		},
		"there and elsewhere": {
			container: onNetworks(model.StateRunning, listA, "bridge"), want: want{model.OutcomeDone, "", []string{leave}}, attached: listA, record2: "bridge onto " + listA,
		},
		"does not leave": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("disconnect", fmt.Errorf("busy: %w", errdefs.ErrInternal), false),
			want:     want{model.OutcomeFailed, "nothing was moved", []string{leave}},
			attached: "bridge", record2: "bridge onto " + listA + ", open",
		},
		"leaves one of two": {
			container: onNetworks(model.StateRunning, "bridge", "work"),
			setup: func(e *fakeEngine) {
				e.fault["disconnect"] = func(e *fakeEngine, _ model.ID) (error, bool) {
					return fmt.Errorf("busy: %w", errdefs.ErrInternal), strings.HasSuffix(e.changes[len(e.changes)-1], "bridge")
				}
			},
			want:     want{model.OutcomePartial, "it was not connected", []string{leave, "disconnect" + id + "work"}},
			attached: "work", record2: "bridge, work onto " + listA + ", open",
		},
		"no answer to the disconnect, no effect": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("disconnect", timeout, false),
			want:     want{model.OutcomeUnknown, "still attached to bridge", []string{leave}},
			attached: "bridge", record2: "bridge onto " + listA + ", open",
		},
		"no answer to the disconnect, but it worked": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("disconnect", timeout, true),
			want: want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA,
		},
		"connected elsewhere by someone in between": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup: func(e *fakeEngine) {
				e.before["inspect"] = func(e *fakeEngine, id model.ID) {
					if c := e.containers[id]; len(c.Networks.Endpoints) == 0 {
						attach(c, "work")
					}
				}
			},
			want:     want{model.OutcomePartial, "still attached to work", []string{leave}},
			attached: "work", record2: "bridge onto " + listA + ", open",
		},
		"connected elsewhere by someone before us": {
			container: onNetworks(model.StateRunning, "bridge"), setup: atCall("connect", func(_ *fakeEngine, c *model.Container) { attach(c, "work") }),
			want:     want{model.OutcomePartial, "not to " + listA + " alone", live},
			attached: "work, " + listA, record2: "bridge onto " + listA + ", open",
		},
		"latched by someone before us": {
			container: onNetworks(model.StateRunning, "bridge"), setup: atCall("connect", func(_ *fakeEngine, c *model.Container) { attach(c, "none") }),
			want:     want{model.OutcomePartial, "it is cut off now", live},
			attached: "none", record2: "bridge onto " + listA + ", open",
		},
		"is not let in": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("connect", fmt.Errorf("no address left: %w", errdefs.ErrInternal), false),
			want:     want{model.OutcomePartial, "it is cut off now: connect " + listA, live},
			attached: "", record2: "bridge onto " + listA + ", open",
		},
		"is not let in, cut off before": {
			container: onNetworks(model.StateRunning, "none"), record: new(recordOf(true, "bridge")),
			setup:    answer("connect", fmt.Errorf("no address left: %w", errdefs.ErrInternal), false),
			want:     want{model.OutcomeFailed, "it is still cut off", []string{"disconnect" + id + "none", arrive}},
			attached: "", record2: "bridge onto " + listA + ", open",
		},
		"no answer to the connect": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("connect", timeout, false),
			want: want{model.OutcomeUnknown, "it is cut off", live}, attached: "", record2: "bridge onto " + listA + ", open",
		},
		"no answer to the connect, but it worked": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("connect", timeout, true),
			want: want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA,
		},
		"stops on the way": {
			container: onNetworks(model.StateRunning, "bridge"), setup: atCall("connect", setState(model.StateExited)),
			want:     want{model.OutcomePartial, "it was running and is exited", live},
			attached: listA, record2: "bridge onto " + listA + ", open",
		},
		"vanishes": {
			container: onNetworks(model.StateRunning, "bridge"), setup: atCall("disconnect", removeIt),
			want: want{model.OutcomeFailed, "gone", []string{leave}}, attached: "gone", record2: "bridge onto " + listA + ", open",
		},
		"kernel agrees": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     view(model.KernelInterface{Name: "lo", Up: true}, model.KernelInterface{Name: "eth1", Up: true}, model.KernelInterface{Name: "tunl0"}),
			want:      want{model.OutcomeDone, "", live}, attached: listA, record2: "bridge onto " + listA,
		},
		"kernel disagrees": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     view(model.KernelInterface{Name: "eth0", Up: true}, model.KernelInterface{Name: "eth1", Up: true}),
			want:      want{model.OutcomePartial, `["eth0" "eth1"]`, live}, attached: listA, record2: "bridge onto " + listA + ", open",
		},
		"kernel cannot be read": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     func(e *fakeEngine) { e.views[fixtureID(1)] = &model.KernelView{Problem: "permission denied"} },
			want:      want{model.OutcomeDone, "permission denied", live}, attached: listA, record2: "bridge onto " + listA,
		},
		"read-only engine": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("disconnect", ErrReadOnly, false),
			want: want{model.OutcomeRefused, "read-only", []string{leave}}, attached: "bridge", record2: "bridge onto " + listA + ", open",
		},
		"no such network": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     withNetwork(func(e *fakeEngine, at int) { e.networks = slices.Delete(e.networks, at, at+1) }),
			want:      nothing(model.OutcomeFailed, "no longer exists; nothing was sent"), attached: "bridge", record2: "-",
		},
		"two networks of the name": {
			container: onNetworks(model.StateRunning, "bridge"),
			setup:     func(e *fakeEngine) { e.networks = append(e.networks, fakeNetwork(listA, "7")) },
			want:      nothing(model.OutcomeFailed, "2 networks are named"), attached: "bridge", record2: "-",
		},
		"network is open": {
			container: onNetworks(model.StateRunning, "bridge"), setup: withNetwork(func(e *fakeEngine, at int) { e.networks[at].Internal = false }),
			want: nothing(model.OutcomeRefused, "not internal"), attached: "bridge", record2: "-",
		},
		"network has no label": {
			container: onNetworks(model.StateRunning, "bridge"), setup: withNetwork(func(e *fakeEngine, at int) { e.networks[at].Labels = nil }),
			want: nothing(model.OutcomeRefused, "no label hermes.egress"), attached: "bridge", record2: "-",
		},
		"network cannot be inspected": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("network", errBroken, false),
			want: nothing(model.OutcomeFailed, "nothing was sent"), attached: "bridge", record2: "-",
		},
		"networks cannot be listed": {
			container: onNetworks(model.StateRunning, "bridge"), setup: answer("networks", errBroken, false),
			want: nothing(model.OutcomeFailed, "nothing was sent"), attached: "bridge", record2: "-",
		},
		"no proxy": {
			container: onNetworks(model.StateRunning, "bridge"), setup: func(e *fakeEngine) { delete(e.containers, fixtureID(8)) },
			want: nothing(model.OutcomeFailed, "has no proxy"), attached: "bridge", record2: "-",
		},
		"proxy is down": {
			container: onNetworks(model.StateRunning, "bridge"), setup: proxy(func(c *model.Container) { c.State = model.StateExited }),
			want: nothing(model.OutcomeFailed, "is exited; nothing was sent"), attached: "bridge", record2: "-",
		},
		"proxy lets another list through": {
			container: onNetworks(model.StateRunning, "bridge"), setup: proxy(func(c *model.Container) { c.Env[0] = model.NewText("EGRESS_ALLOWLIST=evil.example") }),
			want: nothing(model.OutcomeFailed, "another list"), attached: "bridge", record2: "-",
		},
		"proxy is a stranger": {
			container: onNetworks(model.StateRunning, "bridge"), setup: proxy(func(c *model.Container) { c.Labels = nil }),
			want: nothing(model.OutcomeFailed, "no proxy of this allowlist"), attached: "bridge", record2: "-",
		},
		"host mode":           {container: inMode("host"), want: nothing(model.OutcomeRefused, "host's network"), record2: "-"},
		"another's namespace": {container: inMode("container:abc"), want: nothing(model.OutcomeRefused, "container abc"), record2: "-"},
		"slirp":               {container: inMode("slirp4netns"), want: nothing(model.OutcomeRefused, "rebuild"), record2: "-"},
		"dead":                {container: onNetworks(model.StateDead, "bridge"), want: nothing(model.OutcomeRefused, "it is dead"), attached: "bridge", record2: "-"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, store := egressEngine(test.container), newFakeStore()
			if test.record != nil {
				store.records[test.container.ID] = *test.record
			}
			if test.setup != nil {
				test.setup(e)
			}
			test.want.check(t, e, execute(t, e, ActorOptions{Cuts: store}, moveTo(listA, test.container)))
			if got := attachedNames(e); got != test.attached {
				t.Errorf("attached to %q, want %q", got, test.attached)
			}
			if got := recordWords(store); got != test.record2 {
				t.Errorf("recorded %q, want %q", got, test.record2)
			}
		})
	}
}

func TestMoveIsRecordedBeforeItBegins(t *testing.T) {
	c := onNetworks(model.StateRunning, "bridge")
	noList := moveTo(listA, c)
	noList.Targets[0].Allowlist = nil
	tests := map[string]struct {
		options ActorOptions
		plan    model.Plan
		want    want
	}{
		"no store":        {ActorOptions{}, moveTo(listA, c), want{model.OutcomeRefused, "no place to record", nil}},
		"store is full":   {ActorOptions{Cuts: &fakeStore{saveErr: errBroken}}, moveTo(listA, c), want{model.OutcomeFailed, "nothing was sent", nil}},
		"store is broken": {ActorOptions{Cuts: &fakeStore{loadErr: errBroken}}, moveTo(listA, c), want{model.OutcomeFailed, "nothing was sent", nil}},
		"no list":         {ActorOptions{Cuts: newFakeStore()}, noList, want{model.OutcomeRefused, "names no allowlist", nil}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := egressEngine(c)
			test.want.check(t, e, execute(t, e, test.options, test.plan))
		})
	}
}

// TestMoveCutReconnect goes through the positions one after another and looks at
// what is attached and recorded after each.
func TestMoveCutReconnect(t *testing.T) {
	type step struct {
		to       string // a list, "cut", "back" or "back hot"
		attached string
		record   string
	}
	tests := map[string]struct {
		made  string
		steps []step
	}{
		"bridge, A, cut, back": {"bridge", []step{
			{listA, listA, "bridge onto " + listA}, {"cut", "none", "bridge"}, {"back", "bridge", "-"},
		}},
		"bridge, A, B, back": {"bridge", []step{
			{listA, listA, "bridge onto " + listA}, {listB, listB, "bridge onto " + listB}, {"back", "bridge", "-"},
		}},
		"bridge, A, back as it runs": {"bridge", []step{
			{listA, listA, "bridge onto " + listA}, {"back hot", "bridge", "-"},
		}},
		"bridge, cut, A, back": {"bridge", []step{
			{"cut", "none", "bridge"}, {listA, listA, "bridge onto " + listA}, {"back", "bridge", "-"},
		}},
		"bridge, cut, A, cut, B, back": {"bridge", []step{
			{"cut", "none", "bridge"},
			{listA, listA, "bridge onto " + listA},
			{"cut", "none", "bridge"},
			{listB, listB, "bridge onto " + listB},
			{"back", "bridge", "-"},
		}},
		"made on A, B": {listA, []step{{listB, listB, "-"}}},
		"made on A, B, cut, back": {listA, []step{
			{listB, listB, "-"}, {"cut", "none", listB}, {"back", listB, "-"},
		}},
		"made on A, cut, back": {listA, []step{{"cut", "none", listA}, {"back", listA, "-"}}},
		"made on A, cut, B, back": {listA, []step{
			{"cut", "none", listA}, {listB, listB, listA + " onto " + listB}, {"back", listA, "-"},
		}},
		"made on A, cut, A": {listA, []step{{"cut", "none", listA}, {listA, listA, "-"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, store := egressEngine(onNetworks(model.StateRunning, test.made)), newFakeStore()
			for _, step := range test.steps {
				c := *e.containers[fixtureID(1)]
				var plan model.Plan
				switch step.to {
				case "cut":
					plan = planFor(model.ActionLockdownOn, model.MethodCut, c)
				case "back":
					plan = planFor(model.ActionLockdownOff, model.MethodReconnect, c)
				case "back hot":
					plan = planFor(model.ActionLockdownOff, model.MethodReconnectHot, c)
				default:
					plan = moveTo(step.to, c)
				}
				watchReach(t, e)
				target := execute(t, e, ActorOptions{Cuts: store}, plan)
				mustOutcome(t, target, model.OutcomeDone, "")
				if diff := cmp.Diff([]string{step.attached, step.record}, []string{attachedNames(e), recordWords(store)}); diff != "" {
					t.Errorf("after %s (-want +got):\n%s", step.to, diff)
				}
			}
		})
	}
}

// watchReach fails the test when a connect meets a container that is still on
// another network: it would reach more than before and after.
func watchReach(t *testing.T, e *fakeEngine) {
	t.Helper()
	e.before["connect"] = func(e *fakeEngine, id model.ID) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if on := e.containers[id].Networks.Endpoints; len(on) > 0 {
			t.Errorf("connected while it is on %s", names(on))
		}
	}
}

// TestCutAfterAMoveThatStoppedHalfWay cuts containers off that a move, or a cut
// after one, left in the middle: what they get back is never an allowlist
// network beside what it took the place of.
func TestCutAfterAMoveThatStoppedHalfWay(t *testing.T) {
	tests := map[string]struct {
		attached []string
		record   *model.CutRecord
		want     string
	}{
		"before it left":                 {[]string{"bridge"}, movedRecord(false, listA, "bridge"), "bridge"},
		"when it had left":               {nil, movedRecord(false, listA, "bridge"), "bridge"},
		"when it had arrived":            {[]string{listA}, movedRecord(false, listA, "bridge"), "bridge"},
		"on the way from list to list":   {[]string{listB}, movedRecord(false, listA, "bridge"), "bridge"},
		"with one more that was added":   {[]string{listA, "work"}, movedRecord(true, listA, "bridge"), "work, bridge"},
		"moved, then connected by other": {[]string{"work"}, movedRecord(true, listA, "bridge"), "work"},
		"moved, then latched by other":   {[]string{"none"}, movedRecord(true, listA, "bridge"), "bridge"},
		"moved, then cut by other":       {nil, movedRecord(true, listA, "bridge"), "bridge"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := onNetworks(model.StateRunning, test.attached...)
			e, store := egressEngine(c), newFakeStore()
			store.records[c.ID] = *test.record
			target := execute(t, e, ActorOptions{Cuts: store}, planFor(model.ActionLockdownOn, model.MethodCut, c))
			if target.Outcome != model.OutcomeDone || attachedNames(e) != "none" || recordWords(store) != test.want {
				t.Errorf("%s (%s), attached to %q, recorded %q, want %q", target.Outcome, target.Error, attachedNames(e), recordWords(store), test.want)
			}
		})
	}
}

// TestReconnectLeavesTheAllowlistFirst keeps a container that does not leave its
// allowlist network on that one alone.
func TestReconnectLeavesTheAllowlistFirst(t *testing.T) {
	c := onNetworks(model.StateRunning, listA)
	e, store := egressEngine(c), newFakeStore()
	store.records[c.ID] = *movedRecord(true, listA, "bridge")
	answer("disconnect", fmt.Errorf("busy: %w", errdefs.ErrInternal), false)(e)
	target := execute(t, e, ActorOptions{Cuts: store}, planFor(model.ActionLockdownOff, model.MethodReconnectHot, c))
	mustOutcome(t, target, model.OutcomePartial, "still attached to "+listA)
	if attachedNames(e) != listA || recordWords(store) != "bridge onto "+listA+", open" {
		t.Errorf("attached to %q, recorded %q", attachedNames(e), recordWords(store))
	}
	delete(e.fault, "disconnect")
	c = *e.containers[c.ID]
	mustOutcome(t, execute(t, e, ActorOptions{Cuts: store}, planFor(model.ActionLockdownOff, model.MethodReconnectHot, c)), model.OutcomeDone, "")
	if attachedNames(e) != "bridge" || recordWords(store) != "-" {
		t.Errorf("attached to %q, recorded %q", attachedNames(e), recordWords(store))
	}
}
