package edit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hermes-sandbox/config/safefile"
)

// hermesPatience bounds the wait for a Hermes process that is writing its
// configuration.
const hermesPatience = 10 * time.Second

const (
	newFileMode = 0o600
	backupMode  = 0o600
)

// Apply writes the edit. The previous contents go to backupDir first. The new
// ones are written beside the file, synced and renamed over it, with its mode
// and owner. A file that is not what the edit was made for is left alone
// ([ErrChanged]). The caller holds the lock that our instances share; other
// programs are noticed by comparing contents right before the rename.
func (e Edit) Apply(ctx context.Context, backupDir string) error {
	if err := e.apply(ctx, backupDir); err != nil {
		return fmt.Errorf("write configuration: %w", safefile.Display(err))
	}
	return nil
}

func (e Edit) apply(ctx context.Context, backupDir string) error {
	unlock, err := e.lockOutHermes(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := e.unchanged(); err != nil {
		return err
	}
	if !e.Changed() {
		return nil
	}
	if e.info != nil {
		if err := safefile.Replace(filepath.Join(backupDir, e.BackupName()), e.Before, backupMode); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
	}
	temporary, err := e.stage()
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary) }()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	if err := e.unchanged(); err != nil {
		return err
	}
	if e.info == nil {
		// A link fails where a rename would overwrite a file made meanwhile.
		if err := os.Link(temporary, e.target); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s: %w", e.Path, ErrChanged)
			}
			return fmt.Errorf("create: %w", err)
		}
		return syncParent(e.target)
	}
	if err := os.Rename(temporary, e.target); err != nil {
		return fmt.Errorf("replace: %w", err)
	}
	return syncParent(e.target)
}

// lockOutHermes takes the lock that newer Hermes versions hold on
// config.yaml.lock while they read, change and write the file: without it, such
// a writer could put back what it had read before. Where there is no such file
// no lock is taken, and none is made.
func (e Edit) lockOutHermes(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, hermesPatience)
	defer cancel()
	unlock, err = safefile.Lock(ctx, e.target+".lock", false)
	switch {
	case err == nil:
		return unlock, nil
	case errors.Is(err, safefile.ErrLocked):
		return nil, fmt.Errorf("nothing was written: %w", err)
	}
	return func() {}, nil // a lock that cannot be opened is no lock
}

func syncParent(path string) error {
	if err := safefile.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("the file is written, but may not survive a power cut: %w", err)
	}
	return nil
}

// BackupName is the name, in the backup folder, under which Apply keeps the
// previous contents: the same file and contents have the same name.
func (e Edit) BackupName() string {
	file, contents := sha256.Sum256([]byte(e.target)), sha256.Sum256(e.Before)
	return filepath.Base(e.target) + "." + hex.EncodeToString(file[:6]) + "." + hex.EncodeToString(contents[:6])
}

// unchanged checks that the file is still what it was when it was read, and
// that the path still leads to it.
func (e Edit) unchanged() error {
	changed := fmt.Errorf("%s: %w", e.Path, ErrChanged)
	target, err := filepath.EvalSymlinks(e.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if e.info != nil {
			return changed
		}
		return nil
	case err != nil:
		return fmt.Errorf("look again: %w", err)
	case e.info == nil, target != e.target:
		return changed
	}
	data, err := safefile.Read(target, maxFile)
	if err != nil {
		return fmt.Errorf("look again: %w", err)
	}
	if !bytes.Equal(data, e.Before) {
		return changed
	}
	info, err := os.Stat(target)
	if err != nil {
		return fmt.Errorf("look again: %w", err)
	}
	if safefile.Names(target, info) > 1 {
		return fmt.Errorf("%s has several names (hard links), and writing it would part them: %w", e.Path, ErrShape)
	}
	return nil
}

// stage writes the new contents beside the file, with its mode and owner.
func (e Edit) stage() (string, error) {
	mode := fs.FileMode(newFileMode)
	if e.info != nil {
		mode = e.info.Mode().Perm()
	}
	temporary, err := safefile.WriteBeside(e.target, e.After, mode)
	if err != nil {
		return "", fmt.Errorf("stage: %w", err)
	}
	if err := e.keepOwner(temporary); err != nil {
		_ = os.Remove(temporary)
		return "", err
	}
	return temporary, nil
}

// keepOwner gives the new file the owner and group of the old one. Where that
// is not allowed, nothing is written: Hermes might no longer read its file.
func (e Edit) keepOwner(temporary string) error {
	if e.info == nil {
		return nil
	}
	changed, err := safefile.KeepOwner(temporary, e.info)
	if err != nil {
		return fmt.Errorf("keep the owner: %w; run this as the user that owns the file", err)
	}
	if !changed {
		return nil
	}
	// Changing the owner can take set-id bits away, never others; the mode is
	// set again all the same.
	if err := os.Chmod(temporary, e.info.Mode().Perm()); err != nil {
		return fmt.Errorf("keep the mode: %w", err)
	}
	return nil
}
