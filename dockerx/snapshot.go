package dockerx

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// Snapshot reads everything once: one labelled list, then inspects, networks,
// image labels and the containers that matter for a posture. What fails is said
// in the snapshot; a failed list makes the engine down.
func (c *Client) Snapshot(ctx context.Context) model.Snapshot {
	collector := newCollector(c)
	if err := collector.list(ctx); err != nil {
		return collector.snapshot(model.Down, err)
	}
	collector.details(ctx)
	return collector.snapshot(model.Live, nil)
}

// collector gathers what one engine says and keeps the parts that did not
// change since.
type collector struct {
	client     *Client
	sums       rowSums
	containers *cache[model.ID, *model.Container]
	networks   *cache[string, *model.Network]
	images     *cache[string, *imageAnswer]

	mu          sync.Mutex
	rows        []listRow      // the last list
	listing     *listing       // what the rows name; never nil
	listSizes   map[string]int // of the last answers in bytes, by label
	at          time.Time      // when it was answered
	repeated    int            // rows dropped for repeating an ID
	networkRows []model.Network
	networksErr error
	networksOld bool            // the network list must be asked again
	missing     map[string]bool // IDs of networks that were not listed
	arrived     []model.ID      // sandboxes that events told of and no list yet
	gone        bool            // an inspect found that a sandbox is gone
	proxies     []model.ID
	proxiesErr  error
	proxiesOld  bool
	others      []model.ID // inspected besides the sandboxes
	around      bool       // networks and others were looked at once
	tooMany     bool       // others were cut at maxOthers
}

// imageAnswer is an image's labels, or why they are not known.
type imageAnswer struct {
	labels model.Labels
	err    error
}

func newCollector(client *Client) *collector {
	slots := make(chan struct{}, maxParallel)
	c := &collector{client: client, sums: newRowSums(), listing: newListing(nil), listSizes: map[string]int{}, networksOld: true, proxiesOld: true, missing: map[string]bool{}}
	c.containers = newCache(slots, c.fetchContainer)
	c.networks = newCache(slots, c.fetchNetwork)
	c.images = newCache(slots, c.fetchImage)
	return c
}

// forget marks everything as out of date, after a gap in the events.
func (c *collector) forget() {
	c.containers.markAll()
	c.networks.markAll()
	c.images.markWhere(func(answer *imageAnswer) bool { return answer.err != nil })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.networksOld, c.proxiesOld = true, true
}

// retry marks what failed, so that the next refresh asks again.
func (c *collector) retry() {
	c.client.retryFacts()
	c.containers.markWhere(func(v *model.Container) bool { return v.InspectError != "" })
	c.networks.markWhere(func(v *model.Network) bool { return v.Error != "" })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.networksOld = c.networksOld || c.networksErr != nil
	c.proxiesOld = c.proxiesOld || c.proxiesErr != nil
}

// answered reports whether there ever was a list.
func (c *collector) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.at.IsZero()
}

// list asks for the sandboxes and marks those whose row changed.
func (c *collector) list(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	sent := c.client.now()
	c.mu.Lock()
	arrived := len(c.arrived)
	c.mu.Unlock()
	raws, err := c.labelledList(ctx, "list containers", "hermes-agent=1", sent)
	if err != nil {
		return err
	}
	rows, repeated := c.readRows(raws)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arrived = c.arrived[arrived:]
	c.rows, c.listing, c.repeated, c.at = rows, newListing(rows), repeated, c.client.now()
	return nil
}

// labelledList asks for the rows of the containers, in any state, with a label.
func (c *collector) labelledList(ctx context.Context, op, label string, sent time.Time) ([][]byte, error) {
	query := url.Values{"all": {"1"}, "filters": {fmt.Sprintf(`{"label":[%q]}`, label)}}
	c.mu.Lock()
	expected := c.listSizes[label]
	c.mu.Unlock()
	data, header, err := c.client.getLarge(ctx, op, "/containers/json", query, listLimit, expected+expected/16) // a few more are no surprise
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.listSizes[label] = len(data)
	c.mu.Unlock()
	c.client.observeClock(header, sent)
	rows, err := decodeRows(data)
	if err != nil {
		return nil, c.client.failure(ReasonBadAnswer, op, err.Error(), "check that the address is a Docker or Podman engine", err)
	}
	return rows, nil
}

