//go:build unix

package state

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// secure checks that a folder is the user's own and takes away what others may
// do in it. A folder that others could write to is refused rather than
// repaired, since files may already have been planted in it.
func secure(dir string) error {
	shown := model.NewText(dir).Display()
	for _, look := range []func(string) (os.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(dir)
		if err != nil {
			return fmt.Errorf("look at state folder: %w", safefile.Display(err))
		}
		if owner, known := ownerOf(info); known && owner != os.Geteuid() {
			return fmt.Errorf("%w: %s belongs to user %d; set XDG_STATE_HOME to a folder of your own", ErrUnsafe, shown, owner)
		}
	}
	parent, err := os.Stat(filepath.Dir(dir)) //nolint:gosec // only looked at
	if err != nil {
		return fmt.Errorf("look at state folder: %w", safefile.Display(err))
	}
	if mode := parent.Mode(); mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0 {
		return fmt.Errorf("%w: anyone can replace %s, because the folder above it is writable for all; set XDG_STATE_HOME to a folder of your own",
			ErrUnsafe, shown)
	}
	info, err := os.Stat(dir) //nolint:gosec // only looked at
	if err != nil {
		return fmt.Errorf("look at state folder: %w", safefile.Display(err))
	}
	switch mode := info.Mode().Perm(); {
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a folder", ErrUnsafe, shown)
	case mode&0o022 != 0:
		return fmt.Errorf("%w: others can write to %s; look through it, then run chmod 700 on it", ErrUnsafe, shown)
	case mode != folderMode:
		if err := os.Chmod(dir, folderMode); err != nil { //nolint:gosec // the folder is the user's own, as checked above
			return fmt.Errorf("close state folder to others: %w", safefile.Display(err))
		}
	}
	return nil
}

func ownerOf(info os.FileInfo) (int, bool) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid), true
	}
	return 0, false
}
