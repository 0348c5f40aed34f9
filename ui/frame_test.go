package ui

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sandbox/model"
)

// scenes are ways to every screen and dialog.
func scenes() map[string]string {
	return map[string]string{
		"tree": "", "group": "g", "detail": "<enter>", "overview": "1", "egress": "2", "verdicts": "3", "session": "4",
		"mounts": "8", "revealed": "8e", "raw": "9", "raw at its end": "9<enter>G", "wide": "w", "flat": "vvvv", "by posture": "v",
		"by state": "vv", "by engine": "vvv", "filter": "/x", "filter problem": "/posture:nonsense", "marks": "a", "copy": "y",
		"remove": "D", "remove all": "aD", "reap": "R", "lockdown": "L", "rebuild": "Lb", "cut": "C", "cut all": "aCr", "stop": "X", "pause": "Z", "start": "O", "palette": ":", "profiles": "p",
		"find": "9<enter>/hermes", "help": "?", "audit": "A", "last result": "o",
	}
}

// states are fleets in every state of an engine.
func states(fleet model.Fleet) map[string]*model.Fleet {
	down, stale, empty := fleet, fleet, fleet
	down.Engines = slices.Clone(fleet.Engines)
	stale.Engines = slices.Clone(fleet.Engines)
	for i := range fleet.Engines {
		down.Engines[i].State, stale.Engines[i].State = model.Down, model.Stale
		down.Engines[i].Error = "refused: start the engine"
	}
	down.Sandboxes, empty.Sandboxes = nil, nil
	return map[string]*model.Fleet{"live": &fleet, "down": &down, "stale": &stale, "empty": &empty, "waiting": nil}
}

// At any size every screen is exactly that large. The sizes are the edges at
// which the screen folds and others drawn anew for every screen.
func TestEveryScreenFitsEverySize(t *testing.T) {
	t.Parallel()
	edges := [][2]int{
		{0, 0}, {1, 1}, {0, 5}, {5, 0}, {2, 2}, {3, 4}, {59, 14}, {60, 14}, {59, 15}, {60, 15}, {79, 24}, {80, 24}, {99, 30}, {100, 30},
	}
	for state, fleet := range states(hostileFleet()) {
		for at, scene := range slices.Sorted(maps.Keys(scenes())) {
			if state != "live" && !slices.Contains([]string{"tree", "remove", "palette", "help", "filter"}, scene) {
				continue // what these show does not depend on the engine
			}
			t.Run(state+"/"+scene, func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(at), uint64(len(state))))
				sizes := slices.Clone(edges)
				for range 5 {
					sizes = append(sizes, [2]int{random.IntN(301), random.IntN(101)}, [2]int{random.IntN(30), random.IntN(12)})
				}
				s := newScreen(t, nil)
				s.send(sizeMsg(120, 40))
				if fleet != nil {
					s.send(FleetMsg{Fleet: *fleet})
				}
				s.press(scenes()[scene]).settle()
				for _, size := range sizes {
					s.send(sizeMsg(size[0], size[1]))
					checkSize(t, s, size[0], size[1])
				}
				s.press("jj<pgdown>G<tab>k")
				checkSize(t, s, sizes[len(sizes)-1][0], sizes[len(sizes)-1][1])
			})
		}
	}
}

// The smallest sizes, where least fits, one by one.
func TestSmallestSizes(t *testing.T) {
	t.Parallel()
	for name, keys := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, ascii := range []bool{false, true} {
				s := shown(t, 120, 40, hostileFleet(), func(o *Options) { o.ASCII = ascii })
				s.press("G").press(keys).settle()
				for width := range 26 {
					for height := range 10 {
						s.send(sizeMsg(width, height))
						checkSize(t, s, width, height)
					}
				}
			}
		})
	}
}

