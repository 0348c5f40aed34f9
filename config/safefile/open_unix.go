//go:build unix

package safefile

import (
	"fmt"
	"os"
	"syscall"
)

// NonBlock is the flag of os.OpenFile that keeps an open from waiting for the
// other end of a pipe; 0 where no open waits.
const NonBlock = syscall.O_NONBLOCK

// OpenNoFollow opens the file at path itself, never what a symbolic link there
// leads to, and never waits for the other end of a pipe. Flags and mode are
// those of os.OpenFile, whose errors it wraps.
func OpenNoFollow(path string, flags int, mode os.FileMode) (*os.File, error) {
	file, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, mode) //nolint:gosec // the path is the caller's choice
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	return file, nil
}
