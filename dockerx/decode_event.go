package dockerx

import (
	"strings"
	"time"

	"hermes-sandbox/model"
)

// Event is one message of the engine's event stream.
type Event struct {
	Type       string // "container" or "network"
	Action     string // the part before a colon, such as "exec_create"
	Detail     model.Text
	ID         string // of the container or network
	Attributes map[string]model.Text
	At         time.Time // engine clock; zero when not given
}

// decodeEvent reads one message. API 1.52 dropped the old top-level fields;
// old engines may lack the new ones for single messages.
func decodeEvent(data []byte) (Event, error) {
	row, err := newObject(data)
	if err != nil {
		return Event{}, err
	}
	actor := row.child("Actor")
	event := Event{Type: row.str("Type"), ID: actor.str("ID")}
	action := row.str("Action")
	if action == "" {
		action = row.str("status")
	}
	if event.ID == "" {
		event.ID = row.str("id")
	}
	// An action such as "exec_create: sh -c ..." carries text of the sandbox.
	name, detail, _ := strings.Cut(action, ":")
	event.Action, event.Detail = name, model.NewText(strings.TrimSpace(detail))
	attributes := actor.child("Attributes")
	event.Attributes = make(map[string]model.Text, len(attributes.fields))
	for _, member := range attributes.members() {
		name := string(member.name)
		event.Attributes[name] = model.NewText(attributes.strOf(name, nonNull(member.raw)))
	}
	if nanos := row.integer("timeNano"); nanos > 0 {
		event.At = time.Unix(0, nanos).UTC()
	} else if seconds := row.integer("time"); seconds > 0 && seconds < 1<<40 {
		event.At = time.Unix(seconds, 0).UTC()
	}
	return event, nil
}
