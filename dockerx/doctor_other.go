//go:build !unix

package dockerx

import "hermes-sandbox/model"

// socketAccess says nothing where sockets have no owner and mode.
func (c *Client) socketAccess() *model.SocketAccess { return nil }
