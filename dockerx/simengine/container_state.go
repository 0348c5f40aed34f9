package simengine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// act looks a container up and changes it; success answers 204.
func (e *Engine) act(c *call, change func(*container) error) (int, any, error) {
	found, err := e.lookup(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if err := change(found); err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, nil
}

func (e *Engine) startContainer(c *call) (int, any, error) { return e.act(c, e.start) }

func (e *Engine) start(c *container) error {
	switch {
	case c.gone():
		return refuse(http.StatusConflict, "container %s is marked for removal and cannot be started", c.id)
	case c.status == statusPaused:
		return refuse(http.StatusConflict, "container %s is paused; unpause it instead", c.id)
	case c.running():
		return refuse(http.StatusNotModified, "container %s runs already", c.id)
	}
	if target, ok := strings.CutPrefix(c.host.NetworkMode, "container:"); ok {
		other, err := e.lookup(target)
		if err != nil {
			return err
		}
		if !other.running() {
			return refuse(http.StatusConflict, "the container whose network is to be joined, %s, is not running", other.id)
		}
	}
	if c.startError != "" {
		c.everStarted = true
		c.exitCode, c.err = 127, c.startError
		e.touch()
		return refuse(http.StatusBadRequest, "%s", c.startError)
	}
	if err := e.attachAll(c); err != nil {
		return err
	}
	c.everStarted = true
	e.pids += 7
	c.status, c.pid, c.exitCode, c.err, c.oomKilled = statusRunning, e.pids, 0, "", false
	c.startedAt = e.now() // finishedAt keeps the last exit
	if command := c.command(); slices.Contains(command, "egress-proxy") {
		c.lines = append(c.lines, logLine{at: e.now(), text: "hermes-sandbox: egress proxy on [::]:8888"})
	}
	e.emit(c, "start")
	return nil
}

// exit brings a running container to rest.
func (e *Engine) exit(c *container, code int) {
	if c.status == statusPaused {
		c.status = statusRunning
	}
	for _, x := range slices.Clone(c.execs) {
		x.finish(137)
	}
	c.status, c.pid, c.exitCode = statusExited, 0, code
	c.finishedAt = e.now()
	e.emit(c, "die", "exitCode", strconv.Itoa(code))
	e.detachAll(c)
}

// afterExit does what follows a stop or kill.
func (e *Engine) afterExit(c *container) {
	if c.host.AutoRemove {
		e.destroy(c, true)
	}
}

func (e *Engine) stopContainer(c *call) (int, any, error) {
	return e.act(c, func(found *container) error {
		if !found.running() {
			return refuse(http.StatusNotModified, "container %s is stopped already", found.id)
		}
		e.stop(found)
		e.afterExit(found)
		return nil
	})
}

// stop sends the polite signal. A shell or sleep that is process 1 itself
// ignores it and is killed; under an init it ends.
func (e *Engine) stop(c *container) {
	e.emit(c, "kill", "signal", "15")
	code := 143
	if c.host.Init == nil || !*c.host.Init {
		e.emit(c, "kill", "signal", "9")
		code = 137
	}
	e.exit(c, code)
	e.emit(c, "stop")
}

func (e *Engine) restartContainer(c *call) (int, any, error) {
	return e.act(c, func(found *container) error {
		if found.gone() {
			return refuse(http.StatusConflict, "container %s is marked for removal and cannot be started", found.id)
		}
		if found.running() {
			e.stop(found)
		}
		if err := e.start(found); err != nil {
			return err
		}
		e.emit(found, "restart")
		return nil
	})
}

func (e *Engine) killContainer(c *call) (int, any, error) {
	return e.act(c, func(found *container) error {
		signal := strings.TrimPrefix(strings.ToUpper(c.query.Get("signal")), "SIG")
		number, known := map[string]string{
			"": "9", "KILL": "9", "9": "9", "TERM": "15", "15": "15", "INT": "2", "2": "2", "HUP": "1", "1": "1",
			"QUIT": "3", "3": "3", "USR1": "10", "10": "10", "USR2": "12", "12": "12", "STOP": "19", "19": "19", "CONT": "18", "18": "18",
		}[signal]
		if !known {
			return refuse(http.StatusBadRequest, "%q is no signal", signal)
		}
		if !found.running() {
			return refuse(http.StatusConflict, "container %s is not running, so it cannot be killed", found.id)
		}
		e.emit(found, "kill", "signal", number)
		if number == "9" {
			e.exit(found, 137)
			e.afterExit(found)
		}
		return nil
	})
}

func (e *Engine) pauseContainer(c *call) (int, any, error) { return e.act(c, e.pause) }

func (e *Engine) pause(c *container) error {
	switch {
	case !c.running():
		return refuse(http.StatusConflict, "container %s is not running", c.id)
	case c.status == statusPaused:
		return refuse(http.StatusConflict, "container %s is paused already", c.id)
	case c.status == statusRestarting:
		return refuse(http.StatusConflict, "container %s is restarting; wait until it runs", c.id)
	}
	c.status = statusPaused
	e.emit(c, "pause")
	return nil
}

func (e *Engine) unpauseContainer(c *call) (int, any, error) { return e.act(c, e.unpause) }

func (e *Engine) unpause(c *container) error {
	if c.status != statusPaused {
		return refuse(http.StatusInternalServerError, "container %s is not paused", c.id)
	}
	c.status = statusRunning
	e.emit(c, "unpause")
	return nil
}

func (e *Engine) renameContainer(c *call) (int, any, error) {
	return e.act(c, func(found *container) error { return e.rename(found, strings.TrimPrefix(c.query.Get("name"), "/")) })
}

func (e *Engine) rename(c *container, name string) error {
	switch {
	case name == "":
		return refuse(http.StatusBadRequest, "the new name is missing")
	case name == c.name:
		return refuse(http.StatusBadRequest, "that is the container's name already")
	case !validName.MatchString(name):
		return refuse(http.StatusBadRequest, "%q is no valid container name", name)
	}
	if holder := e.byName[name]; holder != nil {
		return refuse(http.StatusConflict, "container name /%s is in use by container %s", name, holder.id)
	}
	old := c.name
	delete(e.byName, old)
	c.name = name
	e.byName[name] = c
	e.emit(c, "rename", "oldName", "/"+old)
	return nil
}

func (e *Engine) removeContainer(c *call) (int, any, error) {
	return e.act(c, func(found *container) error {
		force := c.flag("force")
		switch {
		case c.flag("link"):
			return refuse(http.StatusBadRequest, "removing links is not simulated")
		case found.status == statusRemoving:
			return refuse(http.StatusConflict, "container %s is being removed already", found.id)
		case found.running() && !force:
			return refuse(http.StatusConflict, "container %s is %s; stop it first or use force", found.id, found.status)
		}
		if found.running() {
			e.emit(found, "kill", "signal", "9")
			e.exit(found, 137)
		}
		e.destroy(found, c.flag("v"))
		return nil
	})
}

// destroy removes a container that does not run.
func (e *Engine) destroy(c *container, volumes bool) {
	e.drop(c)
	if volumes {
		for _, name := range c.anonymous {
			if !e.volumeUsed(name) {
				e.dropVolume(name)
			}
		}
	}
	c.status = statusRemoving
	e.emit(c, "destroy")
}

// waitContainer answers when the container does not run or is gone.
func (e *Engine) waitContainer(w http.ResponseWriter, c *call) error {
	e.mu.Lock()
	found, err := e.lookup(c.PathValue("id"))
	e.mu.Unlock()
	if err != nil {
		return err
	}
	condition := c.query.Get("condition")
	started := time.Time{}
	w.Header().Set("Content-Type", "application/json")
	for first := true; ; first = false {
		e.mu.Lock()
		if first {
			started = found.finishedAt
		}
		removed := e.byID[found.id] == nil
		ended := !found.running() && condition != "removed" && (condition != "next-exit" || found.finishedAt.After(started))
		code, changed := found.exitCode, e.changed
		e.mu.Unlock()
		if removed || ended {
			writeBody(w, http.StatusOK, []byte(`{"Error":null,"StatusCode":`+strconv.Itoa(code)+`}`))
			return nil
		}
		if first { // the engine sends its headers at once
			w.WriteHeader(http.StatusOK)
			flush(w)
		}
		select {
		case <-changed:
		case <-c.Context().Done():
			return nil
		case <-e.done:
			return nil
		}
	}
}
