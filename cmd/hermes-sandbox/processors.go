package main

import (
	"os"
	"runtime"
	"sync"
)

// processors has this process use one processor while nothing happens, and all of
// them else: with more than one, the timers of an idle dashboard wake threads that
// have nothing to do. The zero value is ready; nil does nothing.
type processors struct {
	mu    sync.Mutex
	all   int // while it uses one; else 0
	quiet bool
}

// rest is called every now and then, and goes down to one processor when nothing
// happened since the last time, unless the user said how many to use.
func (p *processors) rest() {
	if p == nil || os.Getenv("GOMAXPROCS") != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet && p.all == 0 {
		p.all = runtime.GOMAXPROCS(1)
	}
	p.quiet = true
}

// wake says that something happens.
func (p *processors) wake() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quiet = false
	if p.all != 0 {
		runtime.GOMAXPROCS(p.all)
		p.all = 0
	}
}
