package safefile

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// NonBlock is the flag of os.OpenFile that keeps an open from waiting for the
// other end of a pipe; 0 where no open waits.
const NonBlock = 0

// OpenNoFollow opens the file at path itself, never what a symbolic link there
// leads to. Flags and mode are those of os.OpenFile, whose errors it wraps. A
// link, or anything else that is no plain file, is refused ([ErrNotRegular]).
func OpenNoFollow(path string, flags int, mode os.FileMode) (*os.File, error) {
	file, err := os.OpenFile(path, flags|windows.FILE_FLAG_OPEN_REPARSE_POINT, mode) //nolint:gosec // the path is the caller's choice
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open file: %w", err)
	}
	return file, nil
}
