package dockerx_test

import (
	"context"
	"errors"
	"math"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/docker/go-units"
	mobyclient "github.com/moby/moby/client"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

func TestLogsOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	spec := engine.Sandbox("work", "logs")
	spec.Command = []string{"sh", "-c", `echo out; echo err >&2; dd if=/dev/zero bs=100000 count=1 2>/dev/null; echo; echo done; exec sleep infinity`}
	id := engine.Run(t, spec)
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	var lines []model.LogLine
	err := client.Logs(ctx, id, dockerx.LogOptions{Follow: true, Tail: -1}, func(line model.LogLine) error {
		lines = append(lines, line)
		if slices.ContainsFunc(lines, func(l model.LogLine) bool { return l.Text.Raw() == "done" }) && len(lines) == 4 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("ended with %v after %d lines", err, len(lines))
	}
	var stdout, stderr []model.LogLine
	for _, line := range lines {
		if line.At.IsZero() {
			t.Errorf("a line without a time: %.40q", line.Text.Raw())
		}
		if line.Stream == model.StreamStderr {
			stderr = append(stderr, line)
		} else {
			stdout = append(stdout, line)
		}
	}
	if len(stderr) != 1 || stderr[0].Text.Raw() != "err" || len(stdout) != 3 {
		t.Fatalf("%d lines of stdout, %d of stderr", len(stdout), len(stderr))
	}
	zeros := stdout[1]
	if zeros.Text.Raw() != strings.Repeat("\x00", dockerx.LogLineLimit) || zeros.Cut != 100000-dockerx.LogLineLimit {
		t.Errorf("the binary line has %d bytes and %d cut", len(zeros.Text.Raw()), zeros.Cut)
	}
}

func TestActivityOfManyCommandsOnARealEngine(t *testing.T) {
	const commands = 200
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	id := engine.Run(t, engine.Sandbox(engine.Mark, "busy"))
	key := model.Key{Engine: "test", ID: id}
	book := dockerx.NewActivityBook()
	watcher := dockerx.NewWatcher(client, dockerx.WatchOptions{Events: func(event dockerx.Event) { book.Note("test", event) }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = watcher.Run(ctx) }()
	defer func() { cancel(); <-done }()
	for snapshot := range watcher.Updates() {
		if snapshot.Engine.State == model.Live {
			break
		}
	}
	for i := range commands {
		made, err := engine.Client.ExecCreate(t.Context(), string(id), mobyclient.ExecCreateOptions{Cmd: []string{"true", strconv.Itoa(i)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Client.ExecStart(t.Context(), made.ID, mobyclient.ExecStartOptions{Detach: true}); err != nil {
			t.Fatal(err)
		}
	}
	limited, stop := context.WithTimeout(t.Context(), enginetest.Wait)
	defer stop()
	activity := book.Of(key)
	for len(activity.Commands) < commands || activity.Running() > 0 {
		var err error
		if activity, err = book.Wait(limited, key, activity.Revision); err != nil {
			t.Fatalf("%d commands, %d of them run: %v", len(activity.Commands), activity.Running(), err)
		}
	}
	for i, c := range activity.Commands {
		if want := "true " + strconv.Itoa(commands-1-i); c.Line.Raw() != want || c.ExitCode == nil || *c.ExitCode != 0 {
			t.Fatalf("command %d is %+v, want %q", i, c, want)
		}
	}
	if activity.IdleSince().IsZero() {
		t.Error("it is not known since when the sandbox is idle")
	}
	past := dockerx.NewActivityBook()
	if _, err := client.PastEvents(t.Context(), func(event dockerx.Event) { past.Note("test", event) }); err != nil {
		t.Fatal(err)
	}
	remembered := past.Of(key)
	if len(remembered.Commands) == 0 {
		t.Fatal("the engine remembers nothing")
	}
	// The second in which the past is read belongs to the live stream.
	from := slices.IndexFunc(activity.Commands, func(c model.Command) bool { return c.ExecID == remembered.Commands[0].ExecID })
	for i, c := range remembered.Commands {
		if c.CreatedAt.IsZero() {
			break // only its end is remembered
		}
		if from < 0 || c.ExecID != activity.Commands[from+i].ExecID {
			t.Fatalf("command %d of the past is %+v", i, c)
		}
	}
}

func TestUsageOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	spec := engine.Sandbox(engine.Mark, "usage")
	spec.Command = []string{"sh", "-c", "while :; do :; done"}
	busy := engine.Run(t, spec)
	idle := engine.Run(t, engine.Sandbox(engine.Mark, "idle"))
	usage := func(id model.ID) model.Usage {
		t.Helper()
		first, err := client.Sample(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for { // until the kernel's counters have moved
			later, err := client.Sample(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if later.At.Sub(first.At) >= 500*time.Millisecond {
				return model.UsageBetween(first, later)
			}
		}
	}
	working, resting := usage(busy), usage(idle)
	if working.CPU == nil || *working.CPU <= 0 || resting.CPU == nil || *resting.CPU >= *working.CPU {
		t.Errorf("the busy one uses %+v, the idle one %+v", working, resting)
	}
	if working.Memory == 0 || working.Processes == 0 {
		t.Errorf("the busy one uses %+v", working)
	}
	table, err := client.Processes(t.Context(), busy)
	if err != nil || len(table.Rows) != 1 || !strings.Contains(table.Rows[0][len(table.Titles)-1].Raw(), "while") {
		t.Errorf("processes %+v, %v", table, err)
	}
	engine.Stop(t, busy)
	if sample, err := client.Sample(t.Context(), busy); err != nil || !sample.At.IsZero() {
		t.Errorf("of a stopped one: %+v, %v", sample, err)
	}
}

// The engine's own client samples for a second or two somewhere within our two
// samples, so the figures differ by what the machine did in between.
func TestUsageIsThatOfDockerStatsOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	docker, err := exec.LookPath("docker")
	if err != nil {
		if os.Getenv("HERMES_SANDBOX_REQUIRE_ENGINE") == "1" {
			t.Fatal("HERMES_SANDBOX_REQUIRE_ENGINE=1, but there is no docker command to compare with")
		}
		t.Skip("no docker command to compare with")
	}
	client := connectTo(t, engine)
	spec := engine.Sandbox(engine.Mark, "stats")
	// The file's pages are what docker's figure leaves out.
	spec.Command = []string{"sh", "-c", "dd if=/dev/zero of=/big bs=1048576 count=32 2>/dev/null; while :; do :; done"}
	id := engine.Run(t, spec)
	sample := func() model.Sample {
		t.Helper()
		s, err := client.Sample(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for first := sample(); sample().CPU-first.CPU < 200e6; { // until the file is written and it is busy
	}
	before := sample()
	out, err := exec.CommandContext(t.Context(), docker, "-H", engine.Host, "stats", "--no-stream", "--format", "{{.CPUPerc}} {{.MemUsage}} {{.PIDs}}", string(id)).Output()
	if err != nil {
		t.Fatal(err)
	}
	after := sample()
	ours := model.UsageBetween(before, after)
	fields := strings.Fields(string(out)) // 97.5% 700KiB / 2GiB 1
	if len(fields) != 5 || ours.CPU == nil {
		t.Fatalf("docker says %q, we %+v", out, ours)
	}
	cpu, err := strconv.ParseFloat(strings.TrimSuffix(fields[0], "%"), 64)
	if err != nil || math.Abs(cpu-*ours.CPU) > 20+max(cpu, *ours.CPU)/2 {
		t.Errorf("docker says %s of a processor, we %.1f", fields[0], *ours.CPU)
	}
	memory, err := units.RAMInBytes(fields[1])
	if err != nil || math.Abs(float64(memory)-float64(ours.Memory)) > 2<<20 {
		t.Errorf("docker says %s of memory, we %d bytes", fields[1], ours.Memory)
	}
	limit, err := units.RAMInBytes(fields[3])
	if err != nil || math.Abs(float64(limit)-float64(after.MemoryLimit)) > float64(limit)/100 {
		t.Errorf("docker says a limit of %s, we %d bytes", fields[3], after.MemoryLimit)
	}
	if fields[4] != strconv.FormatUint(ours.Processes, 10) {
		t.Errorf("docker says %s processes, we %d", fields[4], ours.Processes)
	}
}

func TestConnectionsOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	spec := engine.Sandbox(engine.Mark, "sockets")
	spec.Network = "none"
	spec.Command = []string{"nc", "-l", "-p", "8080"}
	id := engine.Run(t, spec)
	limited, stop := context.WithTimeout(t.Context(), enginetest.Wait)
	defer stop()
	for {
		view, err := client.Connections(limited, id)
		if err != nil {
			t.Fatal(err)
		}
		if view.Problem != "" {
			t.Fatal(view.Problem)
		}
		if len(view.Connections) == 0 {
			continue // it has not opened the socket yet
		}
		c := view.Connections[0]
		if len(view.Connections) != 1 || c.Local.Port() != 8080 || !c.Listens() || c.Pid == 0 || c.Process.Raw() != "nc" {
			t.Errorf("%+v", view.Connections)
		}
		if count := client.CountConnections(limited, id, pidOf(t, client, id)); count == nil || *count != 0 {
			t.Errorf("a listener alone counts as %v", count)
		}
		return
	}
}

func pidOf(t *testing.T, c *dockerx.Client, id model.ID) int {
	t.Helper()
	found, err := c.InspectContainer(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return found.Pid
}

// TestConnectionsOfASandboxThatDials looks at a sandbox that is connected to a
// server outside.
func TestConnectionsOfASandboxThatDials(t *testing.T) {
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	server, err := net.Listen("tcp4", "0.0.0.0:0") // the sandbox finds it at its gateway
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	accepted := make(chan net.Conn, 1)
	go func() {
		if conn, err := server.Accept(); err == nil {
			accepted <- conn
		}
	}()
	port := strconv.Itoa(server.Addr().(*net.TCPAddr).Port)
	spec := engine.Sandbox(engine.Mark, "dials")
	// It stays connected for as long as nothing ends its input.
	spec.Command = []string{"sh", "-c", "sleep infinity | nc $(ip route | awk '/^default/ {print $3}') " + port}
	id := engine.Run(t, spec)
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	var address netip.AddrPort
	select {
	case conn := <-accepted:
		defer func() { _ = conn.Close() }()
		address = conn.LocalAddr().(*net.TCPAddr).AddrPort()
	case <-ctx.Done():
		t.Fatal("the sandbox did not connect")
	}
	view, err := client.Connections(ctx, id)
	if err != nil || view.Problem != "" || len(view.Connections) != 1 {
		t.Fatalf("%+v, %v", view, err)
	}
	c := view.Connections[0]
	if c.Remote != address || c.Listens() || c.Process.Raw() != "nc" || c.State != "established" {
		t.Errorf("%+v, want one to %s", c, address)
	}
	if count := client.CountConnections(ctx, id, pidOf(t, client, id)); count == nil || *count != 1 {
		t.Errorf("it counts as %v", count)
	}
}

// TestLogFloodOnARealEngine follows a sandbox that prints as fast as it can.
func TestLogFloodOnARealEngine(t *testing.T) {
	const lines, bounds = 100_000, 60 << 20
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	spec := engine.Sandbox(engine.Mark, "flood")
	spec.Command = []string{"sh", "-c", "yes 'a line of a flood that nobody can read' | head -n " + strconv.Itoa(2*lines) + "; exec sleep infinity"}
	id := engine.Run(t, spec)
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	enough := errors.New("enough")
	seen, most, last := 0, uint64(0), time.Now()
	err := client.Logs(ctx, id, dockerx.LogOptions{Follow: true, Tail: -1}, func(line model.LogLine) error {
		if !strings.HasPrefix(line.Text.Raw(), "a line of a flood") || line.Stream != model.StreamStdout {
			t.Errorf("line %d is %q", seen, line.Text.Raw())
		}
		if seen++; seen%20_000 == 0 {
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapAlloc)
		}
		last = time.Now()
		if seen == lines {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("it ended after %d lines, %s after the last: %v", seen, time.Since(last), err)
	}
	if most == 0 || most > bounds {
		t.Errorf("%d MB were in use", most>>20)
	}
	if _, err := client.InspectContainer(ctx, id); err != nil {
		t.Errorf("during the flood the engine answers %v", err)
	}
}
