package simengine

import (
	"context"
	"time"
)

// animationPace is how much of the engine's time lies between two scenes.
const animationPace = 4 * time.Second

// Animate lets the demonstration fleet live until ctx ends or the engine is
// closed: commands come and go, a session begins and ends. Which scene is
// played when follows from the engine's clock alone. What a person removed
// meanwhile is left out.
func (e *Engine) Animate(ctx context.Context) {
	begun := e.now()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for played := 0; ; {
		select {
		case <-ticker.C:
			due := int(e.now().Sub(begun) / animationPace)
			if due > played+10 { // the clock jumped
				played = due - 1
			}
			for ; played < due; played++ {
				e.PlayScene(played)
			}
		case <-ctx.Done():
			return
		case <-e.done:
			return
		}
	}
}

// PlayScene plays one scene of the animation; they repeat after the last one,
// which leaves the fleet as it was.
func (e *Engine) PlayScene(number int) {
	const (
		open, allowed, latched = "hermes-3fa1b20c", "hermes-6d18ef02", "hermes-d94a0e6b"
		visitor                = "hermes-ab40c2f7"
	)
	scenes := []func(){
		func() { _ = e.Print(open, "vite build: 214 modules transformed") },
		func() { e.beginScene(allowed, "curl", "-s", "https://pypi.org/simple/numpy/") },
		func() { e.endScene(allowed) },
		func() { e.visit(visitor) },
		func() { e.beginScene(visitor, "git", "clone", "https://github.com/example/project") },
		func() { _ = e.Print(latched, "41 passed, 2 failed") },
		func() { e.endScene(visitor) },
		func() { _ = e.StopContainer(visitor) },
		func() { _ = e.RemoveContainer(visitor) },
		func() {},
	}
	scenes[number%len(scenes)]()
}

// beginScene starts a command, endScene ends the newest one.
func (e *Engine) beginScene(name string, command ...string) { _, _ = e.Begin(name, command...) }

func (e *Engine) endScene(name string) {
	e.mu.Lock()
	var last *exec
	if c := e.byName[name]; c != nil && len(c.execs) > 0 {
		last = c.execs[len(c.execs)-1]
	}
	e.mu.Unlock()
	if last != nil {
		e.end(last, 0)
	}
}

// visit adds the sandbox of a session that has just begun.
func (e *Engine) visit(name string) {
	d := &demo{engine: e, now: e.now()}
	d.add(d.passing(d.sandbox(name, "default", d.now.Format("20060102_150405")+"_c41d7a", 0)))
}
