//go:build unix

package safefile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLock takes the lock if nobody holds it.
func tryLock(file *os.File) (taken bool, err error) {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, fmt.Errorf("take lock: %w", err)
		}
	}
}
