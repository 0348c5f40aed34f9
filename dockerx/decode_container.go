package dockerx

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// decodeList reads the body of a container list. Each row of it is a container,
// one that cannot be read a container with a Problem.
func decodeList(data []byte) ([]model.Container, error) {
	rows, err := decodeRows(data)
	if err != nil {
		return nil, err
	}
	containers := make([]model.Container, 0, len(rows))
	var in reading
	for _, row := range rows {
		told, _ := in.listRow(row)
		containers = append(containers, told)
	}
	return containers, nil
}

// listRow reads a row of a list, which is valid JSON. It returns the row itself,
// too.
func (r *reading) listRow(data []byte) (model.Container, object) {
	row, err := r.row(data)
	if err != nil {
		return model.Container{Problem: "the row is " + kindOf(data) + ", not a container"}, row
	}
	c := model.Container{
		ID:      model.ID(row.str("Id")),
		Name:    mainName(row.texts("Names")),
		Image:   row.text("Image"),
		ImageID: row.str("ImageID"),
		State:   model.State(strings.ToLower(row.str("State"))),
		Status:  row.text("Status"),
		Labels:  model.Labels(row.textMap("Labels")),
		Mounts:  decodeMounts(row.children("Mounts")),
	}
	c.Command = row.texts("Command")
	if seconds := row.integer("Created"); seconds > 0 && seconds < 1<<40 {
		c.CreatedAt = model.Stamp{Time: time.Unix(seconds, 0).UTC()}
	}
	c.Networks = decodeNetworkSettings(row.child("NetworkSettings"))
	c.Networks.Mode = row.child("HostConfig").text("NetworkMode")
	c.Problem = rowProblem(row, c.ID)
	return c, row
}

// rowProblem says what is wrong with a row, the ID first.
func rowProblem(row object, id model.ID) string {
	if !id.Valid() {
		return joinProblems(fmt.Sprintf("\"%s\" is no container ID, so nothing can be done with it", id.Short()), row.problem())
	}
	return row.problem()
}

