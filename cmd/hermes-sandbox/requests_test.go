package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/config/state"
	"hermes-sandbox/model"
	"hermes-sandbox/ui"
)

func TestDeniedHostsAreRemembered(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "state")
	b := &backend{workspace: &workspace{stateDir: folder}}
	leave := func(denied bool, decisions ...ui.HostDecision) {
		t.Helper()
		for _, decision := range decisions {
			if err := b.LeaveDenied(t.Context(), decision, denied); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() string {
		t.Helper()
		decisions, err := b.LeftDenied(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, d := range decisions {
			words = append(words, fmt.Sprintf("%s:%d of %s", model.NewText(d.Host), d.Port, d.Home))
		}
		return strings.Join(words, ", ")
	}
	if got := left(); got != "" {
		t.Errorf("at first there are %s", got)
	}
	one, two := ui.HostDecision{Home: "/h", Host: "a.example", Port: 443}, ui.HostDecision{Host: "\x1b[2J\u202e\u009b", Port: 80}
	leave(true, one, two, one) // once is enough
	if got := left(); got != `\x1b[2J\u202e\u009b:80 of , a.example:443 of /h` {
		t.Errorf("left denied: %s", got)
	}
	path := filepath.Join(folder, deniedFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := onlyDocuments(string(data)); err != nil {
		t.Errorf("the file: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	leave(false, two, ui.HostDecision{Host: "never.example"})
	if got := left(); got != "a.example:443 of /h" {
		t.Errorf("after one was taken back: %s", got)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.LeaveDenied(t.Context(), one, true); err == nil {
		t.Error("a damaged file was replaced")
	}
}

// The oldest decisions go, and the longest that fit can be read again.
func TestDeniedHostsAreBounded(t *testing.T) {
	t.Parallel()
	b := &backend{workspace: &workspace{stateDir: filepath.Join(t.TempDir(), "state")}}
	folder, err := state.Open(b.workspace.stateDir)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]ui.HostDecision, deniedKept)
	for i := range all {
		all[i] = ui.HostDecision{Home: "/home/" + strings.Repeat("h", 100), Host: fmt.Sprint(i) + strings.Repeat("\x01", 300), Port: 1}
	}
	if err := folder.Save(deniedFile, all); err != nil {
		t.Fatal(err)
	}
	newest := ui.HostDecision{Host: "newest.example", Port: 443}
	if err := b.LeaveDenied(t.Context(), newest, true); err != nil {
		t.Fatal(err)
	}
	kept, err := b.LeftDenied(t.Context())
	if err != nil || len(kept) != deniedKept || kept[0] != all[1] || kept[len(kept)-1] != newest {
		t.Errorf("%d are kept, %v", len(kept), err)
	}
}

// aWatch is a printer with what it printed.
func aWatch(t *testing.T) (*watchPrinter, func() []map[string]any) {
	t.Helper()
	var out bytes.Buffer
	printer := &watchPrinter{app: &app{stdout: &out}, cancel: func() {}, seen: make(map[seenRequest]bool)}
	return printer, func() []map[string]any {
		var events []map[string]any
		for line := range strings.Lines(out.String()) {
			var event map[string]any
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			events = append(events, event)
		}
		out.Reset()
		return events
	}
}

func asked(host string) model.EgressRequest {
	return model.EgressRequest{
		At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Engine: "e", Address: model.NewText("172.18.0.3"), Host: model.NewText(host),
		Port: 443, Verdict: model.EgressDeny, Reason: model.NewText("not-listed"),
	}
}

// Requests from before the first fleet wait for it, as many as there is room
// for, and each is said once per host and verdict.
func TestWatchSaysEachRequestOnce(t *testing.T) {
	t.Parallel()
	printer, said := aWatch(t)
	for i := range requestsWaiting + 10 {
		printer.request(asked(fmt.Sprintf("h%d.example", i/2)))
	}
	if got := said(); len(got) != 0 {
		t.Errorf("before the first fleet: %v", got)
	}
	printer.show(model.Fleet{}, nil)
	events := said()
	if len(events) != 1+requestsWaiting/2 || events[0]["event"] != "synced" || events[1]["event"] != "egress" {
		t.Errorf("%d events, the first %v", len(events), events[0])
	}
	printer.request(asked("h0.example"))
	allowed := asked("h0.example")
	allowed.Verdict = model.EgressAllow
	printer.request(allowed)
	if got := said(); len(got) != 1 || fmt.Sprint(got[0]["fields"]) != "[allow h0.example:443 not-listed]" {
		t.Errorf("said again: %v", got)
	}
	for i := range 2 * requestsReported {
		printer.request(asked(fmt.Sprintf("many%d.example", i)))
		if len(printer.seen) > requestsReported {
			t.Fatalf("%d hosts are remembered", len(printer.seen))
		}
	}
}

// A request of nobody known is left out where profiles were asked for.
func TestWatchOfAProfileKeepsToItsSandboxes(t *testing.T) {
	t.Parallel()
	printer, said := aWatch(t)
	printer.app.flags.profiles = []string{"work"}
	known := model.Sandbox{Container: &model.Container{}}
	known.ID, known.Engine = model.ID(strings.Repeat("a", 64)), "e"
	printer.show(model.Fleet{Sandboxes: []model.Sandbox{known}}, nil)
	said()
	printer.request(asked("nobody.example"))
	own := asked("own.example")
	own.Sandbox = known.Key()
	printer.request(own)
	events := said()
	if len(events) != 1 || events[0]["id"] != string(known.ID) || events[0]["sandbox"] == nil || events[0]["engine"] != "e" {
		t.Errorf("said %v", events)
	}
}

// When nothing can be written any more, the watch ends with the reason.
func TestWatchEndsWhenItsOutputDoes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	printer := &watchPrinter{app: &app{stdout: fullDisk{}}, cancel: cancel, seen: make(map[seenRequest]bool)}
	printer.show(model.Fleet{}, nil)
	printer.request(asked("late.example"))
	if printer.end() == nil || ctx.Err() == nil || printer.fine() {
		t.Errorf("it goes on: %v", printer.end())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrClosed }

func hostDecision(host string) ui.HostDecision { return ui.HostDecision{Host: host, Port: 443} }
