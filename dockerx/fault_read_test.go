package dockerx

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// readOperations are the requests a watcher makes, with the cap of their body.
func readOperations() []struct {
	operation simengine.Operation
	limit     int
} {
	return []struct {
		operation simengine.Operation
		limit     int
	}{
		{simengine.Ping, errorLimit},
		{simengine.Version, inspectLimit},
		{simengine.Info, inspectLimit},
		{simengine.Events, eventLimit},
		{simengine.List, listLimit},
		{simengine.Inspect, inspectLimit},
		{simengine.ImageInspect, inspectLimit},
		{simengine.NetworkList, listLimit},
		{simengine.NetworkInspect, inspectLimit},
	}
}

// readFaults are the faults of a cell's column, with what they need.
func readFaults(limit int) []simengine.Fault {
	var faults []simengine.Fault
	for _, kind := range simengine.Kinds() {
		fault := simengine.Fault{Kind: kind, Delay: time.Second, Size: limit + 1}
		if kind == simengine.DeepNesting {
			fault.Size = 20_000
		}
		if kind != simengine.StatusCode {
			faults = append(faults, fault)
			continue
		}
		for _, status := range []int{400, 401, 403, 404, 409, 429, 500, 503} {
			fault.Status, fault.Message = status, "refused by the test"
			faults = append(faults, fault)
		}
	}
	return faults
}

// faultName names a fault in the golden table.
func faultName(fault simengine.Fault) string {
	if fault.Kind == simengine.StatusCode {
		return fmt.Sprintf("%s-%d", fault.Kind, fault.Status)
	}
	return string(fault.Kind)
}

// TestFaultsOfEveryReadRequest goes through every fault of every request a
// watcher makes, at the start and in the middle. The golden table says what is
// shown meanwhile; what holds for all cells is checked here: nothing is asked
// that changes the engine, an inspect that failed leaves no facts behind, and
// when the fault goes everything is live again.
func TestFaultsOfEveryReadRequest(t *testing.T) {
	var table strings.Builder
	for _, row := range readOperations() {
		for _, fault := range readFaults(row.limit) {
			for _, moment := range []string{"start", "middle"} {
				name := fmt.Sprintf("%s %s %s", row.operation, faultName(fault), moment)
				t.Run(name, func(t *testing.T) {
					fmt.Fprintf(&table, "%-60s %s\n", name, faultCell(t, row.operation, fault, moment == "start"))
				})
			}
		}
	}
	path := filepath.Join("testdata", "faults-read.golden")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(fixture(t, "faults-read.golden")), table.String()); diff != "" && !t.Failed() {
		t.Errorf("what is shown differs (-want +got), run with -update after checking:\n%s", diff)
	}
}

// faultCell runs one cell in virtual time and returns what was shown.
func faultCell(t *testing.T, operation simengine.Operation, fault simengine.Fault, atStart bool) (shown string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		simulated := simengine.New(simengine.Options{})
		t.Cleanup(func() { _ = simulated.Close() })
		if _, err := simulated.Add(simengine.Spec{Name: "hermes-1a2b3c4d", Labels: map[string]string{"hermes-agent": "1"}, State: "running"}); err != nil {
			t.Fatal(err)
		}
		engine := newMemoryEngine(t)
		engine.handler = simulated
		w := &watched{memoryEngine: engine, watcher: NewWatcher(engine.client(t), WatchOptions{})}
		if atStart {
			simulated.Faults().Set(operation, fault)
		}
		runWatcher(t, w.watcher)
		w.wait(time.Second)
		if !atStart {
			if w.last.Engine.State != model.Live {
				t.Fatalf("not live before the fault: %+v", w.last.Engine)
			}
			simulated.Faults().Set(operation, fault)
			engine.endStreams()
			simulated.Faults().CutStreams() // so that everything is asked again
		}
		w.wait(14 * time.Second)
		shown = describe(t, w.last)
		simulated.Faults().Clear()
		w.wait(45 * time.Second)
		if after := describe(t, w.last); after != "live, row known, network known" {
			t.Errorf("after the fault has gone: %s (%s)", after, w.last.Engine.Error)
		}
		for _, request := range simulated.Requests() {
			if request.Method != http.MethodGet && request.Method != http.MethodHead {
				t.Errorf("%s %s was sent", request.Method, request.Path)
			}
		}
	})
	return shown
}

// describe says in a few words what a snapshot shows.
func describe(t *testing.T, s model.Snapshot) string {
	t.Helper()
	words := []string{string(s.Engine.State)}
	if (s.Engine.State == model.Live) != (s.Engine.Error == "") {
		t.Errorf("state %s with error %q", s.Engine.State, s.Engine.Error)
	}
	if s.At.IsZero() {
		return words[0] + ", no data"
	}
	if len(s.Containers) != 1 {
		return fmt.Sprintf("%s, %d rows", words[0], len(s.Containers))
	}
	row := s.Containers[0]
	switch {
	case row.Inspected == (row.InspectError != ""):
		t.Errorf("inspected %v with error %q", row.Inspected, row.InspectError)
	case !row.Inspected:
		words = append(words, "row not inspected")
	case row.Problem != "":
		words = append(words, "row odd")
	default:
		words = append(words, "row known")
	}
	if !row.Inspected && (row.Pid != 0 || row.Kernel != nil || len(row.Env) > 0 || row.StartedAt.Known()) {
		t.Errorf("a row that is not inspected holds old facts: %+v", row)
	}
	network := "network known"
	if len(row.Networks.Endpoints) > 0 {
		found, ok := s.Network(row.Networks.Endpoints[0].NetworkID, row.Networks.Endpoints[0].Network)
		if !ok || found.Error != "" || !s.NetworksKnown {
			network = "network unknown"
		}
	} else {
		network = "no network"
	}
	words = append(words, network)
	for _, problem := range s.Problems {
		words = append(words, "problem: "+problem.Part)
	}
	return strings.Join(words, ", ")
}