func joinProblems(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// mainName picks the container's own name: the others, with a second slash,
// are names that legacy links gave it. Podman leaves the first slash out.
func mainName(names []model.Text) model.Text {
	var first model.Text
	for i, name := range names {
		plain := strings.TrimPrefix(name.Raw(), "/")
		if !strings.Contains(plain, "/") {
			return model.NewText(plain)
		}
		if i == 0 {
			first = model.NewText(plain)
		}
	}
	return first
}

// decodeInspect reads the body of a container inspect.
func decodeInspect(data []byte) (model.Container, error) {
	row, err := newObject(data)
	if err != nil {
		return model.Container{}, err
	}
	config, state, host := row.child("Config"), row.child("State"), row.child("HostConfig")
	c := model.Container{
		ID:        model.ID(row.str("Id")),
		Name:      mainName([]model.Text{row.text("Name")}),
		Image:     config.text("Image"),
		ImageID:   row.str("Image"),
		Labels:    model.Labels(config.textMap("Labels")),
		CreatedAt: row.stamp("Created"),
		Inspected: true,
		Env:       config.texts("Env"),
		User:      config.text("User"), WorkingDir: config.text("WorkingDir"), Hostname: config.text("Hostname"),
	}
	if path := row.str("Path"); path != "" {
		c.Command = append([]model.Text{model.NewText(path)}, row.texts("Args")...)
	} else {
		c.Command = append(config.texts("Entrypoint"), config.texts("Cmd")...)
	}
	for _, id := range row.texts("ExecIDs") {
		c.ExecIDs = append(c.ExecIDs, id.Raw())
	}
	decodeState(&c, state)
	c.Host = decodeHostConfig(host)
	c.Networks = decodeNetworkSettings(row.child("NetworkSettings"))
	c.Networks.Mode = c.Host.NetworkMode
	c.Mounts = withDeclaredMounts(decodeMounts(row.children("Mounts")), host)
	c.Problem = rowProblem(row, c.ID)
	return c, nil
}

func decodeState(c *model.Container, state object) {
	c.State = model.State(strings.ToLower(state.str("Status")))
	c.StartedAt, c.FinishedAt = state.stamp("StartedAt"), state.stamp("FinishedAt")
	c.ExitCode = int(state.integer("ExitCode"))
	c.OOMKilled = state.boolean("OOMKilled")
	c.StateError = state.text("Error")
	c.Pid = int(state.integer("Pid"))
	health := state.child("Health")
	if !state.has("Health") && state.has("Healthcheck") { // Podman
		health = state.child("Healthcheck")
	}
	c.Health = health.text("Status")
}

func decodeHostConfig(host object) model.HostConfig {
	out := model.HostConfig{
		NetworkMode: host.text("NetworkMode"), PidMode: host.text("PidMode"), IpcMode: host.text("IpcMode"),
		UTSMode: host.text("UTSMode"), UsernsMode: host.text("UsernsMode"), CgroupnsMode: host.text("CgroupnsMode"),
		Privileged: host.boolean("Privileged"), PublishAllPorts: host.boolean("PublishAllPorts"),
		AutoRemove: host.boolean("AutoRemove"), ReadonlyRootfs: host.boolean("ReadonlyRootfs"), Init: host.boolean("Init"),
		CapAdd: host.texts("CapAdd"), CapDrop: host.texts("CapDrop"), SecurityOpt: host.texts("SecurityOpt"),
		Tmpfs: host.textMap("Tmpfs"), DeviceCgroupRules: host.texts("DeviceCgroupRules"), VolumesFrom: host.texts("VolumesFrom"),
		ExtraHosts: host.texts("ExtraHosts"), DNS: host.texts("Dns"), Links: host.texts("Links"),
		PidsLimit: host.integer("PidsLimit"), Memory: host.integer("Memory"), NanoCPUs: host.integer("NanoCpus"), ShmSize: host.integer("ShmSize"),
		StorageOpt: host.textMap("StorageOpt"),
		Runtime:    host.text("Runtime"), RestartPolicy: host.child("RestartPolicy").text("Name"),
		DeviceRequests: len(host.children("DeviceRequests")),
		Published:      decodePorts(host.child("PortBindings")),
	}
	for _, device := range host.children("Devices") {
		out.Devices = append(out.Devices, device.text("PathOnHost"))
	}
	return out
}

// decodePorts reads port bindings: container port to host addresses.
func decodePorts(bindings object) []model.Port {
	var ports []model.Port
	for _, member := range bindings.members() {
		key := string(member.name)
		for _, binding := range bindings.childrenOf(key, member.raw) {
			ports = append(ports, model.Port{Container: model.NewText(key), HostIP: binding.text("HostIp"), HostPort: binding.text("HostPort")})
		}
	}
	return ports
}

// decodeNetworkSettings reads the networks a container is attached to. The
// flat address fields of older engines are not looked at: they repeat one
// endpoint and are gone since API 1.52.
func decodeNetworkSettings(settings object) model.NetworkSettings {
	networks := settings.child("Networks")
	out := model.NetworkSettings{Known: networks.fields != nil}
	for _, member := range networks.members() {
		name := string(member.name) // a null endpoint still is an attachment
		out.Endpoints = append(out.Endpoints, decodeEndpoint(model.NewText(name), networks.childOf(name, member.raw)))
	}
	return out
}

func decodeEndpoint(name model.Text, endpoint object) model.Endpoint {
	ipam := endpoint.child("IPAMConfig")
	return model.Endpoint{
		Network: name, NetworkID: endpoint.str("NetworkID"), EndpointID: endpoint.str("EndpointID"),
		IPv4: endpoint.text("IPAddress"), IPv6: endpoint.text("GlobalIPv6Address"), Gateway: endpoint.text("Gateway"),
		Aliases: endpoint.texts("Aliases"), MAC: endpoint.text("MacAddress"),
		StaticIPv4: ipam.text("IPv4Address"), StaticIPv6: ipam.text("IPv6Address"),
		DriverOpts: endpoint.textMap("DriverOpts"),
	}
}

func decodeMounts(rows []object) []model.Mount {
	var mounts []model.Mount
	for _, row := range rows {
		mount := model.Mount{
			Type: row.text("Type"), Name: row.text("Name"), Source: row.text("Source"),
			Destination: row.text("Destination"), RW: row.boolean("RW"),
		}
		mount.Anonymous = mount.Type.Raw() == "volume" && model.ID(mount.Name.Raw()).Valid()
		mounts = append(mounts, mount)
	}
	return mounts
}

// withDeclaredMounts adds what the host configuration declares but the mount
// list leaves out, so that a bind of an engine's socket cannot hide there.
func withDeclaredMounts(mounts []model.Mount, host object) []model.Mount {
	add := func(mount model.Mount) {
		known := slices.ContainsFunc(mounts, func(m model.Mount) bool { return m.Destination == mount.Destination })
		if !known && !mount.Destination.Empty() {
			mounts = append(mounts, mount)
		}
	}
	for _, bind := range host.texts("Binds") {
		add(declaredBind(bind.Raw()))
	}
	for _, row := range host.children("Mounts") {
		add(model.Mount{
			Type: row.text("Type"), Source: row.text("Source"), Destination: row.text("Target"), RW: !row.boolean("ReadOnly"),
		})
	}
	return mounts
}

// declaredBind reads "source:destination[:options]". A source without a slash
// is a volume's name.
func declaredBind(bind string) model.Mount {
	parts := strings.Split(bind, ":")
	if len(parts) < 2 {
		return model.Mount{}
	}
	mount := model.Mount{Type: model.NewText("bind"), Source: model.NewText(parts[0]), Destination: model.NewText(parts[1]), RW: true}
	if !strings.HasPrefix(parts[0], "/") {
		mount.Type, mount.Name, mount.Source = model.NewText("volume"), model.NewText(parts[0]), model.Text{}
	}
	if len(parts) > 2 {
		mount.RW = !slices.Contains(strings.Split(parts[2], ","), "ro")
	}
	return mount
}

// decodeImageLabels reads the labels of an image inspect.
func decodeImageLabels(data []byte) (model.Labels, error) {
	row, err := newObject(data)
	if err != nil {
		return nil, err
	}
	labels := model.Labels(row.child("Config").textMap("Labels"))
	if problem := row.problem(); problem != "" {
		return nil, fmt.Errorf("the image's labels cannot be read: %s", problem)
	}
	if labels == nil {
		labels = model.Labels{}
	}
	return labels, nil
}
