package dockerx

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

const (
	labelAllowlistSet = model.LabelAllowlist + "=1"
	egressAlias       = "egress-proxy" // what sandboxes call the proxy (contract 6.2)
	egressPort        = "8888"
	egressPids        = 256
	egressMemory      = 256 << 20
	isolatedAPI       = 48 // minor version of the API that knows isolated gateways
)

// EgressSpec says which allowlist network an engine is to have, with its
// proxy.
type EgressSpec struct {
	Allow      []string       // entries of the allowlist; none: nothing gets out
	Ports      []int          // ports of entries that name none; nil: the proxy's own choice
	AllowCIDRs []netip.Prefix // private ranges that names may lead to all the same
	// Binary is the static program that the proxy's image is made of. It is
	// not used when Image names one.
	Binary string
	Image  string            // image whose entry point is the proxy; empty: one made of Binary
	Labels map[string]string // further labels of the network and the proxy
}

// Egress is an allowlist network and its proxy.
type Egress struct {
	Network   string   // name of the network
	NetworkID string   // its full ID
	Proxy     string   // name of the proxy's container
	ProxyID   model.ID // its full ID
}

// Errors of [Client.EnsureEgress] and [Client.CheckEgress].
var (
	// ErrEgressOccupied is a network or a container that has the name of an
	// allowlist's and is not one.
	ErrEgressOccupied = errors.New("the name is taken by something else")
	// ErrEgressOutdated is a proxy that Hermes made for this allowlist, which
	// knows neither the ports nor the ranges of our settings. Only its maker, or
	// a person, takes it away.
	ErrEgressOutdated = errors.New("it was made by Hermes, which knows no egress.ports and no egress.allow_cidrs; remove it and try again")
	// ErrEgressProgram is a program or an image that the proxy cannot be made
	// of.
	ErrEgressProgram = errors.New("the egress proxy cannot be made")
)

// EnsureEgress makes sure that the network and the running proxy of an
// allowlist exist as contract 6.2 names them, and returns once the proxy
// listens. What is there is used again. A proxy of ours with other settings, or
// of another program, is replaced; its sandboxes are cut off meanwhile. What
// only has the name is an [ErrEgressOccupied], a proxy of Hermes that cannot do
// what is asked an [ErrEgressOutdated], and both stay as they are. Parts made
// before a failure stay too: the next attempt goes on with them.
func (c *Client) EnsureEgress(ctx context.Context, spec EgressSpec) (Egress, error) {
	var made Egress
	made.Network, made.Proxy = model.EgressNames(spec.Allow)
	if err := c.CheckEgress(ctx, spec); err != nil {
		return made, err
	}
	subnets, err := c.egressNetwork(ctx, spec, &made)
	if err != nil {
		return made, err
	}
	want := proxyWanted{spec: spec, environment: egressEnvironment(spec, subnets), image: spec.Image}
	if want.image == "" {
		if want.image, err = c.egressImage(ctx, spec.Binary); err != nil {
			return made, err
		}
	}
	ours, err := c.egressProxy(ctx, want, &made)
	if errdefs.IsNotFound(err) && spec.Image == "" {
		// The image went meanwhile, with the last proxy that used it.
		if want.image, err = c.egressImage(ctx, spec.Binary); err == nil {
			ours, err = c.egressProxy(ctx, want, &made)
		}
	}
	if err != nil {
		return made, err
	}
	if err := c.runProxy(ctx, made); err != nil {
		return made, err
	}
	return made, c.awaitProxy(ctx, made, ours)
}

// egressNetwork finds or makes the network, and returns its ranges.
func (c *Client) egressNetwork(ctx context.Context, spec EgressSpec, made *Egress) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	list, err := c.API().NetworkList(ctx, client.NetworkListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	var id string
	for _, item := range list.Items {
		switch {
		case item.Name != made.Network:
		case id != "":
			return nil, fmt.Errorf("several networks are named %s: %w", made.Network, ErrEgressOccupied)
		default:
			id = item.ID
		}
	}
	if id == "" {
		options := client.NetworkCreateOptions{Driver: "bridge", Internal: true, Labels: egressLabels(spec), Options: c.egressGateway()}
		created, err := c.API().NetworkCreate(ctx, made.Network, options)
		if err != nil {
			return nil, fmt.Errorf("create network %s: %w", made.Network, err)
		}
		id = created.ID
	}
	answer, err := c.API().NetworkInspect(ctx, id, client.NetworkInspectOptions{})
	if err != nil {
		return nil, fmt.Errorf("inspect network %s: %w", made.Network, err)
	}
	if answer.Network.Name != made.Network || !answer.Network.Internal || answer.Network.Labels[model.LabelAllowlist] == "" {
		return nil, fmt.Errorf("network %s is not internal or has no label %s: %w", made.Network, model.LabelAllowlist, ErrEgressOccupied)
	}
	made.NetworkID = answer.Network.ID
	var subnets []string
	for _, pool := range answer.Network.IPAM.Config {
		if pool.Subnet.IsValid() {
			subnets = append(subnets, pool.Subnet.String())
		}
	}
	if len(subnets) == 0 {
		return nil, fmt.Errorf("network %s has no address range, so the proxy cannot tell its sandboxes", made.Network)
	}
	return subnets, nil
}

// egressGateway asks engines that can for a network whose gateway is not the
// host.
func (c *Client) egressGateway() map[string]string {
	_, minor, _ := strings.Cut(c.API().ClientVersion(), ".")
	if number, err := strconv.Atoi(minor); err != nil || number < isolatedAPI {
		return nil
	}
	return map[string]string{
		"com.docker.network.bridge.gateway_mode_ipv4": "isolated",
		"com.docker.network.bridge.gateway_mode_ipv6": "isolated",
	}
}

func egressLabels(spec EgressSpec) map[string]string {
	labels := map[string]string{model.LabelAllowlist: "1"}
	for key, value := range spec.Labels {
		labels[key] = value
	}
	return labels
}

// egressEnvironment is what the proxy is told, the allowlist first.
func egressEnvironment(spec EgressSpec, subnets []string) []string {
	var ports, ranges []string
	for _, port := range spec.Ports {
		ports = append(ports, strconv.Itoa(port))
	}
	for _, prefix := range spec.AllowCIDRs {
		ranges = append(ranges, prefix.String())
	}
	environment := []string{
		"EGRESS_ALLOWLIST=" + model.EgressAllowlist(spec.Allow), "PROXY_PORT=" + egressPort, "EGRESS_CLIENTS=" + strings.Join(subnets, ","),
	}
	if len(ports) > 0 {
		environment = append(environment, "EGRESS_PORTS="+strings.Join(ports, ","))
	}
	if len(ranges) > 0 {
		environment = append(environment, "EGRESS_ALLOW_CIDRS="+strings.Join(ranges, ","))
	}
	return environment
}
