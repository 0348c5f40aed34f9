package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hermes-sandbox/config/state"
	"hermes-sandbox/model"
)

// Export writes everything known of a sandbox into the folder exports of the
// state folder, under a name that is not taken, and returns where that is.
func (b *backend) Export(ctx context.Context, fleet *model.Fleet, key model.Key) (path string, missing []string, err error) {
	w := b.workspace
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if s.Key() != key {
			continue
		}
		if path, err = w.exportPath(s.ID); err != nil {
			return "", nil, err
		}
		bundle, err := w.pack(ctx, fleet, []*model.Sandbox{s}, path, false)
		if err != nil {
			return "", nil, err
		}
		return path, bundle.problems, nil
	}
	return "", nil, errors.New("the sandbox is gone")
}

// exportPath returns a path for a new archive, with its folder made.
func (w *workspace) exportPath(id model.ID) (string, error) {
	if _, err := state.Open(w.stateDir); err != nil {
		return "", fmt.Errorf("find a place for the export: %w", err)
	}
	folder := filepath.Join(w.stateDir, "exports")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("find a place for the export: %s", model.NewText(err.Error()))
	}
	return filepath.Join(folder, id.Short()+w.app.now().UTC().Format("-20060102T150405.000Z")+".tar"), nil
}
