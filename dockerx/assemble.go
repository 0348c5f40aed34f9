package dockerx

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// snapshot puts together what is known. An error is why the engine's state is
// not live.
func (c *collector) snapshot(state model.Health, err error) model.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := model.Snapshot{Engine: c.client.engine(), At: c.at}
	out.Engine.State = state
	out.Engine.Since = c.client.now() // a watcher puts the beginning of the state here
	if err != nil {
		out.Engine.Error = reason(err)
	}
	get := c.containers.get
	if state != model.Live {
		get = c.containers.last // the state says that it is old
	}
	out.Containers = make([]*model.Container, 0, len(c.rows))
	var image imageLabels
	for i := range c.rows {
		if row := &c.rows[i]; i == 0 || row.imageID != c.rows[i-1].imageID { // many are of the same
			image = c.imageLabels(row.imageID)
		}
		container := c.merge(&c.rows[i], image, get)
		if value, ok := container.Labels.Get("hermes-agent"); container.Labels != nil && (!ok || value.Raw() != "1") {
			continue // the engine ignored the filter
		}
		out.Containers = append(out.Containers, container)
		if container.InspectError == stillInspecting {
			out.Pending++
		}
	}
	out.Problems = c.problems()
	out.Engine.Partial = !c.around
	if c.around {
		c.surroundings(&out, get)
	}
	return out
}

// surroundings adds the networks and the containers that are no sandboxes.
func (c *collector) surroundings(out *model.Snapshot, get func(model.ID) (*model.Container, bool)) {
	for _, id := range c.others {
		other, ok := get(id)
		if !ok {
			part := model.Container{ID: id, Engine: c.client.endpoint.Name}
			if last, known := c.containers.last(id); known {
				part = listPart(last)
			}
			part.InspectError = stillInspecting
			other = &part
		}
		out.Others = append(out.Others, other)
	}
	out.ProxiesPending = c.proxiesOld
	out.NetworksKnown = c.networksErr == nil
	for _, row := range c.networkRows {
		out.Networks = append(out.Networks, c.network(row))
	}
}

// stillInspecting is the reason for a row whose inspect has not come back yet.
const stillInspecting = "it is still being inspected"

// imageLabels are the labels of an image; the zero value is not known.
type imageLabels struct {
	labels model.Labels
	known  bool
}

func (c *collector) imageLabels(id string) imageLabels {
	if answer, ok := c.images.get(id); ok && answer.err == nil {
		return imageLabels{answer.labels, true}
	}
	return imageLabels{}
}

// merge joins a list row with its inspect. Both tell the state; the inspect is
// younger, but only the list tells a removal that is stuck. What comes out is
// kept, so that it is the same container as long as nothing changes.
func (c *collector) merge(row *listRow, image imageLabels, get func(model.ID) (*model.Container, bool)) *model.Container {
	inspected, ok := (*model.Container)(nil), false
	if row.valid {
		inspected, ok = get(row.id)
	}
	if !ok || !inspected.Inspected {
		part := c.rowPart(row)
		switch {
		case !row.valid:
			part.InspectError = "not inspected, since its ID is not valid"
		case !ok:
			part.InspectError = stillInspecting
		default:
			part.InspectError = inspected.InspectError
		}
		if image.known && row.valid {
			part.ImageLabels, part.ImageLabelsKnown = image.labels, true
		}
		return &part
	}
	lasting, status := inspected, row.status
	if row.state != inspected.State {
		status = model.Text{} // the words are of another state
	}
	if inspected.Status != status || inspected.ImageLabelsKnown != image.known {
		next := *inspected
		next.Status, next.ImageLabels, next.ImageLabelsKnown = status, image.labels, image.known
		lasting = &next
		c.containers.swap(row.id, inspected, lasting)
	}
	return c.overrule(row, lasting)
}

