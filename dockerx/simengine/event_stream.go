package simengine

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// streamEvents answers GET /events: what the history holds since the asked
// time, then what happens until the asked time or for ever.
func (e *Engine) streamEvents(w http.ResponseWriter, c *call) error {
	filters, err := parseFilters(c.query.Get("filters"), "container", "daemon", "event", "image", "label",
		"network", "plugin", "scope", "type", "volume", "service", "node", "secret", "config")
	if err != nil {
		return err
	}
	since, hasSince, err := moment(c.query.Get("since"))
	if err != nil {
		return err
	}
	until, hasUntil, err := moment(c.query.Get("until"))
	if err != nil {
		return err
	}
	if hasSince && hasUntil && until.Before(since) {
		return refuse(http.StatusBadRequest, "until is before since")
	}
	s := &subscriber{
		events: make(chan event, subscriberBuffer), cut: e.faults.streamCut(),
		matches: func(ev event) bool { return eventMatches(ev, filters) },
	}
	e.mu.Lock()
	var past []event
	if hasSince {
		for _, ev := range e.events.history() {
			if !ev.at.Before(since) && s.matches(ev) && (!hasUntil || !ev.at.After(until)) {
				past = append(past, ev)
			}
		}
	}
	e.events.subscribers = append(e.events.subscribers, s)
	e.touch()
	left := until.Sub(e.now())
	e.mu.Unlock()
	defer e.unsubscribe(s)

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	flush(w)
	for _, ev := range past {
		if err := writeEvent(w, ev, c.version); err != nil {
			return err
		}
	}
	if hasUntil && left <= 0 {
		return nil
	}
	return e.follow(w, c, s, hasUntil, left)
}

// follow writes events as they happen.
func (e *Engine) follow(w http.ResponseWriter, c *call, s *subscriber, limited bool, left time.Duration) error {
	var end <-chan time.Time
	if limited {
		timer := time.NewTimer(left)
		defer timer.Stop()
		end = timer.C
	}
	for {
		select {
		case ev := <-s.events:
			if err := writeEvent(w, ev, c.version); err != nil {
				return err
			}
		case <-end:
			return nil
		case <-c.Context().Done():
			return nil
		case <-s.cut:
			return nil
		case <-e.done:
			return nil
		}
	}
}

func (e *Engine) unsubscribe(s *subscriber) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events.subscribers = slices.DeleteFunc(e.events.subscribers, func(have *subscriber) bool { return have == s })
}

func writeEvent(w http.ResponseWriter, ev event, version apiVersion) error {
	line, err := ev.encode(version)
	if err != nil {
		return err
	}
	if _, err := w.Write(line); err != nil {
		return fmt.Errorf("event stream: %w", err)
	}
	flush(w)
	return nil
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// eventMatches applies the filters. A label filter looks at the event's own
// attributes, so it drops every network event, as the real engine does.
func eventMatches(ev event, filters filterSet) bool {
	actions := filters["event"]
	if len(actions) > 0 && !slices.ContainsFunc(actions, func(want string) bool {
		return ev.action == want || strings.HasPrefix(ev.action, want+":")
	}) {
		return false
	}
	if !filters.any("type", func(want string) bool { return want == ev.kind }) ||
		!filters.labels(ev.attributes) ||
		!filters.any("scope", func(want string) bool { return want == "local" }) {
		return false
	}
	for _, kind := range []string{"container", "network", "volume"} {
		same := func(want string) bool {
			return ev.kind == kind && (ev.id == want || ev.attributes["name"] == want || strings.HasPrefix(ev.id, want))
		}
		if !filters.any(kind, same) {
			return false
		}
	}
	return filters.any("image", func(want string) bool {
		return ev.kind == "image" && (ev.id == want || ev.attributes["name"] == want) || ev.attributes["image"] == want
	})
}

// moment reads since and until: seconds with an optional fraction.
func moment(text string) (time.Time, bool, error) {
	if text == "" {
		return time.Time{}, false, nil
	}
	seconds, fraction, _ := strings.Cut(text, ".")
	whole, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		if at, errTime := time.Parse(time.RFC3339Nano, text); errTime == nil {
			return at, true, nil
		}
		return time.Time{}, false, refuse(http.StatusBadRequest, "%q is no time", text)
	}
	var nanos int64
	if fraction != "" {
		parsed, err := strconv.ParseFloat("0."+fraction, 64)
		if err != nil {
			return time.Time{}, false, refuse(http.StatusBadRequest, "%q is no time", text)
		}
		nanos = int64(math.Round(parsed * 1e9))
	}
	return time.Unix(whole, nanos), true, nil
}

// AwaitStream returns when an event stream is open, so that what happens next
// is seen on it, or when ctx ends.
func (e *Engine) AwaitStream(ctx context.Context) {
	for {
		e.mu.Lock()
		open, changed := len(e.events.subscribers) > 0, e.changed
		e.mu.Unlock()
		if open {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
