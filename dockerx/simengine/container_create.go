package simengine

import (
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// createRequest is the body of a create call.
type createRequest struct {
	Config
	HostConfig       HostConfig
	NetworkingConfig struct {
		EndpointsConfig map[string]EndpointConfig
	}
}

// validName is the grammar of container and volume names.
var validName = regexp.MustCompile(`^/?[a-zA-Z0-9][a-zA-Z0-9_.-]+$`)

func (e *Engine) createContainer(c *call) (int, any, error) {
	var request createRequest
	if len(c.body) == 0 {
		return 0, nil, badBody(c, "a container needs a configuration in the body")
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	name := c.query.Get("name")
	if name != "" && !validName.MatchString(name) {
		return 0, nil, refuse(http.StatusBadRequest, "%q is no valid container name", name)
	}
	if len(request.NetworkingConfig.EndpointsConfig) > 1 && !c.version.atLeast(44) {
		return 0, nil, refuse(http.StatusBadRequest, "a container can be created on one network only")
	}
	from, err := e.findImage(request.Image)
	if err != nil {
		return 0, nil, err
	}
	made, err := e.build(request, strings.TrimPrefix(name, "/"), from)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, object{"Id": made.id, "Warnings": []string{}}, nil
}

// build makes a container from a request and announces it.
func (e *Engine) build(request createRequest, name string, from *image) (*container, error) {
	made := &container{id: e.newID(), name: name, image: from, config: request.Config, host: request.HostConfig, status: statusCreated}
	if made.name == "" {
		made.name = e.freeName(made.id)
	}
	if holder := e.byName[made.name]; holder != nil {
		return nil, refuse(http.StatusConflict, "container name /%s is in use by container %s", made.name, holder.id)
	}
	inheritImage(&made.config, from)
	if len(made.command()) == 0 {
		return nil, refuse(http.StatusBadRequest, "neither the request nor the image says what to run")
	}
	if err := e.settleNetwork(made, request.NetworkingConfig.EndpointsConfig); err != nil {
		return nil, err
	}
	made.host.withDefaults()
	if made.config.Hostname == "" && made.host.NetworkMode == "host" {
		made.config.Hostname = "simulated"
	}
	setDefault(&made.config.Hostname, made.id[:12])
	if err := e.settleMounts(made); err != nil {
		return nil, err
	}
	made.created = e.now()
	e.insert(made)
	e.emit(made, "create")
	return made, nil
}

// freeName makes up a name nobody has.
func (e *Engine) freeName(id string) string {
	first := []string{"calm", "eager", "gentle", "keen", "merry", "plain", "quick", "steady"}
	second := []string{"adams", "bell", "curie", "darwin", "euler", "faraday", "gauss", "hopper"}
	for n := 0; ; n++ {
		name := first[int(id[0])%len(first)] + "_" + second[int(id[1])%len(second)]
		if n > 0 {
			name += strconv.Itoa(n)
		}
		if e.byName[name] == nil {
			return name
		}
	}
}

// inheritImage fills what the request left to the image.
func inheritImage(config *Config, from *image) {
	if from == nil {
		return
	}
	if len(config.Cmd) == 0 && len(config.Entrypoint) == 0 {
		config.Cmd = from.config.Cmd
	}
	if len(config.Entrypoint) == 0 {
		config.Entrypoint = from.config.Entrypoint
	}
	setDefault(&config.User, from.config.User)
	setDefault(&config.WorkingDir, from.config.WorkingDir)
	config.Env = mergeEnv(config.Env, from.config.Env)
	labels := map[string]string{}
	for key, value := range from.config.Labels {
		labels[key] = value
	}
	for key, value := range config.Labels {
		labels[key] = value
	}
	config.Labels = labels
}

// mergeEnv appends the image's variables that the request does not set.
func mergeEnv(own, inherited []string) []string {
	set := map[string]bool{}
	for _, entry := range own {
		name, _, _ := strings.Cut(entry, "=")
		set[name] = true
	}
	for _, entry := range inherited {
		if name, _, _ := strings.Cut(entry, "="); !set[name] {
			own = append(own[:len(own):len(own)], entry)
		}
	}
	return own
}

// settleNetwork resolves the network mode and notes the networks to join.
func (e *Engine) settleNetwork(made *container, asked map[string]EndpointConfig) error {
	made.endpoints = map[string]*endpoint{}
	mode := made.host.NetworkMode
	if target, ok := strings.CutPrefix(mode, "container:"); ok {
		if len(asked) > 0 {
			return refuse(http.StatusBadRequest, "a container in another's network cannot have networks of its own")
		}
		if other, err := e.lookup(target); err == nil { // start refuses a missing one
			made.host.NetworkMode = "container:" + other.id
			setDefault(&made.config.Hostname, other.config.Hostname)
		}
		return nil
	}
	name := mode
	if mode == "" || mode == "default" {
		name = "bridge"
	}
	if len(asked) == 0 {
		asked = map[string]EndpointConfig{name: {}}
	}
	for network, config := range asked {
		if found, err := e.findNetwork(network); err == nil {
			if err := mayConnect(made, found, config); err != nil {
				return err
			}
			network = found.name
		}
		made.endpoints[network] = &endpoint{network: network, config: config, aliases: config.Aliases}
	}
	return nil
}

// settleMounts works out Mounts from binds, long mounts and the image's
// volumes, and makes the volumes that are missing.
func (e *Engine) settleMounts(made *container) error {
	made.mounts = []mountBody{}
	for _, bind := range made.host.Binds {
		source, rest, ok := strings.Cut(bind, ":")
		target, mode, _ := strings.Cut(rest, ":")
		if !ok || !path.IsAbs(target) {
			return refuse(http.StatusBadRequest, "bind %q has no absolute target", bind)
		}
		mount := mountBody{Type: "bind", Source: source, Destination: target, Mode: mode, RW: !hasOption(mode, "ro"), Propagation: "rprivate"}
		if !path.IsAbs(source) {
			e.volumeMount(made, &mount, source)
		}
		made.mounts = append(made.mounts, mount)
	}
	for _, long := range made.host.Mounts {
		mount := mountBody{Type: long.Type, Source: long.Source, Destination: long.Target, RW: !long.ReadOnly}
		switch long.Type {
		case "volume":
			e.volumeMount(made, &mount, long.Source)
		case "bind":
			mount.Propagation = "rprivate"
		}
		made.mounts = append(made.mounts, mount)
	}
	for target := range made.config.Volumes {
		mount := mountBody{Destination: target, RW: true}
		e.volumeMount(made, &mount, "")
		made.mounts = append(made.mounts, mount)
	}
	return nil
}

// volumeMount points a mount at a volume, making one when the name is empty.
func (e *Engine) volumeMount(made *container, mount *mountBody, name string) {
	if name == "" {
		name = e.newID()
		made.anonymous = append(made.anonymous, name)
	}
	v := e.volumes[name]
	if v != nil {
		e.emitVolume(name, "create") // the engine says so again
	} else {
		v = e.ensureVolume(name, nil)
	}
	mount.Type, mount.Name, mount.Source, mount.Driver = "volume", name, v.mountpoint(), "local"
	mount.Propagation = ""
	if mount.Mode == "" {
		mount.Mode = "z"
	}
}

func hasOption(mode, option string) bool {
	for _, have := range strings.Split(mode, ",") {
		if have == option {
			return true
		}
	}
	return false
}
