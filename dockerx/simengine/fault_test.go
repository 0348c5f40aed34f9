package simengine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/simengine"
)

// answered is what a plain HTTP client got.
type answered struct {
	status int
	header http.Header
	body   []byte
	err    error
}

func fetch(ctx context.Context, t *testing.T, engine *simengine.Engine, path string) answered {
	t.Helper()
	s := newSide(t, engine.Host(), "", "")
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return answered{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return answered{status: response.StatusCode, header: response.Header, body: body, err: err}
}

// impatient is a context that ends soon, for answers that never come.
func impatient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestFaultsOfAnAnswer(t *testing.T) {
	var whole []byte // the true answer
	broken := func(t *testing.T, a answered) {
		t.Helper()
		if !errors.Is(a.err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v, want an unexpected end", a.err)
		}
	}
	is := func(want string) func(*testing.T, answered) {
		return func(t *testing.T, a answered) {
			t.Helper()
			if a.err != nil || a.status != http.StatusOK || strings.TrimSpace(string(a.body)) != want {
				t.Errorf("answer %d %q %v, want %q", a.status, a.body, a.err, want)
			}
		}
	}
	never := func(t *testing.T, a answered) {
		t.Helper()
		if !errors.Is(a.err, context.DeadlineExceeded) {
			t.Errorf("answer %d, error %v, want none in time", a.status, a.err)
		}
	}
	valid := func(t *testing.T, a answered) []map[string]any {
		t.Helper()
		var rows []map[string]any
		if err := json.Unmarshal(a.body, &rows); err != nil {
			t.Fatalf("%v in %s", err, a.body)
		}
		return rows
	}
	tests := map[string]struct {
		fault simengine.Fault
		check func(*testing.T, answered)
	}{
		"latency": {simengine.Fault{Kind: simengine.Latency, Delay: time.Millisecond}, func(t *testing.T, a answered) { valid(t, a) }},
		"silence": {simengine.Fault{Kind: simengine.Silence}, never},
		"headers only": {simengine.Fault{Kind: simengine.HeadersOnly}, func(t *testing.T, a answered) {
			never(t, a)
			if a.status != 200 {
				t.Error("no headers")
			}
		}},
		"slow bytes":      {simengine.Fault{Kind: simengine.SlowBytes, Delay: 50 * time.Millisecond}, never},
		"empty body":      {simengine.Fault{Kind: simengine.EmptyBody}, is("")},
		"null":            {simengine.Fault{Kind: simengine.NullBody}, is("null")},
		"type swap":       {simengine.Fault{Kind: simengine.TypeSwap}, is("{}")},
		"truncated chunk": {simengine.Fault{Kind: simengine.TruncatedChunk}, broken},
		"wrong length":    {simengine.Fault{Kind: simengine.WrongLength}, broken},
		"reset":           {simengine.Fault{Kind: simengine.Reset}, broken},
		"cut":             {simengine.Fault{Kind: simengine.CutStream}, is("")},
		"refused": {simengine.Fault{Kind: simengine.StatusCode, Status: 403, Message: "not allowed"}, func(t *testing.T, a answered) {
			if a.status != 403 || !bytes.Contains(a.body, []byte(`{"message":"not allowed"}`)) {
				t.Errorf("answer %d %s", a.status, a.body)
			}
		}},
		"html": {simengine.Fault{Kind: simengine.HTMLBody, Status: 502}, func(t *testing.T, a answered) {
			if a.status != 502 || a.header.Get("Content-Type") != "text/html" || !bytes.HasPrefix(a.body, []byte("<!DOCTYPE")) {
				t.Errorf("answer %d %s", a.status, a.body)
			}
		}},
		"redirect": {simengine.Fault{Kind: simengine.Redirect}, func(t *testing.T, a answered) {
			if a.status != http.StatusMovedPermanently || a.header.Get("Location") == "" {
				t.Errorf("answer %d to %q", a.status, a.header.Get("Location"))
			}
		}},
		"truncated JSON": {simengine.Fault{Kind: simengine.TruncatedJSON}, func(t *testing.T, a answered) {
			if a.err != nil || json.Valid(a.body) || !bytes.HasPrefix(whole, a.body) {
				t.Errorf("answer %s, error %v", a.body, a.err)
			}
		}},
		"huge": {simengine.Fault{Kind: simengine.HugeBody, Size: 1 << 20}, func(t *testing.T, a answered) {
			if len(a.body) < 1<<20 || len(valid(t, a)) != 1 {
				t.Errorf("%d bytes", len(a.body))
			}
		}},
		"invalid UTF-8": {simengine.Fault{Kind: simengine.InvalidUTF8}, func(t *testing.T, a answered) {
			if utf8.Valid(a.body) || len(valid(t, a)) != 1 {
				t.Errorf("answer %q", a.body)
			}
		}},
		"duplicate keys": {simengine.Fault{Kind: simengine.DuplicateKeys}, func(t *testing.T, a answered) {
			if rows := valid(t, a); rows[0]["State"] != "running" || bytes.Count(a.body, []byte(`"State":`)) < 2 {
				t.Errorf("answer %s", a.body)
			}
		}},
		"null fields": {simengine.Fault{Kind: simengine.NullFields}, func(t *testing.T, a answered) {
			if rows := valid(t, a); rows[0]["Names"] != nil || rows[0]["Labels"] != nil {
				t.Errorf("answer %s", a.body)
			}
		}},
		"unknown words": {simengine.Fault{Kind: simengine.UnknownWords}, func(t *testing.T, a answered) {
			if rows := valid(t, a); rows[0]["State"] != "quantum" {
				t.Errorf("answer %s", a.body)
			}
		}},
		"deep nesting": {simengine.Fault{Kind: simengine.DeepNesting, Size: 20_000}, func(t *testing.T, a answered) {
			var value any
			if len(a.body) != 40_000 || json.Unmarshal(a.body, &value) == nil {
				t.Errorf("%d bytes", len(a.body))
			}
		}},
	}
	covered := map[simengine.Kind]bool{}
	for name, test := range tests {
		covered[test.fault.Kind] = true
		t.Run(name, func(t *testing.T) {
			engine, _ := started(t, simengine.Options{})
			if _, err := engine.Add(simengine.Spec{Labels: map[string]string{"hermes-agent": "1"}}); err != nil {
				t.Fatal(err)
			}
			whole = fetch(bounded(t), t, engine, "/containers/json").body
			remove := engine.Faults().Set(simengine.List, test.fault)
			test.check(t, fetch(impatient(t), t, engine, "/containers/json"))
			if other := fetch(bounded(t), t, engine, "/networks"); other.status != 200 || other.err != nil {
				t.Errorf("another operation is hit too: %d %v", other.status, other.err)
			}
			remove()
			if again := fetch(bounded(t), t, engine, "/containers/json"); !bytes.Equal(again.body, whole) {
				t.Errorf("the fault stays: %s", again.body)
			}
		})
	}
	for _, kind := range simengine.Kinds() {
		if !covered[kind] {
			t.Errorf("fault %s is not tested", kind)
		}
	}
}

func TestFaultHitsAsOftenAsAsked(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	engine.Faults().Set(simengine.Any, simengine.Fault{
		Kind: simengine.StatusCode, Status: 500, Times: 2,
		When: func(r simengine.Request) bool { return r.Query.Get("all") == "1" },
	})
	list := func(all bool) error {
		_, err := api.ContainerList(bounded(t), client.ContainerListOptions{All: all})
		return err
	}
	for number, want := range []struct{ all, fails bool }{{true, true}, {false, false}, {true, true}, {true, false}} {
		if err := list(want.all); errdefs.IsInternal(err) != want.fails {
			t.Errorf("call %d: %v", number, err)
		}
	}
}

func TestGateHoldsACallUntilItIsOpened(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{State: "exited"})
	if err != nil {
		t.Fatal(err)
	}
	gate := engine.Faults().Gate(simengine.Remove, nil)
	removed := make(chan error, 1)
	go func() {
		_, err := api.ContainerRemove(context.Background(), id, client.ContainerRemoveOptions{})
		removed <- err
	}()
	if request := <-gate.Arrived(); request.Path != "/containers/"+id {
		t.Errorf("held %s", request.Path)
	}
	if err := engine.StartContainer(id); err != nil { // the race a reaper must survive
		t.Fatal(err)
	}
	gate.Open()
	if err := <-removed; !errdefs.IsConflict(err) {
		t.Errorf("removing a container that came back: %v", err)
	}
}

