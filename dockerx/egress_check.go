package dockerx

import (
	"context"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/egress"
)

// CheckEgress says early whether [Client.EnsureEgress] can work: the list is one
// that the proxy takes, and its program or image is one that the engine can run.
// It changes nothing. The error is an [ErrEgressProgram], joins the entries that
// are mistakes, or says why the engine could not be asked.
func (c *Client) CheckEgress(ctx context.Context, spec EgressSpec) error {
	if _, err := egress.ParseAllowlist(spec.Allow, spec.Ports); err != nil {
		return err
	}
	if _, err := c.negotiate(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	if spec.Image != "" {
		_, err := c.API().ImageInspect(ctx, spec.Image)
		switch {
		case errdefs.IsNotFound(err):
			return fmt.Errorf("%w: image %q of the setting egress.image is not on the engine; docker pull it, or leave the setting out", ErrEgressProgram, spec.Image)
		case err != nil:
			return fmt.Errorf("inspect the egress proxy's image: %w", err)
		}
		return nil
	}
	info, err := c.API().Info(ctx, client.InfoOptions{})
	if err != nil {
		return fmt.Errorf("ask for the engine's architecture: %w", err)
	}
	if system := info.Info.OSType; system != "" && system != "linux" {
		return fmt.Errorf("%w: the engine runs containers of %s, not of Linux", ErrEgressProgram, safe(system))
	}
	if err := egress.StaticBinary(spec.Binary, info.Info.Architecture); err != nil {
		return fmt.Errorf("%w: %w", ErrEgressProgram, err)
	}
	return nil
}
