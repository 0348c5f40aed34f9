//go:build unix

// Command bench runs the built program on a pseudo-terminal and measures what a
// person and a machine notice of it: the time to the first frame, from a key
// and from an event of the engine to the frame that shows it, what it costs
// while nothing happens, memory, and removals. It measures on the simulated
// engine, which it serves on a socket of its own, and on the real one, where it
// makes containers under a label of its own and removes exactly those.
//
// Figures are never asserted. Each stands beside the same work done by docker,
// curl or an empty Bubble Tea program in the same run, so that a run on a busy
// machine still tells something.
//
//	go run ./bench -binary bin/hermes-sandbox -engine all
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"
)

// options are what a run measures.
type options struct {
	binary string
	engine string // sim, real or all
	host   string // of the real engine
	image  string
	only   string // parts, separated by commas; empty: all
	daemon int    // process of the real engine, 0: the one called dockerd
	idle   time.Duration
	rounds int
	size   int // of the only simulated fleet; 0: several
}

// wants reports whether a part is to be measured.
func (o *options) wants(part string) bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), part)
}

func main() {
	if slices.Contains(os.Args[1:], "empty-program") {
		if err := runEmpty(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.StringVar(&o.binary, "binary", "bin/hermes-sandbox", "the built program")
	flag.StringVar(&o.engine, "engine", "sim", "sim, real or all")
	flag.StringVar(&o.host, "host", "unix:///var/run/docker.sock", "the real engine's socket")
	flag.StringVar(&o.image, "image", "hermes-sandbox-test:busybox", "image of real sandboxes; the engine tests leave this one behind")
	flag.StringVar(&o.only, "only", "", "parts: start,first,idle,keys,events,storm,memory,many,remove")
	flag.IntVar(&o.size, "size", 0, "sandboxes on the simulated engine; 0: 10, 300, 1,000 and 10,000 in turn")
	flag.IntVar(&o.daemon, "daemon", 0, "process ID of the real engine; 0: the one called dockerd")
	flag.DurationVar(&o.idle, "idle", time.Minute, "how long to look at an idle program")
	flag.IntVar(&o.rounds, "rounds", 11, "repetitions of what is short")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // the context ends with the process
	}
}

func run(ctx context.Context, o *options) error {
	if _, err := os.Stat(o.binary); err != nil {
		return fmt.Errorf("build the program first (`task build`): %w", err)
	}
	out := &report{}
	out.machine()
	err := out.binary(ctx, o)
	if o.engine == "sim" || o.engine == "all" {
		err = errors.Join(err, benchSimulated(ctx, o, out))
	}
	if o.engine == "real" || o.engine == "all" {
		err = errors.Join(err, benchReal(ctx, o, out))
	}
	return err
}

// report prints the figures as they come, as rows of a table.
type report struct{}

func (r *report) machine() {
	load, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Fprintf(os.Stdout, "%s, %d cores, %s, load %s\n\n", time.Now().UTC().Format(time.RFC3339), runtime.NumCPU(), runtime.Version(), strings.TrimSpace(string(load)))
	_, _ = fmt.Fprintln(os.Stdout, "| engine | what | figure | beside |\n|---|---|---|---|")
}

// row prints one figure; beside is what it compares with.
func (r *report) row(engine, what, figure, beside string) {
	_, _ = fmt.Fprintf(os.Stdout, "| %s | %s | %s | %s |\n", engine, what, figure, beside)
}

// binary tells the program's size and how long it takes to say its version.
func (r *report) binary(ctx context.Context, o *options) error {
	if !o.wants("start") {
		return nil
	}
	info, err := os.Stat(o.binary)
	if err != nil {
		return fmt.Errorf("look at the program: %w", err)
	}
	r.row("-", "size of the binary", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "aim 25 MB")
	ours, err := repeat(o.rounds, func() (time.Duration, error) { return timed(ctx, o.binary, "version") })
	if err != nil {
		return err
	}
	theirs, err := repeat(o.rounds, func() (time.Duration, error) { return timed(ctx, "/bin/true") })
	if err != nil {
		return err
	}
	r.row("-", "`version`, whole process", ours.median().String(), "`true` "+theirs.median().String())
	return nil
}
