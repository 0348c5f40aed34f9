package dockerx

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// raceRounds is the number of rounds that overlap; HERMES_SANDBOX_RACE_ROUNDS changes it.
func raceRounds(t testing.TB) int {
	t.Helper()
	text := os.Getenv("HERMES_SANDBOX_RACE_ROUNDS")
	if text == "" {
		return 50
	}
	rounds, err := strconv.Atoi(text)
	if err != nil || rounds < 1 {
		t.Fatalf("HERMES_SANDBOX_RACE_ROUNDS=%q is no number of rounds", text)
	}
	return rounds
}

// overlapping does rounds until in as many as wanted both calls were with the
// engine at once. On a busy machine some miss each other; everything else has
// to hold in these as well.
func overlapping(t *testing.T, want int, round func() bool) {
	t.Helper()
	met, done := 0, 0
	for ; met < want && done < 10*(want+1); done++ {
		if round() {
			met++
		}
	}
	t.Logf("%d rounds, %d overlapped", done, met)
	if met < want {
		t.Errorf("%d of %d rounds overlapped, want %d", met, done, want)
	}
}

// span is how long a request was with the engine.
type span struct{ begin, end time.Time }

func (s span) overlaps(other span) bool {
	return !s.begin.IsZero() && !other.begin.IsZero() && s.begin.Before(other.end) && other.begin.Before(s.end)
}

// rival is what another client does while our call is under way.
type rival struct {
	state  model.State
	action model.Action
	method model.Method
	// do returns the error of the rival's call, and the container that stands
	// in the target's place, if any.
	do func(ctx context.Context, e *rig, id model.ID) (innocent model.ID, err error)
	// check judges the end: what we reported, what the target is, and whether
	// the rival's call worked.
	check func(t *testing.T, target model.Target, state string, rivalErr error)
	// twin is true where another container must stand under the target's name
	// in the end.
	twin bool
}

func rivals() map[string]rival {
	start := func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
		_, err := e.Client.ContainerStart(ctx, string(id), client.ContainerStartOptions{})
		return "", err
	}
	gone := func(t *testing.T, target model.Target, state string, _ error) {
		t.Helper()
		// A rename during a removal can make the engine itself fail half way;
		// then the report must say so.
		honest := target.Outcome == model.OutcomeFailed && state == "dead"
		if !honest && (target.Outcome != model.OutcomeDone || state != "gone") {
			t.Errorf("outcome %s (%s), and it is %s", target.Outcome, target.Error, state)
		}
	}
	// Whoever comes first wins: a start that worked is never undone.
	survives := func(lost model.Outcome) func(*testing.T, model.Target, string, error) {
		return func(t *testing.T, target model.Target, state string, rivalErr error) {
			t.Helper()
			switch {
			case rivalErr == nil && (state != "running" || target.Outcome != lost):
				t.Errorf("it was started, yet it is %s and reported as %s (%s)", state, target.Outcome, target.Error)
			case rivalErr != nil && (state != "gone" || target.Outcome != model.OutcomeDone):
				t.Errorf("the start failed (%v), and it is %s and reported as %s (%s)", rivalErr, state, target.Outcome, target.Error)
			}
		}
	}
	return map[string]rival{
		"removal against start":     {model.StateCreated, model.ActionRemove, model.MethodRemove, start, survives(model.OutcomeSkipped), false},
		"reap against start":        {model.StateExited, model.ActionReap, model.MethodRemove, start, survives(model.OutcomeSkipped), false},
		"stop-remove against start": {model.StateRunning, model.ActionReap, model.MethodStopRemove, start, survives(model.OutcomePartial), false},
		"removal against rename": {model.StateCreated, model.ActionRemove, model.MethodRemove, func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerRename(ctx, string(id), client.ContainerRenameOptions{NewName: "renamed-" + id.Short()})
			return "", err
		}, gone, false},
		"removal against replacement": {model.StateCreated, model.ActionRemove, model.MethodRemove, replaceAtOnce, gone, true},
		"removal against removal": {model.StateCreated, model.ActionRemove, model.MethodRemove, func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerRemove(ctx, string(id), client.ContainerRemoveOptions{Force: true})
			return "", err
		}, gone, false},
		"forced removal against stop": {model.StateRunning, model.ActionRemove, model.MethodRemoveForce, func(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
			_, err := e.Client.ContainerStop(ctx, string(id), client.ContainerStopOptions{})
			return "", err
		}, gone, false},
	}
}