func checkSize(t *testing.T, s *screen, width, height int) {
	t.Helper()
	content := s.m.View().Content
	if width == 0 || height == 0 {
		if content != "" {
			t.Errorf("at %dx%d something is drawn: %q", width, height, content)
		}
		return
	}
	lines := strings.Split(content, "\n")
	if len(lines) != height {
		t.Errorf("at %dx%d there are %d lines", width, height, len(lines))
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != width {
			t.Fatalf("at %dx%d line %d is %d columns wide: %q", width, height, i, got, line)
		}
	}
}

// hostile are strings that would take over a terminal or pretend to be others.
func hostile() []string {
	return []string{
		"\x1b[2J\x1b]0;pwned\x07", "\x1b]52;c;cHduCg==\x07", "\x1b]8;;http://evil\x07link\x1b]8;;\x07", "a\rb", "a\nb\tc\bd\x00",
		"\u202egnp.exe", "\u2066x\u2069", "de\u200bfault", "def\u00adault", "\xff\xfe\xc0", "\x9b31mred", "\u009b31mred",
		"e\u0301\u0301\u0301\u0301\u0301\u0301", "界🏳️‍🌈", "\U000e0041tag", "[red]x[-] %s %d {{.ID}}", strings.Repeat("A", 20_000),
		strings.Repeat("\u202e", 1500), "\\x1b[2J", "default\u3164",
	}
}

// hostileFleet carries hostile text in every field that comes from outside.
func hostileFleet() model.Fleet {
	fleet := smallFleet()
	for i, h := range hostile() {
		s := aSandbox(fmt.Sprintf("e%07x", i), h, h).with(func(s *model.Sandbox) { poison(s, h) }).build()
		fleet.Sandboxes = append(fleet.Sandboxes, s)
		fleet.Profiles = append(fleet.Profiles, model.Profile{
			Name: text(h), Label: h, Home: h, ConfigFile: h, Policy: openPolicy(), Problems: []string{text(h).Display()},
		})
		fleet.Egress = append(fleet.Egress, model.EgressPair{
			Engine: "default", Network: text(h), Proxy: text(h), Allowlist: []string{h}, Sandboxes: []model.ID{s.ID},
		})
		fleet.Problems = append(fleet.Problems, model.Problem{Part: "x", Error: text(h).Display()})
	}
	fleet.Engines = append(fleet.Engines, model.Engine{
		Name: hostile()[0], Host: hostile()[1], Version: text(hostile()[3]), APIVersion: hostile()[0], Kind: "docker", State: model.Live, LastAnswer: noon(),
	})
	return fleet
}

func poison(s *model.Sandbox, h string) {
	s.Name, s.Image, s.Status, s.StateError, s.User, s.WorkingDir, s.Hostname = text(h), text(h), text(h), text(h), text(h), text(h), text(h)
	s.Health = text(h)
	s.Command = []model.Text{text(h)}
	s.Env = []model.Text{text("X=" + h), text(h), text(h + "_PROXY=" + h)}
	s.ImageID = h
	s.ExecIDs = []string{h}
	s.Labels[text(h)] = text(h)
	s.Mounts = []model.Mount{{Type: text("bind"), Source: text(h), Destination: text(h)}, {Type: text("volume"), Name: text(h), Anonymous: true}}
	s.Networks.Mode, s.Host.NetworkMode = text(h), text(h)
	s.Networks.Endpoints = append(s.Networks.Endpoints, model.Endpoint{
		Network: text(h), NetworkID: h, IPv4: text(h), IPv6: text(h), Gateway: text(h), Aliases: []model.Text{text(h)},
	})
	s.Host.Tmpfs = map[model.Text]model.Text{text(h): text(h)}
	s.Host.Published = []model.Port{{Container: text(h), HostIP: text(h), HostPort: text(h)}}
	s.Host.DNS, s.Host.ExtraHosts, s.Host.RestartPolicy = []model.Text{text(h)}, []model.Text{text(h)}, text(h)
	s.Session = model.Session{ID: text(h), Title: text(h), Source: text(h), EndReason: text(h), State: model.SessionState(h), Candidates: []model.Text{text(h), text(h)}}
	s.Kernel = &model.KernelView{Interfaces: []model.KernelInterface{{Name: h, Up: true, Routes: []string{h}}}, ReadAt: noon()}
	s.Home = h
	s.Policy = openPolicy()
	s.Policy.Image = pointer(h)
}

