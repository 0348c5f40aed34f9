package dockerx

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"

	"hermes-sandbox/model"
)

// rollbackTimeout bounds a rollback as a whole. It has a time of its own: a
// rebuild that was cancelled half way must not leave a sandbox stopped and
// without its name.
const rollbackTimeout = 30 * time.Second

// failed takes back what a rebuild did before the step that failed. It first
// makes sure that there is something to go back to: when the old container is
// gone, its twin is all that is left.
func (r *rebuild) failed(work context.Context, what string) result {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(work), rollbackTimeout)
	defer cancel()
	r.old.step("take it back")
	if r.twin == nil && r.created {
		r.findTwin(ctx)
	}
	if r.pending {
		r.keepTwin()
		return unknown("%s; the twin is in place as %s, and nothing was taken back; look for %s", what, r.shown(r.name), r.shown(r.aside))
	}
	now, gone, err := r.old.inspect(ctx)
	lost := gone || err == nil && (now.State == model.StateDead || now.State == model.StateRemoving)
	switch {
	case err != nil:
		r.keepTwin()
		return unknown("%s; the old one could not be read, so that nothing was taken back: %s; look for %s and %s",
			what, reason(err), r.shown(r.name), r.shown(r.aside))
	case lost && r.twin != nil:
		r.keepTwin()
		return partial("%s; the old one cannot be brought back, so the twin was kept as %s; look at it", what, r.shown(r.name))
	case lost && r.committed:
		return partial("%s; it is lost, and what was committed of it is in image %s", what, r.image)
	case lost:
		return failed("%s; it is lost", what)
	}
	back, problems := r.undo(ctx, now)
	return r.rolledBack(ctx, what, back, problems)
}

func (r *rebuild) shown(name string) string { return model.NewText(name).Display() }

func (r *rebuild) keepTwin() {
	if r.twin != nil {
		r.old.target.NewID = r.twin.target.ID
	}
}

// findTwin looks for a container that a create made whose answer was lost. One
// of that name from another image is not ours.
func (r *rebuild) findTwin(ctx context.Context) {
	_ = r.old.limited(ctx, func(ctx context.Context) error { // without an answer there is no twin to act on
		raw, err := r.client.inspectRaw(ctx, r.name)
		if err != nil {
			return err
		}
		found, err := decodeInspect(raw)
		if err == nil && found.ID.Valid() && found.ID != r.old.target.ID && found.Image.Raw() == r.image {
			r.twin, r.uncertain = r.old.other(found.ID), false
		}
		return err
	})
}

// undo takes the steps back, the last one first, and goes on after a failure:
// a sandbox that runs under another name is better than one that does not.
func (r *rebuild) undo(ctx context.Context, now model.Container) (back, problems []string) {
	note := func(what string, err error) {
		if err != nil {
			problems = append(problems, what+": "+err.Error())
			return
		}
		back = append(back, what)
	}
	if r.twin != nil {
		note("the twin removed", r.removeTwin(ctx))
	}
	if now.Name.Raw() != r.name {
		note("the name given back", r.renameTo(ctx, r.name))
	}
	if alive(r.old.before.State) && !alive(now.State) {
		var err error
		if failures := r.old.startAgain(ctx); len(failures) > 0 {
			err = errors.New(strings.Join(failures, ", "))
		}
		note("started again", err)
	}
	if r.committed {
		note("the image removed", r.removeImage(ctx))
	}
	return back, problems
}

func (r *rebuild) removeTwin(ctx context.Context) error {
	now, gone, err := r.twin.inspect(ctx)
	switch {
	case gone:
		return nil
	case err != nil:
		return errors.New(reason(err))
	}
	r.twin.before, r.twin.before.Image = now, model.Text{} // the image is removed last, by itself
	return asError(r.twin.remove(ctx))
}

func (r *rebuild) removeImage(ctx context.Context) error {
	err := r.old.limited(ctx, func(ctx context.Context) error { return r.client.removeImage(ctx, r.image) })
	if err == nil || errdefs.IsNotFound(err) && ReasonOf(err) != ReasonNotEngine {
		return nil
	}
	return errors.New(reason(err))
}

// rolledBack looks at what the old container is now, which decides.
func (r *rebuild) rolledBack(ctx context.Context, what string, back, problems []string) result {
	now, gone, err := r.old.inspect(ctx)
	before := r.old.before.State
	whole := err == nil && !gone && now.Name.Raw() == r.name && (now.State == before || !alive(before))
	if len(back) > 0 {
		what += "; taken back: " + strings.Join(back, ", ")
	}
	if len(problems) > 0 {
		what += "; not taken back: " + strings.Join(problems, ", ")
	}
	for _, n := range r.notes {
		what += "; " + n
	}
	switch {
	case err != nil:
		return unknown("%s; what it is now could not be read: %s", what, reason(err))
	case gone:
		return partial("%s; it is gone", what)
	case !knownState(now.State):
		return unknown("%s; the engine calls it %s now; look again", what, model.NewText(string(now.State)))
	case whole && r.uncertain:
		return unknown("%s; what had no answer may still take effect: look again", what)
	case whole && len(problems) == 0:
		return failed("%s", what)
	}
	return partial("%s; it is %s and called %s", what, model.NewText(string(now.State)), now.Name)
}

// dropImage removes an image that this program made with the last container
// made from it. The engine itself knows whether it was the last. It returns a note when
// the image stays for another reason.
func (t *attempt) dropImage(work context.Context) []string {
	reference := t.before.Image.Raw()
	if t.engine.client == nil || !ownImage.MatchString(reference) {
		return nil
	}
	err := t.limited(work, func(ctx context.Context) error { return t.engine.client.removeImage(ctx, reference) })
	if err == nil || errdefs.IsConflict(err) || errdefs.IsNotFound(err) {
		return nil
	}
	return []string{fmt.Sprintf("its image %s could not be removed: %s", reference, reason(err))}
}
