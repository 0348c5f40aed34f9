package dockerx

import (
	"context"
	"regexp"

	"github.com/containerd/errdefs"
)

// containerReference is what the engine takes as a container's name or ID.
var containerReference = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

// HasContainer reports whether the engine has a container with a name or ID, of
// whatever kind. It serves to tell a reference to a container that is no
// sandbox from one to nothing; nothing may be done with the answer but say so.
func (c *Client) HasContainer(ctx context.Context, reference string) (bool, error) {
	if !containerReference.MatchString(reference) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	_, _, err := c.get(ctx, "look up container", "/containers/"+reference+"/json", nil, inspectLimit)
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
