package simengine

import (
	"encoding/json"
	"fmt"
	"time"
)

// event is one entry of the engine's event history.
type event struct {
	kind       string // container, network, image, volume
	action     string
	id         string
	from       string
	attributes map[string]string
	at         time.Time
}

// eventHistory is how many events the engine keeps for since.
const eventHistory = 256

// subscriberBuffer is how many events wait for a slow reader. What comes after
// that is lost without a word, as on the real engine.
const subscriberBuffer = 1024

type eventLog struct {
	ring        []event // the last eventHistory count; older ones wait to be moved out
	subscribers []*subscriber
}

type subscriber struct {
	events  chan event
	cut     <-chan struct{} // closed when open streams are to end
	matches func(event) bool
}

// publish stores an event and hands it to the subscribers; mu is held.
func (e *Engine) publish(ev event) {
	if ev.at.IsZero() {
		ev.at = e.now()
	}
	e.touch()
	if len(e.events.ring) == 2*eventHistory {
		e.events.ring = append(e.events.ring[:0], e.events.ring[eventHistory:]...)
	}
	e.events.ring = append(e.events.ring, ev)
	if e.faults.loses() {
		return
	}
	for _, s := range e.events.subscribers {
		if !s.matches(ev) {
			continue
		}
		select {
		case s.events <- ev:
		default:
		}
	}
}

// history returns the events the engine still knows.
func (l *eventLog) history() []event {
	return l.ring[max(0, len(l.ring)-eventHistory):]
}

// encode gives the event's line for a client of the given version.
func (ev event) encode(version apiVersion) ([]byte, error) {
	body := object{
		"Type": ev.kind, "Action": ev.action, "scope": "local",
		"Actor": object{"ID": ev.id, "Attributes": ev.attributes},
		"time":  ev.at.Unix(), "timeNano": ev.at.UnixNano(),
	}
	if !version.atLeast(52) && (ev.kind == "container" || ev.kind == "image") {
		body["status"], body["id"] = ev.action, ev.id
		if ev.from != "" {
			body["from"] = ev.from
		}
	}
	line, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode an event: %w", err)
	}
	return append(line, '\n'), nil
}
