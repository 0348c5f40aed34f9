package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

const (
	cutsFolder = "cuts"
	cutSuffix  = ".json"
)

// Cuts keeps what sandboxes were attached to before they were cut off, a file
// for each. Container IDs are random, so they alone name a record, whatever
// the engine is called at the time.
type Cuts struct{ state *State }

// Cuts returns the folder's records of sandboxes that were cut off.
func (s *State) Cuts() *Cuts { return &Cuts{state: s} }

// savedCut is a record as it stands in its file.
type savedCut struct {
	// Host is the address of the engine, to tell later whether the container
	// is gone or only out of sight.
	Host   string          `json:"host"`
	Record model.CutRecord `json:"record"`
}

// Save keeps the record of a container of the engine at an address, in place of
// an earlier one. It is on disk when Save returns.
func (c *Cuts) Save(host string, id model.ID, record model.CutRecord) error {
	name, err := cutName(id)
	if err != nil {
		return err
	}
	if _, err := c.state.Folder(cutsFolder); err != nil {
		return err
	}
	return c.state.Save(name, savedCut{Host: host, Record: record})
}

// Load returns a container's record and whether there is one.
func (c *Cuts) Load(id model.ID) (model.CutRecord, bool, error) {
	name, err := cutName(id)
	if err != nil {
		return model.CutRecord{}, false, err
	}
	saved, known, err := c.read(name)
	return saved.Record, known, err
}

func (c *Cuts) read(name string) (savedCut, bool, error) {
	path, err := c.state.file(name)
	if err != nil {
		return savedCut{}, false, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return savedCut{}, false, nil
	}
	var saved savedCut
	if err := c.state.Load(name, &saved); err != nil {
		return savedCut{}, false, err
	}
	return saved, true, nil
}

// Delete forgets a container's record; without one it does nothing.
func (c *Cuts) Delete(id model.ID) error {
	name, err := cutName(id)
	if err != nil {
		return err
	}
	path, err := c.state.file(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget a cut: %w", safefile.Display(err))
	}
	return nil
}

// All returns every record by container. Records that cannot be read are left
// out and named by the error, which then comes with the others.
func (c *Cuts) All() (map[model.ID]model.CutRecord, error) {
	records := map[model.ID]model.CutRecord{}
	err := c.each(func(id model.ID, saved savedCut) error {
		records[id] = saved.Record
		return nil
	})
	return records, err
}

// Prune forgets the records of containers that the engine at an address no
// longer has. Gone is asked about each record of that engine.
func (c *Cuts) Prune(host string, gone func(model.ID, model.CutRecord) bool) error {
	return c.each(func(id model.ID, saved savedCut) error {
		if saved.Host != host || !gone(id, saved.Record) {
			return nil
		}
		return c.Delete(id)
	})
}

func (c *Cuts) each(visit func(model.ID, savedCut) error) error {
	folder, err := c.state.file(cutsFolder)
	if err != nil {
		return err
	}
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the cuts: %w", safefile.Display(err))
	}
	var failed []error
	for _, file := range files {
		digits, isRecord := strings.CutSuffix(file.Name(), cutSuffix)
		if id := model.ID(digits); isRecord && id.Valid() {
			saved, _, err := c.read(filepath.Join(cutsFolder, file.Name()))
			if err == nil {
				err = visit(id, saved)
			}
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func cutName(id model.ID) (string, error) {
	if !id.Valid() {
		return "", fmt.Errorf("cut record: %s is not an ID an engine gives", id.Short())
	}
	return filepath.Join(cutsFolder, string(id)+cutSuffix), nil
}