// details brings everything up to date that the list does not tell. Failures
// stay with the part they belong to.
func (c *collector) details(ctx context.Context) {
	listed := c.listed()
	var group rescue.Group
	group.Go(func() {
		c.refreshNetworks(ctx, c.rowEndpoints())
		c.lookAround(ctx, listed.ids)
	})
	group.Go(func() { c.refresh(ctx, listed.ids, listed.images, maxTouched) })
	group.Wait()
	c.refreshAround(ctx, listed.ids)
	c.prune(listed)
	c.thin()
	c.refreshKernel(listed.ids)
}

// hurry brings up to date what events told of since the last list, without a
// list: with many sandboxes that takes long.
func (c *collector) hurry(ctx context.Context) {
	listed := c.listed()
	newcomers := c.newcomers()
	ids := listed.ids
	if len(newcomers) > 0 {
		ids = slices.Concat(newcomers, ids)
	}
	c.refresh(ctx, ids, listed.images, 0)
	c.refreshAround(ctx, ids)
	c.adopt(newcomers)
}

func (c *collector) listed() *listing {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listing
}

// refresh asks for what is out of date, and for some of what was touched.
func (c *collector) refresh(ctx context.Context, ids []model.ID, images []string, touched int) {
	var group rescue.Group
	group.Go(func() { c.client.askFacts(ctx) })
	group.Go(func() { c.images.settle(ctx, images, maxTouched) })
	group.Go(func() { c.containers.settle(ctx, ids, touched) })
	group.Wait()
}

// refreshAround asks for what is beside the sandboxes, as their inspects tell.
func (c *collector) refreshAround(ctx context.Context, ids []model.ID) {
	c.refreshProxies(ctx)
	c.refreshOthers(ctx, ids)
	endpoints := c.inspectedEndpoints(ids)
	c.refreshNetworks(ctx, endpoints)
	// A network whose last sandbox left while its event was on the way must not
	// be said to hold it still.
	c.networks.forgetStale(c.usedNetworks(endpoints))
}

// lookAround finds proxies and peers a first time without waiting for every
// sandbox: until they are known, it cannot be said that one is missing.
func (c *collector) lookAround(ctx context.Context, ids []model.ID) {
	c.mu.Lock()
	done := c.around
	c.mu.Unlock()
	if done {
		return
	}
	c.refreshProxies(ctx)
	c.refreshOthers(ctx, ids)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.around = ctx.Err() == nil
}

// prune forgets what is not on the list any more.
func (c *collector) prune(listed *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keepIDs, keepImages, keepNetworks := map[model.ID]bool{}, map[string]bool{}, map[string]bool{}
	for _, id := range slices.Concat(listed.ids, c.others) {
		keepIDs[id] = true
	}
	for i := range c.rows {
		keepIDs[c.rows[i].id] = true
	}
	for _, id := range listed.images {
		keepImages[id] = true
	}
	for _, row := range c.networkRows {
		keepNetworks[row.ID] = true
	}
	c.containers.keep(keepIDs)
	c.images.keep(keepImages)
	c.networks.keep(keepNetworks)
}

// notKnownAnyMore is the reason for a row whose container is gone.
const notKnownAnyMore = "the engine does not know it any more"

// fetchContainer inspects one container and asks the kernel about it. When that
// fails, what the list told stays.
func (c *collector) fetchContainer(ctx context.Context, id model.ID) *model.Container {
	container, err := c.client.InspectContainer(ctx, id)
	if err != nil {
		failed := model.Container{ID: id, Engine: c.client.endpoint.Name}
		if last, ok := c.containers.last(id); ok {
			failed = listPart(last)
		}
		failed.InspectError = reasonText(err)
		if errdefs.IsNotFound(err) {
			failed.InspectError = notKnownAnyMore
			c.mu.Lock()
			c.gone = true
			c.mu.Unlock()
		}
		return &failed
	}
	c.probeKernel(&container)
	return &container
}

func (c *collector) fetchImage(ctx context.Context, id string) *imageAnswer {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	data, _, err := c.client.get(ctx, "inspect image", "/images/"+id+"/json", nil, inspectLimit)
	if err != nil {
		return &imageAnswer{err: err}
	}
	labels, err := decodeImageLabels(data)
	return &imageAnswer{labels: labels, err: err}
}

// validImageID reports whether an image ID is a plain digest, with or without
// the algorithm before it.
func validImageID(id string) bool {
	return model.ID(strings.TrimPrefix(id, "sha256:")).Valid()
}

// reasonText is what happened, without the engine's address, which stands
// beside it anyway.
func reasonText(err error) string {
	var typed *Error
	if errors.As(err, &typed) {
		return typed.Detail
	}
	return safe(err.Error())
}
