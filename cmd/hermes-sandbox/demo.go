package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"hermes-sandbox/config"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/simengine"
)

// openDemo starts the simulated engine with its made-up fleet. Homes and state
// are temporary folders: nothing of the user's is read or written.
func (w *workspace) openDemo() ([]dockerx.Endpoint, error) {
	folder, err := os.MkdirTemp("", "hermes-sandbox-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the demo: %w", err)
	}
	w.close = append(w.close, func() { _ = os.RemoveAll(folder) })
	engine := simengine.New(simengine.Options{Clock: w.app.now})
	if err := engine.Start(); err != nil {
		return nil, fmt.Errorf("start the simulated engine: %w", err)
	}
	w.close = append(w.close, func() { _ = engine.Close() })
	w.demo = engine
	root, err := simengine.Demo(engine, folder)
	if err != nil {
		return nil, fmt.Errorf("make the demo fleet: %w", err)
	}
	if err := writeDemoSessions(root, w.app.now()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := w.app.spawn(func() { engine.Animate(ctx) })
	w.close = append(w.close, func() { cancel(); ended() })
	// Nothing runs on the engine, so the proxy is made of an image that it has
	// and not of this program, which may be linked dynamically here.
	w.settings.Egress.Binary, w.settings.Egress.Image = "", simengine.DemoProxyImage
	w.stateDir = filepath.Join(folder, "state")
	w.homes = config.HomesInput{
		Homes: []string{root}, UserHome: folder,
		Environ: []string{"HERMES_MANAGED_DIR=" + filepath.Join(folder, "managed")}, // none: this machine's own does not count
	}
	return []dockerx.Endpoint{{Name: "demo", Host: engine.Host(), Chosen: "--demo"}}, nil
}
