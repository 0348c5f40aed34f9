package simengine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/simengine"
)

func TestContainersAreFoundByIDThenNameThenPrefix(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	first := strings.Repeat("ab", 32)
	second := "abab" + strings.Repeat("cd", 30)
	named := strings.Repeat("ef", 32) // its name is the first one's short ID
	for _, spec := range []simengine.Spec{{ID: first, Name: "first"}, {ID: second, Name: "second"}, {ID: named, Name: first[:12]}} {
		if _, err := engine.Add(spec); err != nil {
			t.Fatal(err)
		}
	}
	for reference, want := range map[string]string{
		first: first, "second": second, first[:12]: named, first[:13]: first, "ababc": second, "/first": first,
	} {
		seen, err := api.ContainerInspect(bounded(t), reference, client.ContainerInspectOptions{})
		if err != nil || seen.Container.ID != want {
			t.Errorf("%s leads to %q, %v", reference, seen.Container.ID, err)
		}
	}
	if a := fetch(bounded(t), t, engine, "/containers/abab/json"); a.status != http.StatusInternalServerError {
		t.Errorf("an ambiguous prefix answers %d", a.status)
	}
	if _, err := api.ContainerInspect(bounded(t), "abac", client.ContainerInspectOptions{}); !errdefs.IsNotFound(err) {
		t.Errorf("an unknown prefix: %v", err)
	}
}

