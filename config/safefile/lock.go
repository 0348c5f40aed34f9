package safefile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrLocked means that another process held a lock for as long as the caller
// was willing to wait.
var ErrLocked = errors.New("another program is writing")

// lockPoll is the time between two attempts to get a lock: the operating
// system can only wait for one without an end.
const lockPoll = 20 * time.Millisecond

// Lock takes the advisory lock on a file, waiting until ctx is done
// ([ErrLocked] then). With create, a missing file is made (mode 0600);
// without, it is an error (fs.ErrNotExist). The lock ends with unlock or with
// the process. It is not reentrant.
func Lock(ctx context.Context, path string, create bool) (unlock func(), err error) {
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
	}
	file, err := OpenNoFollow(path, flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := waitForLock(ctx, file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

func waitForLock(ctx context.Context, file *os.File) error {
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: %w", ErrLocked, err)
		}
		if taken, err := tryLock(file); err != nil || taken {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}
