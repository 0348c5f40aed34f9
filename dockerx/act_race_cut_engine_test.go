package dockerx

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// cutRivals are what another client does while our cut is under way, by name.
// Each works on the target alone.
func cutRivals(second string) map[string]func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
	return map[string]func(ctx context.Context, e *rig, id model.ID) (model.ID, error){
		"connect": func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.NetworkConnect(ctx, second, client.NetworkConnectOptions{Container: string(id)})
			return "", err
		},
		"disconnect": func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.NetworkDisconnect(ctx, bridgeNetwork, client.NetworkDisconnectOptions{Container: string(id)})
			return "", err
		},
		"rename": func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerRename(ctx, string(id), client.ContainerRenameOptions{NewName: "race-" + id.Short()})
			return "", err
		},
		"stop": func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerStop(ctx, string(id), client.ContainerStopOptions{})
			return "", err
		},
		"restart": func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerRestart(ctx, string(id), client.ContainerRestartOptions{})
			return "", err
		},
		"removal": func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerRemove(ctx, string(id), client.ContainerRemoveOptions{Force: true})
			return "", err
		},
	}
}

// TestEngineRacesOfACut lets another client's calls meet our cut at the engine.
// Whoever comes first, a cut that is reported as done leaves no network but
// none, and nobody else is touched.
func TestEngineRacesOfACut(t *testing.T) { onEachEngine(t, racesOfACut) }

func racesOfACut(t *testing.T, e *rig) {
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{Cuts: newFakeStore()})
	e.Network(t, "race", false, nil)
	bystander := sandboxIn(t, e, model.StateRunning)
	all := cutRivals("race-" + e.Mark)
	per := (raceRounds(t)/2 + len(all) - 1) / len(all) // as many again go to removals
	for name, do := range all {
		t.Run(name, func(t *testing.T) {
			overlapping(t, per, func() bool { return cutOnce(t, e, w, actor, c, do) })
		})
	}
	if after := inspected(t, c, bystander)[0]; after.State != model.StateRunning || names(after.Networks.Endpoints) != bridgeNetwork {
		t.Errorf("the bystander is %s on %s", after.State, names(after.Networks.Endpoints))
	}
	w.checkRequests(t)
}

func cutOnce(t *testing.T, e *rig, w *wire, actor *Actor, c *Client, do func(context.Context, *rig, model.ID) (model.ID, error)) bool {
	t.Helper()
	id := sandboxIn(t, e, model.StateRunning)
	plan := planFor(model.ActionLockdownOn, model.MethodCut, inspected(t, c, id)...)
	sent := len(w.changes())
	r := &race{e: e, w: w, held: func(request *http.Request) bool { return strings.HasSuffix(request.URL.Path, "/disconnect") }}
	r.arm(t, id, do)
	target := carryOut(t, actor, plan)[0]
	r.done.Wait()
	if state := stateOf(t, e, id); state != "gone" {
		truth := inspected(t, c, id)[0]
		outside := len(connections(truth)) > 0
		if honest := target.Outcome != model.OutcomeDone; outside != honest {
			t.Errorf("it is %s on %q, reported as %s (%s); the other's call: %v", state, names(truth.Networks.Endpoints), target.Outcome, target.Error, r.err)
		}
		e.Remove(t, id)
	}
	for _, change := range w.changes()[sent:] {
		if !strings.HasPrefix(change, "POST /networks/") || !slices.ContainsFunc([]string{"/connect", "/disconnect"}, func(end string) bool { return strings.HasSuffix(change, end) }) {
			t.Errorf("a cut sent %s", change)
		}
	}
	return r.ours.overlaps(r.them)
}
