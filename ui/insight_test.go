package ui

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// fakeInsight is a backend that can look into sandboxes. Every log is made of
// the lines sent to feed.
type fakeInsight struct {
	*fakeBackend
	mutex      sync.Mutex
	feeds      []*fakeLog
	activity   model.Activity
	asked      [][]model.Key
	sockets    model.ConnectionView
	socketsErr error
	exists     map[model.Text]bool
	remote     bool
	missing    []string
	exportErr  error
}

func (f *fakeInsight) Export(_ context.Context, fleet *model.Fleet, key model.Key) (string, []string, error) {
	for i := range fleet.Sandboxes {
		if fleet.Sandboxes[i].Key() == key {
			return "/state/exports/" + fleet.Sandboxes[i].Name.Raw() + ".tar", f.missing, f.exportErr
		}
	}
	return "", nil, errors.New("no such sandbox")
}

func (f *fakeInsight) HostPaths(context.Context, model.Key, []model.Text) (map[model.Text]bool, bool) {
	return f.exists, !f.remote
}

// fakeLog is one reading of a log.
type fakeLog struct {
	key   model.Key
	ctx   context.Context //nolint:containedctx // looked at by the test
	lines chan model.LogLine
	end   chan error
}

func (f *fakeInsight) Logs(ctx context.Context, key model.Key, _ int, each func(model.LogLine) error) error {
	feed := &fakeLog{key: key, ctx: ctx, lines: make(chan model.LogLine), end: make(chan error)}
	f.mutex.Lock()
	f.feeds = append(f.feeds, feed)
	f.mutex.Unlock()
	for {
		select {
		case line := <-feed.lines:
			if err := each(line); err != nil {
				return err
			}
		case err := <-feed.end:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *fakeInsight) logs() []*fakeLog {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return append([]*fakeLog(nil), f.feeds...)
}

// live is a screen whose commands run in the background, as a program's do.
type live struct {
	*screen
	insight  *fakeInsight
	messages chan tea.Msg
}

func watching(t *testing.T, width, height int, change func(*Options)) *live {
	t.Helper()
	l := &live{insight: &fakeInsight{}, messages: make(chan tea.Msg, 100)}
	l.screen = newScreen(t, func(o *Options) {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		l.insight.fakeBackend = o.Backend.(*fakeBackend)
		o.Backend, o.Context = l.insight, ctx
		if change != nil {
			change(o)
		}
	})
	l.send(sizeMsg(width, height), FleetMsg{Fleet: smallFleet()})
	return l.start()
}

// start runs the commands that are pending.
func (l *live) start() *live {
	for _, command := range l.pending {
		go l.carry(command)
	}
	l.pending = nil
	return l
}

func (l *live) carry(command tea.Cmd) {
	if command == nil {
		return
	}
	msg := command()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, command := range batch {
			go l.carry(command)
		}
		return
	}
	if msg != nil {
		l.messages <- msg
	}
}

func (l *live) press(keys string) *live {
	l.screen.press(keys)
	return l.start()
}

// until takes messages in until something holds.
func (l *live) until(holds func() bool) {
	l.t.Helper()
	for !holds() {
		select {
		case msg := <-l.messages:
			l.send(msg)
			l.start()
		case <-l.t.Context().Done():
			l.t.Fatalf("it never held:\n%s", strings.Join(l.plain(), "\n"))
		}
	}
}

func (l *live) plain() []string { return l.m.frame() }

func (l *live) sees(text string) func() bool {
	return func() bool { return strings.Contains(strings.Join(l.plain(), "\n"), text) }
}

// awaitLog returns the nth log that was opened.
func (l *live) awaitLog(n int) *fakeLog {
	for len(l.insight.logs()) <= n {
		select {
		case msg := <-l.messages:
			l.send(msg)
			l.start()
		default:
		}
	}
	return l.insight.logs()[n]
}

func logText(stream model.LogStream, text string) model.LogLine {
	return model.LogLine{At: noon(), Stream: stream, Text: model.NewText(text)}
}

func TestLogsAreNotOfferedWithoutASource(t *testing.T) {
	t.Parallel()
	s := shown(t, 160, 40, smallFleet(), nil)
	if _, ok := s.m.keys.named("logs"); ok {
		t.Error("the action is there")
	}
	s.goTo("hermes-aa55e0f1").press("6")
	if s.m.detail.tab != "overview" {
		t.Errorf("key 6 shows tab %s", s.m.detail.tab)
	}
}

func TestLogsFollowOnTheirTab(t *testing.T) {
	t.Parallel()
	l := watching(t, 160, 40, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("l")
	feed := l.awaitLog(0)
	feed.lines <- logText(model.StreamStdout, "server \x1b[32mready\x1b[0m")
	feed.lines <- logText(model.StreamStderr, "a \x1b]52;c;aGk=\x07 trick")
	l.until(l.sees("trick"))
	l.reads([]string{"server ready"}, []string{`! a \x1b]52;c;aGk=\x07 trick`})
	l.press("t")
	l.reads([]string{"12:00:00.000 server ready"})
	close(feed.end)
	l.until(l.sees("the log ends here"))
}

func TestLogStreamEndsWhenNobodySeesIt(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*live){
		"another tab":     func(l *live) { l.press("1") },
		"another sandbox": func(l *live) { l.press("<esc>").press("j") },
		"suspended":       func(l *live) { l.press("<ctrl+z>") },
		"too narrow, and back in the tree": func(l *live) {
			l.press("<esc>")
			l.send(sizeMsg(90, 40))
		},
	}
	for name, leave := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := watching(t, 160, 40, suspendable)
			l.goTo("hermes-aa55e0f1")
			l.press("l")
			feed := l.awaitLog(0)
			generation := l.m.looking.generation
			leave(l)
			select {
			case <-feed.ctx.Done():
			default:
				t.Error("the log is still read")
			}
			l.send(lookAnswer{generation: generation, take: func(*Model) tea.Cmd { t.Error("a late answer was taken"); return nil }})
		})
	}
}

