package simengine

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// exec is a command to run in a container, made and then started.
type exec struct {
	id       string
	in       *container
	command  []string
	tty      bool
	stdin    bool
	stdout   bool
	stderr   bool
	started  bool
	running  bool
	pid      int
	exitCode *int
	conn     io.Closer // of an attached exec that runs
}

// finish ends an exec and takes it off the container's list.
func (x *exec) finish(code int) {
	x.running = false
	x.exitCode = &code
	if x.conn != nil {
		_ = x.conn.Close()
	}
	x.in.execs = slices.DeleteFunc(x.in.execs, func(have *exec) bool { return have == x })
}

// execIDs are the execs the engine still tracks on the container; null when
// there are none.
func (c *container) execIDs() []string {
	var ids []string
	for _, x := range c.execs {
		ids = append(ids, x.id)
	}
	return ids
}

// mayExec holds the refusals of create and start.
func mayExec(c *container) error {
	switch {
	case !c.running():
		return refuse(http.StatusConflict, "Container %s is not running", c.id)
	case c.status == statusPaused:
		return refuse(http.StatusConflict, "container %s is paused; unpause it before an exec", c.name)
	case c.status == statusRestarting:
		return refuse(http.StatusConflict, "container %s is restarting; wait until it runs", c.id)
	}
	return nil
}

