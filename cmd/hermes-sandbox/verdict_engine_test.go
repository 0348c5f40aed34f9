package main

import (
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// realFleet looks at a real engine and judges what it says at a time that is
// told, by the policy of one locked profile.
func realFleet(t *testing.T, engine *enginetest.Engine) (assess func(now time.Time) map[model.ID]model.Sandbox) {
	t.Helper()
	endpoints, err := dockerx.Resolve(dockerx.Options{Hosts: []string{engine.Host}})
	if err != nil {
		t.Fatal(err)
	}
	client, err := dockerx.Connect(endpoints[0], dockerx.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	snapshot := client.Snapshot(t.Context())
	if snapshot.Engine.State != model.Live {
		t.Fatalf("the engine is %s: %s", snapshot.Engine.State, snapshot.Engine.Error)
	}
	snapshot.Engine.Skew = 0 // the times that are told are the engine's own
	off, on, lifetime, age, none := false, true, 300, 600, ""
	profile := model.Profile{
		Name: model.NewText(engine.Mark), Label: engine.Mark, Home: "/nonexistent/" + engine.Mark, Active: true,
		Policy: &model.Policy{
			Position: model.PositionLocked, DockerNetwork: &off, OrphanReaper: &on, PersistAcrossProcesses: &on,
			ContainerPersistent: &on, LifetimeSeconds: &lifetime, ReapAfterSeconds: &age, SharedContainerKey: &none, ProxyEnabled: &off,
		},
	}
	return func(now time.Time) map[model.ID]model.Sandbox {
		fleet := model.Assess(model.Input{Now: now, Snapshots: []model.Snapshot{snapshot}, Profiles: []model.Profile{profile}})
		found := map[model.ID]model.Sandbox{}
		for _, s := range fleet.Sandboxes {
			found[s.ID] = s
		}
		return found
	}
}

func TestPosturesOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	run := func(task, network string) model.ID {
		spec := engine.Sandbox(engine.Mark, task)
		spec.Network = network
		return engine.Run(t, spec)
	}
	internal := "inside-" + engine.Mark
	engine.Network(t, "inside", true, nil)
	ids := map[string]model.ID{
		"bridge": run("bridge", ""), "none": run("none", "none"), "host": run("host", "host"), "cut": run("cut", ""),
		"rebridged": run("rebridged", "none"), "stopped host": run("stopped-host", "host"), "internal": run("internal", internal),
	}
	ids["joiner"] = run("joiner", "container:"+string(ids["bridge"]))
	engine.Leave(t, "bridge", ids["cut"])
	engine.Leave(t, "none", ids["rebridged"])
	engine.Join(t, "bridge", ids["rebridged"])
	engine.Stop(t, ids["stopped host"])
	engine.Leave(t, "host", ids["stopped host"])

	found := realFleet(t, engine)(time.Now())
	for name, want := range map[string]struct {
		level, effective model.Level
		drifted, breaks  bool
		says             string // part of the reason of the violation
	}{
		"bridge":       {model.LevelOpen, model.LevelOpen, false, true, "open"},
		"none":         {model.LevelAirGapped, model.LevelAirGapped, false, false, ""},
		"host":         {model.LevelHost, model.LevelHost, false, true, "host"},
		"cut":          {model.LevelCutOff, model.LevelCutOff, true, false, ""},
		"rebridged":    {model.LevelOpen, model.LevelOpen, true, true, "Hermes' guard passes it"},
		"stopped host": {model.LevelHost, model.LevelHost, false, true, "host"},
		"internal":     {model.LevelInternal, model.LevelInternal, false, true, "internal"},
		"joiner":       {model.LevelShared, model.LevelOpen, false, true, "open"},
	} {
		s := found[ids[name]]
		if s.Posture.Level != want.level || s.Posture.Effective != want.effective || s.Posture.Drifted != want.drifted {
			t.Errorf("%s: %+v, want %s (%s), drifted %v", name, s.Posture, want.level, want.effective, want.drifted)
		}
		if s.Violation == nil || *s.Violation != want.breaks || !strings.Contains(s.ViolationReason, want.says) {
			t.Errorf("%s: violation %v, %s", name, s.Violation, s.ViolationReason)
		}
	}
}

func TestReaperAgeOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	id := engine.Run(t, engine.Sandbox(engine.Mark, "exited"))
	engine.Stop(t, id)
	restarted := engine.Run(t, engine.Sandbox(engine.Mark, "restarted"))
	engine.Stop(t, restarted)
	engine.Start(t, restarted)
	never := engine.Sandbox(engine.Mark, "never-started")
	never.Created = true
	created := engine.Run(t, never)

	assess := realFleet(t, engine)
	finished := assess(time.Now())[id].FinishedAt
	if !finished.Known() {
		t.Fatalf("when it exited is not known: %s", finished.Problem)
	}
	for seconds, want := range map[int]model.ReapReason{599: model.ReapTooYoung, 601: model.ReapEligible} {
		found := assess(finished.Time.Add(time.Duration(seconds) * time.Second))
		if got := found[id].Reap; got.Reason != want {
			t.Errorf("%d s after its exit: %s, %s", seconds, got.Reason, got.Detail)
		}
		for name, other := range map[string]model.ID{"started again": restarted, "never started": created} {
			if got := found[other].Reap; got.Reason != model.ReapNotExited {
				t.Errorf("one %s is %s: %s", name, got.Verdict, got.Detail)
			}
		}
	}
}
