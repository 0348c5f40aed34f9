package dockerx

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"hermes-sandbox/model"
)

// HostPaths says which paths of the engine's host exist. A path that may not be
// looked at is not in the answer. Only an engine on this machine's kernel has a
// file system that can be looked at; local is false for any other.
func (c *Client) HostPaths(ctx context.Context, paths []model.Text) (exists map[model.Text]bool, local bool) {
	c.askFacts(ctx)
	c.mu.Lock()
	local = c.sharesKernel()
	c.mu.Unlock()
	if !local {
		return nil, false
	}
	exists = make(map[model.Text]bool, len(paths))
	for _, path := range paths {
		switch _, err := os.Lstat(path.Raw()); {
		case err == nil:
			exists[path] = true
		case errors.Is(err, fs.ErrNotExist):
			exists[path] = false
		}
	}
	return exists, true
}
