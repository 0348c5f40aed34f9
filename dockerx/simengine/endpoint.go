package simengine

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// endpoint is a container's place on a network. While the container does not
// run only network and config are set, and networkID if it ran before.
type endpoint struct {
	network   string
	networkID string
	id        string
	address   netip.Addr
	gateway   netip.Addr
	bits      int
	config    EndpointConfig
	aliases   []string
	names     []string
}

// join makes the endpoint live.
func (at *endpoint) join(n *network, c *container, id string) error {
	at.network, at.networkID, at.id = n.name, n.id, id
	if n.subnet.IsValid() {
		wanted := ""
		if at.config.IPAMConfig != nil {
			wanted = at.config.IPAMConfig.IPv4Address
		}
		address, err := n.allocate(wanted)
		if err != nil {
			at.id = ""
			return err
		}
		at.address, at.gateway, at.bits = address, n.gateway, n.subnet.Bits()
	}
	at.settle(n, c)
	return nil
}

// settle works out the names the container has on the network.
func (at *endpoint) settle(n *network, c *container) {
	at.aliases = slices.Clone(at.config.Aliases)
	for _, name := range []string{c.id[:min(12, len(c.id))], c.config.Hostname} {
		if !n.predefined() && !slices.Contains(at.aliases, name) {
			at.aliases = append(at.aliases, name)
		}
	}
	at.names = append([]string{c.name}, at.aliases...)
}

// leave ends an endpoint's life, keeping that the container belongs there.
func (e *Engine) leave(c *container, n *network) {
	at := c.endpoints[n.name]
	n.release(at.address)
	at.id, at.address, at.gateway, at.bits = "", netip.Addr{}, netip.Addr{}, 0
	e.emitNetwork(n, "disconnect", c.id)
}

// mac is the hardware address the engine derives from the IPv4 one.
func (at *endpoint) mac() string {
	if !at.address.Is4() {
		return ""
	}
	b := at.address.As4()
	return fmt.Sprintf("02:42:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3])
}

func (at *endpoint) body(version apiVersion) *endpointBody {
	b := &endpointBody{
		IPAMConfig: at.config.IPAMConfig, Aliases: at.aliases, NetworkID: at.networkID, EndpointID: at.id,
		IPPrefixLen: at.bits, MacAddress: at.mac(), DriverOpts: at.config.DriverOpts,
	}
	if at.address.IsValid() {
		b.IPAddress, b.Gateway = at.address.String(), at.gateway.String()
	}
	if version.atLeast(44) {
		names := at.names
		b.DNSNames = &names
	}
	return b
}

// rowBody is the part of an endpoint the list shows: no aliases, no options.
func (at *endpoint) rowBody(version apiVersion) *endpointBody {
	b := at.body(version)
	b.Aliases, b.DriverOpts = nil, nil
	return b
}

// containerMode reports whether a network mode names another container.
func containerMode(mode string) bool { return strings.HasPrefix(mode, "container:") }

// attachAll gives a starting container its endpoints.
func (e *Engine) attachAll(c *container) error {
	c.sandboxID = ""
	if containerMode(c.host.NetworkMode) {
		return nil
	}
	c.sandboxID = e.newID()
	names := make([]string, 0, len(c.endpoints))
	for name := range c.endpoints {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := c.endpoints[name]
		n, err := e.findNetwork(name)
		if err == nil {
			err = at.join(n, c, e.newID())
		}
		if err != nil {
			e.detachAll(c)
			c.sandboxID = ""
			return err
		}
		delete(c.endpoints, name) // it may have been named by its ID
		c.endpoints[n.name] = at
		e.emitNetwork(n, "connect", c.id)
	}
	return nil
}

// detachAll ends the life of a stopping container's endpoints.
func (e *Engine) detachAll(c *container) {
	names := make([]string, 0, len(c.endpoints))
	for name, at := range c.endpoints {
		if at.id != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if n, err := e.findNetwork(name); err == nil {
			e.leave(c, n)
		}
	}
}
