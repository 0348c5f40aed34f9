package dockerx

import (
	"context"

	"github.com/moby/moby/client"
)

// API are the calls of the moby client that are made here. Each of them is a
// request through our transport, which refuses changes on a read-only client.
//
// The whole client is never handed out: what it has besides to take connections
// over (attach, exec start, Dialer, DialHijack) opens a connection of its own,
// past our transport and past read-only mode. [Client.Dial] does that here.
type API interface {
	engineCalls

	ClientVersion() string
	Info(context.Context, client.InfoOptions) (client.SystemInfoResult, error)
	ContainerInspect(context.Context, string, client.ContainerInspectOptions) (client.ContainerInspectResult, error)
	ContainerCreate(context.Context, client.ContainerCreateOptions) (client.ContainerCreateResult, error)
	ExecCreate(context.Context, string, client.ExecCreateOptions) (client.ExecCreateResult, error)
	ExecResize(context.Context, string, client.ExecResizeOptions) (client.ExecResizeResult, error)
	ImageInspect(context.Context, string, ...client.ImageInspectOption) (client.ImageInspectResult, error)
	ImageImport(context.Context, client.ImageImportSource, string, client.ImageImportOptions) (client.ImageImportResult, error)
	NetworkCreate(context.Context, string, client.NetworkCreateOptions) (client.NetworkCreateResult, error)
	NetworkInspect(context.Context, string, client.NetworkInspectOptions) (client.NetworkInspectResult, error)
	NetworkRemove(context.Context, string, client.NetworkRemoveOptions) (client.NetworkRemoveResult, error)
}
