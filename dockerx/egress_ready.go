package dockerx

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hermes-sandbox/model"
)

const (
	// readyTimeout bounds the wait for a proxy to listen.
	readyTimeout = 30 * time.Second
	// readyTail is how many of a proxy's last lines are read.
	readyTail = 16
	// lastWords is how many lines of a proxy that ended are told, and how much
	// of each.
	lastWords, lastWordsBytes = 4, 300
)

// errProxyListens ends the reading of a log that says so.
var errProxyListens = errors.New("the proxy listens")

// awaitProxy returns when the proxy listens: it says so itself before it serves
// anyone. Only the lines of its present run count. Hermes' own proxy says
// nothing that could be waited for, so that running has to do there.
func (c *Client) awaitProxy(ctx context.Context, made Egress, ours bool) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	before, err := c.proxyState(ctx, made)
	if err != nil {
		return err
	}
	var words []string
	if before.running && ours {
		words, err = c.readProxy(ctx, made, LogOptions{Follow: true, Since: before.ended})
		if err != nil && !errors.Is(err, errProxyListens) {
			return fmt.Errorf("container %s does not say that it listens: %w; see docker logs %s", made.Proxy, err, made.Proxy)
		}
	}
	listens := !ours || errors.Is(err, errProxyListens)
	now, err := c.proxyState(ctx, made)
	switch {
	case err != nil:
		return err
	case listens && now.running && now.restarts == before.restarts:
		return nil
	}
	what := fmt.Sprintf("container %s does not run: it ended with exit code %d", made.Proxy, now.exitCode)
	if now.running {
		what = fmt.Sprintf("container %s does not keep running: it ended and was started again", made.Proxy)
	}
	if len(words) == 0 {
		words, _ = c.readProxy(ctx, made, LogOptions{}) // it ended before its log could be followed
	}
	if len(words) > 0 {
		what += " and said: " + strings.Join(words, " / ")
	}
	return fmt.Errorf("%s; see docker logs %s", what, made.Proxy)
}

// readProxy reads a proxy's log until it listens, which is an [errProxyListens],
// or ends. It returns the last lines, safe to show.
func (c *Client) readProxy(ctx context.Context, made Egress, options LogOptions) (words []string, err error) {
	options.Tail = readyTail
	err = c.Logs(ctx, made.ProxyID, options, func(line model.LogLine) error {
		raw := line.Text.Raw()
		// A decision is made by one that listens; in a long log the first line is
		// not among the last.
		if strings.Contains(raw, ": egress proxy on ") || line.Stream == model.StreamStdout && strings.HasPrefix(raw, "{") {
			return errProxyListens
		}
		if len(words) == lastWords {
			words = words[1:]
		}
		words = append(words, model.NewText(raw[:min(len(raw), lastWordsBytes)]).Display())
		return nil
	})
	return words, err
}
