package state

import (
	"context"
	"fmt"

	"hermes-sandbox/config/safefile"
)

const lockName = "lock"

// Lock takes the lock around state files and configuration edits that all
// running instances share, waiting until ctx is done (safefile.ErrLocked
// then). It is not reentrant. The lock ends with unlock or with the process.
func (s *State) Lock(ctx context.Context) (unlock func(), err error) {
	return s.lock(ctx, lockName)
}

// lock takes one of the folder's locks. The audit has one of its own, so that
// a line can be written while the lock around an edit is held.
func (s *State) lock(ctx context.Context, name string) (unlock func(), err error) {
	path, err := s.file(name)
	if err != nil {
		return nil, err
	}
	unlock, err = safefile.Lock(ctx, path, true)
	if err != nil {
		return nil, fmt.Errorf("lock the state folder: %w", safefile.Display(err))
	}
	return unlock, nil
}
