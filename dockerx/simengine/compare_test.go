package simengine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
)

// look is how closely two answers must agree.
type look int

const (
	whole  look = iota // status and the whole normalised body
	shape              // status, and the keys with the kinds of their values
	status             // the status alone
)

// step is one call made on both engines. Braces in path and body stand for
// values of the side: {mark}, {image}, {x} for the saved ID of x, {x:12} for
// its first 12 digits.
type step struct {
	name   string
	method string
	path   string
	body   string
	look   look
	save   string // name under which the answer's Id is kept
}

// side is one of the two engines.
type side struct {
	host string
	http *http.Client
	vars map[string]string
}

func newSide(t *testing.T, host, mark, image string) *side {
	t.Helper()
	path := strings.TrimPrefix(host, "unix://")
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", path)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &side{
		host: host, http: &http.Client{Transport: transport},
		vars: map[string]string{"mark": mark, "image": image, "label": `"` + enginetest.TestLabel + `":"` + mark + `"`},
	}
}

func (s *side) fill(text string) string {
	for name, value := range s.vars {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
		if len(value) >= 12 {
			text = strings.ReplaceAll(text, "{"+name+":12}", value[:12])
		}
	}
	return text
}

func (s *side) do(t *testing.T, st step) (int, any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	kind := "application/json"
	var body io.Reader = strings.NewReader(s.fill(st.body))
	if strings.HasPrefix(st.body, "tar:") {
		kind, body = "application/x-tar", bytes.NewReader(smallArchive(t))
	}
	request, err := http.NewRequestWithContext(ctx, st.method, "http://engine"+s.fill(st.path), body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	answer, err := s.http.Do(request)
	if err != nil {
		t.Fatalf("%s on %s: %v", st.name, s.host, err)
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s on %s: %v", st.name, s.host, err)
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		value = string(data)
	}
	if object, ok := value.(map[string]any); ok && st.save != "" {
		for _, key := range []string{"Id", "status"} {
			if id, ok := object[key].(string); ok {
				s.vars[st.save] = id
			}
		}
	}
	return answer.StatusCode, value
}

// settle waits, before a running container is asked to end, until its init has
// started the command: before that the init does not hear the signal.
func (s *side) settle(t *testing.T, st step) {
	t.Helper()
	reference, found := strings.CutSuffix(st.path, "/stop?t=5")
	if !found {
		reference, found = strings.CutSuffix(st.path, "/restart?t=5")
	}
	for deadline := time.Now().Add(enginetest.Wait); found && time.Now().Before(deadline); {
		code, sample := s.do(t, step{name: "settle", method: http.MethodGet, path: reference + "/stats?stream=false&one-shot=true"})
		body, _ := sample.(map[string]any)
		pids, _ := body["pids_stats"].(map[string]any)
		if count, _ := pids["current"].(json.Number); code != http.StatusOK || len(pids) == 0 || count.String() >= "2" {
			return
		}
	}
}

// watch collects the events of a side that concern the test.
func (s *side) watch(t *testing.T) (stop func(last string) []any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine/v1.41/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.http.Do(request) //nolint:bodyclose // the reader below closes it
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan []any, 1)
	lastName := make(chan string, 1)
	go func() {
		defer func() { _ = answer.Body.Close() }()
		decoder := json.NewDecoder(answer.Body)
		decoder.UseNumber()
		var seen []any
		last := ""
		for {
			var event map[string]any
			if decoder.Decode(&event) != nil {
				ended <- seen
				return
			}
			seen = append(seen, event)
			select {
			case last = <-lastName:
			default:
			}
			actor, _ := event["Actor"].(map[string]any)
			attributes, _ := actor["Attributes"].(map[string]any)
			if last != "" && event["Action"] == "destroy" && attributes["name"] == last {
				ended <- seen
				return
			}
		}
	}()
	return func(last string) []any {
		lastName <- last
		s.do(t, step{name: "end mark", method: http.MethodPost, path: "/containers/create?name=" + last, body: `{"Image":"{image}","Labels":{{label}}}`})
		s.do(t, step{name: "end mark", method: http.MethodDelete, path: "/containers/" + last})
		defer cancel()
		select {
		case events := <-ended:
			return slices.DeleteFunc(events, func(event any) bool { return !s.concerns(event) })
		case <-ctx.Done():
			t.Fatalf("the events of %s did not end", s.host)
			return nil
		}
	}
}

// concerns reports whether an event is about something this side made.
func (s *side) concerns(event any) bool {
	data, _ := json.Marshal(event)
	for name, value := range s.vars {
		if name != "image" && name != "label" && bytes.Contains(data, []byte(value)) {
			return true
		}
	}
	return false
}

// TestAnswersEqualTheRealEngines makes the same calls on a real engine and on
// the simulated one.
func TestAnswersEqualTheRealEngines(t *testing.T) {
	real := enginetest.Require(t)
	engine := simengine.New(simengine.Options{})
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	engine.AddImage(real.Image, simengine.Config{Cmd: []string{"sleep", "infinity"}, Env: []string{"PATH=/bin"}})

	trueSide, simSide := newSide(t, real.Host, real.Mark, real.Image), newSide(t, engine.Host(), real.Mark, real.Image)
	t.Cleanup(func() { removeLeftovers(real) })
	trueEvents, simEvents := trueSide.watch(t), simSide.watch(t)
	steps := comparedCalls()
	if len(steps) < 60 {
		t.Fatalf("only %d calls are compared", len(steps))
	}
	for _, st := range steps {
		trueSide.settle(t, st)
		wantStatus, want := trueSide.do(t, st)
		gotStatus, got := simSide.do(t, st)
		if gotStatus != wantStatus {
			t.Errorf("%s: status %d, the real engine gives %d\nreal: %v\nsimulated: %v", st.name, gotStatus, wantStatus, want, got)
			continue
		}
		switch st.look {
		case whole:
			if diff := cmp.Diff(normal("", want), normal("", got)); diff != "" {
				t.Errorf("%s: body differs (-real +simulated)\n%s", st.name, diff)
			}
		case shape:
			if diff := cmp.Diff(kinds(want), kinds(got)); diff != "" {
				t.Errorf("%s: shape differs (-real +simulated)\n%s", st.name, diff)
			}
		case status:
		}
	}
	last := "cmp-" + real.Mark + "-end"
	want, got := normalEvents(trueEvents(last)), normalEvents(simEvents(last))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events differ (-real +simulated)\n%s", diff)
	}
	t.Logf("%d calls and %d events compared", len(steps), len(want))
}

// removeLeftovers removes what a story that broke off left behind and the
// engine's own cleaning does not know: images and the volume.
func removeLeftovers(real *enginetest.Engine) {
	ctx, cancel := context.WithTimeout(context.Background(), enginetest.Wait)
	defer cancel()
	for _, tag := range []string{"import", "second", "commit"} {
		_, _ = real.Client.ImageRemove(ctx, "hermes-sandbox-compare-"+real.Mark+":"+tag, client.ImageRemoveOptions{Force: true})
	}
	_, _ = real.Client.VolumeRemove(ctx, "cmpvol-"+real.Mark, client.VolumeRemoveOptions{Force: true})
}
