package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
	"hermes-sandbox/screenshots"
	"hermes-sandbox/ui"
)

// updatePictures is the flag that draws the pictures of the documentation anew.
var updatePictures = flag.Bool("pictures", false, "draw the pictures of screenshots/ anew") //nolint:gochecknoglobals // flags of a test binary live here

// pictureTime is the time all pictures are taken at.
func pictureTime() time.Time { return time.Date(2026, 11, 30, 8, 25, 0, 0, time.UTC) }

// step is a part of a scene: keys, then words that all have to be on the screen.
type step struct {
	keys  string
	shown []string
	// picture is the file this step's screen is drawn into; empty: none.
	picture string
	// hold makes the engine keep a lockdown's last cut waiting from here on,
	// until a step that does not hold.
	hold bool
	// stays is how long the recording shows the screen; 0: not at all.
	stays time.Duration
}

// scene is a story told in one run of the dashboard.
type scene struct {
	width, height int
	theme         string
	steps         []step
}

const (
	dark, light = "dark", "light"
	lastCut     = "hermes-1fd6e370" // the last one a lockdown of the profile work cuts off
)

func scenes() map[string]scene {
	return map[string]scene{
		"overview": {120, 30, dark, []step{
			{shown: []string{"22 sandboxes", "idle       not known  "}, stays: 2 * time.Second},
			{keys: "/profile:work<enter>G", shown: []string{"filter: profile:work", "drifted", "image", "commands before"}, picture: "overview", stays: 3 * time.Second},
			{keys: "L", shown: []string{"Lock down 3 sandboxes", "y confirms"}, picture: "plan", stays: 4 * time.Second},
			{keys: "y", shown: []string{"2 of 3"}, hold: true, picture: "lockdown-running", stays: 2 * time.Second},
			{shown: []string{"3 done", "cut off"}, picture: "lockdown-proved", stays: 3 * time.Second},
			{keys: "<esc>", shown: []string{"lockdown-on: 3 done", "none      ○ air-gapped"}, picture: "lockdown-after", stays: 3 * time.Second},
		}},
		"reap": {120, 30, dark, []step{{keys: "R", shown: []string{"Reap 1 sandbox", "hermes-91d07e44"}, picture: "reap"}}},
		"verdicts": {120, 34, dark, []step{
			{keys: "/profile:work<enter>G3", shown: []string{"Next start of rollout-17", "state known (C)"}, picture: "verdicts"},
		}},
		"egress": {120, 40, dark, []step{
			{keys: "/posture:allowlist<enter>jj2", shown: []string{"Declared", "Attached", "only the proxy", "2 allowed, 1"}, picture: "egress"},
		}},
		"profiles": {100, 24, dark, []step{{keys: "p", shown: []string{"Profiles", "~/hermes/profiles/work"}, picture: "profiles"}}},
		"narrow":   {60, 20, dark, []step{{shown: []string{"2 orphans", "Migrate"}, picture: "narrow"}}},
		"light":    {120, 30, light, []step{{keys: "/profile:work<enter>G", shown: []string{"filter: profile:work", "image", "commands before"}, picture: "light"}}},
	}
}

// TestPicturesAreUpToDate plays every scene on the simulated engine, whose
// clock stands still, and compares what it looks like with screenshots/.
func TestPicturesAreUpToDate(t *testing.T) {
	folder := filepath.Join("..", "..", "screenshots")
	for name, story := range scenes() {
		t.Run(name, func(t *testing.T) {
			stage := newStage(t, story)
			var film []screenshots.Still
			var beats []screenshots.Beat
			for _, part := range story.steps {
				text := stage.play(part)
				screen, err := screenshots.NewScreen(text, story.width, story.height)
				if err != nil {
					t.Fatal(err)
				}
				if part.picture != "" {
					compare(t, filepath.Join(folder, part.picture+".svg"), screen.SVG("hermes-sandbox: "+part.picture, colours(story)))
					compare(t, filepath.Join(folder, "ansi", part.picture+".ansi"), []byte(text+"\n"))
				}
				if part.stays > 0 {
					film = append(film, screenshots.Still{Screen: screen, Stays: part.stays})
					beats = append(beats, screenshots.Beat{Text: text, Typed: typed(t, part.keys), Stays: part.stays})
				}
			}
			if len(film) == 0 {
				return
			}
			const title = "hermes-sandbox: a locked-down profile with a way out, and how it is closed"
			compare(t, filepath.Join(folder, "tour.svg"), screenshots.Film(film, title, colours(story)))
			cast, err := screenshots.Cast(beats, story.width, story.height, title)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join(folder, "tour.cast"), cast)
		})
	}
}

func colours(s scene) screenshots.Colours {
	if s.theme == light {
		return screenshots.LightColours()
	}
	return screenshots.DarkColours()
}

// typed is what a terminal would send for keys.
func typed(t *testing.T, keys string) string {
	t.Helper()
	pressed, err := parseKeys(keys)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, key := range pressed {
		switch key.Code {
		case tea.KeyEnter:
			out.WriteString("\r")
		case tea.KeyEscape:
			out.WriteString("\x1b")
		default:
			out.WriteString(key.Text)
		}
	}
	return out.String()
}

// compare looks for a difference to a file, or writes it.
func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *updatePictures {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; draw the pictures with `task screenshots`", err)
	}
	if !bytes.Equal(got, want) {
		diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n"))
		t.Errorf("%s is out of date; draw the pictures with `task screenshots` (-want +got):\n%.3000s", path, diff)
	}
}

// stage runs the dashboard's model on the simulated engine, one message at a
// time, with a clock that stands still.
type stage struct {
	t         *testing.T
	engine    *simengine.Engine
	dashboard *ui.Model
	model     tea.Model
	messages  chan tea.Msg
	gate      *simengine.Gate
	fleet     model.Fleet
	look      func() model.Fleet // one complete look at the engine
	whole     model.Fleet        // what the newest one found
}

