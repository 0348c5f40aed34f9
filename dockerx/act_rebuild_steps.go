package dockerx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// asError turns the result of a single action into an error; its text is safe.
func asError(res result) error {
	if res.outcome == model.OutcomeDone {
		return nil
	}
	return errors.New(res.detail)
}

func (r *rebuild) stop(work context.Context) error {
	if !alive(r.old.before.State) {
		return nil
	}
	res := r.old.stop(work)
	r.uncertain = res.outcome == model.OutcomeUnknown
	return asError(res)
}

// commit makes an image of the layer. The image gets the container's labels; a
// twin from it would pass as one that merely inherited them, so that those of
// Hermes are blanked in the image.
func (r *rebuild) commit(work context.Context) error {
	ctx, cancel := context.WithTimeout(work, r.old.commit)
	defer cancel()
	var changes []string
	for _, key := range slices.SortedFunc(maps.Keys(r.old.before.Labels), func(a, b model.Text) int { return strings.Compare(a.Raw(), b.Raw()) }) {
		if plainLabel.MatchString(key.Raw()) {
			changes = append(changes, "LABEL "+key.Raw()+"=")
		}
	}
	r.committed = true
	if err := r.client.commitContainer(ctx, r.old.id, rebuildRepository, string(r.old.target.ID[:12]), changes); err != nil {
		if !answered(err) {
			r.notes = append(r.notes, "image "+r.image+" may still appear")
		}
		return errors.New(reason(err))
	}
	return r.old.limited(work, func(ctx context.Context) error {
		labels, err := r.client.imageLabels(ctx, r.image)
		switch {
		case err != nil:
			return errors.New(reason(err))
		case model.Member(labels):
			return errors.New("the engine kept the labels of Hermes in the image, so that the twin would pass as one that inherited them")
		}
		return nil
	})
}

func (r *rebuild) rename(work context.Context) error { return r.renameTo(work, r.aside) }

// renameTo renames the old one. What it is called afterwards decides.
func (r *rebuild) renameTo(work context.Context, name string) error {
	callErr := r.old.limited(work, func(ctx context.Context) error { return r.client.renameContainer(ctx, r.old.id, name) })
	now, gone, err := r.old.inspect(work)
	switch {
	case gone:
		return errors.New("it is gone")
	case err != nil:
		return errors.New(reason(err))
	case now.Name.Raw() == name:
		return nil
	case callErr != nil:
		return errors.New(reason(callErr))
	}
	return fmt.Errorf("it is still called %s", now.Name)
}

func (r *rebuild) create(work context.Context) error {
	body, err := r.spec.body()
	if err != nil {
		return errors.New(reason(err))
	}
	r.created = true
	return r.old.limited(work, func(ctx context.Context) error {
		id, err := r.client.createContainer(ctx, r.name, body)
		if err != nil {
			r.uncertain = !answered(err)
			return errors.New(reason(err))
		}
		r.twin = r.old.other(id)
		return nil
	})
}

// other is an attempt on another container of the same engine.
func (t *attempt) other(id model.ID) *attempt {
	twin, target := *t, *t.target
	target.ID, target.Method, target.Volumes = id, model.MethodRemoveForce, false
	twin.target, twin.id, twin.reap, twin.before = &target, string(id), false, model.Container{}
	return &twin
}

// look reads the attempt's container for the first time.
func (t *attempt) look(work context.Context) error {
	now, gone, err := t.inspect(work)
	switch {
	case gone:
		return errors.New("it is gone")
	case err != nil:
		return errors.New(reason(err))
	}
	t.before = now
	return nil
}

// start brings the twin into the state the old one had, if that one lived.
func (r *rebuild) start(work context.Context) error {
	if err := r.twin.look(work); err != nil || !alive(r.old.before.State) {
		return err
	}
	if err := asError(r.twin.start(work)); err != nil || r.old.before.State != model.StatePaused {
		return err
	}
	return asError(r.twin.pause(work))
}

// verify compares the two inspects, and looks at what the twin can reach.
func (r *rebuild) verify(work context.Context) error {
	var different []string
	err := r.twin.limited(work, func(ctx context.Context) error {
		raw, err := r.client.inspectRaw(ctx, r.twin.id)
		if err == nil {
			different, err = r.spec.differences(raw)
		}
		return err
	})
	if err != nil {
		return errors.New(reason(err))
	}
	if err := r.twin.look(work); err != nil {
		return err
	}
	now, wanted := r.twin.before, r.old.before.State
	if !alive(wanted) {
		wanted = model.StateCreated
	}
	switch {
	case len(different) > 0:
		return errors.New("it differs in " + strings.Join(different, ", "))
	case now.Name.Raw() != r.name:
		return fmt.Errorf("it is called %s", now.Name)
	case now.State != wanted:
		return fmt.Errorf("it is %s, not %s", model.NewText(string(now.State)), wanted)
	case r.onto != nil && !r.onto.alone(now):
		return fmt.Errorf("it is attached to %q and not to %s alone", names(now.Networks.Endpoints), r.onto.network.Name)
	case r.onto == nil && (!now.Networks.Known || len(connections(now)) > 0):
		return fmt.Errorf("it is attached to %q", names(connections(now)))
	}
	var res result
	if r.onto != nil {
		res = r.twin.moveShown(now, r.onto)
	} else {
		res = r.twin.cutShown(now)
	}
	r.notes = append(r.notes, res.notes...)
	return asError(res)
}

// remove takes the old one away, without force: one that another started again
// has work the image does not, and survives.
func (r *rebuild) remove(work context.Context) error {
	now, gone, err := r.old.inspect(work)
	switch {
	case gone:
		r.notes = append(r.notes, "another removed the old one")
		return nil
	case err != nil:
		return errors.New(reason(err))
	case alive(now.State) || r.old.restarted(now):
		return errors.New("another started it again")
	}
	old := r.old.other(r.old.target.ID)
	old.target.Method, old.before = model.MethodRemove, now
	res := old.remove(work)
	r.pending = res.outcome == model.OutcomeUnknown
	if res.outcome == model.OutcomeDone {
		r.notes = append(r.notes, res.notes...)
	}
	return asError(res)
}

// keepNetworks moves the record of what was cut off to the twin, so that a
// reconnect can give it its networks back.
func (r *rebuild) keepNetworks() []string {
	old := r.old
	if old.cuts == nil {
		return nil
	}
	record, known, err := old.cuts.Load(old.target.ID)
	if err == nil {
		if r.onto == nil {
			record = extendRecord(record, known, old.before, time.Now())
			record.Onto = model.Text{}
		} else {
			record = moveRecord(record, known, old.before, r.onto.book, r.onto.network.Name, time.Now())
		}
		if record.Complete = true; givesBack(record) {
			err = old.cuts.Save(old.engine.host, r.twin.target.ID, record)
		}
	}
	if err == nil && known {
		err = old.cuts.Delete(old.target.ID)
	}
	if err != nil {
		return []string{"the record of its networks could not be moved to the twin: " + reason(err)}
	}
	return nil
}