func TestLogsComeBackAfterASuspension(t *testing.T) {
	t.Parallel()
	l := watching(t, 160, 40, suspendable)
	l.goTo("hermes-aa55e0f1")
	l.press("l")
	l.awaitLog(0)
	l.press("<ctrl+z>")
	l.send(continued{})
	l.start()
	feed := l.awaitLog(1)
	feed.lines <- logText(model.StreamStdout, "again")
	l.until(l.sees("again"))
}

func TestLogsSayWhyTheyFailed(t *testing.T) {
	t.Parallel()
	l := watching(t, 160, 40, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("6")
	l.awaitLog(0).end <- errors.New("the logging driver \x1b[2J cannot be read")
	l.until(l.sees(`\x1b[2J cannot be read`))
}

func TestLogsKeepTheirPlaceAndTheirBounds(t *testing.T) {
	t.Parallel()
	l := watching(t, 160, 30, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("l")
	batch := func(from, count int) {
		var lines []model.LogLine
		for i := range count {
			lines = append(lines, logText(model.StreamStdout, fmt.Sprintf("line %06d", from+i)))
		}
		l.send(lookAnswer{generation: l.m.looking.generation, take: func(m *Model) tea.Cmd { m.logs.add(lines); return nil }})
	}
	batch(0, logLines)
	l.reads([]string{fmt.Sprintf("line %06d", logLines-1)}, []string{"following"})
	l.press("k")
	top := l.m.detail.scroll.Lines()[l.m.detail.scroll.Top()]
	batch(logLines, 100)
	if got := l.m.detail.scroll.Lines()[l.m.detail.scroll.Top()]; got != top {
		t.Errorf("the place moved from %q to %q", top, got)
	}
	if len(l.m.logs.lines) != logLines || l.m.logs.dropped != 100 {
		t.Errorf("%d lines are kept, %d dropped", len(l.m.logs.lines), l.m.logs.dropped)
	}
	l.reads([]string{"standing still"})
	l.press("G")
	batch(logLines+100, 1)
	l.reads([]string{fmt.Sprintf("line %06d", logLines+100)})
	huge := logText(model.StreamStdout, strings.Repeat("x", 60<<10))
	for range 200 {
		l.m.logs.add([]model.LogLine{huge})
	}
	if l.m.logs.bytes > logBytes || len(l.m.logs.lines) == 0 {
		t.Errorf("%d bytes in %d lines are kept", l.m.logs.bytes, len(l.m.logs.lines))
	}
}

func TestLogsWrapAndSearch(t *testing.T) {
	t.Parallel()
	l := watching(t, 160, 30, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("l")
	line := logText(model.StreamStdout, "\x1b[31mstart "+strings.Repeat("word ", 40)+"needle\x1b[0m")
	l.send(lookAnswer{generation: l.m.looking.generation, take: func(m *Model) tea.Cmd { m.logs.add([]model.LogLine{line}); return nil }})
	l.readsNot("needle")
	l.press("W")
	l.reads([]string{"start word"}, []string{"needle"})
	l.press("/needle")
	l.reads([]string{"1 line"})
}

// stoppedShell is a shell that ends at once.
type stoppedShell struct{ tea.ExecCommand }

func (f *fakeInsight) Shell(context.Context, model.Sandbox) tea.ExecCommand { return stoppedShell{} }

func TestShellIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		name   string
		change func(*Options)
		says   string
	}{
		"exited":    {"hermes-77aa10ce", nil, "start it first"},
		"read-only": {"hermes-aa55e0f1", func(o *Options) { o.ReadOnly = true }, "read-only: no shell is opened"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := watching(t, 160, 40, tt.change)
			l.goTo(tt.name)
			l.press("x")
			l.reads([]string{tt.says})
			if l.m.looking.asleep {
				t.Error("the dashboard gave the terminal away")
			}
		})
	}
}

