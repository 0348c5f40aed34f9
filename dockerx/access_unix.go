//go:build unix

package dockerx

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// socketAccessStep names the group that may open a socket, or the rootless way.
func socketAccessStep(path string) string {
	const rootless = "or use a rootless engine's socket with --host"
	info, err := os.Stat(path)
	if err != nil {
		return "ask for access to its folder, " + rootless
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Gid == 0 || info.Mode().Perm()&0o060 != 0o060 {
		return "run as its owner, " + rootless
	}
	name := strconv.FormatUint(uint64(owner.Gid), 10)
	if group, err := user.LookupGroupId(name); err == nil {
		name = safe(group.Name)
	}
	return fmt.Sprintf("join the group %s and log in again, %s", name, rootless)
}
