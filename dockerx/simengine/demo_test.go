package simengine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"hermes-sandbox/config"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// demoFleet reads the demonstration fleet with the product's own client, homes
// and rules.
func demoFleet(t *testing.T) model.Fleet {
	t.Helper()
	engine := simengine.New(simengine.Options{})
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	dir := t.TempDir()
	root, err := simengine.Demo(engine, dir)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := dockerx.Connect(dockerx.Endpoint{Name: "demo", Host: engine.Host(), Chosen: "test"})
	if err != nil {
		t.Fatal(err)
	}
	profiles, problems := config.LoadProfiles(config.HomesInput{Homes: []string{root}, UserHome: dir})
	if len(problems) > 0 {
		t.Errorf("homes: %v", problems)
	}
	snapshot := reader.Snapshot(bounded(t))
	if len(snapshot.Problems) > 0 || snapshot.Engine.State != model.Live {
		t.Errorf("engine %s: %v", snapshot.Engine.State, snapshot.Problems)
	}
	return model.Assess(model.Input{Now: time.Now(), Snapshots: []model.Snapshot{snapshot}, Profiles: profiles})
}

func TestDemonstrationShowsEveryKind(t *testing.T) {
	fleet := demoFleet(t)
	got := map[string]string{}
	for _, s := range fleet.Sandboxes {
		violation := "unknown"
		if s.Violation != nil {
			violation = fmt.Sprint(*s.Violation)
		}
		flags := ""
		if s.Posture.Drifted {
			flags += " drifted"
		}
		if s.Posture.Latched {
			flags += " latched"
		}
		if s.Foreign {
			flags += " foreign"
		}
		got[s.Name.Raw()] = fmt.Sprintf("%s %s%s, violation %s, reuse %s, reap %s",
			s.State, s.Posture.Level, flags, violation, s.Reuse.Verdict, s.Reap.Reason)
	}
	want := map[string]string{
		"ci-sandbox-4":    "running open foreign, violation unknown, reuse unmatched, reap not-exited",
		"hermes-03d97fe5": "created open, violation true, reuse started, reap not-exited",
		"hermes-0b5dd3e1": "running open, violation false, reuse reused, reap not-exited",
		"hermes-1fd6e370": "paused internal, violation true, reuse replaced, reap not-exited",
		"hermes-29e5ad48": "running host, violation true, reuse reused, reap not-exited",
		"hermes-3fa1b20c": "running open, violation false, reuse reused, reap not-exited",
		"hermes-4e7716c2": "running cut-off drifted, violation false, reuse replaced, reap not-exited",
		"hermes-5c2f8d13": "running air-gapped, violation false, reuse reused, reap not-exited",
		"hermes-6d18ef02": "running allowlist, violation false, reuse reused, reap not-exited",
		"hermes-72b9c4e8": "running open drifted, violation true, reuse reused, reap not-exited",
		"hermes-7e0d52bb": "running open, violation false, reuse never, reap not-exited",
		"hermes-8be2470f": "running credential-proxied, violation false, reuse never, reap not-exited",
		"hermes-8c4416bd": "restarting allowlist, violation false, reuse attached-broken, reap not-exited",
		"hermes-91d07e44": "exited open, violation false, reuse reaped-first, reap eligible",
		"hermes-95ba60c1": "dead open, violation true, reuse duplicated, reap not-exited",
		"hermes-a8301f9d": "running open, violation true, reuse never, reap not-exited",
		"hermes-b3358ca7": "exited air-gapped, violation false, reuse shadowed, reap too-young",
		"hermes-c07be9a5": "running open, violation false, reuse never, reap not-exited",
		"hermes-d94a0e6b": "running cut-off drifted latched, violation false, reuse replaced, reap not-exited",
		"hermes-e64c11aa": "running open, violation false, reuse reused, reap not-exited",
		"hermes-ee3f4a70": "exited allowlist, violation false, reuse reaped-first, reap eligible",
		"hermes-f20b7c96": "running shared, violation false, reuse reused, reap not-exited",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fleet differs (-want +got)\n%s", diff)
	}
	for name, codes := range map[string][]string{
		"hermes-e64c11aa": {"privileged", "engine-socket"},
		"hermes-91d07e44": {"twin"},
		"hermes-7e0d52bb": {"escaped-label"},
	} {
		for _, code := range codes {
			if !hasFinding(&fleet, name, code) {
				t.Errorf("%s lacks the finding %s", name, code)
			}
		}
	}
	if len(fleet.Egress) != 2 || !fleet.Egress[0].ProxyRunning && !fleet.Egress[1].ProxyRunning {
		t.Errorf("egress pairs: %+v", fleet.Egress)
	}
}

func hasFinding(fleet *model.Fleet, name, code string) bool {
	for _, s := range fleet.Sandboxes {
		if s.Name.Raw() != name {
			continue
		}
		for _, f := range s.Findings {
			if f.Code == code {
				return true
			}
		}
	}
	return false
}

func TestScenesRepeatWithoutGrowing(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	if _, err := simengine.Demo(engine, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	count := func() (containers, execs int) {
		list, err := api.ContainerList(bounded(t), client.ContainerListOptions{All: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range list.Items {
			seen, err := api.ContainerInspect(bounded(t), row.ID, client.ContainerInspectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			execs += len(seen.Container.ExecIDs)
		}
		return len(list.Items), execs
	}
	containers, execs := count()
	changed := false
	for scene := range 20 {
		engine.PlayScene(scene)
		now, running := count()
		changed = changed || now != containers || running != execs
	}
	if now, running := count(); now != containers || running != execs {
		t.Errorf("after two rounds %d containers and %d execs, before %d and %d", now, running, containers, execs)
	}
	if !changed {
		t.Error("no scene changed anything")
	}
}

func TestAnimationFollowsTheClock(t *testing.T) {
	var looks atomic.Int64
	start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	hasty := func() time.Time { return start.Add(time.Duration(looks.Add(1)) * 5 * time.Second) }
	engine, api := started(t, simengine.Options{Clock: hasty})
	if _, err := simengine.Demo(engine, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	ctx := bounded(t)
	events := api.Events(ctx, client.EventsListOptions{Filters: make(client.Filters).Add("event", "exec_create")})
	done := make(chan struct{})
	animated, stop := context.WithCancel(ctx)
	engine.AwaitStream(ctx)
	go func() {
		defer close(done)
		engine.Animate(animated)
	}()
	select {
	case <-events.Messages:
	case err := <-events.Err:
		t.Fatal(err)
	}
	stop()
	<-done
}