func (e *Engine) createExec(c *call) (int, any, error) {
	found, err := e.lookup(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	var request struct {
		Cmd                                     words
		Tty                                     bool
		AttachStdin, AttachStdout, AttachStderr bool
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	if len(request.Cmd) == 0 {
		return 0, nil, refuse(http.StatusBadRequest, "an exec needs a command")
	}
	if err := mayExec(found); err != nil {
		return 0, nil, err
	}
	x := e.makeExec(&exec{
		in: found, command: request.Cmd, tty: request.Tty,
		stdin: request.AttachStdin, stdout: request.AttachStdout, stderr: request.AttachStderr,
	})
	return http.StatusCreated, object{"Id": x.id}, nil
}

// makeExec registers an exec and announces it.
func (e *Engine) makeExec(x *exec) *exec {
	x.id = e.newID()
	e.execs[x.id] = x
	x.in.execs = append(x.in.execs, x)
	e.emit(x.in, "exec_create: "+strings.Join(x.command, " "), "execID", x.id)
	return x
}

func (e *Engine) findExec(c *call) (*exec, error) {
	if x := e.execs[c.PathValue("id")]; x != nil {
		return x, nil
	}
	return nil, refuse(http.StatusNotFound, "there is no exec %s", c.PathValue("id"))
}

func (e *Engine) inspectExec(c *call) (int, any, error) {
	x, err := e.findExec(c)
	if err != nil {
		return 0, nil, err
	}
	process := object{"tty": x.tty, "entrypoint": x.command[0], "arguments": x.command[1:], "privileged": false}
	return http.StatusOK, object{
		"ID": x.id, "Running": x.running, "ExitCode": x.exitCode, "ProcessConfig": process, "OpenStdin": x.stdin,
		"OpenStderr": x.stderr, "OpenStdout": x.stdout, "CanRemove": false, "ContainerID": x.in.id,
		"DetachKeys": "", "Pid": x.pid,
	}, nil
}

func (e *Engine) resizeExec(c *call) (int, any, error) {
	x, err := e.findExec(c)
	if err != nil {
		return 0, nil, err
	}
	switch {
	case !x.started:
		return 0, nil, refuse(http.StatusInternalServerError, "exec %s has not been started", x.id)
	case !x.running:
		return 0, nil, refuse(http.StatusNotFound, "exec %s has ended", x.id)
	}
	if c.number("h", -1) < 0 || c.number("w", -1) < 0 {
		return 0, nil, refuse(http.StatusBadRequest, "a size needs h and w")
	}
	return http.StatusOK, nil, nil
}

// startExec runs an exec: detached, or over the connection itself.
func (e *Engine) startExec(w http.ResponseWriter, c *call) error {
	var request struct{ Detach, Tty bool }
	if err := c.decode(&request); err != nil {
		return err
	}
	e.mu.Lock()
	x, err := e.findExec(c)
	if err == nil {
		err = mayExec(x.in)
	}
	if err == nil && x.started {
		err = refuse(http.StatusConflict, "exec %s has been started already", x.id)
	}
	if err == nil {
		e.begin(x)
	}
	e.mu.Unlock()
	if err != nil {
		return err
	}
	if request.Detach {
		e.end(x, 0)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	conn, err := hijack(w, c, request.Tty)
	if err != nil {
		e.end(x, 137)
		return err
	}
	defer func() { _ = conn.Close() }()
	e.mu.Lock()
	x.conn = conn
	if !x.running { // its container ended meanwhile
		_ = conn.Close()
	}
	e.mu.Unlock()
	stop := make(chan struct{})
	defer close(stop)
	go func() { // a taken connection is not closed by the server
		select {
		case <-e.done:
			_ = conn.Close()
		case <-stop:
		}
	}()
	e.end(x, x.talk(conn, request.Tty))
	return nil
}

// begin and end announce an exec's life.
func (e *Engine) begin(x *exec) {
	e.pids += 3
	x.started, x.running, x.pid = true, true, e.pids
	e.emit(x.in, "exec_start: "+strings.Join(x.command, " "), "execID", x.id)
}

func (e *Engine) end(x *exec, code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !x.running {
		return
	}
	x.finish(code)
	e.emit(x.in, "exec_die", "execID", x.id, "exitCode", strconv.Itoa(code))
}

// hijack takes the connection over and writes the head of the answer.
func hijack(w http.ResponseWriter, c *call, tty bool) (net.Conn, error) {
	kind := "application/vnd.docker.raw-stream"
	if !tty && c.version.atLeast(42) {
		kind = "application/vnd.docker.multiplexed-stream"
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, refuse(http.StatusInternalServerError, "the connection cannot be taken over: %v", err)
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\n\r\n"
	if c.Header.Get("Upgrade") != "" {
		head = "HTTP/1.1 101 UPGRADED\r\nContent-Type: " + kind + "\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
	}
	if _, err := io.WriteString(conn, head); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("exec stream: %w", err)
	}
	return conn, nil
}

// talk is what the simulated command prints, and its exit code. Shells read
// lines until exit or the end of input; echo prints its arguments; true and
// false do what they are for; everything else is silent and succeeds.
func (x *exec) talk(conn net.Conn, tty bool) int {
	switch name := x.command[0]; {
	case name == "echo":
		_ = frame(conn, tty, strings.Join(x.command[1:], " ")+"\n")
	case name == "false":
		return 1
	case x.stdin && strings.HasSuffix(name, "sh"):
		return x.shell(conn, tty)
	}
	return 0
}

func (x *exec) shell(conn net.Conn, tty bool) int {
	newline := "\n"
	if tty {
		newline = "\r\n"
	}
	prompt := "simulated:/workspace# "
	_ = frame(conn, tty, "This sandbox is simulated: commands are not run. Leave with exit."+newline+prompt)
	input := bufio.NewReader(conn)
	var line strings.Builder
	for {
		b, err := input.ReadByte()
		switch {
		case err != nil || b == 4 && line.Len() == 0: // end of input, Ctrl-D
			return 0
		case b == '\r' || b == '\n':
			typed := strings.TrimSpace(line.String())
			line.Reset()
			if typed == "exit" {
				_ = frame(conn, tty, newline)
				return 0
			}
			_ = frame(conn, tty, newline+prompt)
		case b == 3: // Ctrl-C
			line.Reset()
			_ = frame(conn, tty, "^C"+newline+prompt)
		case b == 127 || b == 8:
			if text := line.String(); text != "" {
				line.Reset()
				line.WriteString(text[:len(text)-1])
				_ = frame(conn, tty, "\b \b")
			}
		case b >= ' ':
			line.WriteByte(b)
			if tty {
				_ = frame(conn, tty, string(rune(b)))
			}
		}
	}
}