func newStage(t *testing.T, story scene) *stage {
	t.Helper()
	home := t.TempDir()
	environ := []string{"HOME=" + home, "TERM=xterm-256color", "HERMES_SANDBOX_THEME=" + story.theme}
	program := &app{
		stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{},
		now: pictureTime, environ: environ, flags: globalFlags{demo: true, output: "table"},
		getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	}
	w, err := program.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	ctx, cancel := context.WithCancel(t.Context())
	followed := w.follow()
	dashboard, err := ui.New(w.dashboardOptions(ctx, followed))
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, engine: w.demo, dashboard: dashboard, model: dashboard, messages: make(chan tea.Msg), look: func() model.Fleet { return w.fleet(ctx) }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		followed.run(ctx, func(fleet model.Fleet, _ []string) {
			select {
			case s.messages <- ui.FleetMsg{Fleet: fleet}:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	s.perform(ctx, dashboard.Init())
	s.update(ctx, tea.WindowSizeMsg{Width: story.width, Height: story.height})
	s.catchUp()
	s.await("what the demo's sandboxes ask for", func(screen string) bool { return strings.Contains(screen, "3 denied") })
	return s
}

// catchUp waits until the fleet on the screen is as a whole look at the engine
// finds it.
func (s *stage) catchUp() string {
	s.t.Helper()
	s.whole = s.look()
	facts := func(b *model.Sandbox) string {
		return fmt.Sprint(b.ID, b.State, b.Inspected, b.Posture, b.NetworkWords(), b.Reap.Verdict, b.Reuse.Verdict, b.ViolationReason, b.Session)
	}
	return s.await("the whole fleet", func(string) bool {
		return slices.EqualFunc(s.fleet.Sandboxes, s.whole.Sandboxes, func(a, b model.Sandbox) bool { return facts(&a) == facts(&b) })
	})
}

// play types a step's keys and returns the screen once it shows all it should.
func (s *stage) play(part step) string {
	s.t.Helper()
	ctx := s.t.Context()
	if part.hold {
		id := s.idOf(lastCut)
		s.gate = s.engine.Faults().Gate(simengine.Disconnect, func(r simengine.Request) bool { return strings.Contains(r.Body, id) })
	} else if s.gate != nil {
		s.gate.Open()
		s.gate = nil
	}
	keys, err := parseKeys(part.keys)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, key := range keys {
		s.await("a screen that takes keys", func(string) bool { return true })
		s.update(ctx, key)
	}
	shown := func(screen string) bool {
		return !slices.ContainsFunc(part.shown, func(words string) bool { return !strings.Contains(screen, words) })
	}
	s.await(strings.Join(part.shown, ", "), shown)
	screen := s.catchUp()
	if !shown(ansi.Strip(screen)) {
		s.t.Fatalf("the screen no longer shows %s", strings.Join(part.shown, ", "))
	}
	return screen
}

// idOf is the full ID of a sandbox by its name.
func (s *stage) idOf(name string) string {
	s.t.Helper()
	at := slices.IndexFunc(s.whole.Sandboxes, func(b model.Sandbox) bool { return b.Name.Raw() == name })
	if at < 0 {
		s.t.Fatalf("the fleet has no %s", name)
	}
	return string(s.whole.Sandboxes[at].ID)
}

// await takes messages in until the screen fits, and returns it with its
// escape sequences.
func (s *stage) await(what string, fits func(screen string) bool) string {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		content := s.model.View().Content
		if fits(ansi.Strip(content)) && !s.dashboard.Waiting() {
			return content
		}
		select {
		case msg := <-s.messages:
			s.update(s.t.Context(), msg)
		case <-deadline:
			s.t.Fatalf("the screen never showed %s:\n%s", what, ansi.Strip(content))
		}
	}
}

func (s *stage) update(ctx context.Context, msg tea.Msg) {
	switch msg := msg.(type) {
	case nil, tea.QuitMsg:
		return
	case tea.BatchMsg:
		for _, command := range msg {
			s.perform(ctx, command)
		}
		return
	case ui.FleetMsg:
		s.fleet = msg.Fleet
	}
	var command tea.Cmd
	s.model, command = s.model.Update(msg)
	s.perform(ctx, command)
}

func (s *stage) perform(ctx context.Context, command tea.Cmd) {
	if command == nil {
		return
	}
	go func() {
		msg := command()
		select {
		case s.messages <- msg:
		case <-ctx.Done():
		}
	}()
}

// A PNG cannot be drawn with Go alone; png.sums says which screen each was made
// of, so that one that was left behind is seen.
func TestPicturesInPNGAreUpToDate(t *testing.T) {
	if *updatePictures {
		t.Skip("the screens are just being drawn; the PNGs follow")
	}
	folder := filepath.Join("..", "..", "screenshots")
	screens, err := filepath.Glob(filepath.Join(folder, "ansi", "*.ansi"))
	if err != nil || len(screens) == 0 {
		t.Fatalf("no screens: %v", err)
	}
	var want strings.Builder
	for _, screen := range screens {
		name := strings.TrimSuffix(filepath.Base(screen), ".ansi")
		text, err := os.ReadFile(screen)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := os.ReadFile(filepath.Join(folder, name+".png"))
		if err != nil {
			t.Fatalf("%v; draw it with `task screenshots`", err)
		}
		want.WriteString(screenshots.SumLine(name, text, picture))
	}
	got, err := os.ReadFile(filepath.Join(folder, "png.sums"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("png.sums is out of date; run `task screenshots`\ngot  %s\nwant %s", got, want.String())
	}
}