func TestEventStreamFaults(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := bounded(t)
	stream := api.Events(ctx, client.EventsListOptions{})
	engine.AwaitStream(ctx)
	engine.Faults().LoseEvents(true)
	if err := engine.PauseContainer(id); err != nil {
		t.Fatal(err)
	}
	engine.Faults().LoseEvents(false)
	if err := engine.UnpauseContainer(id); err != nil {
		t.Fatal(err)
	}
	select {
	case event := <-stream.Messages:
		if event.Action != "unpause" {
			t.Errorf("first event %s: the lost one came", event.Action)
		}
	case err := <-stream.Err:
		t.Fatal(err)
	}
	engine.Faults().CutStreams()
	if err := <-stream.Err; !errors.Is(err, io.EOF) {
		t.Errorf("a cut stream ends with %v", err)
	}
	engine.Faults().Set(simengine.Events, simengine.Fault{Kind: simengine.TruncatedJSON})
	if a := fetch(ctx, t, engine, "/events"); json.Valid(a.body) || len(a.body) == 0 {
		t.Errorf("spoiled stream: %q", a.body)
	}
}

func TestOutagesAndReturn(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	for name, outage := range map[string]func(){"crash": engine.Crash, "vanish": engine.Vanish} {
		ctx := bounded(t)
		stream := api.Events(ctx, client.EventsListOptions{})
		engine.AwaitStream(ctx)
		outage()
		if err := <-stream.Err; err == nil {
			t.Errorf("%s: the stream goes on", name)
		}
		if _, err := api.Ping(ctx, client.PingOptions{}); err == nil {
			t.Errorf("%s: the engine answers", name)
		}
		if err := engine.Recover(); err != nil {
			t.Fatal(err)
		}
		if seen, err := api.ContainerInspect(ctx, id, client.ContainerInspectOptions{}); err != nil || seen.Container.ID != id {
			t.Errorf("%s: after the return: %v", name, err)
		}
	}
}
