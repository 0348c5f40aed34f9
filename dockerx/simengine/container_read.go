package simengine

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// frame writes standard output in the engine's multiplexed format: a header of
// eight bytes with the stream's number and the length. A terminal's output has
// no headers.
func frame(w io.Writer, tty bool, text string) error {
	data := []byte(text)
	if !tty {
		header := [8]byte{0: 1}
		binary.BigEndian.PutUint32(header[4:], uint32(len(data))) //nolint:gosec // a line is shorter than 4 GiB
		data = append(header[:], data...)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	return nil
}

// containerLogs answers GET /containers/{id}/logs, following when asked.
func (e *Engine) containerLogs(w http.ResponseWriter, c *call) error {
	if !c.flag("stdout") && !c.flag("stderr") {
		return refuse(http.StatusBadRequest, "logs need stdout, stderr or both")
	}
	e.mu.Lock()
	found, err := e.lookup(c.PathValue("id"))
	sent := 0
	if err == nil {
		sent = max(0, len(found.lines)-c.tail(len(found.lines)))
	}
	e.mu.Unlock()
	if err != nil {
		return err
	}
	since, _, err := moment(c.query.Get("since"))
	if err != nil {
		return err
	}
	if !found.config.Tty && c.version.atLeast(42) {
		w.Header().Set("Content-Type", "application/vnd.docker.multiplexed-stream")
	} else if c.version.atLeast(42) {
		w.Header().Set("Content-Type", "application/vnd.docker.raw-stream")
	}
	w.WriteHeader(http.StatusOK)
	flush(w)
	cut := e.faults.streamCut()
	for {
		e.mu.Lock()
		lines, changed, live := found.lines, e.changed, found.running() && e.byID[found.id] != nil
		e.mu.Unlock()
		for ; sent < len(lines); sent++ {
			if err := writeLine(w, c, found, lines[sent], since); err != nil {
				return err
			}
		}
		flush(w)
		if !c.flag("follow") || !live {
			return nil
		}
		select {
		case <-changed:
		case <-c.Context().Done():
			return nil
		case <-cut:
			return nil
		case <-e.done:
			return nil
		}
	}
}

func writeLine(w io.Writer, c *call, from *container, line logLine, since time.Time) error {
	if line.at.Before(since) || !c.flag("stdout") {
		return nil
	}
	text := line.text + "\n"
	if c.flag("timestamps") {
		text = line.at.Format("2006-01-02T15:04:05.000000000Z") + " " + text
	}
	return frame(w, from.config.Tty, text)
}

// tail is how many of the last lines are asked for.
func (c *call) tail(have int) int {
	if n, err := strconv.Atoi(c.query.Get("tail")); err == nil && n >= 0 {
		return n
	}
	return have
}

// Print adds lines to a container's log, as its process would.
func (e *Engine) Print(reference string, lines ...string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, err := e.lookup(reference)
	if err != nil {
		return err
	}
	for _, line := range lines {
		c.lines = append(c.lines, logLine{at: e.now(), text: line})
	}
	e.touch()
	return nil
}

func (e *Engine) topContainer(c *call) (int, any, error) {
	found, err := e.lookup(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if !found.running() {
		return 0, nil, refuse(http.StatusConflict, "container %s is not running", found.id)
	}
	if found.status == statusRestarting {
		return 0, nil, refuse(http.StatusConflict, "container %s is restarting", found.id)
	}
	started := found.startedAt.Format("15:04")
	rows := [][]string{}
	add := func(parent int, command string) {
		pid := found.pid + len(rows)
		rows = append(rows, []string{"root", strconv.Itoa(pid), strconv.Itoa(parent), "0", started, "?", "00:00:00", command})
	}
	if found.host.Init != nil && *found.host.Init {
		add(1, "/sbin/docker-init -- "+commandLine(found.command()))
		add(found.pid, commandLine(found.command()))
	} else {
		add(1, commandLine(found.command()))
	}
	for _, command := range found.processes {
		add(found.pid, command)
	}
	for _, x := range found.execs {
		if x.running {
			add(found.pid, commandLine(x.command))
		}
	}
	e.emit(found, "top")
	titles := []string{"UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"}
	return http.StatusOK, object{"Titles": titles, "Processes": rows}, nil
}

// containerChanges lists what differs from the image: the places the engine
// mounts things at.
func (e *Engine) containerChanges(c *call) (int, any, error) {
	found, err := e.lookup(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	var changes []object // null when there are none
	if found.everStarted {
		for _, m := range found.mounts {
			changes = append(changes, object{"Path": m.Destination, "Kind": 1})
		}
		for target := range found.host.Tmpfs {
			changes = append(changes, object{"Path": target, "Kind": 1})
		}
	}
	return http.StatusOK, changes, nil
}
