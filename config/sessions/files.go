package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hermes-sandbox/config/safefile"
)

// files are a database and what SQLite keeps beside it, as far as it shows
// whether somebody writes. It is comparable.
type files struct {
	path              string // of the database itself, behind any link
	database          mark
	wal, shm, journal mark
}

// mark is what changes when a file does.
type mark struct {
	exists   bool
	size     int64
	modified int64 // nanoseconds of Unix time
}

// look looks at the files of a home without opening any. What is not a regular
// file, such as a pipe that would hang a reader, is refused.
func look(home string) (files, error) {
	// SQLite follows a link and keeps its own files beside what it leads to.
	path, err := filepath.EvalSymlinks(filepath.Join(home, "state.db"))
	if err != nil {
		return files{}, fmt.Errorf("find database: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return files{}, fmt.Errorf("find database: %w", err)
	}
	found := files{path: path}
	for suffix, into := range map[string]*mark{
		"": &found.database, "-wal": &found.wal, "-shm": &found.shm, "-journal": &found.journal,
	} {
		if *into, err = markOf(path + suffix); err != nil {
			return files{}, err
		}
	}
	if !found.database.exists {
		return files{}, fmt.Errorf("find database: %w", fs.ErrNotExist)
	}
	// The index changes with every reader; that it is there is all that counts.
	found.shm.size, found.shm.modified = 0, 0
	return found, nil
}

func markOf(path string) (mark, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mark{}, nil
	case err != nil:
		return mark{}, fmt.Errorf("look at database: %w", err)
	case !info.Mode().IsRegular():
		return mark{}, fmt.Errorf("%s: %w", filepath.Base(path), safefile.ErrNotRegular)
	}
	return mark{exists: true, size: info.Size(), modified: info.ModTime().UnixNano()}, nil
}

// changed is when the contents last changed.
func (f *files) changed() time.Time {
	return time.Unix(0, max(f.database.modified, f.wal.modified))
}

// quietName opens a database nobody writes to: no locks are taken and nothing
// is made beside it, which a plain read-only open would do (contract 11).
func (f *files) quietName() string { return f.name("mode=ro&immutable=1") }

// writtenName opens a database that Hermes has open. The index is shared with
// the writer; it is not written to either.
func (f *files) writtenName() string {
	return f.name("mode=ro&readonly_shm=1&_pragma=busy_timeout(50)")
}

func (f *files) name(parameters string) string {
	path := filepath.ToSlash(f.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: parameters}).String()
}
