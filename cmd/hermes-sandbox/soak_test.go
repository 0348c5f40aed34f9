//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"hermes-sandbox/dockerx/simengine"
)

// soakVariable says how long the soak lasts, such as 90m. Without it the soak
// is one round of everything, as a test of itself.
const soakVariable = "HERMES_SANDBOX_SOAK"

// How much more than at the beginning the program may hold while it rests.
const (
	moreGoroutines  = 25 // up to ten idle connections with two each, and a few timers
	moreHeap        = 16 << 20
	mostOutstanding = 3 // the event stream, and what is on its way
)

// TestSoak runs the dashboard on a terminal against a simulated engine that
// crashes, hangs, loses events and storms, while the terminal changes its size
// and keys are pressed. After every round the program has to show a sandbox that
// has just been made, and to rest with what it had at the beginning.
func TestSoak(t *testing.T) {
	var length time.Duration
	if asked := os.Getenv(soakVariable); asked != "" {
		var err error
		if length, err = time.ParseDuration(asked); err != nil {
			t.Fatalf("%s: %v", soakVariable, err)
		}
	}
	b := newBench(t)
	screen, read := startChild(t, 120, 40, sandboxEnv(t, b.engine.Host()))
	screen.brief = true
	s := &soak{screen: screen, bench: b, read: read, random: rand.New(rand.NewPCG(7, 7)), begun: time.Now()}
	s.awaitText("Sandboxes")
	s.converge()
	s.rest()
	for round := 1; ; round++ {
		s.storm()
		s.fiddle()
		s.hang()
		s.fiddle()
		s.crash()
		s.blind()
		s.fiddle()
		s.converge()
		s.rest()
		if time.Since(s.begun) >= length {
			break
		}
	}
	screen.press("q")
	screen.end(exitDone)
	s.say("ended")
}

// soak is one soak and what it has seen.
type soak struct {
	*screen
	bench  *bench
	read   func() gauge
	random *rand.Rand
	begun  time.Time

	made  int   // sandboxes that were made to be seen
	first gauge // what the program held when it rested first
	worst gauge
}

// resize gives the terminal another size.
func (s *soak) resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	s.term.Resize(width, height)
	s.mu.Unlock()
	if err := pty.Setsize(s.pty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		s.t.Fatal(err)
	}
}

// fiddle presses keys and changes sizes at random; none of the keys acts.
func (s *soak) fiddle() {
	keys := []string{
		"j", "k", "G", "g", "1", "2", "3", "4", "5", "6", "7", "8", "?", "A", "s", "S", "w", " ", "u",
		"/run\r", "/\x1b", ":", "\x1b[A", "\x1b[B", "\x1b[6~", "r",
	}
	for i := range 40 {
		if i%8 == 7 { // what is open is closed now and then
			s.press("\x1b")
			pace(100 * time.Millisecond)
		}
		s.resize(20+s.random.IntN(200), 5+s.random.IntN(60))
		s.press(keys[s.random.IntN(len(keys))])
		s.bench.engine.PlayScene(s.random.IntN(10))
		pace(20 * time.Millisecond)
	}
	s.calm()
}

// calm goes back to the list at a size that shows all of it.
func (s *soak) calm() {
	s.t.Helper()
	s.resize(120, 40)
	for range 4 { // a tab takes the keys until esc, and the screen does not tell
		s.press("\x1b")
		pace(100 * time.Millisecond)
	}
	defer s.repeat("\x1b", 200*time.Millisecond)()
	s.await("the list", func(text string) bool {
		return strings.Contains(text, "Sandboxes ·") && strings.Contains(text, "space mark") &&
			!strings.Contains(text, "esc c") && !strings.Contains(text, "filter: ")
	})
}

// state waits for the word that the header gives the engine; live has none.
func (s *soak) state(word string) {
	s.t.Helper()
	s.await("the engine "+word, func(text string) bool {
		header, _, _ := strings.Cut(text, "\n")
		if word == "live" {
			return !strings.Contains(header, " stale") && !strings.Contains(header, " down") && strings.Contains(header, "sandbox")
		}
		return strings.Contains(header, " "+word)
	})
}

