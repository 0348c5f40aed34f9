package dockerx

import (
	"testing"
	"time"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// TestNoTwoInspectsAreOfOneTime reads a sandbox with a clock that stands still
// and one that is set back: what was read last is always the later answer.
func TestNoTwoInspectsAreOfOneTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	engine, client := onSimulated(t, simengine.Options{}, Clock(func() time.Time { return at }))
	id, err := engine.Add(simengine.Spec{Name: "box"})
	if err != nil {
		t.Fatal(err)
	}
	var last time.Time
	for i, step := range []time.Duration{0, 0, 0, -time.Hour, time.Hour + time.Second, 0} {
		at = at.Add(step)
		container, err := client.InspectContainer(t.Context(), model.ID(id))
		if err != nil {
			t.Fatal(err)
		}
		if !container.InspectedAt.After(last) || container.InspectedAt.Before(at) {
			t.Errorf("inspect %d at %s is marked %s, the one before %s", i, at, container.InspectedAt, last)
		}
		last = container.InspectedAt
	}
}
