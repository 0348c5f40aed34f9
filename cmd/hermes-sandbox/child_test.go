//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx"
)

// childVariable, when it is set, makes the test binary the program itself: a
// process of its own, with an eye into it that the shipped program lacks.
const childVariable = "TESTED_PROGRAM"

// gauge is what a child says of itself.
type gauge struct {
	Goroutines int    `json:"goroutines"`
	Heap       uint64 `json:"heap"`   // bytes in use after a collection
	Stacks     string `json:"stacks"` // of all goroutines, alike ones counted
}

// child is the program, run by the test binary. It answers every byte on file 3
// with its gauge on file 4.
func child() {
	go func() {
		asked, answers := os.NewFile(3, "asked"), json.NewEncoder(os.NewFile(4, "answers"))
		one := make([]byte, 1)
		for {
			if _, err := io.ReadFull(asked, one); err != nil {
				return
			}
			var memory runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&memory)
			var stacks bytes.Buffer
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			_ = answers.Encode(gauge{Goroutines: runtime.NumGoroutine(), Heap: memory.HeapAlloc, Stacks: stacks.String()})
		}
	}()
	program := processApp()
	if fault := os.Getenv(faultVariable); fault != "" {
		plant(program, fault, os.Getenv(triggerVariable))
	}
	os.Exit(program.process(os.Args[1:]))
}

// faultVariable names a place where a child panics, once the file that
// triggerVariable names is there.
const (
	faultVariable   = "TESTED_FAULT"
	triggerVariable = "TESTED_TRIGGER"
)

// faultText is what a planted panic says, with what a terminal would act on.
const faultText = "planted \x1b]0;title\x07\u202e"

// plant makes the program panic at a place: before a request of a function,
// such as "GET /events dockerx.(*Client).events", the path of which is a
// pattern, or where the function of that name asks for the time.
func plant(program *app, fault, trigger string) {
	due := func() bool { _, err := os.Stat(trigger); return err == nil }
	if parts := strings.Fields(fault); len(parts) == 3 {
		path := regexp.MustCompile(parts[1])
		program.connect = append(program.connect, dockerx.OnRequest(func(r *http.Request) {
			if r.Method == parts[0] && path.MatchString(r.URL.Path) && due() && called(parts[2]) {
				panic(faultText)
			}
		}))
		return
	}
	program.now = func() time.Time {
		if due() && called(fault) {
			panic(faultText)
		}
		return time.Now()
	}
}

// called reports whether a function with that in its name is on the stack.
func called(name string) bool {
	callers := make([]uintptr, 100)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.Contains(frame.Function, name) {
			return true
		}
		if !more {
			return false
		}
	}
}

// startChild runs the program in the test binary, on a terminal. The returned
// function reads its gauge.
func startChild(t *testing.T, width, height int, env []string, args ...string) (*screen, func() gauge) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	asked, ask := pipe(t)
	answered, answer := pipe(t)
	s := newScreen(t, width, height)
	command := exec.Command(path, args...)
	command.ExtraFiles = []*os.File{asked, answer}
	s.launch(command, append(env, childVariable+"=1"))
	_ = asked.Close()
	_ = answer.Close()
	answers := json.NewDecoder(answered)
	return s, func() gauge {
		t.Helper()
		var got gauge
		if _, err := ask.Write([]byte{0}); err != nil {
			t.Fatalf("ask the program for its gauge: %v", err)
		}
		if err := answers.Decode(&got); err != nil {
			t.Fatalf("read the program's gauge: %v", err)
		}
		return got
	}
}

func pipe(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close(); _ = write.Close() })
	return read, write
}
