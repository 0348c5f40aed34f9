package dockerx

import (
	"context"
	"errors"
	"slices"
	"strings"

	"hermes-sandbox/model"
)

// maxOthers bounds the containers inspected besides the sandboxes.
const maxOthers = 256

// refreshProxies looks for egress proxies, only when an egress network exists:
// they lack Hermes' own label (contract 6.2).
func (c *collector) refreshProxies(ctx context.Context) {
	c.mu.Lock()
	ask := c.proxiesOld && slices.ContainsFunc(c.networkRows, egressNetwork)
	if !slices.ContainsFunc(c.networkRows, egressNetwork) {
		c.proxies, c.proxiesErr = nil, nil
	}
	c.mu.Unlock()
	if !ask {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	rows, err := c.labelledList(ctx, "list egress proxies", "hermes.egress", c.client.now())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proxiesOld = err != nil
	if !errors.Is(err, context.Canceled) {
		c.proxiesErr = err
	}
	if err != nil {
		return
	}
	c.proxies = nil
	for _, raw := range rows {
		if row, err := newRow(raw); err == nil && model.ID(row.str("Id")).Valid() {
			c.proxies = append(c.proxies, model.ID(row.str("Id")))
		}
	}
}

// refreshOthers inspects what is no sandbox but decides a posture: egress
// proxies, targets of container: modes, and peers on internal networks, one of
// which may lead outside.
func (c *collector) refreshOthers(ctx context.Context, sandboxes []model.ID) {
	known := map[model.ID]bool{}
	c.mu.Lock()
	proxies, listed := c.proxies, c.listing
	for _, id := range c.arrived {
		known[id] = true // a sandbox, too
	}
	c.mu.Unlock()
	var others []model.ID
	add := func(id model.ID) {
		if id.Valid() && !known[id] && !listed.has[id] && len(others) <= maxOthers {
			known[id] = true
			others = append(others, id)
		}
	}
	for _, id := range proxies {
		add(id)
	}
	for _, id := range c.internalPeers() {
		add(id)
	}
	c.addTargets(sandboxes, add)
	// A target can itself share the namespace of another container.
	const maxChain = 8
	for range maxChain {
		before := len(others)
		c.containers.settle(ctx, others, maxTouched)
		c.addTargets(slices.Clone(others), add)
		if len(others) == before {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tooMany = len(others) > maxOthers
	c.others = others[:min(len(others), maxOthers)]
}

// addTargets adds the targets of container: modes.
func (c *collector) addTargets(ids []model.ID, add func(model.ID)) {
	for _, id := range ids {
		container, ok := c.containers.get(id)
		if !ok {
			continue
		}
		if target, found := strings.CutPrefix(container.Networks.Mode.Raw(), "container:"); found {
			add(model.ID(target))
		}
	}
}

// internalPeers are the members of the internal networks in use.
func (c *collector) internalPeers() []model.ID {
	c.mu.Lock()
	rows := c.networkRows
	c.mu.Unlock()
	var peers []model.ID
	for _, row := range rows {
		network, ok := c.networks.get(row.ID)
		if !ok || !network.Internal {
			continue
		}
		for id := range network.Containers {
			peers = append(peers, id)
		}
	}
	slices.Sort(peers)
	return peers
}
