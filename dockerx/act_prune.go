package dockerx

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// networkPruner looks at a network right before it is removed or a container is
// moved to it, and removes it.
type networkPruner interface {
	// inspectNetwork returns a network by its full ID.
	inspectNetwork(ctx context.Context, id string) (model.Network, error)
	// containersOn lists the containers on a network, in any state.
	containersOn(ctx context.Context, network string) ([]model.Container, error)
	removeNetwork(ctx context.Context, id string) error
}

func (c *Client) inspectNetwork(ctx context.Context, id string) (model.Network, error) {
	const op = "inspect network"
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	data, _, err := c.get(ctx, op, "/networks/"+id, nil, inspectLimit)
	if err != nil {
		return model.Network{}, err
	}
	network, err := decodeNetwork(data)
	switch {
	case err != nil:
		return model.Network{}, c.failure(ReasonBadAnswer, op, err.Error(), "", err)
	case network.Error != "":
		return model.Network{}, c.failure(ReasonBadAnswer, op, network.Error, "", nil)
	case network.ID != id:
		return model.Network{}, c.failure(ReasonBadAnswer, op, "the engine answered with another network", "", errMismatch)
	}
	return network, nil
}

func (c *Client) containersOn(ctx context.Context, network string) ([]model.Container, error) {
	const op = "list containers of a network"
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	query := url.Values{"all": {"1"}, "filters": {fmt.Sprintf(`{"network":[%q]}`, network)}}
	data, _, err := c.get(ctx, op, "/containers/json", query, listLimit)
	if err != nil {
		return nil, err
	}
	rows, err := decodeList(data)
	if err != nil {
		return nil, c.failure(ReasonBadAnswer, op, err.Error(), "", err)
	}
	return rows, nil
}

func (c *Client) removeNetwork(ctx context.Context, id string) error {
	_, err := c.API().NetworkRemove(ctx, id, client.NetworkRemoveOptions{})
	return err
}

// pruneContainer removes a leftover of a probe, or a proxy on whose networks
// nobody else is. It never sends force: what was started meanwhile stays.
func (t *attempt) pruneContainer(work context.Context) result {
	if t.engine.pruner == nil {
		return refused("nothing can be pruned on this engine")
	}
	if !model.EgressProxy(&t.before) {
		if alive(t.before.State) {
			return skipped("kept: it runs")
		}
		return t.remove(work)
	}
	for _, endpoint := range t.before.Networks.Endpoints {
		if !strings.HasPrefix(endpoint.Network.Raw(), egressNetworkPrefix) {
			continue
		}
		if stop := t.inUseBy(work, endpoint.Network.Raw(), func(c *model.Container) bool { return c.ID == t.target.ID }); stop != nil {
			return *stop
		}
	}
	return t.stopRemove(work)
}

// egressNetworkPrefix begins the name of every allowlist network (contract 6.2).
const egressNetworkPrefix = "hermes-egress-"

// inUseBy looks for containers on a network but those allowed. It returns nil
// when there are none.
func (t *attempt) inUseBy(work context.Context, network string, allowed func(*model.Container) bool) *result {
	on, err := t.engine.pruner.containersOn(work, network)
	if err != nil {
		stop := failed("who is on the network could not be read: %s; nothing was sent", reason(err))
		return &stop
	}
	for i := range on {
		if !allowed(&on[i]) {
			stop := skipped(fmt.Sprintf("kept: container %s is on the network now; nothing was sent", on[i].Name.Display()))
			return &stop
		}
	}
	return nil
}

// pruneNetwork removes a network that nothing is on, in any state, after another
// look at it. The engine itself refuses one that a running container joins
// meanwhile.
func (t *attempt) pruneNetwork(work context.Context) result {
	pruner := t.engine.pruner
	if pruner == nil {
		return refused("nothing can be pruned on this engine")
	}
	now, err := pruner.inspectNetwork(work, t.id)
	switch {
	case errdefs.IsNotFound(err):
		return done("already gone before the call")
	case err != nil:
		return failed("it could not be inspected before the call: %s; nothing was sent", reason(err))
	case now.Name != t.target.Name || !maps.Equal(now.Labels, t.target.Expect.Labels):
		return skipped("changed since the plan: its name or labels differ; nothing was sent, make a new plan")
	case len(now.Containers) > 0:
		return skipped(fmt.Sprintf("kept: %d containers are on it now; nothing was sent", len(now.Containers)))
	}
	if stop := t.inUseBy(work, t.id, func(*model.Container) bool { return false }); stop != nil {
		return *stop
	}
	ctx, cancel := context.WithTimeout(work, t.limit)
	defer cancel()
	callErr := pruner.removeNetwork(ctx, t.id)
	if stop := refusal(callErr); stop != nil {
		return *stop
	}
	_, err = pruner.inspectNetwork(work, t.id)
	switch {
	case errdefs.IsNotFound(err):
		return done()
	case err != nil:
		return t.unverified(work, "the removal", err)
	case callErr != nil && !answered(callErr):
		return unknown("the removal was sent without an answer (%s), and the network is still there; look again", reason(callErr))
	}
	return failed("it was not removed: %s; look again", reason(callErr))
}
