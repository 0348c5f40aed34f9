package dockerx

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

const (
	noneNetwork   = "none"
	bridgeNetwork = "bridge"
	hostNetwork   = "host"
	podmanNetwork = "podman"
)

// networkID reports whether an engine can have made an ID: 64 hex digits, or 25
// letters and digits for a swarm's. Anything else never stands in a request.
func networkID(id string) bool {
	const shortest, longest = 25, 64
	return len(id) >= shortest && len(id) <= longest && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// networkBook finds networks among those the engine has now. A container that
// does not run has endpoints without a network ID, and the default bridge gets
// a new ID with every start of the engine, so names count too.
type networkBook []network.Summary

func (t *attempt) networks(work context.Context) (networkBook, error) {
	ctx, cancel := context.WithTimeout(work, min(listTimeout, t.limit))
	defer cancel()
	answer, err := t.engine.calls().NetworkList(ctx, client.NetworkListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	book := networkBook(answer.Items)
	if slices.ContainsFunc(book, func(item network.Summary) bool { return item.Name == noneNetwork }) {
		return book, nil
	}
	// Podman has no network none, lists its default network as bridge, and names
	// it podman elsewhere.
	one, err := t.engine.calls().NetworkInspect(ctx, podmanNetwork, client.NetworkInspectOptions{})
	if err == nil && one.Network.Name == podmanNetwork {
		book = append(book, network.Summary{Network: one.Network.Network})
	}
	return book, nil
}

// find returns the full ID of a network, looked up by ID, else by exact name.
// Old engines allow several networks of one name; those are not guessed at.
func (b networkBook) find(id string, name model.Text) (string, error) {
	var found []string
	for _, item := range b {
		switch {
		case !networkID(item.ID):
		case item.ID == id:
			return id, nil
		case item.Name == name.Raw():
			found = append(found, item.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("network %s no longer exists", name)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d networks are named %s", len(found), name)
}

// allowlist reports whether the only network of a name is an allowlist network:
// named, labelled and internal as contract 6.2 says.
func (b networkBook) allowlist(name model.Text) bool {
	id, err := b.find("", name)
	return err == nil && model.IsEgressNetwork(name) && slices.ContainsFunc(b, func(item network.Summary) bool {
		return item.ID == id && item.Internal && item.Labels[model.LabelAllowlist] != ""
	})
}

// connections are a container's endpoints that can carry traffic: all but the
// one on network none.
func connections(c model.Container) []model.Endpoint {
	return slices.DeleteFunc(slices.Clone(c.Networks.Endpoints), func(e model.Endpoint) bool {
		return e.Network.Raw() == noneNetwork
	})
}

// latched reports whether network none is attached, beside which an engine
// connects no other.
func latched(c model.Container) bool {
	return attachedTo(c, model.NewText(noneNetwork))
}

func attachedTo(c model.Container, name model.Text) bool {
	return slices.ContainsFunc(c.Networks.Endpoints, func(e model.Endpoint) bool { return e.Network == name })
}

func names(endpoints []model.Endpoint) string {
	out := make([]string, 0, len(endpoints))
	for _, e := range endpoints {
		out = append(out, e.Network.Display())
	}
	return strings.Join(out, ", ")
}

// uncuttable says why a container's network can be neither cut nor connected
// while it lives; empty when it can.
func uncuttable(c model.Container) string {
	mode := c.Host.NetworkMode
	kind, rest, _ := strings.Cut(mode.Raw(), ":")
	switch kind {
	case hostNetwork:
		return "it uses the host's network, which no engine can disconnect, not even when stopped; stop, rebuild or remove it"
	case "container":
		return fmt.Sprintf("it shares the network of container %s; act on that one", model.NewText(rest))
	case "", "slirp4netns", "pasta", "private", "ns":
		return fmt.Sprintf("its network mode %q cannot be cut while it lives; rebuild or remove it", mode.Display())
	}
	switch {
	case attachedTo(c, model.NewText(hostNetwork)):
		return "it is attached to the host's network; stop, rebuild or remove it"
	case !c.Networks.Known:
		return "the engine does not say which networks it is attached to"
	case c.State == model.StateDead, c.State == model.StateRemoving:
		return fmt.Sprintf("it is %s; remove it", model.NewText(string(c.State)))
	}
	return ""
}

func (t *attempt) connectTo(work context.Context, id string, config *network.EndpointSettings) error {
	return t.call(work, func(ctx context.Context, calls engineCalls) error {
		_, err := calls.NetworkConnect(ctx, id, client.NetworkConnectOptions{Container: t.id, EndpointConfig: config})
		return err
	})
}

func (t *attempt) disconnectFrom(work context.Context, id string) error {
	return t.call(work, func(ctx context.Context, calls engineCalls) error {
		_, err := calls.NetworkDisconnect(ctx, id, client.NetworkDisconnectOptions{Container: t.id})
		return err
	})
}
