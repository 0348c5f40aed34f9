package dockerx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// reconnect gives a container back what a cut or a move took, from the record. One
// that was moved leaves its allowlist network first, so that it is never on both.
// By default
// a living one is stopped before it is connected and started after: a cut leaves
// open connections standing, and the kernel sends what they queued as soon as
// there is a network again, unless the processes that hold them are gone. The
// latch stays on until the container is stopped, so that nothing is opened when
// the stop fails. A hot reconnect leaves the processes, and the queues, alone.
func (t *attempt) reconnect(work context.Context) result {
	hot := t.target.Method == model.MethodReconnectHot
	record, stop := t.recorded()
	if stop != nil {
		return *stop
	}
	living := alive(t.before.State)
	if living && !hot && t.before.Host.AutoRemove {
		return refused("the engine removes it when it stops; reconnect it hot, or leave it cut off")
	}
	book, err := t.networks(work)
	if err != nil {
		return failed("its networks could not be looked up: %s; nothing was sent", reason(err))
	}
	if err := anyFound(book, record.Networks); err != nil {
		return failed("%s; nothing was sent: create it again, or leave the sandbox cut off", reason(err))
	}
	if living && !hot {
		if stop := t.stopForReconnect(work); stop != nil {
			return *stop
		}
	}
	problems := t.reopen(record)
	problems = append(problems, t.connectRecorded(work, book, record)...)
	if living && !hot {
		problems = append(problems, t.startAgain(work)...)
	}
	return t.verifyReconnect(work, book, record, problems)
}

// reopen marks a record as that of a cut which is no longer whole, so that what
// is connected from here on is known to be our own doing: a reconnect that
// fails in part can go on, and nobody takes it for someone else's.
func (t *attempt) reopen(record model.CutRecord) []string {
	record.Complete = false
	if err := t.cuts.Save(t.engine.host, t.target.ID, record); err != nil {
		return []string{"the record could not be marked as reopened: " + reason(err)}
	}
	return nil
}

// recorded loads what the cut saved, or says why the container is left alone.
func (t *attempt) recorded() (model.CutRecord, *result) {
	var stop result
	if why := uncuttable(t.before); why != "" {
		stop = refused(why)
		return model.CutRecord{}, &stop
	}
	if t.cuts == nil {
		stop = refused("there are no records of what was cut off")
		return model.CutRecord{}, &stop
	}
	record, known, err := t.cuts.Load(t.target.ID)
	switch {
	case err != nil:
		stop = failed("the record of its networks could not be read: %s; nothing was sent", reason(err))
	case !known || len(record.Networks) == 0:
		stop = refused("left alone: there is no record of its networks, so someone else cut it off or the record is lost; use docker network connect")
	default:
		return record, nil
	}
	return model.CutRecord{}, &stop
}

// anyFound returns an error when none of the recorded networks exists.
func anyFound(book networkBook, networks []model.CutNetwork) error {
	var err error
	for _, n := range networks {
		if _, err = book.find(n.ID, n.Name); err == nil {
			return nil
		}
	}
	return err
}

// stopForReconnect ends the processes whose connections were left standing. One
// that was started again meanwhile has new processes, which serves as well.
func (t *attempt) stopForReconnect(work context.Context) *result {
	stopped := t.stop(work)
	if stopped.outcome == model.OutcomeDone || stopped.outcome == model.OutcomePartial {
		return nil
	}
	stopped.detail = "it stays cut off: " + stopped.detail
	return &stopped
}

// takenBy returns the endpoints on networks that a move put in the place of those
// recorded.
func takenBy(record model.CutRecord, c model.Container) []model.Endpoint {
	if record.Onto.Empty() {
		return nil
	}
	return slices.DeleteFunc(connections(c), func(e model.Endpoint) bool {
		ours := e.Network == record.Onto || model.IsEgressNetwork(e.Network)
		return !ours || slices.ContainsFunc(record.Networks, func(n model.CutNetwork) bool { return n.Name == e.Network })
	})
}

// connectRecorded takes the container off the latch and off the network that it
// was moved to, and connects what is missing. It returns what went wrong, in
// words; the inspect after it decides.
func (t *attempt) connectRecorded(work context.Context, book networkBook, record model.CutRecord) []string {
	var problems []string
	if err := t.disconnectAll(work, book, takenBy(record, t.before)); err != nil {
		return []string{reason(err)}
	}
	if latched(t.before) {
		id, err := book.find("", model.NewText(noneNetwork))
		if err == nil {
			err = t.disconnectFrom(work, id)
		}
		if err != nil {
			problems = append(problems, "disconnect none: "+reason(err))
		}
	}
	for _, n := range record.Networks {
		if attachedTo(t.before, n.Name) {
			continue
		}
		id, err := book.find(n.ID, n.Name)
		if err == nil {
			err = t.connectTo(work, id, endpointConfig(n))
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("connect %s: %s", n.Name, reason(err)))
		}
		if silent(err) {
			break
		}
	}
	return problems
}

// startAgain brings a container back into the state it had. It is started even
// when a connect failed, since it ran before.
func (t *attempt) startAgain(work context.Context) []string {
	err := t.call(work, func(ctx context.Context, calls engineCalls) error {
		_, err := calls.ContainerStart(ctx, t.id, client.ContainerStartOptions{})
		return err
	})
	if err != nil {
		return []string{"start: " + reason(err)}
	}
	if t.before.State != model.StatePaused {
		return nil
	}
	err = t.call(work, func(ctx context.Context, calls engineCalls) error {
		_, err := calls.ContainerPause(ctx, t.id, client.ContainerPauseOptions{})
		return err
	})
	if err != nil {
		return []string{"pause: " + reason(err)}
	}
	return nil
}

// verifyReconnect looks at what is attached and whether the container lives
// again. The record goes when everything is back that still exists: a retry
// would end the processes once more, for nothing.
func (t *attempt) verifyReconnect(work context.Context, book networkBook, record model.CutRecord, problems []string) result {
	now, gone, err := t.inspect(work)
	switch {
	case gone:
		return failed("it is gone since it was to be reconnected; look again")
	case err != nil:
		return t.unverified(work, "the reconnect", err)
	case !now.Networks.Known || !knownState(now.State):
		return unknown("the reconnect was sent, but the engine does not say what it is now; look again")
	}
	var missing []string
	possible := false // there is something a retry can connect
	for _, n := range record.Networks {
		if attachedTo(now, n.Name) {
			continue
		}
		missing = append(missing, n.Name.Display())
		_, err := book.find(n.ID, n.Name)
		possible = possible || err == nil
	}
	if len(missing) > 0 {
		problems = slices.Insert(problems, 0, "not connected to "+strings.Join(missing, ", "))
	}
	taken := takenBy(record, now)
	if len(taken) > 0 {
		problems = slices.Insert(problems, 0, "it is still attached to "+names(taken))
	}
	if now.State != t.before.State {
		problems = slices.Insert(problems, 0, fmt.Sprintf("it was %s and is %s", model.NewText(string(t.before.State)), model.NewText(string(now.State))))
	}
	if possible || len(taken) > 0 || now.State != t.before.State {
		return partial("%s; reconnect it again", strings.Join(problems, "; "))
	}
	var notes []string
	if err := t.cuts.Delete(t.target.ID); err != nil {
		notes = append(notes, "the record of the cut could not be deleted: "+reason(err))
	}
	if len(missing) > 0 {
		problems = append(problems, notes...)
		return partial("%s; all else is back, so use docker network connect once it exists", strings.Join(problems, "; "))
	}
	return done(notes...)
}
