package simengine

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// network is the engine's own record of a network.
type network struct {
	id       string
	name     string
	driver   string
	created  time.Time
	internal bool
	attach   bool
	ipv6     bool
	options  map[string]string
	labels   map[string]string
	subnet   netip.Prefix
	gateway  netip.Addr
	asked    *ipamRange // the range a caller gave, shown as given
	used     map[netip.Addr]bool
	lowest   netip.Addr // no address below it is free
}

// predefined reports whether the engine made the network itself.
func (n *network) predefined() bool {
	return n.name == "bridge" || n.name == "host" || n.name == "none"
}

func (e *Engine) predefinedNetworks() {
	created := e.now()
	add := func(name, driver string) *network {
		n := &network{
			id: e.newID(), name: name, driver: driver, created: created,
			options: map[string]string{}, labels: map[string]string{},
		}
		e.networks = append(e.networks, n)
		return n
	}
	add("none", "null")
	add("host", "host")
	bridge := add("bridge", "bridge")
	bridge.options = map[string]string{
		"com.docker.network.bridge.default_bridge":       "true",
		"com.docker.network.bridge.enable_icc":           "true",
		"com.docker.network.bridge.enable_ip_masquerade": "true",
		"com.docker.network.bridge.host_binding_ipv4":    "0.0.0.0",
		"com.docker.network.bridge.name":                 "docker0",
		"com.docker.network.driver.mtu":                  "1500",
	}
	bridge.address(netip.MustParsePrefix("172.17.0.0/16"))
}

// address gives a network its subnet; the first host is the gateway.
func (n *network) address(subnet netip.Prefix) {
	n.subnet = subnet
	n.gateway = subnet.Addr().Next()
	n.used = map[netip.Addr]bool{n.gateway: true}
	n.lowest = n.gateway.Next()
}

// allocate takes the wanted address, or the lowest free one when none is.
func (n *network) allocate(wanted string) (netip.Addr, error) {
	if wanted != "" {
		address, err := netip.ParseAddr(wanted)
		if err != nil || !n.subnet.Contains(address) {
			return netip.Addr{}, refuse(http.StatusInternalServerError, "address %s is not in the subnet of network %s", wanted, n.name)
		}
		if n.used[address] {
			return netip.Addr{}, refuse(http.StatusForbidden, "address %s is in use", wanted)
		}
		n.used[address] = true
		return address, nil
	}
	for address := n.lowest; n.subnet.Contains(address.Next()); address = address.Next() {
		if !n.used[address] {
			n.used[address] = true
			n.lowest = address.Next()
			return address, nil
		}
	}
	return netip.Addr{}, refuse(http.StatusInternalServerError, "network %s has no free address left", n.name)
}

func (n *network) release(address netip.Addr) {
	if !address.IsValid() {
		return
	}
	delete(n.used, address)
	if address.Less(n.lowest) {
		n.lowest = address
	}
}

// findNetwork looks a network up: full ID, exact name, unambiguous ID prefix.
func (e *Engine) findNetwork(reference string) (*network, error) {
	if reference == "default" {
		reference = "bridge"
	}
	for _, n := range e.networks {
		if n.id == reference {
			return n, nil
		}
	}
	for _, n := range e.networks {
		if n.name == reference {
			return n, nil
		}
	}
	var found *network
	for _, n := range e.networks {
		if reference == "" || !strings.HasPrefix(n.id, reference) {
			continue
		}
		if found != nil {
			return nil, refuse(http.StatusBadRequest, "network ID prefix %s is not unique", reference)
		}
		found = n
	}
	if found == nil {
		return nil, refuse(http.StatusNotFound, "network %s not found", reference)
	}
	return found, nil
}

// freeSubnet returns the next private /16 no network has.
func (e *Engine) freeSubnet() netip.Prefix {
	for second := byte(18); ; second++ {
		first := byte(172)
		if second >= 32 {
			first = 10
		}
		subnet := netip.PrefixFrom(netip.AddrFrom4([4]byte{first, second, 0, 0}), 16)
		taken := func(n *network) bool { return n.subnet.IsValid() && n.subnet.Overlaps(subnet) }
		if !slices.ContainsFunc(e.networks, taken) {
			return subnet
		}
	}
}

