package simengine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/docker/go-units"
)

const engineRoot = "/var/lib/docker"

func (e *Engine) inspectContainer(c *call) (int, any, error) {
	found, err := e.lookup(c.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	body := e.inspectBody(found, c.version)
	if c.flag("size") {
		layer, all := int64(4096), int64(4096)
		if found.image != nil {
			all += found.image.size
		}
		body.SizeRw, body.SizeRootFs = &layer, &all
	}
	return http.StatusOK, body, nil
}

func (e *Engine) inspectBody(c *container, version apiVersion) inspectBody {
	host := c.host
	host.NetworkMode = e.shownMode(host.NetworkMode, version)
	config := c.config
	layer := engineRoot + "/overlay2/" + c.id
	body := inspectBody{
		ID: c.id, Created: c.created, Args: []string{}, Name: "/" + c.name, RestartCount: c.restarts,
		Driver: "overlay2", Platform: "linux", HostConfig: &host, Config: &config, Mounts: c.mounts,
		ExecIDs: c.execIDs(), Image: c.imageID(),
		State: stateBody{
			Status: c.status, Running: c.running(), Paused: c.status == statusPaused,
			Restarting: c.status == statusRestarting, OOMKilled: c.oomKilled, Dead: c.status == statusDead,
			Pid: c.pid, ExitCode: c.exitCode, Error: c.err, StartedAt: c.startedAt, FinishedAt: c.finishedAt, Health: c.health,
		},
		GraphDriver: graphDriver{Name: "overlay2", Data: map[string]string{
			"LowerDir": layer + "-init/diff", "MergedDir": layer + "/merged", "UpperDir": layer + "/diff", "WorkDir": layer + "/work",
		}},
		NetworkSettings: c.settings(version),
	}
	if command := c.command(); len(command) > 0 {
		body.Path = command[0]
		body.Args = append(body.Args, command[1:]...)
	}
	if c.everStarted {
		folder := engineRoot + "/containers/" + c.id
		body.ResolvConfPath, body.HostnamePath = folder+"/resolv.conf", folder+"/hostname"
		body.HostsPath, body.LogPath = folder+"/hosts", folder+"/"+c.id+"-json.log"
	}
	return body
}

// shownMode gives NetworkMode as the engine of that version stores it: since
// 26.0 the default is stored as bridge, and so it always was in Podman.
func (e *Engine) shownMode(mode string, version apiVersion) string {
	if mode == "default" && (e.podman || version.atLeast(45)) {
		return "bridge"
	}
	return mode
}

func (c *container) imageID() string {
	if c.image == nil {
		return ""
	}
	return c.image.id
}

func (c *container) settings(version apiVersion) settingsBody {
	body := settingsBody{SandboxID: c.sandboxID, Ports: map[string][]PortBinding{}, Networks: map[string]*endpointBody{}}
	for name, at := range c.endpoints {
		body.Networks[name] = at.body(version)
	}
	if c.sandboxID != "" {
		body.SandboxKey = "/var/run/docker/netns/" + c.sandboxID[:12]
		if c.host.NetworkMode == "host" {
			body.SandboxKey = "/var/run/docker/netns/default"
		}
	}
	if c.running() {
		for port, bindings := range c.host.PortBindings {
			body.Ports[port] = bindings
		}
	}
	if version.atLeast(52) {
		return body
	}
	legacy := &settingsLegacy{}
	if bridge := c.endpoints["bridge"]; bridge != nil {
		flat := bridge.body(version)
		legacy.EndpointID, legacy.Gateway, legacy.IPAddress = flat.EndpointID, flat.Gateway, flat.IPAddress
		legacy.IPPrefixLen, legacy.MacAddress = flat.IPPrefixLen, flat.MacAddress
	}
	body.settingsLegacy = legacy
	return body
}

// row gives the container's row of the list.
func (e *Engine) row(c *container, version apiVersion) rowBody {
	row := rowBody{
		ID: c.id, Names: []string{}, Image: c.config.Image, ImageID: c.imageID(), Command: commandLine(c.command()),
		Created: c.created.Unix(), Ports: c.ports(), Labels: orEmpty(c.config.Labels), State: c.status,
		Status: e.statusText(c), Mounts: c.mounts,
	}
	if c.name != "" {
		row.Names = append(row.Names, "/"+c.name)
	}
	if c.listState != "" {
		row.State = c.listState
	}
	row.HostConfig.NetworkMode = e.shownMode(c.host.NetworkMode, version)
	row.NetworkSettings.Networks = make(map[string]*endpointBody, len(c.endpoints))
	for name, at := range c.endpoints {
		row.NetworkSettings.Networks[name] = at.rowBody(version)
	}
	return row
}

// commandLine joins a command as the list shows it: arguments with a space are
// quoted.
func commandLine(command []string) string {
	quoted := slices.Clone(command)
	for i, word := range quoted {
		if i > 0 && strings.Contains(word, " ") {
			quoted[i] = "'" + word + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func (c *container) ports() []portBody {
	ports := []portBody{}
	if !c.running() {
		return ports
	}
	for port, bindings := range c.host.PortBindings {
		number, protocol, _ := strings.Cut(port, "/")
		private, _ := strconv.Atoi(number)
		for _, binding := range bindings {
			public, _ := strconv.Atoi(binding.HostPort)
			ports = append(ports, portBody{IP: binding.HostIP, PrivatePort: private, PublicPort: public, Type: protocol})
		}
	}
	return ports
}

// statusText is the engine's sentence about the state.
func (e *Engine) statusText(c *container) string {
	up := func() string { return "Up " + units.HumanDuration(e.now().Sub(c.startedAt)) }
	ago := func(word string) string {
		return word + " (" + strconv.Itoa(c.exitCode) + ") " + units.HumanDuration(e.now().Sub(c.finishedAt)) + " ago"
	}
	switch c.status {
	case statusRunning:
		if c.health != nil {
			return up() + " (" + c.health.Status + ")"
		}
		return up()
	case statusPaused:
		return up() + " (Paused)"
	case statusRestarting:
		return ago("Restarting")
	case statusExited:
		return ago("Exited")
	case statusRemoving:
		return "Removal In Progress"
	case statusDead:
		return "Dead"
	case statusCreated:
		return "Created"
	}
	return c.status
}
