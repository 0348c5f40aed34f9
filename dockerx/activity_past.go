package dockerx

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"hermes-sandbox/model"
)

// pastTimeout bounds reading the events an engine remembers.
const pastTimeout = 5 * time.Second

// Lost says that events of an engine may have gone unseen until now, as after a
// stream of events that broke.
func (b *ActivityBook) Lost(engine string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.from, engine)
}

// Caught says that no event of an engine has gone unseen since a time of its
// clock, see [Client.PastEvents].
func (b *ActivityBook) Caught(engine string, from time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.from[engine] = from
	b.revision++
}

// Revision differs whenever anything in the book does.
func (b *ActivityBook) Revision() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.revision
}

// Use returns the last use of an engine's running containers. A command that
// the engine tracks and whose end was not seen may be running.
func (b *ActivityBook) Use(engine string, containers []*model.Container) model.EngineUse {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := model.EngineUse{From: b.from[engine], Of: map[model.ID]model.Use{}}
	for _, c := range containers {
		box := b.boxes[model.Key{Engine: engine, ID: c.ID}]
		if c.State != model.StateRunning || box == nil && len(c.ExecIDs) == 0 {
			continue
		}
		use := model.Use{LastAt: box.last()}
		for _, id := range c.ExecIDs {
			if box == nil || box.byExec[id] == nil {
				use.Running++
			}
		}
		if box != nil {
			for _, command := range box.commands {
				if !command.Over {
					use.Running++
				}
			}
		}
		known.Of[c.ID] = use
	}
	return known
}

// last is the last time that is known of any command.
func (b *activityBox) last() time.Time {
	var last time.Time
	if b == nil {
		return last
	}
	for _, command := range b.commands {
		for _, at := range []time.Time{command.CreatedAt, command.StartedAt, command.EndedAt} {
			if at.After(last) {
				last = at
			}
		}
	}
	return last
}

// PastEvents reads the container events that the engine still remembers, a few
// hundred at most, oldest first. From is the engine's time from which on none
// has gone unseen: that of the oldest one, or when it was asked.
func (c *Client) PastEvents(ctx context.Context, each func(Event)) (from time.Time, err error) {
	const op = "read past events"
	ctx, cancel := context.WithTimeout(ctx, pastTimeout)
	defer cancel()
	version, err := c.negotiate(ctx)
	if err != nil {
		return time.Time{}, err
	}
	c.mu.Lock()
	now := c.now().Add(c.facts.clock.skew)
	c.mu.Unlock()
	query := url.Values{
		"filters": {`{"type":["container"]}`}, "since": {"1"}, "until": {strconv.FormatInt(now.Unix(), 10)},
	}
	response, err := c.openInTime(ctx, op, "/v"+version+"/events", query)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = response.Body.Close() }()
	var events []Event
	if err := c.scanEvents(ctx, op, response.Body, func(event Event) { events = append(events, event) }); err != nil {
		return time.Time{}, err
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	for _, event := range events {
		each(event)
	}
	from = now.UTC()
	if len(events) > 0 && !events[0].At.IsZero() && events[0].At.Before(from) {
		from = events[0].At
	}
	return from, nil
}