// overrule puts right what the list knows better, which is rare.
func (c *collector) overrule(row *listRow, inspected *model.Container) *model.Container {
	stuck := row.state == model.StateRemoving && inspected.State != model.StateRemoving || inspected.State == ""
	if !stuck && inspected.Labels != nil && row.problem == inspected.Problem {
		return inspected
	}
	next := *inspected
	if stuck {
		next.State = row.state
	}
	if next.Labels == nil {
		next.Labels = c.rowPart(row).Labels
	}
	if row.problem != next.Problem {
		next.Problem = joinProblems(row.problem, next.Problem)
	}
	return &next
}

// network joins a network's list row with its inspect, which knows the members.
func (c *collector) network(row model.Network) model.Network {
	inspected, ok := c.networks.get(row.ID)
	if !ok {
		return row
	}
	if inspected.Error != "" {
		return model.Network{ID: row.ID, Name: row.Name, Error: inspected.Error}
	}
	return *inspected
}

// problems are the parts that could not be had.
func (c *collector) problems() []model.Problem {
	problems := c.client.factProblems()
	add := func(part, text string) { problems = append(problems, model.Problem{Part: part, Error: text}) }
	if c.networksErr != nil {
		add("networks", reason(c.networksErr))
	}
	if c.proxiesErr != nil {
		add("egress proxies", reason(c.proxiesErr))
	}
	if c.repeated > 0 {
		add("containers", "the engine lists a container more than once; the first row counts")
	}
	if c.tooMany {
		add("peers", "more containers share the networks than are looked at, so a peer that leads outside may be missed")
	}
	return problems
}

// engine describes the engine as far as it is known.
func (c *Client) engine() model.Engine {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := model.Engine{
		Name: c.endpoint.Name, Host: c.endpoint.Host, Chosen: c.endpoint.Chosen, Kind: "unknown",
		Version: c.facts.Version, APIVersion: c.facts.APIVersion, OS: c.facts.OS, Rootless: c.facts.Rootless,
		Local: c.sharesKernel(), Remote: remoteHost(c.endpoint.Host), Wire: c.endpoint.wire(), LastAnswer: c.transport.last(),
		Skew: c.facts.clock.skew, SkewKnown: c.facts.clock.known,
	}
	switch {
	case c.facts.Podman:
		out.Kind = "podman"
	case c.facts.APIVersion != "":
		out.Kind = "docker"
	}
	return out
}

// askFacts asks once per connection for version and system. They are worth a
// problem when they fail, never the list.
func (c *Client) askFacts(ctx context.Context) {
	c.mu.Lock()
	known := c.facts.known
	c.facts.known = true
	c.mu.Unlock()
	if known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	var group rescue.Group
	group.Go(func() { c.askFact(ctx, "engine version", "/version", (*engineFacts).readVersion) })
	group.Go(func() { c.askFact(ctx, "engine information", "/info", (*engineFacts).readInfo) })
	group.Wait()
}

// retryFacts has the facts asked for again when some of them failed.
func (c *Client) retryFacts() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.facts.problems) > 0 {
		c.facts.known, c.facts.problems = false, nil
	}
}

// askFact asks for one of them and reads the answer.
func (c *Client) askFact(ctx context.Context, part, route string, read func(*engineFacts, []byte, time.Time, time.Time) error) {
	sent := c.now()
	data, _, err := c.get(ctx, "ask for the "+part, route, nil, inspectLimit)
	received := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = read(&c.facts, data, sent, received)
	}
	if errors.Is(err, context.Canceled) {
		c.facts.known = false
		return
	}
	if err != nil {
		c.facts.problems = append(c.facts.problems, model.Problem{Part: part, Error: reason(err)})
	}
}

func (c *Client) factProblems() []model.Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.facts.problems)
}

// observeClock corrects the clock difference from any answer's Date header.
func (c *Client) observeClock(header http.Header, sent time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.facts.clock.observe(header, sent, c.now())
}
