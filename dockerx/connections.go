package dockerx

import (
	"context"
	"strings"

	"hermes-sandbox/model"
)

// Connections reads the sockets of a running container from the kernel. An
// engine on another machine has another kernel, which is said in the view.
func (c *Client) Connections(ctx context.Context, id model.ID) (model.ConnectionView, error) {
	container, err := c.InspectContainer(ctx, id)
	if err != nil {
		return model.ConnectionView{}, err
	}
	now := c.now()
	if container.Pid <= 0 {
		return model.ConnectionView{ReadAt: now, Problem: "the sandbox does not run"}, nil
	}
	c.askFacts(ctx)
	c.mu.Lock()
	local := c.sharesKernel()
	c.mu.Unlock()
	if !local {
		where := "the engine's containers run under another kernel than this program"
		if remoteHost(c.endpoint.Host) {
			where = "the engine runs on another machine"
		}
		return model.ConnectionView{ReadAt: now, Problem: "not available: " + where}, nil
	}
	view := readConnections("/proc", container.Pid, id, now)
	mode := container.Host.NetworkMode.Raw()
	view.Shared = mode == "host" || strings.HasPrefix(mode, "container:")
	return view, nil
}

// CountConnections counts the sockets of a container that reach out of its
// network, by its process as the last look had it; nil when that is not known, as
// of a process that is another's by now. The engine is asked nothing.
func (c *Client) CountConnections(ctx context.Context, id model.ID, pid int) *int {
	c.askFacts(ctx)
	c.mu.Lock()
	local := c.sharesKernel()
	c.mu.Unlock()
	if !local || pid <= 0 {
		return nil
	}
	return countConnections("/proc", pid, id)
}
