package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// client returns the client of an engine by its name.
func (w *workspace) client(engine string) (*dockerx.Client, error) {
	for _, client := range w.clients {
		if client.Name() == engine {
			return client, nil
		}
	}
	return nil, fmt.Errorf("engine %s is not connected", model.NewText(engine))
}

// Activity waits for news of the commands in a sandbox.
func (b *backend) Activity(ctx context.Context, key model.Key, seen uint64) (model.Activity, error) {
	return b.book.Wait(ctx, key, seen)
}

// samplesAtOnce is how many sandboxes of all engines are asked for their usage
// side by side.
const samplesAtOnce = 4

// Samples reads what sandboxes have used so far. Those that cannot be read are
// left out, as they can be gone by now.
func (b *backend) Samples(ctx context.Context, keys []model.Key) map[model.Key]model.Sample {
	var mu sync.Mutex
	found := make(map[model.Key]model.Sample, len(keys))
	pids := b.pids(keys)
	var group rescue.Group
	group.SetLimit(samplesAtOnce)
	for _, key := range keys {
		client, err := b.workspace.client(key.Engine)
		if err != nil {
			continue
		}
		group.Go(func() {
			if sample, err := client.Sample(ctx, key.ID); err == nil {
				sample.Connections = client.CountConnections(ctx, key.ID, pids[key])
				mu.Lock()
				defer mu.Unlock()
				found[key] = sample
			}
		})
	}
	group.Wait()
	return found
}

// pids are the processes of sandboxes as the last look at their engines had
// them.
func (l *live) pids(keys []model.Key) map[model.Key]int {
	wanted := make(map[model.Key]int, len(keys))
	for _, key := range keys {
		wanted[key] = 0
	}
	snapshots, _ := l.current()
	for i := range snapshots {
		for _, c := range snapshots[i].Containers {
			key := model.Key{Engine: snapshots[i].Engine.Name, ID: c.ID}
			if _, ok := wanted[key]; ok {
				wanted[key] = c.Pid
			}
		}
	}
	return wanted
}

// Processes lists what runs in a sandbox.
func (b *backend) Processes(ctx context.Context, key model.Key) (model.ProcessTable, error) {
	client, err := b.workspace.client(key.Engine)
	if err != nil {
		return model.ProcessTable{}, err
	}
	return client.Processes(ctx, key.ID)
}

// Connections lists the sockets in a sandbox's network.
func (b *backend) Connections(ctx context.Context, key model.Key) (model.ConnectionView, error) {
	client, err := b.workspace.client(key.Engine)
	if err != nil {
		return model.ConnectionView{}, err
	}
	return client.Connections(ctx, key.ID)
}

// Inspect returns what the engine says of a sandbox.
func (b *backend) Inspect(ctx context.Context, key model.Key) (json.RawMessage, error) {
	client, err := b.workspace.client(key.Engine)
	if err != nil {
		return nil, err
	}
	return client.RawInspect(ctx, key.ID)
}

// HostPaths says which files that a sandbox has of its host are there.
func (b *backend) HostPaths(ctx context.Context, key model.Key, paths []model.Text) (exists map[model.Text]bool, local bool) {
	client, err := b.workspace.client(key.Engine)
	if err != nil {
		return nil, false
	}
	return client.HostPaths(ctx, paths)
}

// Logs follows the log of a sandbox for the dashboard.
func (b *backend) Logs(ctx context.Context, key model.Key, tail int, each func(model.LogLine) error) error {
	client, err := b.workspace.client(key.Engine)
	if err != nil {
		return err
	}
	return client.Logs(ctx, key.ID, dockerx.LogOptions{Follow: true, Tail: tail}, each)
}
