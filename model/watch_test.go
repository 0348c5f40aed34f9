package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// diffLines writes the events of a diff, one per line.
func diffLines(events []WatchEvent) string {
	lines := make([]string, len(events))
	for i, event := range events {
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s %s %.2s %s", event.Event, event.Engine, event.ID, strings.Join(event.Fields, ",")))
	}
	return strings.Join(lines, "\n")
}

func TestDiffFleets(t *testing.T) {
	cases := map[string]struct {
		change func(*Fleet)
		want   string
	}{
		"nothing":           {func(*Fleet) {}, ""},
		"time passes":       {func(f *Fleet) { f.GeneratedAt = f.GeneratedAt.Add(time.Hour) }, ""},
		"counting down":     {func(f *Fleet) { f.Sandboxes[0].Reap.InSeconds, f.Sandboxes[0].Reap.Detail = pointer(int64(9)), "in 9s" }, ""},
		"order":             {func(f *Fleet) { slices.Reverse(f.Sandboxes) }, ""},
		"appeared":          {func(f *Fleet) { f.Sandboxes = append(f.Sandboxes, workSandbox("cc")) }, "appeared local cc"},
		"gone":              {func(f *Fleet) { f.Sandboxes = f.Sandboxes[:1] }, "gone local bb"},
		"started":           {func(f *Fleet) { inState(StateRunning)(&f.Sandboxes[0]) }, "changed local aa state,finished_at,reuse,reap"},
		"posture":           {func(f *Fleet) { f.Sandboxes[1].Posture.Effective = LevelOpen }, "changed local bb posture"},
		"violation":         {func(f *Fleet) { f.Sandboxes[0].Violation = pointer(true) }, "changed local aa violation\nviolation local aa violation"},
		"violation unknown": {func(f *Fleet) { f.Sandboxes[0].Violation = nil }, "changed local aa violation"},
		"new and violating": {
			func(f *Fleet) {
				f.Sandboxes = append(f.Sandboxes, workSandbox("cc", func(s *Sandbox) { s.Violation = pointer(true) }))
			},
			"appeared local cc\nviolation local cc violation",
		},
		"replaced": {func(f *Fleet) { f.Sandboxes[1] = workSandbox("cc") }, "appeared local cc\ngone local bb"},
		"same ID elsewhere": {
			func(f *Fleet) { f.Sandboxes[1].Engine = "remote" }, "appeared remote bb\ngone local bb",
		},
		"engine stale":   {func(f *Fleet) { f.Engines[0].State = Stale }, "engine local  state"},
		"engine down":    {func(f *Fleet) { f.Engines[0].State, f.Engines[0].Error = Down, "x" }, "engine local  reachable,state,error"},
		"engine gone":    {func(f *Fleet) { f.Engines = nil }, "engine local  reachable"},
		"proxy stopped":  {func(f *Fleet) { f.Egress[0].ProxyRunning = false }, "egress local  proxy_running"},
		"egress gone":    {func(f *Fleet) { f.Egress = nil }, "egress local  network"},
		"another egress": {func(f *Fleet) { f.Egress = append(f.Egress, EgressPair{Engine: "local", Network: NewText("m")}) }, "egress local  engine,network,allowlist,sandboxes"},
	}
	fleet := func() *Fleet {
		f := planFleet(workSandbox("aa"), workSandbox("bb"))
		f.Egress = []EgressPair{{Engine: "local", Network: NewText("n"), ProxyRunning: true}}
		return f
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			now := fleet()
			c.change(now)
			if got := diffLines(DiffFleets(fleet(), now)); got != c.want {
				t.Errorf("events:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestFirstLookAppearsThenSyncs(t *testing.T) {
	fleet := planFleet(workSandbox("aa"), workSandbox("bb"))
	events := append(DiffFleets(nil, fleet), SyncedEvent(fleet))
	want := "engine local  name,host,kind,reachable,state\nappeared local aa\nappeared local bb\nsynced"
	if got := diffLines(events); got != want {
		t.Errorf("events:\n%s\nwant:\n%s", got, want)
	}
	for _, event := range events {
		if event.Schema != 1 || event.Time == nil || !event.Time.Equal(planNow()) || event.Fields == nil {
			t.Errorf("event = %+v", event)
		}
	}
	const eventShape = ".schema float64 .time string .event string .engine string .id string .fields [] "
	assertShape(t, events[1], eventShape+under(".sandbox", sandboxShape))
	assertShape(t, events[3], eventShape+".sandbox null")
}

func TestGoneCarriesTheLastLook(t *testing.T) {
	events := DiffFleets(planFleet(workSandbox("aa")), planFleet())
	if len(events) != 1 || events[0].Event != WatchGone || events[0].Sandbox == nil {
		t.Errorf("events = %+v", events)
	}
}
