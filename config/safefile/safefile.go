// Package safefile reads and replaces small files that other programs also
// touch. Reading is bounded and never blocks on something that only looks like
// a file; replacing is atomic and on disk when it returns.
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hermes-sandbox/model"
)

// Errors of [Read], besides those of the operating system (fs.ErrNotExist,
// fs.ErrPermission).
var (
	// ErrNotRegular means that the path names a directory, pipe, socket or
	// device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge means that the file is larger than the limit given.
	ErrTooLarge = errors.New("file is too large")
)

// Read returns the contents of a regular file of at most limit bytes. Symbolic
// links are followed. A pipe or device is refused without being opened, so
// that reading cannot hang.
func Read(path string, limit int64) ([]byte, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if err := checkRegular(path, before, limit); err != nil {
		return nil, err
	}
	// The file can be swapped between the two looks: without blocking, a pipe
	// opens at once and is then seen for what it is.
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlock, 0) //nolint:gosec // the path is the caller's choice
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if err := checkRegular(path, info, limit); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if int64(len(data)) > limit {
		return nil, tooLarge(path, limit)
	}
	return data, nil
}

func checkRegular(path string, info os.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: "read directory", Path: path, Err: ErrNotRegular}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "read pipe, socket or device", Path: path, Err: ErrNotRegular}
	case info.Size() > limit:
		return tooLarge(path, limit)
	}
	return nil
}

func tooLarge(path string, limit int64) error {
	return &fs.PathError{Op: fmt.Sprintf("read more than %d bytes", limit), Path: path, Err: ErrTooLarge}
}

// Replace writes data to path through a temporary file in the same folder that
// is synced and renamed over it, and syncs the folder. A reader sees the old
// or the new contents, never a part. An existing symbolic link at path is
// replaced, not followed.
func Replace(path string, data []byte, mode os.FileMode) error {
	temporary, err := WriteBeside(path, data, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary)
		return fmt.Errorf("replace file: %w", err)
	}
	return SyncDir(filepath.Dir(path))
}

// WriteBeside writes data to a new file in path's folder, synced, and returns
// its name. The caller renames or removes it. Nothing stays behind on failure.
func WriteBeside(path string, data []byte, mode os.FileMode) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return "", fmt.Errorf("write file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(data); err != nil {
		return "", fmt.Errorf("write file: %w", err)
	}
	if err = file.Chmod(mode); err != nil {
		return "", fmt.Errorf("write file: %w", err)
	}
	if err = file.Sync(); err != nil {
		return "", fmt.Errorf("write file: %w", err)
	}
	if err = file.Close(); err != nil {
		return "", fmt.Errorf("write file: %w", err)
	}
	return file.Name(), nil
}

// Display returns an error with the same chain whose text is safe to show:
// the operating system's errors hold paths as they are.
func Display(err error) error {
	if err == nil {
		return nil
	}
	return displayed{text: model.NewText(err.Error()).Display(), err: err}
}

type displayed struct {
	text string
	err  error
}

func (d displayed) Error() string { return d.text }
func (d displayed) Unwrap() error { return d.err }
