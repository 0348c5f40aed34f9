package simengine_test

import (
	"context"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
)

// started returns a running engine whose clock stands still, and a client.
func started(t *testing.T, options simengine.Options) (*simengine.Engine, *client.Client) {
	t.Helper()
	if options.Clock == nil {
		at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
		options.Clock = func() time.Time { return at }
	}
	engine := simengine.New(options)
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	api, err := client.New(client.WithHost(engine.Host()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = api.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine, api
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	t.Cleanup(cancel)
	return ctx
}

func TestClientReadsTheDemonstrationFleet(t *testing.T) {
	engine, api := started(t, simengine.Options{})
	if _, err := simengine.Demo(engine, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	ctx := bounded(t)
	ping, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true})
	if err != nil {
		t.Fatal(err)
	}
	if ping.APIVersion != "1.41" || ping.OSType != "linux" {
		t.Errorf("ping = %+v", ping)
	}
	list, err := api.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", "hermes-agent=1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) < 20 {
		t.Errorf("%d sandboxes", len(list.Items))
	}
	for _, row := range list.Items {
		seen, err := api.ContainerInspect(ctx, row.ID, client.ContainerInspectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if string(seen.Container.State.Status) != string(row.State) {
			t.Errorf("%s is %s in the list and %s inspected", row.Names, row.State, seen.Container.State.Status)
		}
	}
	networks, err := api.NetworkList(ctx, client.NetworkListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range networks.Items {
		if _, err := api.NetworkInspect(ctx, n.ID, client.NetworkInspectOptions{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := api.ServerVersion(ctx, client.ServerVersionOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := api.Info(ctx, client.InfoOptions{}); err != nil {
		t.Error(err)
	}
}
