// Package state keeps what the program must remember between runs: the audit
// of its actions, small state files and the lock that all running instances
// share. Everything lives in one folder of the user's (0700, files 0600) and
// holds no secrets.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// Errors of [Open].
var (
	// ErrUnsafe means that others can write to the state folder, or that it
	// belongs to someone else: what stands in it cannot be trusted.
	ErrUnsafe = errors.New("state folder is not safe")
	// ErrNoFolder means that no folder could be derived from the environment.
	ErrNoFolder = errors.New("no state folder: neither HOME nor XDG_STATE_HOME is set")
)

const (
	folderMode = 0o700
	fileMode   = 0o600
	// maxFile bounds every state file but the audit, in bytes.
	maxFile = 4 << 20
)

// State is the state folder. It is safe for use by several goroutines and
// several processes.
type State struct {
	dir  string
	user string
	now  func() time.Time
}

// Open prepares the state folder, creating it when it is missing. It refuses
// ([ErrUnsafe]) a folder that is not the user's own or that others can write
// to. Opening does not prove that the folder can be written: an action finds
// out when it records its intent, and is refused then.
func Open(dir string) (*State, error) {
	if dir == "" {
		return nil, ErrNoFolder
	}
	if err := os.MkdirAll(dir, folderMode); err != nil { //nolint:gosec // the folder is the user's choice
		return nil, fmt.Errorf("create state folder: %w", safefile.Display(err))
	}
	if err := secure(dir); err != nil {
		return nil, err
	}
	return &State{dir: dir, user: currentUser(), now: time.Now}, nil
}

// Path returns the folder.
func (s *State) Path() string { return s.dir }

func currentUser() string {
	if current, err := user.Current(); err == nil && current.Username != "" {
		return current.Username
	}
	return strconv.Itoa(os.Getuid())
}

// file returns the path of a file in the folder. Names are constants of this
// program; one that leads out of the folder is refused all the same.
func (s *State) file(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("state file %s: the name leads out of the state folder", model.NewText(name).Display())
	}
	return filepath.Join(s.dir, name), nil
}

// Folder returns a folder inside the state folder, such as "backups", creating
// it when it is missing.
func (s *State) Folder(name string) (string, error) {
	path, err := s.file(name)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(path, folderMode); err != nil {
		return "", fmt.Errorf("create state folder: %w", safefile.Display(err))
	}
	return path, nil
}

// Load reads a JSON state file into value. A missing file leaves value as it
// is and is no error.
func (s *State) Load(name string, value any) error {
	path, err := s.file(name)
	if err != nil {
		return err
	}
	data, err := safefile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read state: %w", safefile.Display(err))
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fmt.Errorf("state file %s is damaged: %w; remove it to start afresh", model.NewText(path).Display(), safefile.Display(err))
	}
	return nil
}

// Save writes value as a JSON state file, whole or not at all, and none that is
// too large to be loaded. Callers that
// read, change and write hold the lock meanwhile.
func (s *State) Save(name string, value any) error {
	path, err := s.file(name)
	if err != nil {
		return err
	}
	data, err := model.MarshalJSON(value, true)
	if err != nil {
		return fmt.Errorf("write state: %w", safefile.Display(err))
	}
	if len(data) >= maxFile {
		return fmt.Errorf("state file %s would be larger than %d MiB, which is not read again: it is left as it is", model.NewText(path).Display(), maxFile>>20)
	}
	if err := safefile.Replace(path, append(data, '\n'), fileMode); err != nil {
		return fmt.Errorf("write state: %w", safefile.Display(err))
	}
	return nil
}
