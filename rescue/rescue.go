// Package rescue runs goroutines whose panics reach the one who waits for them.
// So a panic anywhere climbs from goroutine to goroutine up to the place that
// can leave the terminal in order, with the stack of where it happened.
package rescue

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Panic is a panic on its way from the goroutine where it happened.
type Panic struct {
	Cause any    // what panic was called with
	Stack []byte // of the goroutine that panicked
}

// Error returns the cause in words. It can hold text from outside.
func (p *Panic) Error() string { return fmt.Sprint(p.Cause) }

// Caught makes a Panic of what recover returned, with the stack of its caller.
// One that is on its way already stays as it is; nil stays nil.
func Caught(cause any) *Panic {
	if cause == nil {
		return nil
	}
	if already, ok := cause.(*Panic); ok {
		return already
	}
	return &Panic{Cause: cause, Stack: debug.Stack()}
}

// Group is a number of goroutines that are waited for. The zero value is ready.
// It must not be copied after its first use.
type Group struct {
	// Stop, when set before the first Go, is called at the first panic, on its
	// goroutine: it has to make the others end and whoever waits for something
	// else come to Wait.
	Stop func()

	wait  sync.WaitGroup
	slots chan struct{} // nil: no limit
	mu    sync.Mutex
	first *Panic
}

// SetLimit lets at most n goroutines run at once; Go waits for a free place.
// It has to be called before Go.
func (g *Group) SetLimit(n int) { g.slots = make(chan struct{}, n) }

// Go runs a function in a goroutine of its own.
func (g *Group) Go(run func()) {
	if g.slots != nil {
		g.slots <- struct{}{}
	}
	g.wait.Go(func() {
		defer g.end()
		run()
	})
}

// end is deferred directly, so that recover works in it.
func (g *Group) end() {
	if caught := Caught(recover()); caught != nil {
		g.mu.Lock()
		first := g.first == nil
		if first {
			g.first = caught
		}
		g.mu.Unlock()
		if first && g.Stop != nil {
			g.Stop()
		}
	}
	if g.slots != nil {
		<-g.slots
	}
}

// Wait returns when all goroutines have ended. It panics with the first
// [Panic] of one of them.
func (g *Group) Wait() {
	g.wait.Wait()
	g.Check()
}

// Check panics as Wait does, but at once and only if a goroutine has panicked
// by now: for those who wait at their end only.
func (g *Group) Check() {
	g.mu.Lock()
	first := g.first
	g.mu.Unlock()
	if first != nil {
		panic(first)
	}
}
