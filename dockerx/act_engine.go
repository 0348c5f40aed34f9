package dockerx

import (
	"context"
	"time"

	"github.com/moby/moby/client"

	"hermes-sandbox/model"
)

// engineCalls are the engine calls an action makes; the moby client has them.
type engineCalls interface {
	Ping(context.Context, client.PingOptions) (client.PingResult, error)
	ContainerRemove(context.Context, string, client.ContainerRemoveOptions) (client.ContainerRemoveResult, error)
	ContainerStart(context.Context, string, client.ContainerStartOptions) (client.ContainerStartResult, error)
	ContainerStop(context.Context, string, client.ContainerStopOptions) (client.ContainerStopResult, error)
	ContainerPause(context.Context, string, client.ContainerPauseOptions) (client.ContainerPauseResult, error)
	ContainerUnpause(context.Context, string, client.ContainerUnpauseOptions) (client.ContainerUnpauseResult, error)
	ExecInspect(context.Context, string, client.ExecInspectOptions) (client.ExecInspectResult, error)
	NetworkList(context.Context, client.NetworkListOptions) (client.NetworkListResult, error)
	NetworkInspect(context.Context, string, client.NetworkInspectOptions) (client.NetworkInspectResult, error)
	NetworkConnect(context.Context, string, client.NetworkConnectOptions) (client.NetworkConnectResult, error)
	NetworkDisconnect(context.Context, string, client.NetworkDisconnectOptions) (client.NetworkDisconnectResult, error)
}

// containerInspector decodes one container the way a snapshot does.
type containerInspector interface {
	InspectContainer(ctx context.Context, id model.ID) (model.Container, error)
}

// actingEngine is one engine as an action sees it.
type actingEngine struct {
	host      string // address, for records
	inspector containerInspector
	// calls is asked at each use, since a client can change with a new
	// connection.
	calls func() engineCalls
	// kernel reads the host kernel's view of a running container's network
	// namespace; it returns nil where the engine is not on this machine.
	kernel func(model.Container) *model.KernelView
	// pruner looks at networks and who is on them, and removes them; nil where
	// nothing is pruned or moved.
	pruner networkPruner
	// client makes the requests of a rebuild; nil where nothing is rebuilt.
	client *Client
}

func newActingEngine(c *Client) actingEngine {
	return actingEngine{host: c.Endpoint().Host, inspector: c, calls: func() engineCalls { return c.API() }, kernel: c.kernelView, pruner: c, client: c}
}

// kernelView reads a container's network namespace now; nil when the engine
// does not run on this kernel, or the container has no process.
func (c *Client) kernelView(container model.Container) *model.KernelView {
	c.mu.Lock()
	local := c.sharesKernel()
	c.mu.Unlock()
	if !local || container.Pid <= 0 {
		return nil
	}
	return readKernel("/proc", container.Pid, container.ID, time.Now())
}
