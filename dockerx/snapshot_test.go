package dockerx

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hermes-sandbox/model"
)

// snapshotOf reads a memory engine once, in virtual time.
func snapshotOf(t *testing.T, prepare func(*memoryEngine), check func(*testing.T, *memoryEngine, model.Snapshot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		engine := newMemoryEngine(t)
		prepare(engine)
		client := engine.client(t)
		snapshot := client.Snapshot(t.Context())
		check(t, engine, snapshot)
	})
}

// answering returns a handler for a fixed body.
func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestSnapshotSurvivesOneFailedPart(t *testing.T) {
	cases := map[string]struct {
		part    string // of the path that fails
		problem string // part named in the problems; "" when the row tells it
		row     string // in the row's inspect error
	}{
		"version":     {"/version", "engine version", ""},
		"info":        {"/info", "engine information", ""},
		"networks":    {"/networks", "networks", ""},
		"one inspect": {"/containers/" + sandboxID("a"), "", "status 500"},
	}
	failures := map[string]http.HandlerFunc{
		"error":    answering(500, `{"message":"broken"}`),
		"web page": answering(500, "<html>"),
	}
	for name, tt := range cases {
		for failure, answer := range failures {
			t.Run(name+" "+failure, func(t *testing.T) {
				snapshotOf(t, func(e *memoryEngine) {
					e.add(sandboxID("a"))
					e.add(sandboxID("b"))
					e.answers[tt.part] = answer
				}, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
					if s.Engine.State != model.Live || len(s.Containers) != 2 || !s.Containers[1].Inspected {
						t.Fatalf("snapshot %+v", s)
					}
					if !strings.Contains(s.Containers[0].InspectError, tt.row) || (tt.row == "") != s.Containers[0].Inspected {
						t.Errorf("row %+v", s.Containers[0])
					}
					named := fmt.Sprint(s.Problems)
					if tt.problem != "" && !strings.Contains(named, tt.problem) || tt.problem == "" && len(s.Problems) > 0 {
						t.Errorf("problems %s", named)
					}
					if s.NetworksKnown != (tt.problem != "networks") {
						t.Errorf("networks known: %v", s.NetworksKnown)
					}
				})
			})
		}
	}
}

func TestSnapshotWithoutAListIsDown(t *testing.T) {
	cases := map[string]http.HandlerFunc{
		"error":      answering(500, `{"message":"broken"}`),
		"web page":   answering(200, "<html>"),
		"null":       answering(200, "null"),
		"object":     answering(200, "{}"),
		"broken off": answering(200, `[{"Id":`),
		"wrong length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "[]")
		},
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			snapshotOf(t, func(e *memoryEngine) {
				e.add(sandboxID("a"))
				e.answers["/containers/json"] = answer
			}, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
				if s.Engine.State != model.Down || s.Engine.Error == "" || !s.At.IsZero() || len(s.Containers) > 0 {
					t.Errorf("snapshot %+v", s)
				}
			})
		})
	}
}

func TestSnapshotAsksInParallelWithinBounds(t *testing.T) {
	var (
		mu            sync.Mutex
		running, most int
	)
	snapshotOf(t, func(e *memoryEngine) {
		for i := range 40 {
			e.add(fmt.Sprintf("%064x", i+1))
		}
		e.answers["/containers/0"] = func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			<-time.After(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			e.serveData(w, r)
		}
	}, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
		if most != maxParallel {
			t.Errorf("%d inspects at a time, want %d", most, maxParallel)
		}
		for _, c := range s.Containers {
			if !c.Inspected {
				t.Errorf("%s: %s", c.ID.Short(), c.InspectError)
			}
		}
	})
}

func TestSnapshotRows(t *testing.T) {
	a, b := sandboxID("a"), sandboxID("b")
	list := func(rows ...string) func(*memoryEngine) {
		return func(e *memoryEngine) {
			e.add(a)
			e.answers["/containers/json"] = answering(200, "["+strings.Join(rows, ",")+"]")
		}
	}
	row := func(id, label, state string) string {
		return fmt.Sprintf(`{"Id":%q,"State":%q,"Labels":{"hermes-agent":%q}}`, id, state, label)
	}
	cases := map[string]struct {
		prepare func(*memoryEngine)
		want    string // "id state problem?inspected" of each row
	}{
		"an ID twice":             {list(row(a, "1", "running"), row(a, "1", "exited")), "a running true"},
		"a filter ignored":        {list(row(a, "1", "running"), row(b, "2", "running")), "a running true"},
		"an odd row":              {list("7", row(a, "1", "running")), "   false; a running true"},
		"removal that is stuck":   {list(row(a, "1", "removing")), "a removing true"},
		"inspect is younger":      {list(row(a, "1", "created")), "a running true"},
		"gone before the inspect": {list(row(b, "1", "running")), "b running false"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			snapshotOf(t, tt.prepare, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
				var got []string
				for _, c := range s.Containers {
					if c.Inspected == (c.InspectError != "") {
						t.Errorf("inspected %v with error %q", c.Inspected, c.InspectError)
					}
					id := " "
					if c.ID.Valid() {
						id = string(c.ID[:1])
					}
					got = append(got, fmt.Sprintf("%s %s %v", id, c.State, c.Inspected))
				}
				if joined := strings.Join(got, "; "); joined != tt.want {
					t.Errorf("rows %q, want %q", joined, tt.want)
				}
			})
		})
	}
}