// replaceAtOnce renames a container away, as far as our removal lets it, and
// starts another under its name as soon as that is free.
func replaceAtOnce(ctx context.Context, e *rig, id model.ID) (model.ID, error) {
	ctx, cancel := context.WithTimeout(ctx, enginetest.Wait)
	defer cancel()
	_, _ = e.Client.ContainerRename(ctx, string(id), client.ContainerRenameOptions{NewName: "old-" + id.Short()}) // ours may be faster
	for {
		made, err := e.Client.ContainerCreate(ctx, client.ContainerCreateOptions{
			Name: "race-" + id.Short(),
			Config: &container.Config{
				Image: e.Image, Cmd: []string{"sleep", "infinity"}, StopTimeout: new(0),
				Labels: map[string]string{enginetest.TestLabel: e.Mark, "hermes-agent": "1"},
			},
		})
		if errdefs.IsConflict(err) {
			continue // the name is not free yet
		}
		if err != nil {
			return "", err
		}
		_, err = e.Client.ContainerStart(ctx, made.ID, client.ContainerStartOptions{})
		return model.ID(made.ID), err
	}
}

// race is one round: our request is held at the engine's door until the
// rival's is on its way.
type race struct {
	e    *rig
	w    *wire
	held func(*http.Request) bool // our request that waits for the rival
	mu   sync.Mutex
	ours span
	them span
	err  error
	twin model.ID
	done sync.WaitGroup
}

// arm makes our next request that is to be held wait for the rival.
func (r *race) arm(t *testing.T, id model.ID, do func(ctx context.Context, e *rig, id model.ID) (model.ID, error)) {
	t.Helper()
	var once sync.Once
	r.done.Add(2) // the rival's call and ours
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.w.gate = func(request *http.Request) {
		if !r.held(request) {
			return
		}
		once.Do(func() {
			begun := make(chan struct{})
			go func() {
				defer r.done.Done()
				r.them.begin = time.Now()
				close(begun)
				r.twin, r.err = do(t.Context(), r.e, id)
				r.them.end = time.Now()
			}()
			<-begun
		})
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ours.begin = time.Now()
	}
	var answered sync.Once // a removal that met a stop is sent once more
	r.w.after = func(request *http.Request) {
		if r.held(request) {
			answered.Do(func() {
				defer r.done.Done()
				r.mu.Lock()
				defer r.mu.Unlock()
				r.ours.end = time.Now()
			})
		}
	}
}

// TestEngineRaces lets another client's calls meet ours at the engine, in
// between our re-inspect and our removal. Whatever comes first, only the target
// may be touched, and one that was started must live.
func TestEngineRaces(t *testing.T) { onEachEngine(t, engineRaces) }

func engineRaces(t *testing.T, e *rig) {
	w := newWire(t, e.Host)
	actor, c := w.connect(t, ActorOptions{})
	bystander := sandboxIn(t, e, model.StateRunning)
	before := inspected(t, c, bystander)[0]
	all := rivals()
	per := (raceRounds(t) + len(all) - 1) / len(all)
	for name, against := range all {
		t.Run(name, func(t *testing.T) {
			overlapping(t, per, func() bool { return raceOnce(t, e, w, actor, c, against) })
		})
	}
	after := inspected(t, c, bystander)[0]
	if after.State != model.StateRunning || !after.StartedAt.Time.Equal(before.StartedAt.Time) {
		t.Errorf("the bystander is %s", after.State)
	}
	for _, change := range w.changes() {
		if strings.Contains(change, string(bystander)) {
			t.Errorf("the bystander was asked for: %s", change)
		}
	}
	w.checkRequests(t)
}

func raceOnce(t *testing.T, e *rig, w *wire, actor *Actor, c *Client, against rival) bool {
	t.Helper()
	id := sandboxIn(t, e, against.state)
	plan := planFor(against.action, against.method, inspected(t, c, id)...)
	if against.state == model.StateCreated {
		rename(t, e, id)
	}
	sent := len(w.changes())
	// A removal is the only call of ours that destroys.
	r := &race{e: e, w: w, held: func(request *http.Request) bool { return request.Method == http.MethodDelete }}
	r.arm(t, id, against.do)
	target := carryOut(t, actor, plan)[0]
	r.done.Wait()
	against.check(t, target, stateOf(t, e, id), r.err)
	if r.twin == "" && against.twin {
		t.Errorf("nothing took over the name: %v", r.err)
	}
	if r.twin != "" {
		if got := stateOf(t, e, r.twin); got != "running" {
			t.Errorf("the container that took over the name is %s", got)
		}
		e.Remove(t, r.twin)
	}
	for _, change := range w.changes()[sent:] {
		if !strings.Contains(change, string(id)) {
			t.Errorf("another container was asked for: %s", change)
		}
		if against.action == model.ActionReap && strings.Contains(change, "force") {
			t.Errorf("reap sent %s", change)
		}
	}
	if stateOf(t, e, id) != "gone" {
		e.Remove(t, id)
	}
	return r.ours.overlaps(r.them)
}

// rename gives a target a name that its replacement can take.
func rename(t *testing.T, e *rig, id model.ID) {
	t.Helper()
	if _, err := e.Client.ContainerRename(t.Context(), string(id), client.ContainerRenameOptions{NewName: "race-" + id.Short()}); err != nil {
		t.Fatal(err)
	}
}