// guard parses a frame and reports everything in it but plain text and the
// colour and attribute sequences the themes emit.
func guard(content string) error {
	var state byte
	for content != "" {
		sequence, _, n, next := ansi.DecodeSequence(content, state, nil)
		state = next
		switch {
		case n == 0:
			return fmt.Errorf("undecodable: %q", content[:min(len(content), 20)])
		case sequence == "\n":
		case strings.HasPrefix(sequence, "\x1b["):
			if !strings.HasSuffix(sequence, "m") {
				return fmt.Errorf("a sequence that is no look: %q", sequence)
			}
		case !utf8.ValidString(sequence):
			return fmt.Errorf("invalid bytes: %q", sequence)
		default:
			for _, r := range sequence {
				if !model.Printable(r) {
					return fmt.Errorf("a character that must not be shown: %q", sequence)
				}
			}
		}
		content = content[n:]
	}
	return nil
}

func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	t.Parallel()
	for scene, keys := range scenes() {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 130, 50, hostileFleet(), nil)
			s.press("G").press(keys).settle().work()
			if err := guard(s.m.View().Content); err != nil {
				t.Fatal(err)
			}
			if s.m.dialog != nil {
				return
			}
			for i := 0; i < len(s.m.tree.rows); i += 3 { // profile, task and sandbox take turns
				s.m.tree.moveTo(i + i/3%3)
				s.send(nil)
				if err := guard(s.m.View().Content); err != nil {
					t.Fatalf("row %d: %v", i, err)
				}
			}
			if title := s.m.View().WindowTitle; title != "hermes-sandbox" {
				t.Errorf("the window title is %q", title)
			}
		})
	}
}

// The copy a person asks for is display text as well.
func TestCopiedTextIsSafe(t *testing.T) {
	t.Parallel()
	s := shown(t, 130, 50, hostileFleet(), nil)
	for i := range s.m.tree.rows {
		s.m.tree.moveTo(i)
		s.press("yyn").press("yj").work()
	}
	for _, msg := range s.sent {
		if copied := fmt.Sprint(msg); strings.ContainsAny(copied, "\x1b\x07\r\u202e\u200b") {
			t.Errorf("copied %q", copied[:min(200, len(copied))])
		}
	}
	if len(s.sent) == 0 {
		t.Error("nothing was copied")
	}
}

// Labels that differ only in what cannot be seen are told apart, and say that
// something is odd.
func TestLookalikeProfilesAreMarked(t *testing.T) {
	t.Parallel()
	fleet := smallFleet()
	fleet.Profiles = nil
	fleet.Sandboxes = nil
	for i, profile := range []string{"default", "default\u200b", "def\u00adault", "dеfault"} {
		fleet.Sandboxes = append(fleet.Sandboxes, aSandbox(fmt.Sprintf("e%07x", i), profile, "cli").with(func(s *model.Sandbox) { s.Home = "" }).build())
	}
	s := shown(t, 120, 40, fleet, nil)
	s.reads([]string{`▾ default `}, []string{`‼default\u200b`}, []string{`‼def\u00adault`}, []string{"‼dеfault"})
	s.press("aD").settle()
	s.reads([]string{"] ", " default "}, []string{"] ", `‼default\u200b`}, []string{"] ", `‼def\u00adault`}, []string{"] ", "‼dеfault"})
}

func TestASCIIFramesAreASCII(t *testing.T) {
	t.Parallel()
	for scene, keys := range scenes() {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, smallFleet(), func(o *Options) { o.ASCII = true })
			s.press(keys).settle()
			for _, r := range s.plainFrame() {
				if r > 0x7e {
					t.Fatalf("%q is drawn", r)
				}
			}
		})
	}
}