type networkBody struct {
	Name       string
	ID         string `json:"Id"`
	Created    time.Time
	Scope      string
	Driver     string
	EnableIPv6 bool
	IPAM       ipamBody
	Internal   bool
	Attachable bool
	Ingress    bool
	ConfigFrom struct{ Network string }
	ConfigOnly bool
	Containers map[string]memberBody
	Options    map[string]string
	Labels     map[string]string
}

type ipamBody struct {
	Driver  string
	Options map[string]string
	Config  []ipamRange
}

type ipamRange struct {
	Subnet  string
	Gateway string `json:",omitempty"`
}

type memberBody struct {
	Name        string
	EndpointID  string
	MacAddress  string
	IPv4Address string
	IPv6Address string
}

// body gives the network without its members, which the list never has.
func (n *network) body() networkBody {
	b := networkBody{
		Name: n.name, ID: n.id, Created: n.created, Scope: "local", Driver: n.driver, EnableIPv6: n.ipv6,
		IPAM:     ipamBody{Driver: "default", Config: []ipamRange{}},
		Internal: n.internal, Attachable: n.attach,
		Containers: map[string]memberBody{}, Options: n.options, Labels: n.labels,
	}
	if n.asked != nil {
		b.IPAM.Config = append(b.IPAM.Config, *n.asked)
	} else if n.subnet.IsValid() {
		b.IPAM.Config = append(b.IPAM.Config, ipamRange{Subnet: n.subnet.String(), Gateway: n.gateway.String()})
	}
	return b
}

func (e *Engine) listNetworks(c *call) (int, any, error) {
	filters, err := parseFilters(c.query.Get("filters"), "name", "id", "driver", "type", "label", "scope", "dangling")
	if err != nil {
		return 0, nil, err
	}
	bodies := []networkBody{}
	for _, n := range e.networks {
		custom := func(want string) bool { return (want == "custom") != n.predefined() }
		if filters.any("name", func(want string) bool { return strings.Contains(n.name, want) }) &&
			filters.any("id", func(want string) bool { return strings.HasPrefix(n.id, want) }) &&
			filters.any("driver", func(want string) bool { return n.driver == want }) &&
			filters.any("scope", func(want string) bool { return want == "local" }) &&
			filters.any("type", custom) && filters.labels(n.labels) && e.dangles(n, filters["dangling"]) {
			bodies = append(bodies, n.body())
		}
	}
	return http.StatusOK, bodies, nil
}

// dangles applies the dangling filter: networks of ours no container is on.
func (e *Engine) dangles(n *network, wants []string) bool {
	if len(wants) == 0 {
		return true
	}
	want, _ := strconv.ParseBool(wants[0])
	return (!n.predefined() && len(e.members(n)) == 0) == want
}

// members are the live endpoints on a network by container ID.
func (e *Engine) members(n *network) map[string]memberBody {
	members := map[string]memberBody{}
	for _, c := range e.containers {
		at := c.endpoints[n.name]
		if at == nil || at.id == "" {
			continue
		}
		member := memberBody{Name: c.name, EndpointID: at.id, MacAddress: at.mac()}
		if at.address.IsValid() {
			member.IPv4Address = netip.PrefixFrom(at.address, n.subnet.Bits()).String()
		}
		members[c.id] = member
	}
	return members
}

func (e *Engine) inspectNetwork(c *call) (int, any, error) {
	n, err := e.findNetwork(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	body := n.body()
	body.Containers = e.members(n)
	return http.StatusOK, body, nil
}

// emitNetwork publishes an event of a network. It carries the network's name
// and driver and, for connections, the container's ID: never its labels.
func (e *Engine) emitNetwork(n *network, action, containerID string) {
	attributes := map[string]string{"name": n.name, "type": n.driver}
	if containerID != "" {
		attributes["container"] = containerID
	}
	e.publish(event{kind: "network", action: action, id: n.id, attributes: attributes})
}