// storm makes many events in a row.
func (s *soak) storm() {
	for i := range 2000 {
		_ = s.bench.engine.RenameContainer("hermes-3fa1b20c", "hermes-storm-"+strconv.Itoa(i))
		_ = s.bench.engine.RenameContainer("hermes-storm-"+strconv.Itoa(i), "hermes-3fa1b20c")
	}
}

// hang stops every answer until the program says that it is stale.
func (s *soak) hang() {
	s.calm()
	s.bench.engine.Faults().Set(simengine.Any, simengine.Fault{Kind: simengine.Silence})
	s.press("r")
	s.state("stale")
	s.bench.engine.Faults().Clear()
	s.bench.engine.Faults().CutStreams()
	s.state("live")
}

// crash ends the engine, and starts it again once the program says so.
func (s *soak) crash() {
	s.t.Helper()
	s.bench.engine.Crash()
	s.state("down")
	if err := s.bench.engine.Recover(); err != nil {
		s.t.Fatal(err)
	}
	s.state("live")
}

// blind lets events be lost; converge then shows that it does not matter.
func (s *soak) blind() {
	s.bench.engine.Faults().LoseEvents(true)
	s.visit()
	s.bench.engine.Faults().LoseEvents(false)
	s.bench.engine.Faults().CutStreams()
}

// visit makes the sandbox that converge looks for, in the place of the last.
func (s *soak) visit() string {
	s.t.Helper()
	_ = s.bench.engine.RemoveContainer("hermes-soak")
	s.made++
	task := fmt.Sprintf("v%d", s.made) // short, or a column clips it
	_, err := s.bench.engine.Add(simengine.Spec{Name: "hermes-soak", Labels: map[string]string{
		"hermes-agent": "1", "hermes-profile": "aaa", "hermes-task-id": task, "hermes-egress": "off",
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	return task
}

// converge waits until the screen shows a sandbox that has just been made.
func (s *soak) converge() {
	s.t.Helper()
	s.calm()
	task := s.visit()
	s.press("/task:" + task + "\r")
	s.await(task, regexp.MustCompile(task+` +running`).MatchString)
	s.state("live")
	s.calm()
}

// rest waits until the program holds no more than it did at the beginning, and
// says what it holds.
func (s *soak) rest() {
	s.t.Helper()
	s.press("1") // reads nothing
	deadline := time.Now().Add(patience)
	for {
		_, outstanding := s.bench.engine.Traffic()
		held := s.read()
		if s.first == (gauge{}) {
			s.first = held
		}
		if outstanding <= mostOutstanding && held.Goroutines <= s.first.Goroutines+moreGoroutines && held.Heap <= 2*s.first.Heap+moreHeap {
			s.worst = gauge{Goroutines: max(s.worst.Goroutines, held.Goroutines), Heap: max(s.worst.Heap, held.Heap)}
			break
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the program rests with %d requests, %d goroutines and %d bytes; at first it held %d and %d\n%s",
				outstanding, held.Goroutines, held.Heap, s.first.Goroutines, s.first.Heap, held.Stacks)
		}
		pace(50 * time.Millisecond) // then it is asked again
	}
	s.bench.engine.ForgetRequests()
	s.say("rests")
}

// say reports one line of figures.
func (s *soak) say(what string) {
	received, outstanding := s.bench.engine.Traffic()
	s.mu.Lock()
	frames := s.frames
	s.mu.Unlock()
	held := s.worst
	resident := "gone"
	if what == "rests" {
		held, resident = s.read(), s.resident()
	}
	s.t.Logf("%s after %s: %d rounds, %d goroutines (first %d, most %d), heap %.1f MiB (first %.1f, most %.1f), resident %s, %d requests, %d outstanding, %d writes to the screen",
		what, time.Since(s.begun).Round(time.Second), s.made/2, held.Goroutines, s.first.Goroutines, s.worst.Goroutines,
		mebibytes(held.Heap), mebibytes(s.first.Heap), mebibytes(s.worst.Heap), resident, received, outstanding, frames)
}

// pace lets time pass as between a person's keys. Nothing is expected by then.
func pace(between time.Duration) { <-time.After(between) }

func mebibytes(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

// resident reads how much memory the kernel gives the program, where /proc says.
func (s *soak) resident() string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "unknown"
}
