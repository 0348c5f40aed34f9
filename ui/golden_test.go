package ui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/model"
)

// update is the flag that writes the golden files anew.
var update = flag.Bool("update", false, "write the golden files") //nolint:gochecknoglobals // flags of a test binary live here

// plainFrame is what a person reads on the screen, trailing spaces dropped.
func (s *screen) plainFrame() string {
	lines := strings.Split(ansi.Strip(s.m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// golden compares a frame with its file.
func (s *screen) golden(name string) {
	s.t.Helper()
	got := s.plainFrame()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatalf("%v (write it with -update)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		s.t.Errorf("frame differs from %s (-want +got):\n%s", path, diff)
	}
}

// reads checks that a person reads all the words on one line of the screen.
func (s *screen) reads(facts ...[]string) {
	s.t.Helper()
	frame := s.plainFrame()
	for _, words := range facts {
		found := false
		for line := range strings.Lines(frame) {
			all := true
			for _, word := range words {
				all = all && strings.Contains(line, word)
			}
			found = found || all
		}
		if !found {
			s.t.Errorf("no line says %q in:\n%s", words, frame)
		}
	}
}

func (s *screen) readsNot(words ...string) {
	s.t.Helper()
	frame := s.plainFrame()
	for _, word := range words {
		if strings.Contains(frame, word) {
			s.t.Errorf("the screen says %q:\n%s", word, frame)
		}
	}
}

func TestGoldenFrames(t *testing.T) {
	t.Parallel()
	down := smallFleet()
	down.Sandboxes = nil
	down.Engines[0].State = model.Down
	down.Engines[0].Error = "the socket does not exist; start the engine or name another one with --host"
	stale := smallFleet()
	stale.Engines[0].State = model.Stale
	stale.Engines[0].Error = "no answer to a ping"
	stale.Engines[0].LastAnswer = noon().Add(-42e9)
	empty := smallFleet()
	empty.Sandboxes = nil
	cases := map[string]struct {
		width, height int
		fleet         model.Fleet
		keys          string
		options       func(*Options)
		facts         [][]string
	}{
		"list-60x15":       {60, 15, smallFleet(), "", nil, [][]string{{"hermes-aa55e0f1", "running", "open"}, {"▲ 2 violations: hermes-3f2a91c0"}}},
		"list-80x24":       {80, 24, smallFleet(), "", nil, [][]string{{"hermes-77aa10ce", "exited", "air-gapped"}, {"2 violations", "hermes-3f2a91c0"}}},
		"list-120x40":      {120, 40, smallFleet(), "GGGk", nil, [][]string{{"hermes-3f2a91c0", "running", "2h", "bridge", "open"}, {"7 sandboxes", "4 up", "2 orphans"}}},
		"list-200x60":      {200, 60, smallFleet(), "w", nil, [][]string{{"hermes-bb66f1a2", "exited", "reaped", "python:3.12"}, {"hermes-90be2d13", "running", "open !"}}},
		"ascii-100x30":     {100, 30, smallFleet(), "", func(o *Options) { o.ASCII = true }, [][]string{{"hermes-dd88b3c4", "bridge", ": cut off"}, {"hermes-77aa10ce", "o air-gapped"}}},
		"no-colour-80x24":  {80, 24, smallFleet(), "", func(o *Options) { o.NoColor = true }, [][]string{{"▲ open"}, {"○ air-gapped"}}},
		"detail-80x24":     {80, 24, smallFleet(), "<enter>", nil, [][]string{{"posture", "▲ open", "attached"}, {"reap", "reaped: exited longer ago than 10m"}}},
		"verdicts-120x40":  {120, 40, smallFleet(), "3", nil, [][]string{{"Next start of cli"}, {"Orphan reaper"}}},
		"mounts-120x40":    {120, 40, smallFleet(), "jjj8", nil, [][]string{{"API_TOKEN=***"}, {"/root", "writable"}}},
		"waiting-80x24":    {80, 24, model.Fleet{}, "", nil, [][]string{{"Waiting for the first answer"}, {"hermes-sandbox"}}},
		"down-80x24":       {80, 24, down, "", nil, [][]string{{"default", "unix:///var/run/docker.sock"}, {"socket does not exist"}}},
		"stale-120x40":     {120, 40, stale, "", nil, [][]string{{"default stale 42s"}, {"no answer to a ping"}}},
		"empty-80x24":      {80, 24, empty, "", nil, [][]string{{"No sandboxes here yet"}, {"0 sandboxes"}}},
		"read-only-100x30": {100, 30, smallFleet(), "?", func(o *Options) { o.ReadOnly = true }, [][]string{{"READ-ONLY"}, {"Read-only: the program was started so that nothing can be changed"}}},
		"remove-80x24":     {80, 24, smallFleet(), "GD", nil, [][]string{{"Remove 1 sandbox"}, {"type 1 to confirm"}}},
		"reap-120x40":      {120, 40, smallFleet(), "R", nil, [][]string{{"Reap 2 sandboxes"}, {"hermes-bb66f1a2", "remove"}}},
		"palette-80x24":    {80, 24, smallFleet(), ":", nil, [][]string{{"Actions"}, {"remove", "shows its plan first"}}},
		"profiles-80x24":   {80, 24, smallFleet(), "p", nil, [][]string{{"Profiles"}, {"research", "/home/ada/.hermes/profiles/research"}}},
		"filter-80x24":     {80, 24, smallFleet(), "/orphan", nil, [][]string{{"/orphan", "2 matches"}, {"hermes-bb66f1a2"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t, c.options)
			s.send(sizeMsg(c.width, c.height))
			if len(c.fleet.Engines) > 0 {
				s.send(FleetMsg{Fleet: c.fleet})
			}
			s.press(c.keys)
			s.golden(name)
			s.reads(c.facts...)
		})
	}
}
