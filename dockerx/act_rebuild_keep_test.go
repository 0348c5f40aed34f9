package dockerx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

func TestRebuildIsRefused(t *testing.T) {
	tests := map[string]struct {
		spec  simengine.Spec
		state string // forced afterwards
		says  string
	}{
		"removes itself": {simengine.Spec{Host: simengine.HostConfig{AutoRemove: true}}, "", "the engine removes it when it stops"},
		"dead":           {simengine.Spec{State: "exited"}, "dead", "it is dead; remove it"},
		"removing":       {simengine.Spec{State: "exited"}, "removing", "it is removing; remove it"},
		"restarting":     {simengine.Spec{State: "restarting"}, "", "it is restarting; stop it"},
		"unknown state":  {simengine.Spec{State: "exited"}, "stopping", "it is stopping; stop it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRebuildScene(t, test.spec)
			if test.state != "" {
				if err := s.engine.ForceState("target", test.state); err != nil {
					t.Fatal(err)
				}
				s.plan = planFor(model.ActionLockdownOn, model.MethodRebuild, inspected(t, s.client, s.id)...)
			}
			mustOutcome(t, carryOut(t, s.actor, s.plan)[0], model.OutcomeRefused, test.says)
			if got := s.sent(); len(got) > 0 {
				t.Errorf("sent %q", got)
			}
		})
	}
	t.Run("set aside by an earlier one", func(t *testing.T) {
		s := newRebuildScene(t, simengine.Spec{})
		if err := s.engine.RenameContainer("target", "target-hs-old"); err != nil {
			t.Fatal(err)
		}
		mustOutcome(t, carryOut(t, s.actor, s.plan)[0], model.OutcomeRefused, "compare it with target and remove one of them")
	})
	t.Run("read-only client", func(t *testing.T) {
		s := newRebuildScene(t, simengine.Spec{})
		actor, c := newWire(t, s.engine.Host()).connect(t, ActorOptions{}, ReadOnly())
		mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, s.id)[0], model.OutcomeRefused, "read-only mode")
		if got := s.sent(); len(got) > 0 {
			t.Errorf("sent %q", got)
		}
	})
}

func TestRebuildTellsItsSteps(t *testing.T) {
	tests := map[string]struct {
		fault simengine.Operation
		steps string
	}{
		"whole":           {"", "|stop|commit|rename|create the twin|start the twin|compare the twin|remove the old one|"},
		"half way":        {simengine.Rename, "|stop|commit|rename|take it back|"},
		"refused at once": {simengine.Stop, "|stop|take it back|"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRebuildScene(t, simengine.Spec{})
			if test.fault != "" {
				s.engine.Faults().Set(test.fault, refusing(1))
			}
			var steps []string
			if _, err := s.actor.Execute(t.Context(), s.plan, func(target model.Target) { steps = append(steps, target.Step) }); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(steps, "|"); got != test.steps {
				t.Errorf("steps %s, want %s", got, test.steps)
			}
		})
	}
}

func TestRebuildThatIsCancelled(t *testing.T) {
	s := newRebuildScene(t, simengine.Spec{})
	gate := s.engine.Faults().Gate(simengine.Commit, nil)
	defer gate.Open()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-gate.Arrived()
		cancel()
	}()
	result, err := s.actor.Execute(ctx, s.plan, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	mustOutcome(t, result.Targets[0], model.OutcomeFailed, "taken back: started again")
	if got := s.truth(t); got != "old target running" {
		t.Errorf("now there is %s", got)
	}
}

