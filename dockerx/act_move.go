package dockerx

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hermes-sandbox/model"
)

// destination is the allowlist network that a container is brought to, as it was
// found right before the first call.
type destination struct {
	network model.Network
	book    networkBook
}

// move takes a container off all its networks, and off the latch, and then
// connects it to the network of an allowlist. In between it is cut off: there is
// no moment with more reach than before or after. What it was attached to is
// saved first, as for a cut, unless that was another allowlist's network.
func (t *attempt) move(work context.Context) result {
	if why := uncuttable(t.before); why != "" {
		return refused(why)
	}
	if t.cuts == nil {
		return refused("there is no place to record its networks, without which they cannot be given back")
	}
	to, stop := t.destination(work)
	if stop != nil {
		return *stop
	}
	record, known, err := t.cuts.Load(t.target.ID)
	if err != nil {
		return failed("the record of its networks could not be read: %s; nothing was sent", reason(err))
	}
	if to.alone(t.before) {
		res := t.moveShown(t.before, to, "it was on this network already; nothing was sent")
		if known && !record.Complete && res.outcome == model.OutcomeDone {
			record.Onto = to.network.Name
			res.notes = append(res.notes, t.settle(record)...)
		}
		return res
	}
	record = moveRecord(record, known, t.before, to.book, to.network.Name, time.Now())
	if known || givesBack(record) {
		if err := t.cuts.Save(t.engine.host, t.target.ID, record); err != nil {
			return failed("its networks could not be recorded: %s; nothing was sent", reason(err))
		}
	}
	if stop := t.leave(work, to); stop != nil {
		return *stop
	}
	return t.arrive(work, to, record)
}

// destination finds the network of the target's allowlist and makes sure that
// its proxy serves it (contract 6.4.6): nothing is taken off before there is
// somewhere to go.
func (t *attempt) destination(work context.Context) (*destination, *result) {
	stop := func(res result) (*destination, *result) { return nil, &res }
	if t.target.Allowlist == nil {
		return stop(refused("the plan names no allowlist for it; make a new plan"))
	}
	if t.engine.pruner == nil {
		return stop(refused("networks cannot be looked at on this engine"))
	}
	const remedy = "nothing was sent; make a new plan, which sets the network and its proxy up again"
	book, err := t.networks(work)
	if err != nil {
		return stop(failed("its networks could not be looked up: %s; nothing was sent", reason(err)))
	}
	name, proxyName := model.EgressNames(t.target.Allowlist)
	id, err := book.find("", model.NewText(name))
	if err != nil {
		return stop(failed("%s; %s", reason(err), remedy))
	}
	ctx, cancel := context.WithTimeout(work, t.limit)
	defer cancel()
	found, err := t.engine.pruner.inspectNetwork(ctx, id)
	switch {
	case err != nil:
		return stop(failed("network %s could not be inspected: %s; nothing was sent", name, reason(err)))
	case found.Name.Raw() != name, !found.Internal, found.Labels.Value(model.LabelAllowlist).Empty():
		return stop(refused(fmt.Sprintf("network %s is not internal or has no label %s, so it is no allowlist network; nothing was sent: remove it, then make a new plan",
			name, model.LabelAllowlist)))
	}
	on, err := t.engine.pruner.containersOn(ctx, id)
	if err != nil {
		return stop(failed("who is on network %s could not be read: %s; nothing was sent", name, reason(err)))
	}
	at := slices.IndexFunc(on, func(c model.Container) bool { return c.Name.Raw() == proxyName && c.ID.Valid() })
	if at < 0 {
		return stop(failed("network %s has no proxy %s; %s", name, proxyName, remedy))
	}
	proxy, gone, err := t.other(on[at].ID).inspect(work)
	switch {
	case gone:
		return stop(failed("proxy %s is gone; %s", proxyName, remedy))
	case err != nil:
		return stop(failed("proxy %s could not be inspected: %s; nothing was sent", proxyName, reason(err)))
	}
	if fault := model.EgressProxyFault(&proxy, t.target.Allowlist, found); fault != "" {
		return stop(failed("network %s: %s; %s", name, fault, remedy))
	}
	return &destination{network: found, book: book}, nil
}

// alone reports whether a container is attached to this network and to no other.
func (d *destination) alone(c model.Container) bool {
	return c.Networks.Known && len(c.Networks.Endpoints) == 1 && d.has(c.Networks.Endpoints[0])
}

// has reports whether an endpoint is one of this network. Those of a container
// that does not run carry no network ID.
func (d *destination) has(e model.Endpoint) bool {
	return e.Network == d.network.Name && (e.NetworkID == "" || e.NetworkID == d.network.ID)
}

