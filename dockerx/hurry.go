package dockerx

import (
	"slices"

	"hermes-sandbox/model"
)

// maxArrived bounds the sandboxes that are looked at before a list names them.
const maxArrived = 64

// arrive notes a sandbox that an event told of and no list yet.
func (c *collector) arrive(id model.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id.Valid() && len(c.arrived) < maxArrived && !slices.Contains(c.arrived, id) {
		c.arrived = append(c.arrived, id)
	}
}

// newcomers are the sandboxes that no list named yet.
func (c *collector) newcomers() []model.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.arrived), func(id model.ID) bool { return c.listing.has[id] })
}

// many reports whether a list takes long.
func (c *collector) many() bool { return c.count() >= manySandboxes }

func (c *collector) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.rows)
}

// adopt puts newcomers in front of the list, where the engine puts what was made
// last, and takes away what the engine does not know any more. The next list
// tells the whole.
func (c *collector) adopt(newcomers []model.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(newcomers) == 0 && !c.gone {
		return
	}
	c.gone = false
	rows := make([]listRow, 0, len(c.rows)+len(newcomers))
	for _, id := range slices.Backward(newcomers) {
		found, ok := c.containers.get(id)
		if !ok || !found.Inspected || !model.Member(found.Labels) || c.listing.has[id] {
			continue
		}
		rows = append(rows, listRow{id: id, valid: true, imageID: found.ImageID, state: found.State, problem: found.Problem})
	}
	for _, row := range c.rows {
		if found, ok := c.containers.get(row.id); !ok || found.InspectError != notKnownAnyMore {
			rows = append(rows, row)
		}
	}
	c.rows, c.listing = rows, newListing(rows)
}
