package dockerx

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"time"

	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// ErrNoShell is wrapped when a container has no shell that can be started.
var ErrNoShell = errors.New("there is no shell")

// ErrNotRunning is wrapped when a shell is asked for in a container that does
// not run.
var ErrNotRunning = errors.New("the container does not run")

const (
	resizeTimeout = 2 * time.Second
	exitPatience  = 2 * time.Second // the engine notes an exit code a moment after the stream ended
	exitLook      = 50 * time.Millisecond
)

// shellLine starts bash where there is one, else the plain shell. The plain one
// decides, since it is there in nearly every image and asks in one request.
const shellLine = "command -v bash >/dev/null 2>&1 && exec bash; exec sh"

// detachKeys stand in for ctrl-p ctrl-q, which would take ctrl-p, the last
// command, away from the shell.
const detachKeys = "ctrl-@,ctrl-@,ctrl-@,ctrl-@"

// Shell is an interactive shell in a container. Reading gives what it prints,
// writing types. Close it when done.
type Shell struct {
	client *Client
	exec   string
	conn   net.Conn
	from   *bufio.Reader
}

// OpenShell starts a shell on a terminal of its own in a running container, of
// the given size in lines and columns. It fails with [ErrReadOnly] on a read-only
// client and with [ErrNotRunning] otherwise than on a running container.
func (c *Client) OpenShell(ctx context.Context, id model.ID, height, width int) (*Shell, error) {
	const op = "open a shell"
	if c.transport.readOnly {
		return nil, c.failure(ReasonOther, op, "read-only mode opens none", "run without it", ErrReadOnly)
	}
	container, err := c.InspectContainer(ctx, id)
	if err != nil {
		return nil, err
	}
	if refusal := model.ShellRefusal(&container); refusal != "" {
		return nil, c.failure(ReasonOther, op, refusal, "", ErrNotRunning)
	}
	made, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	created, err := c.API().ExecCreate(made, string(id), client.ExecCreateOptions{
		TTY: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
		DetachKeys: detachKeys, Cmd: []string{"sh", "-c", shellLine},
	})
	if err != nil {
		return nil, c.failure(ReasonOther, op, safe(err.Error()), "", err)
	}
	if !model.ID(created.ID).Valid() {
		return nil, c.failure(ReasonBadAnswer, op, "the engine gave no identifier of the command", "", errMismatch)
	}
	shell := &Shell{client: c, exec: created.ID}
	if err := shell.start(ctx, op); err != nil {
		return nil, err
	}
	_ = shell.Resize(ctx, height, width) // a shell of the usual size is better than none
	return shell, nil
}

// start begins the command and takes the connection over.
func (s *Shell) start(ctx context.Context, op string) error {
	version, err := s.client.negotiate(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]bool{"Detach": false, "Tty": true})
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	conn, response, from, err := s.client.hijack(ctx, op, "/v"+version+"/exec/"+s.exec+"/start", body) //nolint:bodyclose // the body is the connection, which is kept or closed
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusSwitchingProtocols && response.StatusCode != http.StatusOK {
		defer func() { _ = conn.Close() }()
		text, _ := io.ReadAll(io.LimitReader(response.Body, errorLimit)) // what came is enough for a reason
		return s.client.statusError(op, response, text)
	}
	s.conn, s.from = conn, from
	return nil
}

// hijack sends a request on a connection of its own and returns that with the
// head of the answer. The client's own dialer and certificates are used, so it
// works over ssh and TLS too.
func (c *Client) hijack(ctx context.Context, op, route string, body []byte) (net.Conn, *http.Response, *bufio.Reader, error) {
	conn, err := c.Dial(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(pingTimeout)); err != nil {
		_ = conn.Close()
		return nil, nil, nil, c.connectionError(op, err)
	}
	if c.base.Scheme == "https" {
		conn = tls.Client(conn, c.tlsConfig())
	}
	address := c.base
	address.Path = path.Join("/", c.base.Path, route)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(body))
	if err == nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Connection", "Upgrade")
		request.Header.Set("Upgrade", "tcp")
		request.Header.Set("User-Agent", c.transport.userAgent)
		err = request.Write(conn)
	}
	from := bufio.NewReader(conn)
	var response *http.Response
	if err == nil {
		response, err = http.ReadResponse(from, request)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, nil, c.connectionError(op, err)
	}
	return conn, response, from, nil
}

// tlsConfig is the endpoint's, with the name that its certificate must have.
func (c *Client) tlsConfig() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.endpoint.TLS != nil {
		config = c.endpoint.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = c.base.Hostname()
	}
	return config
}

// Read returns what the shell prints; io.EOF when it has ended.
func (s *Shell) Read(p []byte) (int, error) {
	return s.from.Read(p) //nolint:wrapcheck // io.EOF must stay itself
}

// Write types into the shell.
func (s *Shell) Write(p []byte) (int, error) {
	return s.conn.Write(p) //nolint:wrapcheck // a stream must not change errors
}

// Close lets go of the connection.
func (s *Shell) Close() error {
	return s.conn.Close() //nolint:wrapcheck // the caller says what was closed
}

// Resize tells the shell the size of its terminal, in lines and columns.
func (s *Shell) Resize(ctx context.Context, height, width int) error {
	if height <= 0 || width <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, resizeTimeout)
	defer cancel()
	size := client.ExecResizeOptions{Height: uint(height), Width: uint(width)}
	// The engine answers the start before the command runs, and until then
	// there is no terminal to resize.
	for {
		_, err := s.client.API().ExecResize(ctx, s.exec, size)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return s.client.failure(ReasonOther, "resize the shell", safe(err.Error()), "", err)
		case <-time.After(exitLook):
		}
	}
}

// ExitCode returns how the shell ended, once reading it gave io.EOF. When no
// shell could be started the error wraps [ErrNoShell].
func (s *Shell) ExitCode(ctx context.Context) (int, error) {
	const op = "look at the shell's end"
	ctx, cancel := context.WithTimeout(ctx, exitPatience)
	defer cancel()
	for {
		result, err := s.client.API().ExecInspect(ctx, s.exec, client.ExecInspectOptions{})
		if err != nil {
			return 0, s.client.failure(ReasonOther, op, safe(err.Error()), "", err)
		}
		if !result.Running {
			// A command that never ran has no process; a shell that did can
			// well end with one of these codes itself.
			if result.PID == 0 && (result.ExitCode == 126 || result.ExitCode == 127) {
				return result.ExitCode, s.client.failure(ReasonOther, "open a shell", "the container has none that can be started", "", ErrNoShell)
			}
			return result.ExitCode, nil
		}
		select {
		case <-ctx.Done():
			return 0, s.client.failure(ReasonOther, op, "it still runs", "", ctx.Err())
		case <-time.After(exitLook):
		}
	}
}