// leave takes the container off everything but the network it goes to, and makes
// sure of it. It returns nil when the container may be connected.
func (t *attempt) leave(work context.Context, to *destination) *result {
	leaving := slices.DeleteFunc(slices.Clone(t.before.Networks.Endpoints), to.has)
	callErr := t.disconnectAll(work, to.book, leaving)
	if stop := refusal(callErr); stop != nil {
		return stop
	}
	now, gone, err := t.inspect(work)
	var stop result
	switch {
	case gone:
		stop = failed("it is gone since it was to be moved; look again")
	case err != nil:
		stop = t.unverified(work, "its disconnect", err)
	case !now.Networks.Known:
		stop = unknown("it was disconnected, but the engine does not say what is attached now; look again")
	default:
		left := slices.DeleteFunc(slices.Clone(now.Networks.Endpoints), to.has)
		if len(left) == 0 {
			return nil
		}
		stop = t.notLeft(left, callErr)
	}
	return &stop
}

// notLeft words a disconnect that left something attached, after which nothing
// is connected.
func (t *attempt) notLeft(left []model.Endpoint, callErr error) result {
	switch {
	case silent(callErr):
		return unknown("the disconnect was sent without an answer (%s), and it is still attached to %s; look again", reason(callErr), names(left))
	case callErr != nil && len(left) == len(t.before.Networks.Endpoints):
		return failed("it is still attached to %s: %s; nothing was moved", names(left), reason(callErr))
	}
	return partial("it is still attached to %s: %s; it was not connected to the allowlist network, so move it again", names(left), reason(callErr))
}

// arrive connects the container and looks at what is attached now, which
// decides, whatever the call answered.
func (t *attempt) arrive(work context.Context, to *destination, record model.CutRecord) result {
	var callErr error
	if !slices.ContainsFunc(t.before.Networks.Endpoints, to.has) {
		callErr = t.connectTo(work, to.network.ID, nil)
		if stop := refusal(callErr); stop != nil {
			return *stop
		}
	}
	now, gone, err := t.inspect(work)
	state := model.NewText(string(now.State))
	switch {
	case gone:
		return failed("it is gone since it was to be moved; look again")
	case err != nil:
		return t.unverified(work, "the move", err)
	case !now.Networks.Known || !knownState(now.State):
		return unknown("the move was sent, but the engine does not say what it is now; look again")
	case len(connections(now)) == 0 && silent(callErr):
		return unknown("it is cut off: the connect to %s was sent without an answer (%s); look again", to.network.Name, reason(callErr))
	case len(connections(now)) == 0 && len(connections(t.before)) == 0:
		return failed("it is still cut off: connect %s: %s; move it again", to.network.Name, reason(callErr))
	case len(connections(now)) == 0:
		return partial("it is cut off now: connect %s: %s; move it again, or reconnect it", to.network.Name, reason(callErr))
	case !to.alone(now):
		return partial("it is attached to %s and not to %s alone; move it again", names(now.Networks.Endpoints), to.network.Name)
	case now.State != t.before.State:
		return partial("it is on network %s, but it was %s and is %s", to.network.Name, model.NewText(string(t.before.State)), state)
	}
	res := t.moveShown(now, to)
	if res.outcome == model.OutcomeDone {
		res.notes = append(res.notes, t.settle(record)...)
	}
	return res
}

// settle marks a record as that of a finished move; one that has nothing else to
// give back goes.
func (t *attempt) settle(record model.CutRecord) []string {
	if givesBack(record) {
		return t.complete(record)
	}
	if err := t.cuts.Delete(t.target.ID); err != nil {
		return []string{"the record of its networks could not be deleted: " + reason(err)}
	}
	return nil
}

// moveShown judges a container that the engine shows on the allowlist network
// alone. On a local engine the kernel has the last word: another interface left
// there can carry traffic past the proxy. Older engines give an internal network
// a default route that leads no further than its gateway, so that routes do not
// tell.
func (t *attempt) moveShown(now model.Container, to *destination, notes ...string) result {
	if t.engine.kernel == nil || (now.State != model.StateRunning && now.State != model.StatePaused) {
		return done(notes...)
	}
	view := t.engine.kernel(now)
	switch {
	case view == nil:
		return done(notes...)
	case view.Problem != "":
		return done(append(notes, "the kernel's view could not be read: "+view.Problem)...)
	}
	var shown []string
	for _, i := range view.Interfaces {
		if i.Counts() {
			shown = append(shown, model.NewText(i.Name).Display())
		}
	}
	if len(shown) != 1 {
		return partial("the engine shows network %s alone, but the kernel shows interfaces %q; stop it and move it again", to.network.Name, shown)
	}
	return done(notes...)
}
