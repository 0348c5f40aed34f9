package dockerx

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// eventLimit caps one event: a single label can be hundreds of kilobytes, and
// every event of its container repeats it.
const eventLimit = 4 << 20

// errStreamEnded is an event stream that the other side closed, which is no
// alarm: socket proxies cut idle streams.
var errStreamEnded = errors.New("the event stream ended")

// events follows the engine's container and network events until the stream or
// ctx ends. It calls ready once the engine has accepted, then each for every
// event; each must not block. The stream is not filtered by label, since network
// events carry the network's labels.
func (c *Client) events(ctx context.Context, ready func(), each func(Event)) error {
	const op = "follow events"
	version, err := c.negotiate(ctx)
	if err != nil {
		return err
	}
	query := url.Values{"filters": {`{"type":["container","network"]}`}}
	c.mu.Lock()
	if c.facts.clock.known {
		// The engine accepts before it subscribes; going back a moment in its
		// own time, which is known to a second, closes that gap.
		since := c.now().Add(c.facts.clock.skew - 2*time.Second)
		query.Set("since", strconv.FormatInt(since.Unix(), 10))
	}
	c.mu.Unlock()
	response, err := c.openInTime(ctx, op, "/v"+version+"/events", query)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	ready()
	if err := c.scanEvents(ctx, op, response.Body, each); err != nil {
		return err
	}
	return errStreamEnded
}

// scanEvents reads events until the end of a stream.
func (c *Client) scanEvents(ctx context.Context, op string, body io.Reader, each func(Event)) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 64<<10), eventLimit)
	for lines.Scan() {
		line := bytes.Trim(lines.Bytes(), "\x1e \t\r\n")
		if len(line) == 0 {
			continue
		}
		c.transport.answered(c.now())
		event, err := decodeEvent(line)
		if err != nil {
			return c.failure(ReasonBadAnswer, op, "an event cannot be read: "+err.Error(), "everything is read again", err)
		}
		each(event)
	}
	switch err := lines.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, bufio.ErrTooLong):
		return c.failure(ReasonTooLarge, op, fmt.Sprintf("one event is larger than %d MiB", eventLimit>>20), "everything is read again", err)
	default:
		return c.bodyError(ctx, op, err)
	}
}

// openInTime opens a stream whose headers must come in time, while its body
// may last.
func (c *Client) openInTime(ctx context.Context, op, route string, query url.Values) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	late := time.AfterFunc(pingTimeout, func() { cancel(context.DeadlineExceeded) })
	response, err := c.open(ctx, http.MethodGet, op, route, query)
	if late.Stop() {
		if err != nil {
			cancel(nil)
			return nil, err
		}
		response.Body = &cancelBody{ReadCloser: response.Body, cancel: func() { cancel(nil) }}
		return response, nil
	}
	if response != nil {
		_ = response.Body.Close()
	}
	return nil, c.connectionError(op, context.DeadlineExceeded)
}

// note marks what an event makes out of date and reports whether it is worth a
// refresh at once.
func (c *collector) note(event Event) bool {
	switch event.Type {
	case "container":
		return c.noteContainer(event)
	case "network":
		return c.noteNetwork(event)
	default:
		return false
	}
}

func (c *collector) noteContainer(event Event) bool {
	id := model.ID(event.ID)
	_, sandbox := event.Attributes["hermes-agent"]
	_, proxy := event.Attributes["hermes.egress"]
	known := c.containers.knows(id)
	if !sandbox && !proxy && !known {
		return false
	}
	if strings.HasPrefix(event.Action, "exec_") {
		c.containers.touch(id) // only its running commands changed
		return false
	}
	switch event.Action {
	case "top", "attach", "detach", "resize", "export", "copy", "archive-path", "extract-to-dir":
		return false
	}
	c.containers.mark(id)
	if sandbox && !known {
		c.arrive(id)
	}
	if proxy {
		c.mu.Lock()
		c.proxiesOld = true
		c.mu.Unlock()
	}
	return true
}

// noteNetwork looks at all network events, but a stranger who joins an open
// network is not worth a refresh.
func (c *collector) noteNetwork(event Event) bool {
	c.networks.mark(event.ID)
	member := model.ID(event.Attributes["container"].Raw())
	c.containers.mark(member)
	if event.Action != "connect" && event.Action != "disconnect" {
		c.mu.Lock()
		c.networksOld, c.proxiesOld = true, true
		c.mu.Unlock()
		return true
	}
	network, known := c.networks.last(event.ID)
	return c.containers.knows(member) || known && (network.Internal || egressNetwork(*network))
}
