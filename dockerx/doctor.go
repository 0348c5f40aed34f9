package dockerx

import (
	"context"
	"errors"
	"net/url"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// maxSuspects bounds how many containers of an inventory are inspected.
const maxSuspects = 64

// Inventory reads what the engine holds besides the sandboxes: all containers as
// a list shows them, the allowlist networks with their members, and who may open
// the socket. What fails is said in the inventory.
func (c *Client) Inventory(ctx context.Context) model.Inventory {
	out := model.Inventory{Engine: c.endpoint.Name, Socket: c.socketAccess()}
	containers, err := c.listAll(ctx)
	if err != nil {
		out.Failure = engineFailure(err)
		return out
	}
	out.Containers = containers
	collector := newCollector(c)
	rows, err := collector.listNetworks(ctx)
	if err != nil {
		out.Problems = append(out.Problems, model.Problem{Part: "networks", Error: reasonText(err)})
	} else {
		out.NetworksKnown = true
		for _, row := range rows {
			if _, labelled := row.Labels.Get(model.LabelAllowlist); labelled {
				out.Networks = append(out.Networks, row)
			}
		}
	}
	c.fillInventory(ctx, collector, &out)
	return out
}

// listAll asks for all containers in any state.
func (c *Client) listAll(ctx context.Context) ([]model.Container, error) {
	const op = "list all containers"
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	sent := c.now()
	data, header, err := c.get(ctx, op, "/containers/json", url.Values{"all": {"1"}}, listLimit)
	if err != nil {
		return nil, err
	}
	c.observeClock(header, sent)
	rows, err := decodeList(data)
	if err != nil {
		return nil, c.failure(ReasonBadAnswer, op, err.Error(), "check that the address is a Docker or Podman engine", err)
	}
	for i := range rows {
		rows[i].Engine = c.endpoint.Name
	}
	return rows, nil
}

// fillInventory asks for the members of the networks, and inspects allowlist
// proxies and what may be left of a probe.
func (c *Client) fillInventory(ctx context.Context, collector *collector, out *model.Inventory) {
	var networks []string
	for _, network := range out.Networks {
		if model.ID(network.ID).Valid() {
			networks = append(networks, network.ID)
		}
	}
	var suspects []model.ID
	for i := range out.Containers {
		row := &out.Containers[i]
		if row.ID.Valid() && len(suspects) < maxSuspects && (model.MayBeProbe(row) || model.EgressProxy(row)) {
			suspects = append(suspects, row.ID)
		}
	}
	var group rescue.Group
	group.Go(func() { collector.networks.settle(ctx, networks, maxTouched) })
	group.Go(func() { collector.containers.settle(ctx, suspects, maxTouched) })
	group.Wait()
	for i, row := range out.Networks {
		if inspected, ok := collector.networks.get(row.ID); ok {
			out.Networks[i] = *inspected
			continue
		}
		out.Networks[i].Error = stillInspecting
	}
	for i, row := range out.Containers {
		inspected, ok := collector.containers.get(row.ID)
		switch {
		case !ok:
		case inspected.Inspected:
			out.Containers[i] = *inspected
		default:
			out.Containers[i].InspectError = inspected.InspectError
		}
	}
}

func engineFailure(err error) *model.EngineFailure {
	var typed *Error
	if errors.As(err, &typed) {
		return &model.EngineFailure{Reason: string(typed.Reason), Detail: typed.Detail, Next: typed.Next}
	}
	return &model.EngineFailure{Reason: string(ReasonOther), Detail: safe(err.Error())}
}
