package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// noon is the time all fixtures are seen at.
func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func text(s string) model.Text { return model.NewText(s) }

func pointer[T any](v T) *T { return &v }

// identifier makes a valid container ID that begins with a word of hex digits.
func identifier(start string) model.ID {
	return model.ID(start + strings.Repeat("0", 64-len(start)))
}

// sandboxBuilder makes one sandbox.
type sandboxBuilder struct{ s model.Sandbox }

func aSandbox(hex, profile, task string) *sandboxBuilder {
	b := &sandboxBuilder{s: model.Sandbox{Container: &model.Container{}}}
	b.s.Engine = "default"
	b.s.ID = identifier(hex)
	b.s.Name = text("hermes-" + hex)
	b.s.Image = text("python:3.12")
	b.s.Profile, b.s.Task = text(profile), text(task)
	b.s.State = model.StateRunning
	b.s.CreatedAt = model.Stamp{Time: noon().Add(-2 * time.Hour)}
	b.s.StartedAt = b.s.CreatedAt
	b.s.Inspected = true
	b.s.Scope, b.s.Generation = model.ScopeProfile, model.GenerationG4
	b.s.Home = "/home/ada/.hermes"
	if profile != "default" {
		b.s.Home += "/profiles/" + profile
	}
	b.s.Labels = model.Labels{
		text("hermes-agent"): text("1"), text("hermes-profile"): text(profile), text("hermes-task-id"): text(task),
	}
	b.s.Reuse = model.Reuse{Verdict: model.ReuseReused, Reason: "it runs and every guard passes"}
	b.s.Reap = model.Reap{Verdict: model.ReapSpared, Reason: model.ReapNotExited, Detail: "it is running"}
	b.s.Violation = pointer(false)
	return b.network("bridge", model.LevelOpen, "bridge")
}

// network sets the declared mode, the level and what is attached.
func (b *sandboxBuilder) network(mode string, level model.Level, attached ...string) *sandboxBuilder {
	b.s.Networks = model.NetworkSettings{Mode: text(mode), Known: true}
	b.s.Host.NetworkMode = text(mode)
	b.s.DeclaredMode = mode
	for _, name := range attached {
		b.s.Networks.Endpoints = append(b.s.Networks.Endpoints, model.Endpoint{
			Network: text(name), IPv4: text("172.17.0.2"), Gateway: text("172.17.0.1"),
		})
	}
	b.s.Posture = model.Posture{
		Level: level, Effective: level, Evidence: model.EvidenceAttached, Reasons: []string{"attached to " + strings.Join(attached, ", ")},
	}
	return b
}

func (b *sandboxBuilder) exited(ago time.Duration) *sandboxBuilder {
	b.s.State = model.StateExited
	b.s.FinishedAt = model.Stamp{Time: noon().Add(-ago)}
	b.s.StartedAt = model.Stamp{Time: noon().Add(-ago - time.Hour)}
	b.s.CreatedAt = b.s.StartedAt
	b.s.Reuse = model.Reuse{Verdict: model.ReuseStarted, Reason: "it is started again"}
	return b
}

func (b *sandboxBuilder) orphan() *sandboxBuilder {
	b.s.Orphan = true
	b.s.Reap = model.Reap{
		Verdict: model.ReapReaped, Reason: model.ReapEligible, InSeconds: pointer(int64(0)),
		Detail: "exited longer ago than 10m",
	}
	b.s.Reuse = model.Reuse{Verdict: model.ReuseReapedFirst, Reason: "the reaper comes before the look-up"}
	return b
}

func (b *sandboxBuilder) violates(reason string) *sandboxBuilder {
	b.s.Violation, b.s.ViolationReason = pointer(true), reason
	b.s.Policy = lockedPolicy()
	return b
}

func (b *sandboxBuilder) with(change func(*model.Sandbox)) *sandboxBuilder {
	change(&b.s)
	return b
}

func (b *sandboxBuilder) build() model.Sandbox { return b.s }

func lockedPolicy() *model.Policy {
	return &model.Policy{
		Position: model.PositionLocked, DockerNetwork: pointer(false), OrphanReaper: pointer(true),
		ReapAfterSeconds: pointer(600),
		Sources:          map[string]model.Source{"docker_network": model.SourceConfig, "orphan_reaper": model.SourceDefault},
	}
}

func openPolicy() *model.Policy {
	return &model.Policy{
		Position: model.PositionOpen, DockerNetwork: pointer(true), OrphanReaper: pointer(true), ReapAfterSeconds: pointer(600),
		Sources: map[string]model.Source{"docker_network": model.SourceDefault},
	}
}

func liveEngine() model.Engine {
	return model.Engine{
		Name: "default", Host: "unix:///var/run/docker.sock", Chosen: "default socket", Kind: "docker",
		Version: text("20.10.24"), APIVersion: "1.41", State: model.Live, Since: noon().Add(-time.Hour),
		LastAnswer: noon(), SkewKnown: true, Local: true,
	}
}

