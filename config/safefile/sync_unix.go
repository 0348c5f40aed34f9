//go:build unix

package safefile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// SyncDir makes the folder's entries durable, so that a rename survives a
// power cut.
func SyncDir(path string) error {
	dir, err := os.Open(path) //nolint:gosec // the path is the caller's choice
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer func() { _ = dir.Close() }()
	// Some file systems cannot sync a folder; the rename itself has happened.
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
