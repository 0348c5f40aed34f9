package dockerx

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
)

// machine is a made-up machine for finding engines on.
type machine struct {
	t    *testing.T
	root string
	env  map[string]string
}

// newMachine has a short root, since paths of sockets are limited.
func newMachine(t *testing.T) *machine {
	t.Helper()
	root, err := os.MkdirTemp("", "hs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return &machine{t: t, root: root, env: map[string]string{}}
}

func (m *machine) options() Options {
	return Options{Environment: func(name string) string { return m.env[name] }, Home: filepath.Join(m.root, "home"), SocketRoot: m.root}
}

// socket makes a socket that somebody listens on.
func (m *machine) socket(path string) {
	m.t.Helper()
	full := filepath.Join(m.root, path)
	m.file(path, "")
	_ = os.Remove(full)
	listener, err := net.Listen("unix", full)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = listener.Close() })
}

func (m *machine) file(path, content string) {
	m.t.Helper()
	full := filepath.Join(m.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// context adds a Docker context.
func (m *machine) context(name, host string) {
	m.t.Helper()
	config := store.NewConfig(func() any { return &map[string]any{} },
		store.EndpointTypeGetter(docker.DockerEndpoint, func() any { return &docker.EndpointMeta{} }))
	contexts := store.New(filepath.Join(m.root, "home/.docker/contexts"), config)
	err := contexts.CreateOrUpdate(store.Metadata{Name: name, Metadata: map[string]any{}, Endpoints: map[string]any{
		docker.DockerEndpoint: docker.EndpointMeta{Host: host},
	}})
	if err != nil {
		m.t.Fatal(err)
	}
}

func TestResolveFollowsTheDockerCommand(t *testing.T) {
	cases := map[string]struct {
		prepare      func(*machine, *Options)
		host, chosen string
	}{
		"nothing said": {func(*machine, *Options) {}, "unix://ROOT/var/run/docker.sock", "default socket"},
		"DOCKER_HOST": {
			func(m *machine, _ *Options) {
				m.env["DOCKER_HOST"], m.env["DOCKER_CONTEXT"] = "unix:///named.sock", "box"
				m.context("box", "unix:///box.sock")
			}, "unix:///named.sock", "DOCKER_HOST",
		},
		"DOCKER_CONTEXT": {
			func(m *machine, _ *Options) {
				m.env["DOCKER_CONTEXT"] = "box"
				m.context("box", "unix:///box.sock")
				m.context("other", "unix:///other.sock")
				m.file("home/.docker/config.json", `{"currentContext":"other"}`)
			}, "unix:///box.sock", "DOCKER_CONTEXT",
		},
		"current context": {
			func(m *machine, _ *Options) {
				m.context("box", "unix:///box.sock")
				m.file("home/.docker/config.json", `{"auths":{"x":7},"currentContext":"box"}`)
			}, "unix:///box.sock", "current context of ROOT/home/.docker",
		},
		"current context is the default": {
			func(m *machine, _ *Options) { m.file("home/.docker/config.json", `{"currentContext":"default"}`) },
			"unix://ROOT/var/run/docker.sock", "default socket",
		},
		"a flag wins": {
			func(m *machine, o *Options) {
				m.env["DOCKER_HOST"] = "unix:///named.sock"
				o.Hosts = []string{"tcp://box:2375"}
			}, "tcp://box:2375", "--host",
		},
		"context flag": {
			func(m *machine, o *Options) {
				m.context("box", "unix:///box.sock")
				o.Contexts = []string{"box"}
			}, "unix:///box.sock", "--context",
		},
		"default context named": {
			func(m *machine, o *Options) {
				m.socket("run/podman/podman.sock")
				o.Contexts = []string{"default"}
			}, "unix://ROOT/var/run/docker.sock", "--context",
		},
		"a named endpoint is not replaced": {
			func(m *machine, _ *Options) {
				m.socket("var/run/docker.sock")
				m.env["DOCKER_HOST"] = "unix:///nobody.sock"
			}, "unix:///nobody.sock", "DOCKER_HOST",
		},
		"rootless Docker found": {
			func(m *machine, _ *Options) {
				m.env["XDG_RUNTIME_DIR"] = filepath.Join(m.root, "run/user/7")
				m.socket("run/user/7/docker.sock")
				m.socket("run/user/7/podman/podman.sock")
			}, "unix://ROOT/run/user/7/docker.sock", "found at a usual place, since /var/run/docker.sock does not exist",
		},
		"Podman first when Hermes uses it": {
			func(m *machine, _ *Options) {
				m.env["XDG_RUNTIME_DIR"] = filepath.Join(m.root, "run/user/7")
				m.env["HERMES_DOCKER_BINARY"] = "/usr/bin/podman"
				m.socket("run/user/7/docker.sock")
				m.socket("run/user/7/podman/podman.sock")
			}, "unix://ROOT/run/user/7/podman/podman.sock", "found at a usual place, since /var/run/docker.sock does not exist",
		},
		"system Podman found": {
			func(m *machine, _ *Options) { m.socket("run/podman/podman.sock") },
			"unix://ROOT/run/podman/podman.sock", "found at a usual place, since /var/run/docker.sock does not exist",
		},
		"Docker Desktop found": {
			func(m *machine, _ *Options) { m.socket("home/.docker/run/docker.sock") },
			"unix://ROOT/home/.docker/run/docker.sock", "found at a usual place, since /var/run/docker.sock does not exist",
		},
		"a plain file is not found": {
			func(m *machine, _ *Options) { m.file("run/podman/podman.sock", "") }, "unix://ROOT/var/run/docker.sock", "default socket",
		},
		"Windows has a pipe": {
			func(m *machine, o *Options) {
				o.OS = "windows"
				m.socket("var/run/docker.sock")
			}, "npipe:////./pipe/docker_engine", "default pipe",
		},
		"Windows with Podman's pipe alone": {
			func(m *machine, o *Options) {
				o.OS = "windows"
				m.file("pipe/podman-machine-default", "")
			}, "npipe:////./pipe/podman-machine-default", "found at a usual place",
		},
		"Windows with both pipes": {
			func(m *machine, o *Options) {
				o.OS = "windows"
				m.file("pipe/docker_engine", "")
				m.file("pipe/podman-machine-default", "")
			}, "npipe:////./pipe/docker_engine", "default pipe",
		},
		"Windows with both pipes, and Hermes uses Podman": {
			func(m *machine, o *Options) {
				o.OS = "windows"
				m.env["HERMES_DOCKER_BINARY"] = "podman"
				m.file("pipe/docker_engine", "")
				m.file("pipe/podman-machine-default", "")
			}, "npipe:////./pipe/podman-machine-default", "found at a usual place",
		},
		"the default socket keeps its place": {
			func(m *machine, _ *Options) {
				m.socket("var/run/docker.sock")
				m.socket("run/podman/podman.sock")
			}, "unix://ROOT/var/run/docker.sock", "default socket",
		},
		"a default path that is no socket is not absent": {
			func(m *machine, _ *Options) {
				m.file("var/run/docker.sock", "")
				m.socket("run/podman/podman.sock")
			}, "unix://ROOT/var/run/docker.sock", "default socket",
		},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			options := m.options()
			tt.prepare(m, &options)
			endpoints, err := Resolve(options)
			if err != nil || len(endpoints) != 1 {
				t.Fatalf("%d endpoints, %v", len(endpoints), err)
			}
			host, chosen := strings.ReplaceAll(tt.host, "ROOT", m.root), strings.ReplaceAll(tt.chosen, "ROOT", m.root)
			if got := endpoints[0]; got.Host != host || got.Chosen != chosen {
				t.Errorf("%s (%s), want %s (%s)", got.Host, got.Chosen, host, chosen)
			}
		})
	}
}