// smallFleet is a fleet a person could have: three profiles, one locked down
// and broken.
func smallFleet() model.Fleet {
	return model.Fleet{
		GeneratedAt: noon(),
		Engines:     []model.Engine{liveEngine()},
		Profiles: []model.Profile{
			{Name: text("default"), Label: "default", Home: "/home/ada/.hermes", Active: true, Policy: openPolicy()},
			{Name: text("research"), Label: "research", Home: "/home/ada/.hermes/profiles/research", Policy: openPolicy()},
			{Name: text("work"), Label: "work", Home: "/home/ada/.hermes/profiles/work", Policy: lockedPolicy()},
		},
		Sandboxes: []model.Sandbox{
			aSandbox("3f2a91c0", "work", "default").violates("policy asks for no network; the sandbox is attached to bridge").build(),
			aSandbox("77aa10ce", "work", "default").exited(14*time.Minute).network("none", model.LevelAirGapped, "none").build(),
			aSandbox("90be2d13", "work", "session_8c1").network("none", model.LevelOpen, "bridge").
				violates("it was connected to bridge after it was made").with(func(s *model.Sandbox) {
				s.Posture.Drifted = true
				s.Session = model.Session{ID: text("8c1"), Title: text("fix the parser"), State: model.SessionLive, TurnRunning: true, LastActivityAt: noon().Add(-time.Minute)}
				s.Scope = model.ScopeSession
			}).build(),
			aSandbox("aa55e0f1", "default", "default").with(func(s *model.Sandbox) {
				s.Env = []model.Text{text("API_TOKEN=sk-very-secret"), text("PATH=/usr/bin")}
				s.Mounts = []model.Mount{{Type: text("bind"), Source: text("/home/ada/.hermes/sandboxes/docker/default/home"), Destination: text("/root"), RW: true}}
				s.Findings = []model.Finding{{Code: "no-limits", Severity: model.SeverityWeak, Detail: "no memory limit"}}
			}).build(),
			aSandbox("bb66f1a2", "default", "cli").exited(3 * time.Hour).orphan().build(),
			aSandbox("cc77a2b3", "default", "cli").exited(5 * time.Hour).orphan().build(),
			aSandbox("dd88b3c4", "research", "default").network("bridge", model.LevelCutOff).build(),
		},
	}
}

// bigFleet has many sandboxes over a few profiles.
func bigFleet(count int) model.Fleet {
	fleet := smallFleet()
	fleet.Sandboxes = make([]model.Sandbox, 0, count)
	profiles := []string{"default", "research", "work"}
	for i := range count {
		b := aSandbox(fmt.Sprintf("%08x", i+1), profiles[i%3], fmt.Sprintf("task-%d", i%50))
		if i%4 == 0 {
			b.exited(time.Duration(i) * time.Minute).orphan()
		}
		fleet.Sandboxes = append(fleet.Sandboxes, b.build())
	}
	return fleet
}

// fakeBackend records what the dashboard asks for. Execute waits for release
// when that is set.
type fakeBackend struct {
	mutex    sync.Mutex
	calls    []string
	plans    []model.Plan
	outcome  model.Outcome
	failure  error
	release  chan struct{}
	entries  []model.AuditEntry
	auditErr error

	prepareErr error
	inspectErr error
}

// Inspect answers as an engine does, with what must not reach a terminal.
func (b *fakeBackend) Inspect(_ context.Context, key model.Key) (json.RawMessage, error) {
	b.record("inspect")
	if b.inspectErr != nil {
		return nil, b.inspectErr
	}
	return json.Marshal(map[string]any{
		"Id": key.ID, "Path": "serve", "Args": []string{"--token", "hunter2", "\x1b[2J\u009b1m\u202e"},
		"Config": map[string]any{"Env": []string{"API_KEY=hunter2", "PLAIN=hunter2"}, "OnlyTheEngineSaysThis": true},
	})
}

func (b *fakeBackend) record(call string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.calls = append(b.calls, call)
}

func (b *fakeBackend) Refresh() { b.record("refresh") }
func (b *fakeBackend) Touch()   { b.record("touch") }
func (b *fakeBackend) Suspend() { b.record("suspend") }
func (b *fakeBackend) Resume()  { b.record("resume") }

func (b *fakeBackend) Execute(ctx context.Context, plan model.Plan, progress func(model.Target)) (model.Plan, error) {
	b.mutex.Lock()
	b.plans = append(b.plans, plan)
	b.mutex.Unlock()
	if b.release != nil {
		select {
		case <-b.release:
		case <-ctx.Done():
		}
	}
	targets := append([]model.Target(nil), plan.Targets...)
	for i := range targets {
		if targets[i].Decision != model.DecisionAct {
			continue
		}
		targets[i].Outcome = model.OutcomeDone
		if b.outcome != "" {
			targets[i].Outcome = b.outcome
		}
		if ctx.Err() != nil {
			targets[i].Outcome, targets[i].Error = model.OutcomeSkipped, "not started: cancelled"
		}
		progress(targets[i])
	}
	plan.Targets = targets
	return plan, b.failure
}

