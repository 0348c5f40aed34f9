package model

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRequestEvent(t *testing.T) {
	t.Parallel()
	box := Sandbox{Container: &Container{}}
	box.ID, box.Engine, box.Name = ID(strings.Repeat("a", 64)), "local", NewText("hermes-1a2b3c4d")
	fleet := &Fleet{Sandboxes: []Sandbox{box}}
	at := time.Date(2026, 11, 30, 13, 0, 0, 0, time.FixedZone("CET", 3600))
	cases := map[string]struct {
		request EgressRequest
		fields  []string
		known   bool
	}{
		"denied": {
			EgressRequest{Sandbox: box.Key(), Host: NewText("evil.example"), Port: 443, Verdict: EgressDeny, Reason: NewText("not-listed")},
			[]string{"deny", "evil.example:443", "not-listed"},
			true,
		},
		"of nobody":        {EgressRequest{Host: NewText("a.example"), Port: 80, Verdict: EgressAllow}, []string{"allow", "a.example:80", ""}, false},
		"of one that left": {EgressRequest{Sandbox: Key{Engine: "other", ID: box.ID}, Host: NewText("a"), Port: 1, Verdict: EgressFail}, []string{"fail", "a:1", ""}, false},
		"unreadable":       {EgressRequest{Verdict: EgressDeny, Reason: NewText("bad-request")}, []string{"deny", "", "bad-request"}, false},
		"hostile": {
			EgressRequest{Host: NewText("\x1b[2J\u202e"), Port: 1, Verdict: EgressDeny, Reason: NewText("\u009b")},
			[]string{"deny", "\x1b[2J\u202e:1", "\u009b"},
			false,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.request.Engine, c.request.At = "local", at
			event := RequestEvent(fleet, &c.request)
			if diff := cmp.Diff(c.fields, event.Fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if event.Event != WatchEgress || event.Engine != "local" || (event.Sandbox != nil) != c.known || event.ID != string(c.request.Sandbox.ID) ||
				event.Schema != Schema || event.Time == nil || !event.Time.Equal(at) || event.Time.Location() != time.UTC {
				t.Errorf("event %+v", event)
			}
			data, err := MarshalJSON(event, false)
			if err != nil || strings.ContainsAny(string(data), "\x1b\u202e\u009b") {
				t.Errorf("written as %s, %v", data, err)
			}
		})
	}
}
