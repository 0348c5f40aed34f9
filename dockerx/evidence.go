package dockerx

import (
	"context"
	"encoding/json"
	"time"

	"hermes-sandbox/model"
)

const (
	changesTimeout = 30 * time.Second // the engine walks the whole writable layer
	changesLimit   = 32 << 20
)

// RawInspect returns everything the engine says of a container, as it came.
// Values in it can be secrets.
func (c *Client) RawInspect(ctx context.Context, id model.ID) (json.RawMessage, error) {
	const op = "inspect container"
	if !id.Valid() {
		return nil, c.failure(ReasonOther, op, "it has no full container ID", "", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	data, _, err := c.get(ctx, op+" "+id.Short(), "/containers/"+string(id)+"/json", nil, inspectLimit)
	return data, err
}

// Changes lists what differs in a container's files from its image.
func (c *Client) Changes(ctx context.Context, id model.ID) ([]model.Change, error) {
	const op = "list the changed files"
	if !id.Valid() {
		return nil, c.failure(ReasonOther, op, "it has no full container ID", "", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, changesTimeout)
	defer cancel()
	data, _, err := c.get(ctx, op, "/containers/"+string(id)+"/changes", nil, changesLimit)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Path string
		Kind int
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		return nil, c.failure(ReasonBadAnswer, op, safe(err.Error()), "", err)
	}
	kinds := []model.ChangeKind{model.FileModified, model.FileAdded, model.FileDeleted}
	changes := make([]model.Change, 0, len(rows))
	for _, row := range rows {
		change := model.Change{Path: model.NewText(row.Path), Kind: "?"}
		if row.Kind >= 0 && row.Kind < len(kinds) {
			change.Kind = kinds[row.Kind]
		}
		changes = append(changes, change)
	}
	return changes, nil
}