// TestRebuildIsNotTrusted has an engine that does not do what it was asked.
func TestRebuildIsNotTrusted(t *testing.T) {
	set := func(section, field string, value any) func(body map[string]any) {
		return func(body map[string]any) {
			if section != "" {
				body = body[section].(map[string]any)
			}
			body[field] = value
		}
	}
	tests := map[string]struct {
		edit func(body map[string]any)
		says string
	}{
		"network":         {set("HostConfig", "NetworkMode", "bridge"), "it differs in HostConfig.NetworkMode;"},
		"limit":           {set("HostConfig", "PidsLimit", nil), "it differs in HostConfig.PidsLimit;"},
		"privileges":      {set("HostConfig", "Privileged", true), "HostConfig.Privileged"},
		"user":            {set("", "User", "0"), "it differs in Config.User;"},
		"environment":     {set("", "Env", []string{"A=c"}), "it differs in Config.Env;"},
		"label":           {set("", "Labels", map[string]string{}), "it differs in Config.Labels;"},
		"command":         {set("", "Cmd", []string{"sleep", "1"}), "it differs in Args, Config.Cmd;"},
		"volumes":         {set("HostConfig", "Binds", []string{}), "it differs in HostConfig.Binds, Mounts;"},
		"security option": {set("HostConfig", "SecurityOpt", []string{}), "it differs in HostConfig.SecurityOpt;"},
		"image":           {set("", "Image", "busybox:simulated"), "it differs in Config.Image;"},
	}
	pids := int64(99)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRebuildScene(t, simengine.Spec{
				User: "1000", Env: []string{"A=b"},
				Host: simengine.HostConfig{
					Binds: []string{"named:/data"}, SecurityOpt: []string{"no-new-privileges"}, Resources: simengine.Resources{PidsLimit: &pids},
				},
			})
			w := newWire(t, s.engine.Host())
			actor, c := w.connect(t, ActorOptions{})
			w.gate = func(r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/containers/create") {
					return
				}
				var body map[string]any
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
					t.Error(err)
				}
				test.edit(body)
				data, err := json.Marshal(body)
				if err != nil {
					t.Error(err)
				}
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
			}
			mustOutcome(t, act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, s.id)[0], model.OutcomeFailed, test.says)
			if got := s.truth(t); got != "old target running" {
				t.Errorf("now there is %s", got)
			}
		})
	}
}

// TestRebuildKeepsUnknownFields looks at what is asked for: fields of engines
// newer than we are go along unread.
func TestRebuildKeepsUnknownFields(t *testing.T) {
	inspect := `{"Id":"x","Config":{"Image":"a","Future":{"x":[1,2e3,"<"]},"MacAddress":"02:42:ac:11:00:02","Hostname":"h","Env":null},
		"HostConfig":{"NetworkMode":"host","Later":12345678901234567890,"Links":["/a:/b/c"],"Binds":["/src:/bound/:ro","n:/named"],
			"Mounts":[{"Type":"volume","Target":"/asked","VolumeOptions":{"NoCopy":true}},{"Type":"tmpfs","Target":"/t"}]},
		"Mounts":[{"Type":"volume","Name":"v1","Destination":"/anonymous","RW":true},{"Type":"volume","Name":"v2","Destination":"/read","RW":false},
			{"Type":"volume","Name":"v3","Destination":"/asked","RW":true},{"Type":"volume","Name":"n","Destination":"/named","RW":true},
			{"Type":"bind","Destination":"/bound"}]}`
	spec, err := newTwinSpec([]byte(inspect), "image:tag")
	if err != nil {
		t.Fatal(err)
	}
	body, err := spec.body()
	if err != nil {
		t.Fatal(err)
	}
	wanted := `{"Image":"image:tag","Future":{"x":[1,2e3,"<"]},"Hostname":"h","Env":null,
		"HostConfig":{"NetworkMode":"none","Later":12345678901234567890,
			"Binds":["/src:/bound/:ro","n:/named","v1:/anonymous:nocopy","v2:/read:nocopy,ro"],
			"Mounts":[{"Type":"volume","Target":"/asked","Source":"v3","VolumeOptions":{"NoCopy":true}},{"Type":"tmpfs","Target":"/t"}]}}`
	if diff := cmp.Diff(decoded("", []byte(wanted)), decoded("", body)); diff != "" {
		t.Error(diff)
	}
}