func TestNoColourMeansNoColour(t *testing.T) {
	t.Parallel()
	for scene, keys := range scenes() {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, smallFleet(), func(o *Options) { o.NoColor = true })
			s.press(keys).settle()
			if got := colours(s.m.View().Content); got != "" {
				t.Errorf("a colour is set: %q", got)
			}
		})
	}
	coloured := shown(t, 120, 40, smallFleet(), nil)
	if colours(coloured.m.View().Content) == "" {
		t.Error("the check finds no colour where there are some")
	}
}

// colours returns the first sequence of a frame that sets a colour.
func colours(content string) string {
	for _, sequence := range strings.Split(content, "\x1b[")[1:] {
		parameters, _, _ := strings.Cut(sequence, "m")
		for _, p := range strings.Split(parameters, ";") {
			if len(p) == 2 && (p[0] == '3' || p[0] == '4') || len(p) == 3 {
				return parameters
			}
		}
	}
	return ""
}

// Every posture and every state differs by a word or a sign, not by colour
// alone.
func TestPosturesDifferWithoutColour(t *testing.T) {
	t.Parallel()
	levels := []model.Level{
		model.LevelAirGapped, model.LevelCutOff, model.LevelInternal, model.LevelAllowlist, model.LevelCredentialProxied,
		model.LevelOpen, model.LevelHost, model.LevelShared, model.LevelUnknown,
	}
	for _, ascii := range []bool{false, true} {
		m, err := New(Options{ASCII: ascii, NoColor: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]model.Level)
		for _, level := range levels {
			word := m.posture(level)
			if other, taken := seen[word]; taken {
				t.Errorf("%s and %s both read %q", level, other, word)
			}
			seen[word] = level
			if ansi.StringWidth(m.theme.Glyphs.Posture(string(level))) != 1 {
				t.Errorf("the sign of %s is not one column wide", level)
			}
		}
	}
}

// FuzzFrame feeds one text into every field and looks at the frame.
func FuzzFrame(f *testing.F) {
	for _, h := range hostile() {
		f.Add(h, uint8(3))
	}
	list := make([]string, 0)
	for _, keys := range scenes() {
		list = append(list, keys)
	}
	slices.Sort(list)
	f.Fuzz(func(t *testing.T, h string, scene uint8) {
		fleet := smallFleet()
		fleet.Sandboxes = []model.Sandbox{aSandbox("e0", h, h).with(func(s *model.Sandbox) { poison(s, h) }).build()}
		s := shown(t, 120, 40, fleet, nil)
		s.press("GG").press(list[int(scene)%len(list)])
		checkSize(t, s, 120, 40)
		if err := guard(s.m.View().Content); err != nil {
			t.Fatal(err)
		}
	})
}

func benchmarkScreen(b *testing.B, count int) *Model {
	b.Helper()
	m, err := New(Options{Now: noon, Backend: &fakeBackend{}, Context: b.Context()})
	if err != nil {
		b.Fatal(err)
	}
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(FleetMsg{Fleet: bigFleet(count)})
	return m
}

func BenchmarkView(b *testing.B) {
	for _, count := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			m := benchmarkScreen(b, count)
			b.ReportAllocs()
			for b.Loop() {
				_ = m.View()
			}
		})
	}
}

func BenchmarkFleetMsg(b *testing.B) {
	for _, count := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			m := benchmarkScreen(b, count)
			fleet := bigFleet(count)
			b.ReportAllocs()
			for b.Loop() {
				m.Update(FleetMsg{Fleet: fleet})
			}
		})
	}
}

func BenchmarkKey(b *testing.B) {
	for _, count := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			m := benchmarkScreen(b, count)
			down, up := keyMsg("j"), keyMsg("k")
			b.ReportAllocs()
			for b.Loop() {
				m.Update(down)
				m.Update(up)
			}
		})
	}
}

// Which pane has the keys is told by more than the colour of its frame.
func TestThePaneInFocusIsMarked(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("jj")
	s.readsNot("╭ › ")
	s.press("<tab>")
	s.reads([]string{"╭ › "})
	s.press("<tab>")
	s.readsNot("╭ › ")
}