func TestLooksStopWhileAShellHasTheTerminal(t *testing.T) {
	t.Parallel()
	l := watching(t, 160, 40, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("l")
	feed := l.awaitLog(0)
	l.screen.press("x")
	if feed.ctx.Err() == nil {
		t.Error("the log is read behind the shell")
	}
	l.send(shellEnded{name: "it", err: errors.New("broken \x1b[2J pipe")})
	l.start()
	l.awaitLog(1)
	l.reads([]string{`shell in it: broken \x1b[2J pipe`})
}

// Activity gives what the test put there, once.
func (f *fakeInsight) Activity(ctx context.Context, _ model.Key, seen uint64) (model.Activity, error) {
	if seen == 0 {
		return f.activity, nil
	}
	<-ctx.Done()
	return model.Activity{}, ctx.Err()
}

func TestActivityListsCommandsAndMasksSecrets(t *testing.T) {
	t.Parallel()
	l := watching(t, 200, 40, nil)
	l.insight.activity = model.Activity{Revision: 1, Dropped: 3, Commands: []model.Command{
		{ExecID: "2", Line: text("curl -H 'Authorization: Bearer hunter2' x \x1b[2J"), CreatedAt: noon().Add(-time.Minute), StartedAt: noon().Add(-time.Minute), EndedAt: noon().Add(-58 * time.Second), Over: true, ExitCode: pointer(22)},
		{ExecID: "1", Line: text("make"), CreatedAt: noon().Add(-2 * time.Minute), Over: true, EndedAt: noon().Add(-90 * time.Second), ExitCode: pointer(0)},
	}}
	l.goTo("hermes-aa55e0f1")
	l.press("5").until(l.sees("exit 22"))
	l.reads([]string{"idle", "for 58s"}, []string{"3 more are no longer kept"}, []string{"11:59:00", "exit 22", "2.0s", `Bearer ***' x \x1b[2J`}, []string{"exit 0", "30.0s", "make"})
	l.readsNot("hunter2")
	l.press("e")
	l.reads([]string{"Bearer hunter2"})
}

func TestActivitySaysWhatRuns(t *testing.T) {
	t.Parallel()
	l := watching(t, 200, 40, nil)
	l.insight.activity = model.Activity{Revision: 1, Commands: []model.Command{{ExecID: "1", Line: text("sleep 60"), CreatedAt: noon()}}}
	l.goTo("hermes-aa55e0f1")
	l.press("5").until(l.sees("sleep 60"))
	l.reads([]string{"1 command runs"}, []string{"running", "sleep 60"})
	l.readsNot("idle")
}

// Samples gives the next of the test's samples to each sandbox.
func (f *fakeInsight) Samples(_ context.Context, keys []model.Key) map[model.Key]model.Sample {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.asked = append(f.asked, keys)
	found := make(map[model.Key]model.Sample)
	for _, key := range keys {
		n := len(f.asked)
		found[key] = model.Sample{
			At: noon().Add(time.Duration(n) * time.Second), CPU: uint64(n) * 125e6, System: uint64(n) * 4e9, CPUs: 4,
			Memory: 64 << 20, MemoryLimit: 256 << 20, Connections: pointer(7), Received: uint64(n) * 2048, Processes: 3,
		}
	}
	return found
}

func (f *fakeInsight) Processes(context.Context, model.Key) (model.ProcessTable, error) {
	return model.ProcessTable{
		Titles: []model.Text{text("PID"), text("COMMAND")},
		Rows:   [][]model.Text{{text("1"), text("sleep infinity")}, {text("77"), text("serve --token hunter2 \x1b[2J")}},
	}, nil
}

// looks is how often the usage was asked for, and of how many sandboxes last.
func (f *fakeInsight) looks() (times, last int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.asked) == 0 {
		return 0, 0
	}
	return len(f.asked), len(f.asked[len(f.asked)-1])
}

