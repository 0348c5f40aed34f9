package simengine

import (
	"net/http"
	"net/netip"
	"slices"
)

type networkRequest struct {
	Name           string
	Driver         string
	Internal       bool
	Attachable     bool
	EnableIPv6     bool
	CheckDuplicate bool
	IPAM           struct{ Config []ipamRange }
	Options        map[string]string
	Labels         map[string]string
}

func (e *Engine) createNetwork(c *call) (int, any, error) {
	var request networkRequest
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	setDefault(&request.Driver, "bridge")
	switch {
	case request.Name == "":
		return 0, nil, refuse(http.StatusBadRequest, "a network needs a name")
	case slices.Contains([]string{"bridge", "host", "none", "default"}, request.Name):
		return 0, nil, refuse(http.StatusForbidden, "network name %s is taken by the engine", request.Name)
	case !slices.Contains([]string{"bridge", "ipvlan", "macvlan", "overlay"}, request.Driver):
		return 0, nil, refuse(http.StatusNotFound, "there is no network driver %q", request.Driver)
	}
	for _, n := range e.networks {
		// Engines before 25.0 allow two networks of one name unless asked.
		if n.name == request.Name && (request.CheckDuplicate || e.version.atLeast(44)) {
			return 0, nil, refuse(http.StatusConflict, "network %s exists already", request.Name)
		}
	}
	subnet, asked, err := e.subnetFor(request.IPAM.Config)
	if err != nil {
		return 0, nil, err
	}
	n := &network{
		id: e.newID(), name: request.Name, driver: request.Driver, created: e.now(), internal: request.Internal,
		asked: asked, attach: request.Attachable, ipv6: request.EnableIPv6,
		options: orEmpty(request.Options), labels: orEmpty(request.Labels),
	}
	n.address(subnet)
	e.networks = append(e.networks, n)
	e.emitNetwork(n, "create", "")
	return http.StatusCreated, object{"Id": n.id, "Warning": ""}, nil
}

// subnetFor takes the subnet a caller asks for, else a free one.
func (e *Engine) subnetFor(ranges []ipamRange) (netip.Prefix, *ipamRange, error) {
	if len(ranges) == 0 {
		return e.freeSubnet(), nil, nil
	}
	wanted, err := netip.ParsePrefix(ranges[0].Subnet)
	if err != nil {
		return netip.Prefix{}, nil, refuse(http.StatusBadRequest, "subnet %q: %v", ranges[0].Subnet, err)
	}
	for _, n := range e.networks {
		if n.subnet.IsValid() && n.subnet.Overlaps(wanted) {
			return netip.Prefix{}, nil, refuse(http.StatusForbidden, "subnet %s overlaps that of network %s", wanted, n.name)
		}
	}
	return wanted, &ranges[0], nil
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func (e *Engine) removeNetwork(c *call) (int, any, error) {
	n, err := e.findNetwork(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if n.predefined() {
		return 0, nil, refuse(http.StatusForbidden, "network %s belongs to the engine and stays", n.name)
	}
	if len(e.members(n)) > 0 {
		return 0, nil, refuse(http.StatusForbidden, "network %s still has active endpoints", n.name)
	}
	e.networks = slices.DeleteFunc(e.networks, func(have *network) bool { return have == n })
	e.emitNetwork(n, "destroy", "")
	return http.StatusNoContent, nil, nil
}

// EndpointConfig is what a caller asks for when connecting.
type EndpointConfig struct {
	Aliases    []string
	IPAMConfig *EndpointIPAM
	DriverOpts map[string]string
}

func (e *Engine) connectNetwork(c *call) (int, any, error) {
	var request struct {
		Container      string
		EndpointConfig EndpointConfig
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	target, err := e.lookup(request.Container)
	if err != nil {
		return 0, nil, err
	}
	n, err := e.findNetwork(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if err := e.connect(target, n, request.EndpointConfig); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, nil, nil
}

// connect attaches a container to a network: at once when it runs, at its next
// start otherwise.
func (e *Engine) connect(c *container, n *network, config EndpointConfig) error {
	if c.gone() {
		return refuse(http.StatusInternalServerError, "container %s is marked for removal", c.id)
	}
	if c.running() && containerMode(c.host.NetworkMode) {
		return refuse(http.StatusBadRequest, "container %s shares another container's network and cannot have one of its own", c.id)
	}
	if err := mayConnect(c, n, config); err != nil {
		return err
	}
	if old := c.endpoints[n.name]; old != nil && old.id != "" {
		return refuse(http.StatusForbidden, "container %s is on network %s already", c.name, n.name)
	}
	at := &endpoint{network: n.name, networkID: n.id, config: config}
	if !c.running() {
		at.networkID = "" // known once the endpoint is made
		at.settle(n, c)
		c.endpoints[n.name] = at
		e.touch()
		return nil
	}
	if err := at.join(n, c, e.newID()); err != nil {
		return err
	}
	c.endpoints[n.name] = at
	e.emitNetwork(n, "connect", c.id)
	return nil
}

// mayConnect holds the engine's refusals.
func mayConnect(c *container, n *network, config EndpointConfig) error {
	static := config.IPAMConfig != nil && (config.IPAMConfig.IPv4Address != "" || config.IPAMConfig.IPv6Address != "")
	switch {
	case n.predefined() && static:
		return refuse(http.StatusBadRequest, "an address can be asked for on user defined networks only")
	case n.predefined() && len(config.Aliases) > 0:
		return refuse(http.StatusBadRequest, "aliases can be asked for on user defined networks only")
	case c.host.NetworkMode != "host" && n.driver == "host":
		return refuse(http.StatusBadRequest, "a container cannot be connected to or disconnected from the host network")
	}
	for name := range c.endpoints {
		switch {
		case name == n.name:
			return nil
		case name == "host" || n.name == "host":
			return refuse(http.StatusBadRequest, "a container in the host network cannot be on another one")
		case name == "none" || n.name == "none":
			return refuse(http.StatusBadRequest, "a container on network none cannot be on another one")
		}
	}
	return nil
}

func (e *Engine) disconnectNetwork(c *call) (int, any, error) {
	var request struct {
		Container string
		Force     bool
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	n, errNetwork := e.findNetwork(c.PathValue("id"))
	if errNetwork != nil {
		return 0, nil, errNetwork
	}
	target, err := e.lookup(request.Container)
	if err != nil {
		return 0, nil, err
	}
	if err := e.disconnect(target, n); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, nil, nil
}

// disconnect takes a container off a network. One that runs in the host's
// network cannot leave it; one that is stopped can, and starts there again.
func (e *Engine) disconnect(c *container, n *network) error {
	switch {
	case c.gone():
		return refuse(http.StatusInternalServerError, "container %s is marked for removal", c.id)
	case c.running() && c.host.NetworkMode == "host" && n.driver == "host":
		return refuse(http.StatusBadRequest, "a container cannot be connected to or disconnected from the host network")
	case c.endpoints[n.name] == nil:
		return refuse(http.StatusInternalServerError, "container %s is not connected to network %s", c.id, n.name)
	}
	if c.running() {
		e.leave(c, n) // the engine reports a live disconnect twice
	}
	delete(c.endpoints, n.name)
	e.emitNetwork(n, "disconnect", c.id)
	return nil
}
