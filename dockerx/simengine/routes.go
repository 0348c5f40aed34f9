package simengine

import (
	"context"
	"net/http"
)

// Operation is a class of requests, for faults and for the record.
type Operation string

// Operations. Any stands for all of them in [Faults.Set].
const (
	Any            Operation = "any"
	Ping           Operation = "ping"
	Version        Operation = "version"
	Info           Operation = "info"
	Events         Operation = "events"
	List           Operation = "list"
	Inspect        Operation = "inspect"
	Create         Operation = "create"
	Start          Operation = "start"
	Stop           Operation = "stop"
	Restart        Operation = "restart"
	Kill           Operation = "kill"
	Pause          Operation = "pause"
	Unpause        Operation = "unpause"
	Rename         Operation = "rename"
	Remove         Operation = "remove"
	Wait           Operation = "wait"
	Logs           Operation = "logs"
	Stats          Operation = "stats"
	Top            Operation = "top"
	Changes        Operation = "changes"
	Commit         Operation = "commit"
	ExecCreate     Operation = "exec-create"
	ExecStart      Operation = "exec-start"
	ExecInspect    Operation = "exec-inspect"
	ExecResize     Operation = "exec-resize"
	NetworkList    Operation = "network-list"
	NetworkInspect Operation = "network-inspect"
	NetworkCreate  Operation = "network-create"
	NetworkRemove  Operation = "network-remove"
	Connect        Operation = "connect"
	Disconnect     Operation = "disconnect"
	ImageList      Operation = "image-list"
	ImageInspect   Operation = "image-inspect"
	ImageCreate    Operation = "image-create"
	ImageTag       Operation = "image-tag"
	ImageRemove    Operation = "image-remove"
	VolumeList     Operation = "volume-list"
	VolumeInspect  Operation = "volume-inspect"
	VolumeCreate   Operation = "volume-create"
	VolumeRemove   Operation = "volume-remove"
	// Other is a request the engine does not know.
	Other Operation = "other"
)

func (e *Engine) routes() {
	e.stream("GET /_ping", Ping, e.ping)
	e.state("GET /version", Version, e.versionInfo)
	e.state("GET /info", Info, e.info)
	e.stream("GET /events", Events, e.streamEvents)

	e.state("GET /containers/json", List, e.listContainers)
	e.state("GET /containers/{id}/json", Inspect, e.inspectContainer)
	e.state("POST /containers/create", Create, e.createContainer)
	e.state("POST /containers/{id}/start", Start, e.startContainer)
	e.state("POST /containers/{id}/stop", Stop, e.stopContainer)
	e.state("POST /containers/{id}/restart", Restart, e.restartContainer)
	e.state("POST /containers/{id}/kill", Kill, e.killContainer)
	e.state("POST /containers/{id}/pause", Pause, e.pauseContainer)
	e.state("POST /containers/{id}/unpause", Unpause, e.unpauseContainer)
	e.state("POST /containers/{id}/rename", Rename, e.renameContainer)
	e.state("DELETE /containers/{id}", Remove, e.removeContainer)
	e.stream("POST /containers/{id}/wait", Wait, e.waitContainer)
	e.stream("GET /containers/{id}/logs", Logs, e.containerLogs)
	e.stream("GET /containers/{id}/stats", Stats, e.containerStats)
	e.state("GET /containers/{id}/top", Top, e.topContainer)
	e.state("GET /containers/{id}/changes", Changes, e.containerChanges)
	e.state("POST /commit", Commit, e.commitContainer)

	e.state("POST /containers/{id}/exec", ExecCreate, e.createExec)
	e.stream("POST /exec/{id}/start", ExecStart, e.startExec)
	e.state("GET /exec/{id}/json", ExecInspect, e.inspectExec)
	e.state("POST /exec/{id}/resize", ExecResize, e.resizeExec)

	e.state("GET /networks", NetworkList, e.listNetworks)
	e.state("GET /networks/{id}", NetworkInspect, e.inspectNetwork)
	e.state("POST /networks/create", NetworkCreate, e.createNetwork)
	e.state("DELETE /networks/{id}", NetworkRemove, e.removeNetwork)
	e.state("POST /networks/{id}/connect", Connect, e.connectNetwork)
	e.state("POST /networks/{id}/disconnect", Disconnect, e.disconnectNetwork)

	e.state("GET /images/json", ImageList, e.listImages)
	e.state("GET /images/{name...}", ImageInspect, e.inspectImage)
	e.state("POST /images/create", ImageCreate, e.createImage)
	e.state("POST /images/{name...}", ImageTag, e.tagImage)
	e.state("DELETE /images/{name...}", ImageRemove, e.removeImage)

	e.state("GET /volumes", VolumeList, e.listVolumes)
	e.state("GET /volumes/{name}", VolumeInspect, e.inspectVolume)
	e.state("POST /volumes/create", VolumeCreate, e.createVolume)
	e.state("DELETE /volumes/{name}", VolumeRemove, e.removeVolume)

	e.state("/", Other, func(*call) (int, any, error) { return 0, nil, errNoSuchPage() })
}

func errNoSuchPage() error { return refuse(http.StatusNotFound, "no such page") }

type versionKey struct{}

func withVersion(ctx context.Context, version apiVersion) context.Context {
	return context.WithValue(ctx, versionKey{}, version)
}

func versionOf(ctx context.Context) apiVersion {
	version, _ := ctx.Value(versionKey{}).(apiVersion)
	return version
}
