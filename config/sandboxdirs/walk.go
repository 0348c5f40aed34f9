package sandboxdirs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"hermes-sandbox/config/safefile"
)

// maxDepth bounds how deep a walk goes: each level holds two files open.
const maxDepth = 128

// walk adds up the lengths of the files in a folder.
type walk struct {
	ctx   context.Context
	left  int // entries that may still be looked at
	depth int
	size  int64
}

// folder measures one folder of a parent. The parent is held open, so nobody
// can lead the walk elsewhere by swapping a folder for a link meanwhile.
func (w *walk) folder(parent *os.Root, name string) error {
	if w.depth++; w.depth > maxDepth {
		return fmt.Errorf("its folders are more than %d deep", maxDepth)
	}
	defer func() { w.depth-- }()
	info, err := parent.Lstat(name)
	if err != nil {
		return fmt.Errorf("look at folder: %w", err)
	}
	if !info.IsDir() {
		return nil // swapped since it was listed
	}
	here, err := parent.OpenRoot(name)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer func() { _ = here.Close() }()
	listing, err := here.OpenFile(".", os.O_RDONLY|safefile.NonBlock, 0)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer func() { _ = listing.Close() }()
	for {
		entries, err := listing.ReadDir(batch)
		for _, entry := range entries {
			if err := w.entry(here, entry); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list folder: %w", err)
		}
	}
}

// entry measures one file or folder. One that vanished meanwhile is none.
func (w *walk) entry(parent *os.Root, entry os.DirEntry) error {
	if err := w.ctx.Err(); err != nil {
		return fmt.Errorf("measure folder: %w", err)
	}
	if w.left--; w.left < 0 {
		return errTooMany
	}
	if entry.IsDir() {
		err := w.folder(parent, entry.Name())
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	info, err := parent.Lstat(entry.Name())
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return fmt.Errorf("look at file: %w", err)
	case info.Mode().IsRegular():
		w.size += info.Size()
	}
	return nil
}