func TestRebuildOfWhatCannotBeRead(t *testing.T) {
	tests := map[string]struct{ inspect, says string }{
		"no object":               {`[]`, "cannot unmarshal"},
		"no configuration":        {`{"HostConfig":{}}`, "its Config cannot be read"},
		"no host part":            {`{"Config":{},"HostConfig":null}`, "its HostConfig cannot be read"},
		"binds of another kind":   {`{"Config":{},"HostConfig":{"Binds":{}}}`, "its Binds cannot be read"},
		"mounts of another kind":  {`{"Config":{},"HostConfig":{},"Mounts":{}}`, "its Mounts cannot be read"},
		"volume on an odd path":   {`{"Config":{},"HostConfig":{},"Mounts":[{"Type":"volume","Name":"v","Destination":"/a:b"}]}`, "a path with a colon"},
		"asked mounts, same path": {`{"Config":{},"HostConfig":{"Mounts":7}}`, "its HostConfig.Mounts cannot be read"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := newTwinSpec([]byte(test.inspect), "image:tag"); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want %s", err, test.says)
			}
		})
	}
}

// TestRebuildKeepsTheRecordOfNetworks gives a twin the old one's networks back.
func TestRebuildKeepsTheRecordOfNetworks(t *testing.T) {
	for name, cutFirst := range map[string]bool{"attached": false, "cut off before": true} {
		t.Run(name, func(t *testing.T) {
			s := newRebuildScene(t, simengine.Spec{})
			if cutFirst {
				mustOutcome(t, act(t, s.actor, s.client, model.ActionLockdownOn, model.MethodCut, s.id)[0], model.OutcomeDone, "")
			}
			target := act(t, s.actor, s.client, model.ActionLockdownOn, model.MethodRebuild, s.id)[0]
			mustOutcome(t, target, model.OutcomeDone, "")
			if _, known, _ := s.store.Load(s.id); known {
				t.Error("the old one still has a record")
			}
			mustOutcome(t, act(t, s.actor, s.client, model.ActionLockdownOff, model.MethodReconnect, target.NewID)[0], model.OutcomeDone, "")
			if attached := attachedOf(t, s.rig, target.NewID); attached != "bridge" {
				t.Errorf("attached to %q", attached)
			}
		})
	}
	t.Run("on the host's network, which cannot be given back", func(t *testing.T) {
		s := newRebuildScene(t, simengine.Spec{Host: simengine.HostConfig{NetworkMode: "host"}})
		target := act(t, s.actor, s.client, model.ActionLockdownOn, model.MethodRebuild, s.id)[0]
		mustOutcome(t, target, model.OutcomeDone, "")
		mustOutcome(t, act(t, s.actor, s.client, model.ActionLockdownOff, model.MethodReconnect, target.NewID)[0], model.OutcomeRefused, "left alone")
		if attached := attachedOf(t, s.rig, target.NewID); attached != "none" {
			t.Errorf("attached to %q", attached)
		}
	})
	t.Run("the record cannot be written", func(t *testing.T) {
		s := newRebuildScene(t, simengine.Spec{})
		s.store.saveErr = errBroken
		mustOutcome(t, carryOut(t, s.actor, s.plan)[0], model.OutcomeDone, "the record of its networks could not be moved to the twin: it is broken")
	})
}

func TestEngineRebuildImageGoesWithItsLastSandbox(t *testing.T) { onEachEngine(t, lastOfImage) }

func lastOfImage(t *testing.T, e *rig) {
	sweepUp := sweep(t, e)
	actor, c := newWire(t, e.Host).connect(t, ActorOptions{})
	id := sandboxIn(t, e, model.StateExited)
	sweepUp(id)
	first := act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, id)[0]
	mustOutcome(t, first, model.OutcomeDone, "")
	clone := *e.Engine
	clone.Image = imageOf(id)
	other := (&clone).Run(t, clone.Sandbox("work", "other"))
	mustOutcome(t, act(t, actor, c, model.ActionRemove, model.MethodRemove, first.NewID)[0], model.OutcomeDone, "")
	if !imageThere(t, e, imageOf(id)) {
		t.Fatal("the image went while a container used it")
	}
	mustOutcome(t, act(t, actor, c, model.ActionRemove, model.MethodRemoveForce, other)[0], model.OutcomeDone, "")
	if imageThere(t, e, imageOf(id)) {
		t.Error("the image is still there")
	}
}

