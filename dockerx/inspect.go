package dockerx

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hermes-sandbox/model"
)

// InspectContainer reads one container by its full ID. An ID that is none is
// never put into a request.
func (c *Client) InspectContainer(ctx context.Context, id model.ID) (model.Container, error) {
	const op = "inspect container"
	if !id.Valid() {
		return model.Container{}, c.failure(ReasonOther, op, fmt.Sprintf("\"%s\" is no full container ID", id.Short()), "", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	data, _, err := c.get(ctx, op+" "+id.Short(), "/containers/"+string(id)+"/json", nil, inspectLimit)
	if err != nil {
		return model.Container{}, err
	}
	container, err := decodeInspect(data)
	if err != nil {
		return model.Container{}, c.failure(ReasonBadAnswer, op, err.Error(), "", err)
	}
	if container.ID != id {
		return model.Container{}, c.failure(ReasonBadAnswer, op, "the engine answered with another container", "", errMismatch)
	}
	container.Engine = c.endpoint.Name
	container.InspectedAt = c.inspected()
	return container, nil
}

// inspected is the time of an inspect that was answered just now, later than
// that of every other: two with the same time pass for one, and a clock may be
// coarse or stand still.
func (c *Client) inspected() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.now()
	if !at.After(c.lastInspect) {
		at = c.lastInspect.Add(time.Nanosecond)
	}
	c.lastInspect = at
	return at
}

// errMismatch is an answer about another container than the one asked for.
var errMismatch = errors.New("another container was returned")
