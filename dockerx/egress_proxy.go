package dockerx

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// ownVariable is set on every proxy of ours and on none of Hermes.
const ownVariable = "EGRESS_CLIENTS"

// proxyWanted is how a proxy is to be.
type proxyWanted struct {
	spec        EgressSpec
	environment []string // the allowlist first
	image       string
}

// egressProxy finds the proxy's container or makes it, and reports whether it is
// one of ours. One of ours that is not as it is to be is replaced: first it goes,
// and with it every way out.
func (c *Client) egressProxy(ctx context.Context, want proxyWanted, made *Egress) (ours bool, err error) {
	found, err := c.findProxy(ctx, want, made)
	switch {
	case err != nil:
		return false, err
	case found == nil:
		return true, c.createProxy(ctx, want, made)
	case !hasVariable(found.Config.Env, ownVariable):
		if len(want.spec.Ports) > 0 || len(want.spec.AllowCIDRs) > 0 {
			return false, fmt.Errorf("container %s: %w", made.Proxy, ErrEgressOutdated)
		}
		return false, nil
	case found.State != nil && found.State.Dead, found.Config.Image != want.image,
		!slices.Equal(ownSettings(found.Config.Env), ownSettings(want.environment)):
		if err := c.removeProxy(ctx, made); err != nil {
			return true, err
		}
		if old := found.Config.Image; old != want.image && ownImage.MatchString(old) {
			_ = c.removeImage(ctx, old) // refused while another proxy uses it; what stays harms nobody
		}
		if err := c.createProxy(ctx, want, made); err != nil {
			return true, fmt.Errorf("its sandboxes are cut off until it is there again: %w", err)
		}
	}
	return true, nil
}

// findProxy looks for the proxy's container and makes sure that it is one of
// this list; nil when there is none. One that Hermes made has fewer settings
// than ours and is as good.
func (c *Client) findProxy(ctx context.Context, want proxyWanted, made *Egress) (*container.InspectResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	answer, err := c.API().ContainerInspect(ctx, made.Proxy, client.ContainerInspectOptions{})
	switch {
	case errdefs.IsNotFound(err):
		return nil, nil //nolint:nilnil // there is none, which is no failure
	case err != nil:
		return nil, fmt.Errorf("inspect container %s: %w", made.Proxy, err)
	}
	proxy := answer.Container
	if proxy.Name != "/"+made.Proxy || proxy.Config == nil || proxy.Config.Labels[model.LabelAllowlist] == "" || !slices.Contains(proxy.Config.Env, want.environment[0]) {
		return nil, fmt.Errorf("container %s is no proxy of this allowlist: %w", made.Proxy, ErrEgressOccupied)
	}
	made.ProxyID = model.ID(proxy.ID)
	return &proxy, nil
}

func hasVariable(environment []string, name string) bool {
	return slices.ContainsFunc(environment, func(variable string) bool { return strings.HasPrefix(variable, name+"=") })
}

// ownSettings returns the variables that only our proxies have, in order.
func ownSettings(environment []string) []string {
	var own []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if name == ownVariable || name == "EGRESS_PORTS" || name == "EGRESS_ALLOW_CIDRS" {
			own = append(own, variable)
		}
	}
	slices.Sort(own)
	return own
}

func (c *Client) removeProxy(ctx context.Context, made *Egress) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	_, err := c.API().ContainerRemove(ctx, string(made.ProxyID), client.ContainerRemoveOptions{Force: true})
	if err != nil && !errdefs.IsNotFound(err) {
		return fmt.Errorf("remove the outdated container %s: %w", made.Proxy, err)
	}
	made.ProxyID = ""
	return nil
}

func (c *Client) createProxy(ctx context.Context, want proxyWanted, made *Egress) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	pids := int64(egressPids)
	created, err := c.API().ContainerCreate(ctx, client.ContainerCreateOptions{
		Name:   made.Proxy,
		Config: &container.Config{Image: want.image, User: egressUser, Labels: egressLabels(want.spec), Env: want.environment},
		HostConfig: &container.HostConfig{
			NetworkMode: container.NetworkMode(made.Network), CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
			ReadonlyRootfs: true, RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyUnlessStopped},
			Resources: container.Resources{PidsLimit: &pids, Memory: egressMemory},
			LogConfig: container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": "10m", "max-file": "3"}},
		},
		NetworkingConfig: &network.NetworkingConfig{EndpointsConfig: map[string]*network.EndpointSettings{
			made.Network: {Aliases: []string{egressAlias}},
		}},
	})
	if err != nil {
		return fmt.Errorf("create container %s: %w", made.Proxy, err)
	}
	made.ProxyID = model.ID(created.ID)
	return nil
}

// runProxy gives the proxy its way out and starts it, or lets a paused one go
// on, and looks whether it runs and where it is attached.
func (c *Client) runProxy(ctx context.Context, made Egress) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	outside := bridgeNetwork
	now, err := c.proxyState(ctx, made)
	if err != nil {
		return err
	}
	if now.networks[outside] == nil {
		if _, err := c.API().NetworkConnect(ctx, outside, client.NetworkConnectOptions{Container: string(made.ProxyID)}); err != nil {
			return fmt.Errorf("connect %s to network %s: %w", made.Proxy, outside, err)
		}
	}
	switch {
	case now.paused:
		_, err = c.API().ContainerUnpause(ctx, string(made.ProxyID), client.ContainerUnpauseOptions{})
	case !now.running:
		_, err = c.API().ContainerStart(ctx, string(made.ProxyID), client.ContainerStartOptions{})
	}
	if err != nil {
		return fmt.Errorf("start container %s: %w", made.Proxy, err)
	}
	now, err = c.proxyState(ctx, made)
	switch {
	case err != nil:
		return err
	case now.networks[made.Network] == nil || now.networks[outside] == nil:
		return fmt.Errorf("container %s is not on networks %s and %s", made.Proxy, made.Network, outside)
	}
	return nil
}

// proxyState is what an inspect says of the proxy.
type proxyState struct {
	running, paused bool
	restarts        int
	exitCode        int
	ended           time.Time // of the run before this one; zero: there was none
	networks        map[string]*network.EndpointSettings
}

func (c *Client) proxyState(ctx context.Context, made Egress) (proxyState, error) {
	answer, err := c.API().ContainerInspect(ctx, string(made.ProxyID), client.ContainerInspectOptions{})
	if err != nil {
		return proxyState{}, fmt.Errorf("inspect container %s: %w", made.Proxy, err)
	}
	state := proxyState{restarts: answer.Container.RestartCount}
	if s := answer.Container.State; s != nil {
		state.running, state.paused, state.exitCode = s.Running && !s.Restarting && !s.Paused, s.Paused, s.ExitCode
		if ended, err := time.Parse(time.RFC3339Nano, s.FinishedAt); err == nil && ended.Year() > 1 {
			state.ended = ended
		}
	}
	if s := answer.Container.NetworkSettings; s != nil {
		state.networks = s.Networks
	}
	return state, nil
}
