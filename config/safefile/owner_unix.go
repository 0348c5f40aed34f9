//go:build unix

package safefile

import (
	"fmt"
	"os"
	"syscall"
)

// KeepOwner gives the file at path the owner and group of the file that like
// describes. It reports whether anything had to change.
func KeepOwner(path string, like os.FileInfo) (changed bool, err error) {
	old, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("look at file: %w", err)
	}
	if young, ok := info.Sys().(*syscall.Stat_t); ok && young.Uid == old.Uid && young.Gid == old.Gid {
		return false, nil
	}
	if err := os.Chown(path, int(old.Uid), int(old.Gid)); err != nil {
		return false, fmt.Errorf("change owner: %w", err)
	}
	return true, nil
}

// Names returns how many names (hard links) the file has; 0: not known.
func Names(_ string, info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // its type differs between systems
	}
	return 0
}