// Prepare stands for reading the files: every edit gets a difference.
func (b *fakeBackend) Prepare(_ context.Context, plan model.Plan) (model.Plan, error) {
	b.record("prepare")
	if b.prepareErr != nil {
		return plan, b.prepareErr
	}
	plan.Config = append([]model.ConfigEdit(nil), plan.Config...)
	for i := range plan.Config {
		edit := &plan.Config[i]
		key := edit.Key[strings.LastIndexByte(edit.Key, '.')+1:]
		edit.Diff = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n terminal:\n-  " + key + ": " + edit.From + "\n+  " + key + ": " + edit.To + "\n"
	}
	return plan, nil
}

func (b *fakeBackend) Audit(context.Context) ([]model.AuditEntry, error) {
	return b.entries, b.auditErr
}

func (b *fakeBackend) executed() []model.Plan {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return append([]model.Plan(nil), b.plans...)
}

// screen drives a dashboard the way Bubble Tea does, without a terminal.
type screen struct {
	t       *testing.T
	m       *Model
	backend *fakeBackend
	// pending are commands that were returned and not run.
	pending []tea.Cmd
	sent    []tea.Msg // messages commands returned that are not ours
}

func newScreen(t *testing.T, change func(*Options)) *screen {
	t.Helper()
	backend := &fakeBackend{}
	options := Options{Backend: backend, Now: noon, Theme: "dark"}
	if change != nil {
		change(&options)
	}
	if options.Context == nil {
		options.Context = t.Context() // ends the timers that a test leaves
	}
	m, err := New(options)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return &screen{t: t, m: m, backend: backend}
}

// shown is a dashboard of a size with a fleet.
func shown(t *testing.T, width, height int, fleet model.Fleet, change func(*Options)) *screen {
	t.Helper()
	s := newScreen(t, change)
	s.send(tea.WindowSizeMsg{Width: width, Height: height}, FleetMsg{Fleet: fleet})
	return s
}

// send hands messages to Update and keeps the commands it returns.
func (s *screen) send(messages ...tea.Msg) *screen {
	for _, msg := range messages {
		_, command := s.m.Update(msg)
		if command != nil {
			s.pending = append(s.pending, command)
		}
	}
	return s
}

// press sends keys: single characters, or names in angle brackets.
func (s *screen) press(keys string) *screen {
	for keys != "" {
		key := keys[:1]
		if keys[0] == '<' {
			end := strings.IndexByte(keys, '>')
			key = keys[1:end]
			keys = keys[end+1:]
		} else {
			keys = keys[1:]
		}
		s.send(keyMsg(key))
	}
	return s
}

// settle lets the quiet time of a dialog pass.
func (s *screen) settle() *screen {
	return s.send(dialogSettled{generation: s.m.settled.generation})
}

// work runs the commands that were returned, timers apart, and sends what they
// give, until there is nothing left.
func (s *screen) work() {
	for len(s.pending) > 0 {
		command := s.pending[0]
		s.pending = s.pending[1:]
		s.run(command)
	}
}

// run runs one command. A timer does not answer at once and is left alone.
func (s *screen) run(command tea.Cmd) {
	if command == nil {
		return
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- command() }()
	select {
	case msg := <-answer:
		s.take(msg)
	case <-time.After(250 * time.Millisecond):
	}
}

func (s *screen) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		s.pending = append(s.pending, msg...)
	case targetFinished, planFinished, planPrepared, auditRead, clockRead, noted, lookAnswer, samples, sampleDue:
		s.send(msg)
	default:
		s.sent = append(s.sent, msg)
	}
}

func keyMsg(key string) tea.KeyPressMsg {
	named := map[string]tea.Key{
		"esc": {Code: tea.KeyEscape}, "enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"space": {Code: tea.KeySpace, Text: " "}, "backspace": {Code: tea.KeyBackspace},
		"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
		"ctrl+c":    {Code: 'c', Mod: tea.ModCtrl}, "ctrl+z": {Code: 'z', Mod: tea.ModCtrl},
		"ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
	}
	if k, ok := named[key]; ok {
		return tea.KeyPressMsg(k)
	}
	if len(key) > 1 { // a key of a test's own, such as f9
		return tea.KeyPressMsg(tea.Key{Code: tea.KeyExtended, Text: key})
	}
	return tea.KeyPressMsg(tea.Key{Code: rune(key[0]), Text: key})
}

func sizeMsg(width, height int) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: width, Height: height}
}
