package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"hermes-sandbox/config/state"
	"hermes-sandbox/model"
)

// knownCuts returns what sandboxes that were cut off here were attached to.
// Records of containers that an engine no longer has are forgotten on the way.
// Without a state folder there are none, and none is made.
func (w *workspace) knownCuts(snapshots []model.Snapshot) (map[model.ID]model.CutRecord, error) {
	if _, err := os.Stat(w.stateDir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	folder, err := state.Open(w.stateDir)
	if err != nil {
		return nil, err
	}
	cuts := folder.Cuts()
	records, err := cuts.All()
	if len(records) == 0 || w.settings.ReadOnly {
		return records, err
	}
	for i := range snapshots {
		snapshot := &snapshots[i]
		if snapshot.Engine.State != model.Live || snapshot.At.IsZero() {
			continue
		}
		err = errors.Join(err, cuts.Prune(snapshot.Engine.Host, func(id model.ID, record model.CutRecord) bool {
			is := func(c *model.Container) bool { return c.ID == id }
			return record.CutAt.Before(snapshot.At) &&
				!slices.ContainsFunc(snapshot.Containers, is) && !slices.ContainsFunc(snapshot.Others, is)
		}))
	}
	return records, err
}
