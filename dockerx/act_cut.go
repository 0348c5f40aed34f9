package dockerx

import (
	"context"
	"fmt"
	"time"

	"hermes-sandbox/model"
)

// cut takes a container off every network and latches it on network none, which
// makes the engine refuse any later connect, over restarts too. What it was
// attached to is saved first. Open connections are not torn down by it: what
// they queue waits until the container is connected again.
func (t *attempt) cut(work context.Context) result {
	if why := uncuttable(t.before); why != "" {
		return refused(why)
	}
	if t.cuts == nil {
		return refused("there is no place to record its networks, without which they cannot be given back")
	}
	record, known, err := t.cuts.Load(t.target.ID)
	if err != nil {
		return failed("the record of an earlier cut could not be read: %s; nothing was sent", reason(err))
	}
	attached := connections(t.before)
	if len(attached) == 0 && (latched(t.before) || !known) {
		res := t.cutShown(t.before, "it had no network already; nothing was sent")
		if known && (!record.Complete || !record.Onto.Empty()) && res.outcome == model.OutcomeDone {
			record.Onto = model.Text{}
			res.notes = append(res.notes, t.complete(record)...)
		}
		return res
	}
	book, err := t.networks(work)
	if err != nil {
		return failed("its networks could not be looked up: %s; nothing was sent", reason(err))
	}
	if len(attached) > 0 {
		record = extendRecord(record, known, t.before, time.Now())
		if err := t.cuts.Save(t.engine.host, t.target.ID, record); err != nil {
			return failed("its networks could not be recorded: %s; nothing was sent", reason(err))
		}
	}
	callErr := t.disconnectAll(work, book, attached)
	if stop := refusal(callErr); stop != nil {
		return *stop
	}
	if silent(callErr) {
		if _, _, err := t.inspect(work); err != nil {
			return t.unverified(work, "the cut", err)
		}
	}
	latchErr := t.latch(work, book)
	return t.verifyCut(work, record, callErr, latchErr)
}

// disconnectAll tries every network, whatever the others answered, and returns
// the first error. An engine that does not answer is not asked again.
func (t *attempt) disconnectAll(work context.Context, book networkBook, attached []model.Endpoint) error {
	var first error
	for _, endpoint := range attached {
		id, err := endpoint.NetworkID, error(nil)
		if !networkID(id) {
			id, err = book.find("", endpoint.Network)
		}
		if err == nil {
			err = t.disconnectFrom(work, id)
		}
		if err != nil && first == nil {
			first = fmt.Errorf("disconnect %s: %w", endpoint.Network, err)
		}
		if silent(err) {
			break
		}
	}
	return first
}

// latch connects network none. Engines without one, such as Podman, have no
// latch.
func (t *attempt) latch(work context.Context, book networkBook) error {
	id, err := book.find("", model.NewText(noneNetwork))
	if err != nil {
		return err
	}
	return t.connectTo(work, id, nil)
}

// verifyCut looks at what is attached now, which decides, whatever the calls
// answered.
func (t *attempt) verifyCut(work context.Context, record model.CutRecord, callErr, latchErr error) result {
	now, gone, err := t.inspect(work)
	switch {
	case gone:
		return failed("it is gone since it was to be cut off; look again")
	case err != nil:
		return t.unverified(work, "the cut", err)
	case !now.Networks.Known:
		return unknown("the cut was sent, but the engine does not say what is attached now; look again")
	}
	left := connections(now)
	switch {
	case len(left) > 0 && silent(callErr):
		return unknown("the cut was sent without an answer (%s), and it is still attached to %s; look again", reason(callErr), names(left))
	case len(left) > 0 && callErr != nil && len(left) == len(connections(t.before)):
		return failed("it is still attached to %s: %s; nothing was cut", names(left), reason(callErr))
	case len(left) > 0:
		return partial("it is still attached to %s: %s; cut it again", names(left), reason(callErr))
	}
	res := t.cutShown(now)
	if res.outcome != model.OutcomeDone {
		return res
	}
	record.Onto = model.Text{} // cut off now; until here a retry has to know
	if !latched(now) {
		res.notes = append(res.notes, "not latched, so that anyone can connect it again: "+reason(latchErr))
	}
	res.notes = append(res.notes, t.complete(record)...)
	return res
}

// complete marks a record as that of a finished cut or move, and returns a note when it
// cannot.
func (t *attempt) complete(record model.CutRecord) []string {
	record.Complete = true
	if err := t.cuts.Save(t.engine.host, t.target.ID, record); err != nil {
		return []string{"the record could not be marked as complete: " + reason(err)}
	}
	return nil
}

// cutShown judges a container with nothing attached. On a local engine the
// kernel has the last word: an interface left there can carry traffic.
func (t *attempt) cutShown(now model.Container, notes ...string) result {
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
	for _, i := range view.Interfaces {
		if i.Counts() {
			return partial("the engine shows no network, but the kernel still shows interface %s; stop it and cut it again", model.NewText(i.Name))
		}
	}
	return done(notes...)
}
