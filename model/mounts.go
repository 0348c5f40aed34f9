package model

import (
	"slices"
	"strings"
)

// Types of a mount as the engine words them.
const (
	mountBind = "bind"
	mountPipe = "npipe"
)

// allMounts returns the mounts of a container: those it has, and those it was
// asked to have that the engine does not list, as it may for one that never
// started. A checker of one list alone misses what stands in another.
func allMounts(c *Container) []Mount {
	mounts := slices.Clip(c.Mounts) // adding to them makes a new list
	add := func(mount Mount) {
		same := func(m Mount) bool {
			return m.Destination == mount.Destination && (m.Source == mount.Source || mount.Source.Empty())
		}
		if !slices.ContainsFunc(mounts, same) {
			mounts = append(mounts, mount)
		}
	}
	for _, mount := range c.Host.Mounts {
		add(mount)
	}
	for _, bind := range c.Host.Binds {
		if mount, ok := parseBind(bind.Raw()); ok {
			add(mount)
		}
	}
	return mounts
}

// hostMounts returns the mounts that show a path or pipe of the host.
func hostMounts(c *Container) []Mount {
	var mounts []Mount
	for _, m := range allMounts(c) {
		if m.ofHost() {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

func (m *Mount) ofHost() bool {
	switch m.Type.Raw() {
	case mountBind, mountPipe:
		return !m.Source.Empty()
	case "":
		return cleanPath(m.Source.Raw()) != "" && m.Name.Empty()
	default:
		return false
	}
}

// parseBind reads "source:destination[:options]"; ok is false when the source
// is no host path but a volume's name.
func parseBind(bind string) (mount Mount, ok bool) {
	drive := ""
	if len(bind) > 2 && bind[1] == ':' && strings.ContainsRune(`\/`, rune(bind[2])) {
		drive, bind = bind[:2], bind[2:]
	}
	parts := strings.SplitN(bind, ":", 3)
	source := drive + parts[0]
	if len(parts) < 2 || (cleanPath(source) == "" && !strings.HasPrefix(source, `\\`)) {
		return Mount{}, false
	}
	readOnly := len(parts) == 3 && slices.Contains(strings.Split(parts[2], ","), "ro")
	return Mount{
		Type:        NewText(mountBind),
		Source:      NewText(source),
		Destination: NewText(parts[1]),
		RW:          !readOnly,
	}, true
}