func TestSnapshotTellsInheritedLabels(t *testing.T) {
	image := "sha256:" + sandboxID("c")
	snapshotOf(t, func(e *memoryEngine) {
		e.add(sandboxID("a"))
		e.add(sandboxID("b"))
		e.list[0]["ImageID"], e.list[1]["ImageID"] = image, "sha256:"+sandboxID("d")
		e.answers["/images/"+image] = answering(200, `{"Id":"x","Config":{"Labels":{"hermes-agent":"1"}}}`)
	}, func(t *testing.T, e *memoryEngine, s model.Snapshot) {
		if c := s.Containers[0]; !c.ImageLabelsKnown || c.ImageLabels.Value("hermes-agent").Raw() != "1" {
			t.Errorf("image labels %v known %v", c.ImageLabels, c.ImageLabelsKnown)
		}
		if c := s.Containers[1]; c.ImageLabelsKnown {
			t.Errorf("labels of an image that is gone: %v", c.ImageLabels)
		}
		if n := count(e.taken(), "/images/"); n != 2 {
			t.Errorf("%d image inspects, want one each", n)
		}
	})
}

func TestSnapshotFindsWhatDecidesAPosture(t *testing.T) {
	a, target, deep, peer, proxy := sandboxID("a"), sandboxID("1"), sandboxID("2"), sandboxID("3"), sandboxID("4")
	inner := strings.Repeat("f", 64)
	mode := func(e *memoryEngine, id, mode string) {
		e.inspects[id]["HostConfig"] = map[string]any{"NetworkMode": mode}
	}
	snapshotOf(t, func(e *memoryEngine) {
		for _, id := range []string{target, deep, peer, proxy, a} {
			e.add(id)
		}
		e.list = e.list[4:]
		mode(e, a, "container:"+target)
		mode(e, target, "container:"+deep)
		e.networks = append(e.networks, map[string]any{
			"Id": inner, "Name": "hermes-egress-0123456789", "Driver": "bridge", "Internal": true,
			"Labels": map[string]string{"hermes.egress": "1"}, "Containers": map[string]any{peer: map[string]any{"Name": "x"}},
		})
		rows := e.list
		e.answers["/containers/json"] = func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.RawQuery, "hermes.egress") {
				_, _ = fmt.Fprintf(w, `[{"Id":%q}]`, proxy)
				return
			}
			_ = json.NewEncoder(w).Encode(rows)
		}
	}, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
		got := map[string]bool{}
		for _, other := range s.Others {
			got[string(other.ID)] = other.Inspected
		}
		for name, id := range map[string]string{"target": target, "target's target": deep, "peer": peer, "proxy": proxy} {
			if !got[id] {
				t.Errorf("the %s is not among the others %v", name, got)
			}
		}
		if len(s.Others) != 4 || len(s.Containers) != 1 || len(s.Problems) > 0 {
			t.Errorf("%d others, %d sandboxes, problems %v", len(s.Others), len(s.Containers), s.Problems)
		}
	})
}

func TestSnapshotNetworkThatCannotBeInspected(t *testing.T) {
	bridge := strings.Repeat("e", 64)
	snapshotOf(t, func(e *memoryEngine) {
		oneRunning(e)
		e.answers["/networks/"+bridge] = answering(500, `{"message":"broken"}`)
	}, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
		network, ok := s.Network(bridge, model.Text{})
		if !ok || network.Error == "" || network.Driver.Raw() != "" || network.Name.Raw() != "bridge" {
			t.Errorf("network %+v", network)
		}
	})
}

func TestSnapshotKinds(t *testing.T) {
	cases := map[string]struct {
		prepare  func(*memoryEngine)
		kind     string
		rootless bool
	}{
		"docker": {func(*memoryEngine) {}, "docker", false},
		"rootless docker": {func(e *memoryEngine) {
			e.answers["/info"] = answering(200, `{"SecurityOptions":["name=seccomp,profile=default","name=rootless"]}`)
		}, "docker", true},
		"podman": {func(e *memoryEngine) {
			e.answers["/version"] = answering(200, `{"Version":"4.3.1","Components":[{"Name":"Podman Engine"}]}`)
			e.answers["/info"] = answering(200, `{"Rootless":true,"SecurityOptions":null}`)
		}, "podman", true},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			snapshotOf(t, tt.prepare, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
				rootless := s.Engine.Rootless != nil && *s.Engine.Rootless
				if s.Engine.Kind != tt.kind || rootless != tt.rootless {
					t.Errorf("engine %+v", s.Engine)
				}
			})
		})
	}
}

func TestSnapshotNoticesAClockThatIsOff(t *testing.T) {
	snapshotOf(t, func(e *memoryEngine) {
		e.answers["/info"] = func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, `{"SystemTime":%q}`, time.Now().Add(-2*time.Minute).Format(time.RFC3339Nano))
		}
	}, func(t *testing.T, _ *memoryEngine, s model.Snapshot) {
		if !s.Engine.SkewKnown || s.Engine.Skew != -2*time.Minute {
			t.Errorf("skew %v known %v", s.Engine.Skew, s.Engine.SkewKnown)
		}
	})
}
