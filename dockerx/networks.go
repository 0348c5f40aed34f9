package dockerx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
)

func (c *collector) rowEndpoints() []model.Endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	var endpoints endpointSet
	for i := range c.rows {
		if told := c.rows[i].told; told != nil {
			endpoints.add(told.Networks.Endpoints)
		} else if last, ok := c.containers.last(c.rows[i].id); ok {
			endpoints.add(last.Networks.Endpoints)
		}
	}
	return endpoints.each
}

// endpointSet is one endpoint of every network that containers are on.
type endpointSet struct {
	known map[[2]string]bool
	each  []model.Endpoint
}

func (s *endpointSet) add(endpoints []model.Endpoint) {
	for i := range endpoints {
		if s.among(&endpoints[i]) {
			continue
		}
		key := [2]string{endpoints[i].NetworkID, endpoints[i].Network.Raw()}
		if s.known[key] {
			continue
		}
		if s.known == nil {
			s.known = map[[2]string]bool{}
		}
		s.known[key] = true
		s.each = append(s.each, endpoints[i])
	}
}

// among reports whether an endpoint is on one of the first networks, which most
// are: walking over a few is faster than looking one up.
func (s *endpointSet) among(endpoint *model.Endpoint) bool {
	const few = 8
	for i := range min(len(s.each), few) {
		if e := &s.each[i]; e.NetworkID == endpoint.NetworkID && e.Network == endpoint.Network {
			return true
		}
	}
	return false
}

// inspectedEndpoints are those of the sandboxes and of the others, which can
// be on networks of their own.
func (c *collector) inspectedEndpoints(ids []model.ID) []model.Endpoint {
	c.mu.Lock()
	all := slices.Concat(ids, c.others)
	c.mu.Unlock()
	var endpoints endpointSet
	for _, id := range all {
		if container, ok := c.containers.get(id); ok {
			endpoints.add(container.Networks.Endpoints)
		}
	}
	return endpoints.each
}

// refreshNetworks asks for the network list when it is out of date or misses a
// network, then for the members of those in use.
func (c *collector) refreshNetworks(ctx context.Context, endpoints []model.Endpoint) {
	c.mu.Lock()
	for _, endpoint := range endpoints {
		known := slices.ContainsFunc(c.networkRows, func(n model.Network) bool { return holds(n, endpoint) })
		if !known && !c.missing[endpoint.NetworkID] {
			c.missing[endpoint.NetworkID] = true // a network that is gone is looked for once
			c.networksOld = true
		}
	}
	ask := c.networksOld
	c.networksOld = false
	c.mu.Unlock()
	if ask {
		c.storeNetworks(c.listNetworks(ctx))
	}
	c.networks.settle(ctx, c.usedNetworks(endpoints), maxTouched)
}

// storeNetworks keeps an answer. A request that was called off says nothing.
func (c *collector) storeNetworks(rows []model.Network, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(err, context.Canceled) {
		c.networksOld = true
		return
	}
	c.networkRows, c.networksErr = rows, err
}

// usedNetworks are the IDs of listed networks that hold an endpoint. The
// networks none and host have no members that matter.
func (c *collector) usedNetworks(endpoints []model.Endpoint) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var used []string
	for _, row := range c.networkRows {
		inUse := slices.ContainsFunc(endpoints, func(e model.Endpoint) bool { return holds(row, e) })
		driver := row.Driver.Raw()
		if (inUse || egressNetwork(row)) && driver != "null" && driver != "host" && model.ID(row.ID).Valid() {
			used = append(used, row.ID)
		}
	}
	return used
}

// holds reports whether an endpoint is on a network. Created containers have no
// network ID yet, and old Podman gives the name in its place.
func holds(n model.Network, endpoint model.Endpoint) bool {
	if model.ID(endpoint.NetworkID).Valid() {
		return n.ID == endpoint.NetworkID
	}
	return n.Name == endpoint.Network
}

// egressNetwork reports whether a network is Hermes' allowlist network, or
// claims to be (contract 6.2).
func egressNetwork(n model.Network) bool {
	_, labelled := n.Labels.Get("hermes.egress")
	return labelled || strings.HasPrefix(n.Name.Raw(), "hermes-egress-")
}

func (c *collector) listNetworks(ctx context.Context) ([]model.Network, error) {
	const op = "list networks"
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	data, _, err := c.client.get(ctx, op, "/networks", nil, listLimit)
	if err != nil {
		return nil, err
	}
	rows, unreadable, err := decodeNetworks(data)
	if err != nil {
		return nil, c.client.failure(ReasonBadAnswer, op, err.Error(), "", err)
	}
	if unreadable > 0 {
		rows = append(rows, model.Network{Error: fmt.Sprintf("%d networks could not be read", unreadable)})
	}
	return rows, nil
}

func (c *collector) fetchNetwork(ctx context.Context, id string) *model.Network {
	const op = "inspect network"
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	data, _, err := c.client.get(ctx, op, "/networks/"+id, nil, inspectLimit)
	if err != nil {
		return &model.Network{ID: id, Error: reasonText(err)}
	}
	network, err := decodeNetwork(data)
	if err != nil {
		return &model.Network{ID: id, Error: safe(err.Error())}
	}
	if network.ID != id {
		return &model.Network{ID: id, Error: "the engine answered with another network"}
	}
	return &network
}