func TestProcessesShowUsage(t *testing.T) {
	t.Parallel()
	l := watching(t, 200, 40, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("7").until(l.sees("serve"))
	l.reads([]string{"PID", "COMMAND"}, []string{"77", `serve --token *** \x1b[2J`})
	l.until(func() bool { return l.m.usageTimes() >= 1 })
	l.reads([]string{"cpu", "– of a processor"}, []string{"64 MiB of 256 MiB, 25.0 %"})
	l.send(sampleDue{generation: l.m.sampling.generation, ctx: t.Context()})
	l.start()
	l.until(func() bool { return l.m.usageTimes() >= 2 })
	l.reads([]string{"cpu", "12.5 % of a processor"}, []string{"2 KiB/s in", "0 B/s out"}, []string{"3 processes and threads"})
	l.press("1")
	if l.m.sampling.cancel != nil {
		t.Error("the usage is still read")
	}
}

// usageTimes is how many samples of the sandbox under the cursor were taken.
func (m *Model) usageTimes() int {
	s := m.tree.sandbox()
	if s == nil || m.sampling.tracks[s.Key()] == nil {
		return 0
	}
	return len(m.sampling.tracks[s.Key()].history)
}

func TestProcessesOfAStoppedSandbox(t *testing.T) {
	t.Parallel()
	l := watching(t, 200, 40, nil)
	l.goTo("hermes-77aa10ce")
	l.press("7")
	l.reads([]string{"nothing runs in it: it is exited"})
}

func TestUsageIsReadOnlyForWhatIsSeen(t *testing.T) {
	t.Parallel()
	l := watching(t, 240, 40, suspendable)
	if times, _ := l.insight.looks(); times != 0 {
		t.Fatalf("the usage was asked for %d times before it was on the screen", times)
	}
	l.goTo("hermes-aa55e0f1")
	l.press("w").until(func() bool { return l.m.usageTimes() >= 1 })
	l.reads([]string{"CPU%", "MEMORY", "CONNS"}, []string{"hermes-aa55e0f1", "64 MiB", " 7 "})
	running := 0
	for _, s := range smallFleet().Sandboxes {
		if s.State == model.StateRunning {
			running++
		}
	}
	if _, last := l.insight.looks(); last != running {
		t.Errorf("%d sandboxes were asked for, %d run", last, running)
	}
	for name, msg := range map[string]tea.Msg{"no focus": tea.BlurMsg{}, "suspended": keyMsg("ctrl+z")} {
		l.send(msg)
		if l.m.sampling.cancel != nil {
			t.Errorf("%s, and the usage is still read", name)
		}
		l.send(tea.FocusMsg{}, continued{})
		l.start()
		if l.m.sampling.cancel == nil {
			t.Errorf("after %s the usage is not read again", name)
		}
	}
}

func TestSortByUsage(t *testing.T) {
	t.Parallel()
	l := watching(t, 240, 40, func(o *Options) { o.Sort, o.Group = "-memory", "flat" })
	l.press("w")
	found := map[model.Key]model.Sample{}
	for i, name := range []string{"3f2a91c0", "90be2d13", "aa55e0f1"} {
		found[model.Key{Engine: "default", ID: identifier(name)}] = model.Sample{At: noon(), Memory: uint64(1+i) << 20}
	}
	l.send(samples{generation: l.m.sampling.generation, ctx: t.Context(), found: found})
	var order []string
	for _, s := range l.m.tree.shown[:3] {
		order = append(order, s.Name.Raw())
	}
	if got := strings.Join(order, " "); got != "hermes-aa55e0f1 hermes-90be2d13 hermes-3f2a91c0" {
		t.Errorf("the order is %s", got)
	}
}

func TestStatsIntervalIsNeverUnderASecond(t *testing.T) {
	t.Parallel()
	for given, want := range map[time.Duration]time.Duration{0: 2 * time.Second, time.Millisecond: time.Second, 5 * time.Second: 5 * time.Second} {
		l := watching(t, 80, 24, func(o *Options) { o.StatsInterval = given })
		if got := l.m.statsInterval(); got != want {
			t.Errorf("of %s comes %s", given, got)
		}
	}
}

// Connections gives the test's sockets.
func (f *fakeInsight) Connections(context.Context, model.Key) (model.ConnectionView, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.sockets, f.socketsErr
}

func TestEgressShowsConnections(t *testing.T) {
	t.Parallel()
	peer := model.Connection{
		Protocol: "tcp", Local: netip.MustParseAddrPort("172.17.0.2:50000"), Remote: netip.MustParseAddrPort("8.8.8.8:443"),
		State: "established", Pid: 77, Process: text("cu\x1brl"),
	}
	listener := model.Connection{Protocol: "tcp6", Local: netip.MustParseAddrPort("[::]:80"), Remote: netip.MustParseAddrPort("[::]:0"), State: "listen"}
	cases := map[string]struct {
		view model.ConnectionView
		err  error
		want [][]string
	}{
		"sockets":         {model.ConnectionView{Connections: []model.Connection{peer, listener}, Dropped: 4}, nil, [][]string{{"172.17.0.2:50000", "8.8.8.8:443 established", `cu\x1brl (77)`}, {"[::]:80 listens"}, {"and 4 more"}}},
		"none":            {model.ConnectionView{}, nil, [][]string{{"none"}}},
		"a shared one":    {model.ConnectionView{Shared: true}, nil, [][]string{{"some of these can be another's"}}},
		"another machine": {model.ConnectionView{Problem: "not available: the engine runs on another machine"}, nil, [][]string{{"not available"}}},
		"an error":        {model.ConnectionView{}, errors.New("broken \x1b[2J"), [][]string{{`broken \x1b[2J`}}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := watching(t, 240, 80, nil)
			l.insight.sockets, l.insight.socketsErr = tt.view, tt.err
			l.goTo("hermes-aa55e0f1")
			l.press("2").until(func() bool { return l.m.connections.read })
			l.reads(append(tt.want, []string{"Connections"})...)
			l.press("1")
			if l.m.looking.cancel != nil {
				t.Error("the connections are still read")
			}
		})
	}
}

// suspendable lets the dashboard be suspended.
func suspendable(o *Options) { o.Stop = func() error { return nil } }