func TestStatesAndTheirTimes(t *testing.T) {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	engine, api := started(t, simengine.Options{Clock: func() time.Time { return now }})
	inspect := func(id string) container.InspectResponse {
		seen, err := api.ContainerInspect(bounded(t), id, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return seen.Container
	}
	const never = "0001-01-01T00:00:00Z"
	created, err := engine.Add(simengine.Spec{State: "created", StartError: "no such program"})
	if err != nil {
		t.Fatal(err)
	}
	if s := inspect(created).State; s.StartedAt != never || s.FinishedAt != never {
		t.Errorf("created: %s, %s", s.StartedAt, s.FinishedAt)
	}
	if _, err := api.ContainerStart(bounded(t), created, client.ContainerStartOptions{}); err == nil {
		t.Error("a container without its program starts")
	}
	if s := inspect(created).State; s.Status != "created" || s.ExitCode != 127 || s.Error != "no such program" || s.FinishedAt != never {
		t.Errorf("after a failed start: %+v", s)
	}
	ran, err := engine.Add(simengine.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if err := engine.StopContainer(ran); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	if err := engine.StartContainer(ran); err != nil {
		t.Fatal(err)
	}
	if s := inspect(ran).State; s.FinishedAt != "2026-11-30T10:00:00Z" || s.StartedAt != "2026-11-30T11:00:00Z" {
		t.Errorf("started again: started %s, finished %s", s.StartedAt, s.FinishedAt)
	}
	if err := engine.ForceState(ran, "dead"); err != nil {
		t.Fatal(err)
	}
	if err := engine.ForceListState(ran, "removing"); err != nil {
		t.Fatal(err)
	}
	list, err := api.ContainerList(bounded(t), client.ContainerListOptions{All: true})
	if err != nil || list.Items[0].State != "removing" || inspect(ran).State.Status != "dead" {
		t.Errorf("a removal that failed: list %v, %v", list.Items[0].State, err)
	}
}

func TestAnonymousVolumesGoOnlyWhenAsked(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	engine.AddImage("with-volume:1", simengine.Config{Cmd: []string{"sh"}})
	for _, withVolumes := range []bool{false, true} {
		made, err := api.ContainerCreate(bounded(t), client.ContainerCreateOptions{
			Config:     &container.Config{Image: "with-volume:1", Volumes: map[string]struct{}{"/data": {}}},
			HostConfig: &container.HostConfig{Binds: []string{"kept:/kept"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.ContainerRemove(bounded(t), made.ID, client.ContainerRemoveOptions{RemoveVolumes: withVolumes}); err != nil {
			t.Fatal(err)
		}
		left, err := api.VolumeList(bounded(t), client.VolumeListOptions{})
		if err != nil || len(left.Items) != 2 { // the named one and the first run's anonymous one
			t.Errorf("with v=%t %d volumes are left, %v", withVolumes, len(left.Items), err)
		}
	}
}

func TestExecsLogsAndWaiting(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{Name: "box", Logs: []string{"one", "two"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := bounded(t)
	made, err := api.ExecCreate(ctx, id, client.ExecCreateOptions{Cmd: []string{"echo", "hello", "there"}, AttachStdout: true})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := api.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &out, attached.Reader); err != nil || out.String() != "hello there\n" {
		t.Errorf("exec printed %q, %v", out.String(), err)
	}
	attached.Close()
	shell, err := api.ExecCreate(ctx, id, client.ExecCreateOptions{Cmd: []string{"/bin/sh"}, TTY: true, AttachStdin: true, AttachStdout: true})
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := api.ExecAttach(ctx, shell.ID, client.ExecAttachOptions{TTY: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := terminal.Conn.Write([]byte("ls\rexit\r")); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if _, err := out.ReadFrom(terminal.Reader); err != nil || !strings.Contains(out.String(), "# ls") {
		t.Errorf("shell printed %q, %v", out.String(), err)
	}
	terminal.Close()
	logs, err := api.ContainerLogs(ctx, id, client.ContainerLogsOptions{ShowStdout: true, Tail: "1", Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Print("box", "three"); err != nil {
		t.Fatal(err)
	}
	waiting := api.ContainerWait(ctx, id, client.ContainerWaitOptions{})
	if err := engine.StopContainer(id); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if _, err := stdcopy.StdCopy(&out, &out, logs); err != nil || out.String() != "two\nthree\n" {
		t.Errorf("log %q, %v", out.String(), err)
	}
	select {
	case ended := <-waiting.Result:
		if ended.StatusCode != 137 {
			t.Errorf("exit code %d", ended.StatusCode)
		}
	case err := <-waiting.Error:
		t.Error(err)
	}
}

func TestEventsAreBoundedAndFilteredAsOnTheRealEngine(t *testing.T) {
	engine, _ := started(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{Labels: map[string]string{"hermes-agent": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 300 {
		if err := engine.RenameContainer(id, fmt.Sprintf("name-%d", n)); err != nil {
			t.Fatal(err)
		}
	}
	count := func(query string) map[string]int {
		a := fetch(bounded(t), t, engine, "/events?since=1&until=1796029200"+query)
		found := map[string]int{}
		for decoder := json.NewDecoder(bytes.NewReader(a.body)); decoder.More(); {
			var event struct{ Action string }
			if err := decoder.Decode(&event); err != nil {
				t.Fatal(err)
			}
			found[event.Action]++
		}
		return found
	}
	if found := count(""); found["rename"] != 256 {
		t.Errorf("the history holds %d events, want 256", found["rename"])
	}
	if err := engine.DisconnectContainer("bridge", id); err != nil {
		t.Fatal(err)
	}
	if found := count(""); found["disconnect"] != 2 {
		t.Errorf("a live disconnect gives %d events, want 2", found["disconnect"])
	}
	if found := count("&filters=%7B%22label%22:%5B%22hermes-agent=1%22%5D%7D"); found["disconnect"] != 0 || found["rename"] == 0 {
		t.Errorf("a label filter lets through %v", found)
	}
}

func TestVersionsDecideTheShapes(t *testing.T) {
	tests := map[string]struct {
		version    string
		negotiated bool
		mode       string
		oldEvents  bool
	}{
		"too old for the client": {version: "1.30"},
		"19.03":                  {version: "1.40", negotiated: true, mode: "default", oldEvents: true},
		"20.10":                  {version: "1.41", negotiated: true, mode: "default", oldEvents: true},
		"25.0":                   {version: "1.44", negotiated: true, mode: "default", oldEvents: true},
		"29.1":                   {version: "1.52", negotiated: true, mode: "bridge"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			engine, api := started(t, simengine.Options{APIVersion: test.version})
			id, err := engine.Add(simengine.Spec{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err = api.Ping(bounded(t), client.PingOptions{NegotiateAPIVersion: true}); (err == nil) != test.negotiated {
				t.Fatalf("negotiation: %v", err)
			}
			if !test.negotiated {
				return
			}
			seen, err := api.ContainerInspect(bounded(t), id, client.ContainerInspectOptions{})
			if err != nil || string(seen.Container.HostConfig.NetworkMode) != test.mode {
				t.Errorf("mode %v, %v", seen.Container.HostConfig, err)
			}
			if flat := bytes.Contains(seen.Raw, []byte(`"SecondaryIPAddresses"`)); flat != test.oldEvents {
				t.Errorf("flat addresses: %t", flat)
			}
			events := fetch(bounded(t), t, engine, "/v"+test.version+"/events?since=1&until=1796029200")
			if old := bytes.Contains(events.body, []byte(`"status"`)); old != test.oldEvents || len(events.body) == 0 {
				t.Errorf("old event fields: %t in %s", old, events.body)
			}
		})
	}
}

func TestClockOffsetShowsEverywhere(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	engine.SetClockOffset(-time.Hour)
	a := fetch(bounded(t), t, engine, "/_ping")
	if a.header.Get("Date") != "Mon, 30 Nov 2026 08:00:00 GMT" {
		t.Errorf("Date %s", a.header.Get("Date"))
	}
	info, err := api.Info(bounded(t), client.InfoOptions{})
	if err != nil || info.Info.SystemTime != "2026-11-30T08:00:00Z" {
		t.Errorf("SystemTime %s, %v", info.Info.SystemTime, err)
	}
}

func TestEngineCanPassForPodman(t *testing.T) {
	engine, api := started(t, simengine.Options{Podman: true, Rootless: true})
	id, err := engine.Add(simengine.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if a := fetch(bounded(t), t, engine, "/_ping"); a.header.Get("Libpod-Api-Version") == "" {
		t.Errorf("headers %v", a.header)
	}
	seen, err := api.ContainerInspect(bounded(t), id, client.ContainerInspectOptions{})
	if err != nil || seen.Container.HostConfig.NetworkMode != "bridge" {
		t.Errorf("mode %v", err)
	}
	if a := fetch(bounded(t), t, engine, "/info"); !bytes.Contains(a.body, []byte("name=rootless")) {
		t.Error("not rootless")
	}
	if a := fetch(bounded(t), t, engine, "/version"); !bytes.Contains(a.body, []byte("Podman Engine")) {
		t.Error("not Podman in /version")
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	next := engine.NextRequest()
	if _, err := api.NetworkDisconnect(bounded(t), "bridge", client.NetworkDisconnectOptions{Container: id}); err != nil {
		t.Fatal(err)
	}
	<-next
	requests := engine.RequestsOf(simengine.Disconnect)
	if len(requests) != 1 || requests[0].Path != "/networks/bridge/disconnect" || requests[0].Method != http.MethodPost ||
		!strings.Contains(requests[0].Body, id) || requests[0].Version != "1.41" {
		t.Errorf("recorded %+v", requests)
	}
	if err := engine.StartContainer("nosuch"); !errdefs.IsNotFound(err) && err == nil {
		t.Error("someone else starts nothing")
	}
	engine.ForgetRequests()
	if left := engine.Requests(); len(left) != 0 {
		t.Errorf("%d requests are left", len(left))
	}
}

func TestLargeFleetIsListedWhole(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	if err := engine.Populate(10_000); err != nil {
		t.Fatal(err)
	}
	list, err := api.ContainerList(bounded(t), client.ContainerListOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	addresses := map[string]bool{}
	valid := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for n, row := range list.Items {
		if !valid.MatchString(row.ID) || seen[row.ID] || n > 0 && row.Created > list.Items[n-1].Created {
			t.Fatalf("row %d: %s created %d", n, row.ID, row.Created)
		}
		seen[row.ID] = true
		if at := row.NetworkSettings.Networks["bridge"]; at != nil && at.IPAddress.IsValid() {
			if addresses[at.IPAddress.String()] {
				t.Fatalf("address %s twice", at.IPAddress)
			}
			addresses[at.IPAddress.String()] = true
		}
	}
	if len(seen) != 10_000 || len(addresses) < 1000 {
		t.Errorf("%d sandboxes, %d addresses", len(seen), len(addresses))
	}
}

func TestManyClientsAtOnce(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	ids := make([]string, 8)
	for n := range ids {
		id, err := engine.Add(simengine.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		ids[n] = id
	}
	ctx := bounded(t)
	stream := api.Events(ctx, client.EventsListOptions{})
	engine.AwaitStream(ctx)
	go func() {
		for range stream.Messages {
		}
	}()
	var clients sync.WaitGroup
	removed := make(chan error, len(ids)*3)
	for _, id := range ids {
		for range 3 {
			clients.Go(func() {
				_, _ = api.ContainerStop(ctx, id, client.ContainerStopOptions{})
				_, _ = api.ContainerList(ctx, client.ContainerListOptions{All: true})
				_, err := api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true})
				removed <- err
			})
		}
	}
	clients.Wait()
	close(removed)
	done := 0
	for err := range removed {
		switch {
		case err == nil:
			done++
		case !errdefs.IsNotFound(err) && !errdefs.IsConflict(err):
			t.Error(err)
		}
	}
	if done != len(ids) {
		t.Errorf("%d removals succeeded for %d containers", done, len(ids))
	}
}
