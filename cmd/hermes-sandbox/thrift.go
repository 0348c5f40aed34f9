package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// How much the heap may grow before it is collected, in percent. At the start
// collecting a few megabytes again and again would take a good part of the time
// to the first frame. Later little is allocated, so half of Go's own figure costs
// next to no time and saves memory that other programs of the machine can use.
const (
	garbageAtStart = 300
	garbageLater   = 50
)

// setGarbage sets how much the heap may grow, unless the user did.
func setGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// settleMemory gives back what only the start needed.
func settleMemory() {
	setGarbage(garbageLater)
	debug.FreeOSMemory()
}

// thrift has this process give memory back and use one processor while nothing
// happens: with more than one, the timers of an idle dashboard wake threads that
// have nothing to do. The zero value is ready; nil does nothing.
type thrift struct {
	mu      sync.Mutex
	quiet   bool // nothing happened since the last rest
	resting bool
	all     int // processors before it rested
}

// rest is called every now and then, and saves once nothing happened since the
// last time. How many processors to use is left to the user who said so.
func (t *thrift) rest() {
	if t == nil || !t.due() {
		return
	}
	debug.FreeOSMemory() // without the lock, which a key must not wait for
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.resting && os.Getenv("GOMAXPROCS") == "" {
		t.all = runtime.GOMAXPROCS(1)
	}
}

// due reports whether there is to be a rest now.
func (t *thrift) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	due := t.quiet && !t.resting
	t.quiet, t.resting = true, t.resting || due
	return due
}

// wake says that something happens.
func (t *thrift) wake() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all != 0 {
		runtime.GOMAXPROCS(t.all)
	}
	t.quiet, t.resting, t.all = false, false, 0
}
