package simengine

import (
	"fmt"
	"net/netip"
	"strings"
	"time"
)

// Spec describes a container to put into the engine as it is, past the rules
// of creation. The zero value is a running container without a label.
type Spec struct {
	ID         string // empty: the next one
	Name       string // empty: made up
	NoName     bool   // have no name at all, as real lists sometimes show
	Image      string // empty: simulated:latest; made when it is missing
	Command    []string
	Entrypoint []string
	Labels     map[string]string
	Env        []string
	User       string
	WorkingDir string
	Hostname   string
	Tty        bool
	Host       HostConfig

	State      string    // empty: running; any word is taken
	Created    time.Time // zero: now
	Started    time.Time // zero: Created when it runs or ran, else never
	Finished   time.Time // zero: now when it ran, else never
	ExitCode   int
	OOMKilled  bool
	Error      string
	StartError string // what start answers instead of starting
	Health     *Health

	// Networks are the networks it is on, by name; nil: what the mode says;
	// empty but not nil: none at all.
	Networks []string
	// Endpoints are settings asked for at connect, by network name.
	Endpoints map[string]EndpointConfig
	Processes []string // command lines beside the main one
	Execs     [][]string
	Logs      []string
}

// Add puts a container into the engine and announces it as the engine would.
// Errors: a name or ID that is taken, a network that is not there.
func (e *Engine) Add(spec Spec) (id string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.add(spec)
}

func (e *Engine) add(spec Spec) (string, error) {
	setDefault(&spec.Image, "simulated:latest")
	from, err := e.findImage(spec.Image)
	if err != nil {
		from = e.addImage(spec.Image, Config{})
	}
	c := &container{
		id: spec.ID, name: spec.Name, image: from, host: spec.Host, status: spec.State,
		exitCode: spec.ExitCode, oomKilled: spec.OOMKilled, err: spec.Error, health: spec.Health,
		processes: spec.Processes, startError: spec.StartError, created: spec.Created.UTC(),
		config: Config{
			Hostname: spec.Hostname, User: spec.User, Tty: spec.Tty, Env: spec.Env, Cmd: spec.Command, Entrypoint: spec.Entrypoint,
			Image: spec.Image, WorkingDir: spec.WorkingDir, Labels: spec.Labels,
		},
	}
	setDefault(&c.status, statusRunning)
	if c.id == "" {
		c.id = e.newID()
	}
	if c.name == "" && !spec.NoName {
		c.name = e.freeName(c.id)
	}
	if e.byID[c.id] != nil || c.name != "" && e.byName[c.name] != nil {
		return "", fmt.Errorf("container %s with ID %s is there already", c.name, c.id)
	}
	if spec.Created.IsZero() {
		c.created = e.now()
	}
	inheritImage(&c.config, from)
	if len(c.command()) == 0 {
		c.config.Cmd = words{"sleep", "infinity"}
	}
	c.host.withDefaults()
	setDefault(&c.config.Hostname, c.id[:min(12, len(c.id))])
	if err := e.settleMounts(c); err != nil {
		return "", err
	}
	c.live(spec, e.now())
	if err := e.place(c, spec); err != nil {
		return "", err
	}
	e.insert(c)
	e.animateSpec(c, spec)
	return c.id, nil
}

// live sets the times a container of that state has.
func (c *container) live(spec Spec, now time.Time) {
	c.startedAt, c.finishedAt = spec.Started.UTC(), spec.Finished.UTC()
	ran := c.status != statusCreated
	c.everStarted = ran
	if ran && spec.Started.IsZero() {
		c.startedAt = c.created
	}
	if ran && !c.running() && spec.Finished.IsZero() {
		c.finishedAt = now
	}
}

// place puts a new container on its networks.
func (e *Engine) place(c *container, spec Spec) error {
	names := spec.Networks
	if containerMode(c.host.NetworkMode) {
		if other, err := e.lookup(strings.TrimPrefix(c.host.NetworkMode, "container:")); err == nil {
			c.host.NetworkMode = "container:" + other.id
		}
	} else if names == nil {
		names = []string{c.host.NetworkMode}
	}
	c.endpoints = map[string]*endpoint{}
	for _, name := range names {
		n, err := e.findNetwork(name)
		if err != nil {
			return err
		}
		at := &endpoint{network: n.name, networkID: n.id, config: spec.Endpoints[n.name]}
		if c.running() {
			if err := at.join(n, c, e.newID()); err != nil {
				return err
			}
		}
		c.endpoints[n.name] = at
	}
	if c.running() {
		e.pids += 7
		c.pid = e.pids
		if !containerMode(c.host.NetworkMode) {
			c.sandboxID = e.newID()
		}
	}
	return nil
}

// animateSpec adds the log and the execs and announces the container.
func (e *Engine) animateSpec(c *container, spec Spec) {
	for i, line := range spec.Logs { // no two at the same time
		c.lines = append(c.lines, logLine{at: c.startedAt.Add(time.Duration(i) * time.Millisecond), text: line})
	}
	e.emit(c, "create")
	if !c.running() {
		return
	}
	e.emit(c, "start")
	for _, command := range spec.Execs {
		e.begin(e.makeExec(&exec{in: c, command: command, stdout: true, stderr: true}))
	}
}

// NetworkSpec describes a network to put into the engine.
type NetworkSpec struct {
	Name     string
	Driver   string // empty: bridge; any word is taken
	Internal bool
	Subnet   string // empty: the next free one
	Options  map[string]string
	Labels   map[string]string
}

// AddNetwork puts a network into the engine and announces it.
func (e *Engine) AddNetwork(spec NetworkSpec) (id string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	subnet := e.freeSubnet()
	if spec.Subnet != "" {
		if subnet, err = netip.ParsePrefix(spec.Subnet); err != nil {
			return "", fmt.Errorf("subnet of network %s: %w", spec.Name, err)
		}
	}
	setDefault(&spec.Driver, "bridge")
	n := &network{
		id: e.newID(), name: spec.Name, driver: spec.Driver, created: e.now(), internal: spec.Internal,
		options: orEmpty(spec.Options), labels: orEmpty(spec.Labels),
	}
	n.address(subnet)
	e.networks = append(e.networks, n)
	e.emitNetwork(n, "create", "")
	return n.id, nil
}
