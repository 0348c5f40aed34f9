package dockerx

import (
	"strings"
	"time"

	"hermes-sandbox/model"
)

// kernelMaxAge is how old a look at a namespace may be before it is repeated.
const kernelMaxAge = 25 * time.Second

// probeKernel adds the kernel's view of a running container's network
// namespace, when the engine runs on this kernel.
func (c *collector) probeKernel(container *model.Container) {
	if container.Pid <= 0 || !c.client.readsKernel() {
		return
	}
	container.Kernel = readKernel("/proc", container.Pid, container.ID, time.Now())
}

// refreshKernel looks again at namespaces whose last look is old or missing.
// It costs no request.
func (c *collector) refreshKernel(ids []model.ID) {
	if !c.client.readsKernel() {
		return
	}
	for _, id := range ids {
		container, ok := c.containers.get(id)
		if !ok || container.Pid <= 0 || container.Kernel != nil && time.Since(container.Kernel.ReadAt) < kernelMaxAge {
			continue
		}
		looked := *container
		c.probeKernel(&looked)
		c.containers.swap(id, container, &looked)
	}
}

func (c *Client) readsKernel() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sharesKernel()
}

// sharesKernel reports whether the engine runs on the kernel we run on: over a
// unix socket, and with the same kernel release. An engine in a virtual machine
// has a socket here, too. The caller holds the client's lock.
func (c *Client) sharesKernel() bool {
	return strings.HasPrefix(c.endpoint.Host, "unix://") && c.facts.Kernel != "" && c.facts.Kernel == c.kernel
}
