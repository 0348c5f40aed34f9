//go:build unix

package dockerx

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"hermes-sandbox/model"
)

// passable lets everybody through a folder.
const passable = 0o001

// socketAccess looks at who may open the engine's socket; nil when it is not
// reached by one of this machine, or the socket cannot be looked at.
func (c *Client) socketAccess() *model.SocketAccess {
	path, ok := strings.CutPrefix(c.endpoint.Host, "unix://")
	if !ok || c.endpoint.Dial != nil {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return nil
	}
	access := &model.SocketAccess{Path: path, Mode: uint32(info.Mode().Perm()), RootGroup: true, Reachable: everybodyPasses(path)}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		access.RootGroup = owner.Gid == 0
		access.Group = strconv.FormatUint(uint64(owner.Gid), 10)
		if group, err := user.LookupGroupId(access.Group); err == nil {
			access.Group = safe(group.Name)
		}
	}
	return access
}

// everybodyPasses reports whether all folders above a path let everybody
// through. One that cannot be looked at counts as doing so.
func everybodyPasses(path string) bool {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		path = resolved
	}
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		if info, err := os.Stat(folder); err == nil && info.Mode().Perm()&passable == 0 {
			return false
		}
		if folder == filepath.Dir(folder) {
			return true
		}
	}
}
