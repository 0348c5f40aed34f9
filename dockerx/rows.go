package dockerx

import (
	"hash/maphash"

	"hermes-sandbox/model"
)

// listRow is a sandbox as the last list told it. What an inspect tells as well
// is not kept here a second time.
type listRow struct {
	id      model.ID
	valid   bool // id is one, so that it can be inspected
	imageID string
	state   model.State
	status  model.Text // the engine's words about the time passed
	problem string
	// whole stands for every byte of the row, facts for those but the status:
	// when they change, an inspect made for the row is out of date.
	whole, facts uint64
	// told is the row itself; nil once an inspect tells the same.
	told *model.Container
}

// listing is what the rows of a list name. It is never changed.
type listing struct {
	ids    []model.ID // those that can be inspected, in their order
	has    map[model.ID]bool
	images []string
}

func newListing(rows []listRow) *listing {
	out := &listing{ids: make([]model.ID, 0, len(rows)), has: make(map[model.ID]bool, len(rows))}
	seen := map[string]bool{}
	for i := range rows {
		row := &rows[i]
		if row.valid {
			out.ids = append(out.ids, row.id)
			out.has[row.id] = true
		}
		if !seen[row.imageID] && validImageID(row.imageID) {
			out.images = append(out.images, row.imageID)
		}
		seen[row.imageID] = true
	}
	return out
}

// rowSums tells rows apart by sums of their bytes.
type rowSums struct{ seed maphash.Seed }

func newRowSums() rowSums { return rowSums{seed: maphash.MakeSeed()} }

func (s rowSums) whole(raw []byte) uint64 { return maphash.Bytes(s.seed, raw) }

// row reads one row of a list, which is valid JSON.
func (s rowSums) row(in *reading, raw []byte, engine string) listRow {
	told, row := in.listRow(raw)
	told.Engine = engine
	facts := uint64(0)
	var sum maphash.Hash
	sum.SetSeed(s.seed)
	for _, member := range row.members() {
		if string(member.name) == "Status" {
			continue
		}
		sum.Reset()
		_, _ = sum.Write(member.name) // a sum never fails
		_ = sum.WriteByte(0)
		_, _ = sum.Write(member.raw)
		facts ^= sum.Sum64()
	}
	return listRow{
		id: told.ID, valid: told.ID.Valid(), imageID: told.ImageID, state: told.State, status: told.Status, problem: told.Problem,
		whole: s.whole(raw), facts: facts, told: &told,
	}
}

// listPart returns what a list tells of a container, out of what is known of it.
func listPart(c *model.Container) model.Container {
	return model.Container{
		Engine: c.Engine, ID: c.ID, Name: c.Name, Image: c.Image, ImageID: c.ImageID, Command: c.Command,
		State: c.State, Status: c.Status, Labels: c.Labels, CreatedAt: c.CreatedAt, Networks: c.Networks,
		Mounts: c.Mounts, Problem: c.Problem,
	}
}

// readRows takes a new list over. Rows that are byte for byte as before are not
// read again.
func (c *collector) readRows(raws [][]byte) (rows []listRow, repeated int) {
	c.mu.Lock()
	before := c.rows
	c.mu.Unlock()
	same := make(map[uint64]*listRow, len(before))
	byID := make(map[model.ID]*listRow, len(before))
	for i := range before {
		same[before[i].whole], byID[before[i].id] = &before[i], &before[i]
	}
	known := make(map[model.ID]bool, len(raws))
	rows = make([]listRow, 0, len(raws))
	var in reading
	for _, raw := range raws {
		row, ok := listRow{}, false
		if old := same[c.sums.whole(raw)]; old != nil && (old.told != nil || c.containers.fresh(old.id)) {
			row, ok = *old, true
		}
		if !ok {
			row = c.sums.row(&in, raw, c.client.endpoint.Name)
		}
		if row.valid && known[row.id] {
			repeated++
			continue
		}
		known[row.id] = true
		if old := byID[row.id]; old != nil && old.facts != row.facts {
			c.containers.mark(row.id)
		}
		rows = append(rows, row)
	}
	return rows, repeated
}

// thin forgets the rows that an inspect tells as well.
func (c *collector) thin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.rows {
		row := &c.rows[i]
		if row.told == nil || row.problem != "" || !c.containers.fresh(row.id) {
			continue
		}
		if inspected, ok := c.containers.get(row.id); ok && inspected.Inspected && inspected.Labels != nil {
			row.told = nil
		}
	}
}

// rowPart is what the list tells of a row.
func (c *collector) rowPart(row *listRow) model.Container {
	if row.told != nil {
		return *row.told
	}
	part := model.Container{ID: row.id, Engine: c.client.endpoint.Name}
	if last, ok := c.containers.last(row.id); ok {
		part = listPart(last)
	}
	part.ImageID, part.State, part.Status, part.Problem = row.imageID, row.state, row.status, row.problem
	return part
}
