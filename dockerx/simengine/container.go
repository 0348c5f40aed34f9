package simengine

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// The states a container can be in, as the API words them.
const (
	statusCreated    = "created"
	statusRunning    = "running"
	statusPaused     = "paused"
	statusRestarting = "restarting"
	statusRemoving   = "removing"
	statusExited     = "exited"
	statusDead       = "dead"
)

// container is the engine's own record of a container.
type container struct {
	id      string
	name    string // without the slash; empty only when a test wants it so
	created time.Time
	image   *image
	config  Config
	host    HostConfig

	status     string
	listState  string // what the list shows instead; empty: status
	pid        int
	exitCode   int
	oomKilled  bool
	err        string
	startedAt  time.Time
	finishedAt time.Time
	restarts   int
	health     *Health

	everStarted bool // has log and resolver paths
	sandboxID   string
	endpoints   map[string]*endpoint // by network name
	mounts      []mountBody
	anonymous   []string // volumes made for this container
	execs       []*exec
	lines       []logLine
	processes   []string // command lines beside the main one
	startError  string   // what start answers instead of starting
}

// logLine is one line a container printed.
type logLine struct {
	at   time.Time
	text string
}

// running reports the engine's Running flag, which paused and restarting
// containers have too.
func (c *container) running() bool {
	return c.status == statusRunning || c.status == statusPaused || c.status == statusRestarting
}

// gone reports whether the container only waits for its removal.
func (c *container) gone() bool { return c.status == statusRemoving || c.status == statusDead }

// lookup finds a container the way the engine does: full ID, then exact name,
// then unambiguous ID prefix.
func (e *Engine) lookup(reference string) (*container, error) {
	if c := e.byID[reference]; c != nil {
		return c, nil
	}
	if c := e.byName[strings.TrimPrefix(reference, "/")]; c != nil {
		return c, nil
	}
	var found *container
	if reference != "" && len(reference) < 64 {
		for _, c := range e.containers {
			if !strings.HasPrefix(c.id, reference) {
				continue
			}
			if found != nil {
				return nil, refuse(http.StatusInternalServerError, "the ID prefix %s is not unique", reference)
			}
			found = c
		}
	}
	if found == nil {
		return nil, refuse(http.StatusNotFound, "No such container: %s", reference)
	}
	return found, nil
}

// insert adds a container to the indexes, keeping the newest first.
func (e *Engine) insert(c *container) {
	e.byID[c.id] = c
	if c.name != "" {
		e.byName[c.name] = c
	}
	at, _ := slices.BinarySearchFunc(e.containers, c, func(have, added *container) int {
		if have.created.After(added.created) {
			return -1
		}
		return 1
	})
	e.containers = slices.Insert(e.containers, at, c)
}

// drop takes a container out of the indexes.
func (e *Engine) drop(c *container) {
	delete(e.byID, c.id)
	if e.byName[c.name] == c {
		delete(e.byName, c.name)
	}
	e.containers = slices.DeleteFunc(e.containers, func(have *container) bool { return have == c })
	for _, x := range c.execs {
		delete(e.execs, x.id)
	}
}

// command is the main process' command line as a list.
func (c *container) command() []string {
	return append(slices.Clone([]string(c.config.Entrypoint)), c.config.Cmd...)
}

// emit publishes an event of the container; extra attributes come in pairs.
func (e *Engine) emit(c *container, action string, extra ...string) {
	attributes := map[string]string{}
	for key, value := range c.config.Labels {
		attributes[key] = value
	}
	attributes["image"] = c.config.Image
	attributes["name"] = c.name
	for i := 0; i+1 < len(extra); i += 2 {
		attributes[extra[i]] = extra[i+1]
	}
	e.publish(event{kind: "container", action: action, id: c.id, from: c.config.Image, attributes: attributes})
}