func TestRebuildImageThatStaysIsOnlyAWarning(t *testing.T) {
	s := newRebuildScene(t, simengine.Spec{})
	twin := carryOut(t, s.actor, s.plan)[0].NewID
	s.engine.Faults().Set(simengine.ImageRemove, refusing(0))
	target := act(t, s.actor, s.client, model.ActionRemove, model.MethodRemoveForce, twin)[0]
	mustOutcome(t, target, model.OutcomeDone, "its image "+imageOf(s.id)+" could not be removed")
}

// TestEngineRebuildTwice rebuilds a twin: the first image goes with it.
func TestEngineRebuildTwice(t *testing.T) {
	e := realEngine(t)
	sweepUp := sweep(t, e)
	actor, c := newWire(t, e.Host).connect(t, ActorOptions{})
	id := sandboxIn(t, e, model.StateRunning)
	sweepUp(id)
	in(t, e, id, "", "sh", "-c", "echo one > /one")
	first := act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, id)[0]
	mustOutcome(t, first, model.OutcomeDone, "")
	sweepUp(first.NewID)
	firstImage := inspectTrue(t, e, string(first.NewID)).Image
	in(t, e, first.NewID, "", "sh", "-c", "echo two > /two")
	second := act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, first.NewID)[0]
	mustOutcome(t, second, model.OutcomeDone, "")
	if got := strings.Fields(in(t, e, second.NewID, "", "cat", "/one", "/two")); cmp.Diff([]string{"one", "two"}, got) != "" {
		t.Errorf("files %q", got)
	}
	if imageThere(t, e, imageOf(id)) {
		t.Error("the first image still has its name")
	}
	mustOutcome(t, act(t, actor, c, model.ActionRemove, model.MethodRemoveForce, second.NewID)[0], model.OutcomeDone, "")
	if imageThere(t, e, imageOf(first.NewID)) || imageThere(t, e, firstImage) {
		t.Error("an image is left when the last twin is gone")
	}
}

func TestEngineLayerSize(t *testing.T) {
	e := realEngine(t)
	_, c := newWire(t, e.Host).connect(t, ActorOptions{})
	id := sandboxIn(t, e, model.StateRunning)
	in(t, e, id, "", "sh", "-c", "dd if=/dev/zero of=/file bs=1024 count=300 2>/dev/null")
	answer, err := e.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{Size: true})
	if err != nil {
		t.Fatal(err)
	}
	size, err := c.LayerSize(t.Context(), id)
	if err != nil || size < 300<<10 || size != *answer.Container.SizeRw {
		t.Errorf("size %d, %v", size, err)
	}
}

func TestLayerSizeThatIsUnknown(t *testing.T) {
	tests := map[string]struct {
		fault simengine.Fault
		id    model.ID
		says  string
	}{
		"refused":      {refusing(0), "", "status 500"},
		"no answer":    {simengine.Fault{Kind: simengine.EmptyBody}, "", "unexpected end"},
		"null":         {simengine.Fault{Kind: simengine.NullBody}, "", "another container"},
		"no container": {simengine.Fault{Kind: simengine.Latency}, model.ID(strings.Repeat("0", 64)), "status 404"},
		"no ID":        {simengine.Fault{Kind: simengine.Latency}, "target", "no full container ID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRebuildScene(t, simengine.Spec{})
			s.engine.Faults().Set(simengine.Inspect, test.fault)
			id := test.id
			if id == "" {
				id = s.id
			}
			if _, err := s.client.LayerSize(t.Context(), id); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want %s", err, test.says)
			}
		})
	}
}
