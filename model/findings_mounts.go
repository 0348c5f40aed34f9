package model

import (
	"path"
	"slices"
	"strings"
)

// mounts judges what a sandbox sees of the host's files.
func (f *findings) mounts(s *Sandbox, engine Engine) {
	var sockets, sensitive, readable, writable []string
	own := ownSandboxDir(s.Container)
	for _, mount := range hostMounts(s.Container) {
		source := cleanPath(mount.Source.Raw())
		shown := mount.Source.Display()
		socket, secret := engineSocket(mount, engine), sensitivePath(source, s.Home, mount.RW)
		if socket {
			sockets = append(sockets, shown)
		}
		switch {
		case secret && mount.RW:
			sensitive = append(sensitive, shown)
		case secret:
			readable = append(readable, shown)
		case !socket && mount.RW && !atOrBelow(source, own):
			writable = append(writable, shown)
		}
	}
	// A unix socket works through a read-only mount and without any network.
	f.addList("engine-socket", SeverityVoid, "it can reach a container engine, and with it the host, through ", sockets)
	f.addList("sensitive-mount", SeverityVoid, "it can write to ", sensitive)
	f.addList("sensitive-mount", SeverityWeak, "it can read ", readable)
	f.addList("host-write", SeverityWeak, "it can write to the host outside its sandbox directory: ", writable)
}

// engineSocket reports whether a mount shows the socket of a container engine,
// or a directory that holds one.
func engineSocket(mount Mount, engine Engine) bool {
	raw := mount.Source.Raw()
	if mount.Type.Raw() == mountPipe || strings.HasPrefix(raw, `\\`) {
		return true
	}
	source := runPath(cleanPath(raw))
	if socketName(path.Base(source)) || socketName(path.Base(mount.Destination.Raw())) || socketParent(source) {
		return true
	}
	address, local := strings.CutPrefix(engine.Host, "unix://")
	socket := runPath(cleanPath(address))
	return local && socket != "" && (source == socket || below(socket, source))
}

// runPath spells /var/run as /run, which it links to.
func runPath(name string) string {
	if atOrBelow(name, "/var/run") {
		return strings.TrimPrefix(name, "/var")
	}
	return name
}

func socketName(base string) bool {
	switch base {
	case "docker.sock", "docker.raw.sock", "podman.sock", "containerd.sock", "containerd.sock.ttrpc",
		"cri-dockerd.sock", "dockershim.sock", "crio.sock", "buildkitd.sock":
		return true
	default:
		return false
	}
}

// socketParent reports whether a directory holds an engine's socket in a usual
// installation.
func socketParent(dir string) bool {
	switch dir {
	case "/", "/var", "/run", "/run/user", "/run/podman", "/run/containerd", "/run/crio":
		return true
	}
	user, found := strings.CutPrefix(dir, "/run/user/")
	return found && (!strings.Contains(user, "/") || path.Base(user) == "podman")
}

// sensitivePath reports whether a host path gives away the host, its keys, the
// engine's storage or Hermes' own home. The proxy's certificate is meant to be
// read.
func sensitivePath(source, home string, writable bool) bool {
	if source == "" {
		return false
	}
	for _, dir := range []string{
		"/etc", "/proc", "/sys", "/dev", "/boot",
		"/var/lib/docker", "/var/lib/containerd", "/var/lib/containers", "/var/snap/docker",
	} {
		if atOrBelow(source, dir) || below(dir, source) {
			return true
		}
	}
	if slices.Contains(strings.Split(source, "/"), ".ssh") || userHome(source) ||
		strings.Contains(source+"/", "/.local/share/docker/") || strings.Contains(source+"/", "/.local/share/containers/") {
		return true
	}
	home = cleanPath(home)
	if home == "" {
		return false
	}
	proxy := path.Join(home, "proxy")
	certificate := source == path.Join(proxy, "ca.crt") && !writable
	return atOrBelow(home, source) || (atOrBelow(source, proxy) && !certificate)
}

// userHome reports whether a path is a person's home directory or holds some:
// keys lie below it.
func userHome(source string) bool {
	switch source {
	case "/root", "/home", "/Users":
		return true
	}
	parent := path.Dir(source)
	return parent == "/home" || parent == "/Users"
}
