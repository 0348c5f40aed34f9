package dockerx

import (
	"context"
	"fmt"
	"testing"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// benchmarkCollector is a collector that knows a whole simulated fleet. The
// simulated engine's own work is in what is measured.
func benchmarkCollector(b *testing.B, sandboxes int) *collector {
	b.Helper()
	engine := simengine.New(simengine.Options{})
	if err := engine.Populate(sandboxes); err != nil {
		b.Fatal(err)
	}
	if err := engine.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = engine.Close() })
	client, err := Connect(Endpoint{Name: "simulated", Host: engine.Host(), Chosen: "test"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	c := newCollector(client)
	resync(b, c)
	return c
}

func resync(b *testing.B, c *collector) model.Snapshot {
	b.Helper()
	if err := c.list(b.Context()); err != nil {
		b.Fatal(err)
	}
	c.details(b.Context())
	return c.snapshot(model.Live, nil)
}

func benchmarkSizes(b *testing.B, run func(b *testing.B, c *collector, sandboxes int)) {
	for _, sandboxes := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(sandboxes), func(b *testing.B) {
			c := benchmarkCollector(b, sandboxes)
			b.ReportAllocs()
			run(b, c, sandboxes)
		})
	}
}

// BenchmarkResync lists a fleet in which nothing changed.
func BenchmarkResync(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, c *collector, sandboxes int) {
		for b.Loop() {
			if snap := resync(b, c); len(snap.Containers) != sandboxes || snap.Pending > 0 {
				b.Fatalf("%d sandboxes, %d pending", len(snap.Containers), snap.Pending)
			}
		}
	})
}

// BenchmarkApply takes in an event about one sandbox, without a list.
func BenchmarkApply(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, c *collector, sandboxes int) {
		snap := c.snapshot(model.Live, nil)
		attributes := map[string]model.Text{"hermes-agent": model.NewText("1")}
		at := 0
		for b.Loop() {
			id := snap.Containers[at%sandboxes].ID
			at++
			if !c.note(Event{Type: "container", Action: "pause", ID: string(id), Attributes: attributes}) {
				b.Fatal("the event is not worth a look")
			}
			c.hurry(context.Background())
			if got := c.snapshot(model.Live, nil); len(got.Containers) != sandboxes {
				b.Fatalf("%d sandboxes", len(got.Containers))
			}
		}
	})
}

// BenchmarkFirstList reads the rows of a fleet that was not seen before.
func BenchmarkFirstList(b *testing.B) {
	benchmarkSizes(b, func(b *testing.B, c *collector, sandboxes int) {
		raws, err := c.labelledList(b.Context(), "list", "hermes-agent=1", c.client.now())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if rows, _ := newCollector(c.client).readRows(raws); len(rows) != sandboxes {
				b.Fatalf("%d rows", len(rows))
			}
		}
	})
}
