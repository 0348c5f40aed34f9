package simengine

import (
	"fmt"
	"net/http"
)

// The methods below are what someone else on the same engine does. They follow
// the engine's rules, but pass by faults and the record of requests.

// StartContainer starts a container.
func (e *Engine) StartContainer(reference string) error { return e.others(reference, e.start) }

// StopContainer stops a container.
func (e *Engine) StopContainer(reference string) error {
	return e.others(reference, func(c *container) error {
		if !c.running() {
			return refuse(http.StatusNotModified, "container %s is stopped already", c.id)
		}
		e.stop(c)
		e.afterExit(c)
		return nil
	})
}

// PauseContainer pauses a container.
func (e *Engine) PauseContainer(reference string) error { return e.others(reference, e.pause) }

// UnpauseContainer lets a paused container go on.
func (e *Engine) UnpauseContainer(reference string) error { return e.others(reference, e.unpause) }

// RenameContainer gives a container another name.
func (e *Engine) RenameContainer(reference, name string) error {
	return e.others(reference, func(c *container) error { return e.rename(c, name) })
}

// RemoveContainer removes a container by force, its volumes stay.
func (e *Engine) RemoveContainer(reference string) error {
	return e.others(reference, func(c *container) error {
		if c.running() {
			e.exit(c, 137)
		}
		e.destroy(c, false)
		return nil
	})
}

// ConnectContainer attaches a container to a network.
func (e *Engine) ConnectContainer(network, reference string) error {
	return e.others(reference, func(c *container) error {
		n, err := e.findNetwork(network)
		if err != nil {
			return err
		}
		return e.connect(c, n, EndpointConfig{})
	})
}

// DisconnectContainer takes a container off a network.
func (e *Engine) DisconnectContainer(network, reference string) error {
	return e.others(reference, func(c *container) error {
		n, err := e.findNetwork(network)
		if err != nil {
			return err
		}
		return e.disconnect(c, n)
	})
}

// ForceState puts a container into a state without a rule or an event, such as
// dead, removing or a word no engine knows.
func (e *Engine) ForceState(reference, state string) error {
	return e.others(reference, func(c *container) error {
		c.status = state
		return nil
	})
}

// ForceListState makes the list show a state other than an inspect does, as a
// real engine does after a removal that failed; empty ends that.
func (e *Engine) ForceListState(reference, state string) error {
	return e.others(reference, func(c *container) error {
		c.listState = state
		return nil
	})
}

// Begin starts a command in a container that runs until [Engine.End].
func (e *Engine) Begin(reference string, command ...string) (execID string, err error) {
	err = e.others(reference, func(c *container) error {
		if err := mayExec(c); err != nil {
			return err
		}
		x := e.makeExec(&exec{in: c, command: command, stdout: true, stderr: true})
		e.begin(x)
		execID = x.id
		return nil
	})
	return execID, err
}

// End ends a command begun with [Engine.Begin]. An unknown one is none.
func (e *Engine) End(execID string) {
	e.mu.Lock()
	x := e.execs[execID]
	e.mu.Unlock()
	if x != nil {
		e.end(x, 0)
	}
}

func (e *Engine) others(reference string, change func(*container) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, err := e.lookup(reference)
	if err == nil {
		err = change(c)
	}
	if err != nil {
		return fmt.Errorf("simulated engine: %w", err)
	}
	e.touch()
	return nil
}
