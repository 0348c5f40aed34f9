package dockerx

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"hermes-sandbox/model"
)

const (
	// asideSuffix ends the name of an old container while its twin is made.
	asideSuffix = "-hs-old"
	// rebuildRepository is the name of the images we commit; the tag is the
	// old container's short ID. They carry no label of ours, since containers
	// inherit the labels of their image.
	rebuildRepository = "hermes-sandbox-rebuild"

	commitTimeout = 10 * time.Minute
)

var (
	// plainLabel is a label key that can stand in a build instruction.
	plainLabel = regexp.MustCompile(`^hermes[-.][a-z0-9.-]*$`)
	// ownImage is a reference to an image that this program made, for a rebuild
	// or for the proxies of allowlists.
	ownImage = regexp.MustCompile(`^(` + rebuildRepository + `:[0-9a-f]{12}|` + egressRepository + `:[0-9a-f]{16})$`)
)

// rebuild replaces a container by a twin on network none: the same name,
// configuration, labels, volumes and files, but no network, from the first
// moment of its life. It is the one way into lockdown for a container whose
// network cannot be cut, and, with the twin on an allowlist network and the
// variables that lead to its proxy, behind an allowlist for one that was made
// without them. Until the old one is removed, every step can be taken back, and
// is when a later one fails.
type rebuild struct {
	old         *attempt
	client      *Client
	name, aside string
	image       string
	spec        twinSpec
	onto        *destination // allowlist network of the twin; nil: network none

	created   bool // a create was sent, whatever was answered
	committed bool // the same of the commit
	twin      *attempt
	notes     []string
	// pending is true when the removal of the old one was sent and may yet
	// happen, after which nothing may be taken back.
	pending bool
	// uncertain is true when a request without an answer may still take effect.
	uncertain bool
}

func (t *attempt) rebuild(work context.Context) result {
	if why := unrebuildable(t.before); why != "" {
		return refused(why)
	}
	var onto *destination
	if t.target.Allowlist != nil {
		var stop *result
		if onto, stop = t.destination(work); stop != nil {
			return *stop
		}
	}
	r, err := t.newRebuild(work, onto)
	if stop := refusal(err); stop != nil {
		return *stop
	}
	if err != nil {
		return failed("its configuration could not be read whole: %s; nothing was sent", reason(err))
	}
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"stop", r.stop},
		{"commit", r.commit},
		{"rename", r.rename},
		{"create the twin", r.create},
		{"start the twin", r.start},
		{"compare the twin", r.verify},
		{"remove the old one", r.remove},
	}
	for _, step := range steps {
		t.step(step.name)
		if err := step.do(work); err != nil {
			return r.failed(work, fmt.Sprintf("%s: %s", step.name, err))
		}
	}
	t.target.NewID = r.twin.target.ID
	return done(append(r.notes, r.keepNetworks()...)...)
}

// unrebuildable says why a container cannot be replaced; empty when it can.
func unrebuildable(c model.Container) string {
	state := model.NewText(string(c.State))
	switch {
	case !containerReference.MatchString(c.Name.Raw()):
		return "it has no name that a twin could take over"
	case strings.HasSuffix(c.Name.Raw(), asideSuffix):
		return "a rebuild that did not finish set it aside; compare it with " + strings.TrimSuffix(c.Name.Display(), asideSuffix) + " and remove one of them"
	case c.State == model.StateDead, c.State == model.StateRemoving:
		return fmt.Sprintf("it is %s; remove it", state)
	case c.State == model.StateRestarting, !knownState(c.State):
		return fmt.Sprintf("it is %s; stop it, then rebuild it", state)
	case alive(c.State) && c.Host.AutoRemove:
		return "the engine removes it when it stops, so that nothing could be taken back; remove it"
	}
	return ""
}

// newRebuild reads the container once more, raw, before anything is sent.
func (t *attempt) newRebuild(work context.Context, onto *destination) (*rebuild, error) {
	client := t.engine.client
	if client == nil {
		return nil, errors.New("no engine is connected")
	}
	if client.transport.readOnly {
		return nil, ErrReadOnly
	}
	name := t.before.Name.Raw()
	r := &rebuild{
		old: t, client: client, name: name, aside: name + asideSuffix, onto: onto,
		image: rebuildRepository + ":" + string(t.target.ID[:12]),
	}
	err := t.limited(work, func(ctx context.Context) error {
		raw, err := client.inspectRaw(ctx, t.id)
		if err != nil {
			return err
		}
		now, err := decodeInspect(raw)
		if err != nil {
			return err
		}
		if difference := changed(t.target.Expect, now); difference != "" {
			return errors.New("changed since the plan: " + difference)
		}
		if r.spec, err = newTwinSpec(raw, r.image); err == nil && onto != nil {
			err = r.spec.behind(onto.network.Name.Raw())
		}
		return err
	})
	if r.spec.bound {
		r.notes = append(r.notes, "its anonymous volumes are bound by name now, so that no removal takes them along")
	}
	return r, err
}

// limited gives one request of ours a deadline of its own.
func (t *attempt) limited(work context.Context, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(work, t.limit)
	defer cancel()
	return request(ctx)
}
