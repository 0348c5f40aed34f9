package simengine

import (
	"errors"
	"fmt"
	"os"
)

// Crash ends the engine like a killed process: connections break, and the
// socket file stays behind, refusing. The state is kept for [Engine.Recover].
func (e *Engine) Crash() {
	e.serve.Lock()
	defer e.serve.Unlock()
	if e.server != nil {
		_ = e.server.Close()
	}
	e.faults.CutStreams()
}

// Vanish is Crash with the socket file gone, as after an uninstall.
func (e *Engine) Vanish() {
	e.Crash()
	_ = os.Remove(e.Host()[len("unix://"):])
}

// Recover serves again after Crash or Vanish. The event history is empty then.
func (e *Engine) Recover() error {
	e.serve.Lock()
	defer e.serve.Unlock()
	select {
	case <-e.done:
		return errors.New("the simulated engine is closed")
	default:
	}
	if err := os.Remove(e.socket()); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("old socket of the simulated engine: %w", err)
	}
	e.mu.Lock()
	e.events.ring = nil
	e.mu.Unlock()
	return e.listen()
}