func TestResolveRefusesWhatItCannotUse(t *testing.T) {
	cases := map[string]struct {
		prepare func(*machine, *Options)
		says    string
	}{
		"no scheme":       {func(m *machine, _ *Options) { m.env["DOCKER_HOST"] = "/var/run/docker.sock" }, "unix:///path"},
		"unknown scheme":  {func(_ *machine, o *Options) { o.Hosts = []string{"ftp://x"} }, "unknown scheme"},
		"no host":         {func(_ *machine, o *Options) { o.Hosts = []string{"tcp:///x"} }, "has no host"},
		"odd ssh address": {func(_ *machine, o *Options) { o.Hosts = []string{"ssh://user@host?x=1"} }, "ssh"},
		"missing context": {func(_ *machine, o *Options) { o.Contexts = []string{"nobody"} }, "docker context ls"},
		"escapes in it":   {func(_ *machine, o *Options) { o.Contexts = []string{"a\x1b[2J"} }, `\x1b`},
		"broken config":   {func(m *machine, _ *Options) { m.file("home/.docker/config.json", `{`) }, "no valid JSON"},
		"certificates missing": {
			func(m *machine, o *Options) {
				m.env["DOCKER_TLS_VERIFY"] = "1"
				o.Hosts = []string{"tcp://x:1"}
			}, "DOCKER_CERT_PATH",
		},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			options := m.options()
			tt.prepare(m, &options)
			_, err := Resolve(options)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("error %v, want %q in it", err, tt.says)
			}
			for _, r := range err.Error() {
				if r < ' ' {
					t.Errorf("%q is not safe to show", err)
				}
			}
		})
	}
}

func TestResolveSeveralEngines(t *testing.T) {
	m := newMachine(t)
	m.context("box", "unix:///box.sock")
	m.env["DOCKER_API_VERSION"] = "1.42"
	options := m.options()
	options.Contexts = []string{"box"}
	options.Hosts = []string{"unix:///a.sock", "unix:///a.sock", "unix:///box.sock"}
	endpoints, err := Resolve(options)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, endpoint := range endpoints {
		names = append(names, endpoint.Name)
		if endpoint.APIVersion != "1.42" {
			t.Errorf("%s has version %q", endpoint.Name, endpoint.APIVersion)
		}
	}
	if got := strings.Join(names, " "); got != "box unix:///a.sock" {
		t.Errorf("engines %s", got)
	}
}

// A password in an address would be in every message, table and record about the
// engine, and is of no use: it is refused without being repeated.
func TestPasswordsInAddressesAreRefusedUnseen(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"tcp://bob:s3cret@box:2375", "https://bob:s3cret@box", "ssh://bob:s3cret@box", "ssh://bob:s3cret@box:22/run/x.sock", "ftp://bob:s3cret@box",
		"bob:s3cret@box", "tcp://bob:s3cret@", "tcp://bob:s3cret@x@box",
	} {
		_, err := Resolve(Options{Hosts: []string{host}})
		if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "password") {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, host := range []string{"tcp://bob@box:2375", "unix:///run/a:b@c.sock", "ssh://bob@box:22", "tcp://[::1]:2375", "tcp://box:2375/a:b@c"} {
		if _, err := Resolve(Options{Hosts: []string{host}}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}
