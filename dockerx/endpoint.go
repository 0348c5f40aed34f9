package dockerx

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/docker/cli/cli/connhelper"
)

// Where Docker and Podman listen when nothing else is said.
const (
	defaultSocket = "/var/run/docker.sock"
	defaultPipe   = "//./pipe/docker_engine"
	podmanPipe    = "//./pipe/podman-machine-default"
)

// Options say where engines are looked for.
type Options struct {
	// Hosts and Contexts are those named on the command line, in order. When
	// any is named, nothing else is looked at.
	Hosts    []string
	Contexts []string
	// Environment looks up an environment variable; nil means an empty one.
	Environment func(string) string
	// Home is the user's home directory, for the context store and discovery.
	Home string
	// SocketRoot is put before the well-known socket paths; empty but in tests.
	SocketRoot string
	// OS is the system whose usual places are looked at, as in runtime.GOOS;
	// empty: the one we run on.
	OS string
}

func (o Options) windows() bool {
	if o.OS == "" {
		return runtime.GOOS == "windows"
	}
	return o.OS == "windows"
}

func (o Options) env(name string) string {
	if o.Environment == nil {
		return ""
	}
	return o.Environment(name)
}

// Dialer opens a connection to an engine.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Endpoint is one engine to connect to.
type Endpoint struct {
	Name   string // context name, or the host for an unnamed one
	Host   string // address, such as unix:///var/run/docker.sock
	Chosen string // which rule chose it, such as "DOCKER_HOST"
	// TLS is the client configuration for tcp:// and https://; nil: no TLS.
	TLS *tls.Config
	// APIVersion is a fixed version (DOCKER_API_VERSION); empty: negotiated.
	APIVersion string
	// Dial replaces the way the connection is opened; nil: by Host.
	Dial Dialer
}

// Resolve returns the engines to connect to and which rule chose each: those
// named by flags; else DOCKER_HOST, DOCKER_CONTEXT and the current context of
// the Docker configuration, in that order; else the default socket. Only when
// none is named and the default socket does not exist are the usual sockets of
// Docker and Podman looked for. A named endpoint is never replaced.
func Resolve(opts Options) ([]Endpoint, error) {
	var found []Endpoint
	for _, name := range opts.Contexts {
		endpoint, err := contextEndpoint(opts, name, "--context")
		if err != nil {
			return nil, err
		}
		found = append(found, endpoint)
	}
	for _, host := range opts.Hosts {
		endpoint, err := hostEndpoint(opts, host, "--host")
		if err != nil {
			return nil, err
		}
		found = append(found, endpoint)
	}
	if len(found) > 0 {
		return distinct(found), nil
	}
	endpoint, err := impliedEndpoint(opts)
	if err != nil {
		return nil, err
	}
	return []Endpoint{endpoint}, nil
}

// impliedEndpoint is the engine when no flag names one, chosen as the docker
// command chooses it.
func impliedEndpoint(opts Options) (Endpoint, error) {
	if host := opts.env("DOCKER_HOST"); host != "" {
		return hostEndpoint(opts, host, "DOCKER_HOST")
	}
	if name := opts.env("DOCKER_CONTEXT"); name != "" {
		return contextEndpoint(opts, name, "DOCKER_CONTEXT")
	}
	name, err := currentContext(opts)
	if err != nil {
		return Endpoint{}, err
	}
	if name != "" && name != defaultContext {
		return contextEndpoint(opts, name, "current context of "+safe(configDir(opts)))
	}
	return discover(opts)
}

// hostEndpoint builds an endpoint from an address, with TLS as the environment
// asks for it.
func hostEndpoint(opts Options, host, rule string) (Endpoint, error) {
	endpoint := Endpoint{Name: host, Host: host, Chosen: rule, APIVersion: opts.env("DOCKER_API_VERSION")}
	if strings.HasPrefix(host, "tcp://") || strings.HasPrefix(host, "https://") {
		config, err := environmentTLS(opts)
		if err != nil {
			return Endpoint{}, err
		}
		endpoint.TLS = config
	}
	return withHelper(endpoint)
}

// Remote reports whether the engine is on another machine, as far as its
// address tells.
func (e Endpoint) Remote() bool { return remoteHost(e.Host) }

// withHelper checks the address and adds the connection helper of ssh://.
func withHelper(endpoint Endpoint) (Endpoint, error) {
	if holdsPassword(endpoint.Host) {
		return Endpoint{}, fmt.Errorf("the engine address from %s holds a password, which no engine is sent and everybody would be shown: leave it out", endpoint.Chosen)
	}
	scheme, rest, ok := strings.Cut(endpoint.Host, "://")
	if !ok || rest == "" {
		return Endpoint{}, fmt.Errorf("engine address \"%s\" (from %s) is no address: write it as unix:///path, tcp://host:port or ssh://user@host",
			safe(endpoint.Host), endpoint.Chosen)
	}
	switch scheme {
	case "unix", "npipe":
		return endpoint, nil
	case "tcp", "http", "https":
		if parsed, err := url.Parse(endpoint.Host); err != nil || parsed.Host == "" {
			return Endpoint{}, fmt.Errorf("engine address \"%s\" (from %s) has no host: write it as tcp://host:port", safe(endpoint.Host), endpoint.Chosen)
		}
		return endpoint, nil
	case "ssh":
		return withSSH(endpoint)
	default:
		return Endpoint{}, fmt.Errorf("engine address \"%s\" (from %s) has an unknown scheme: use unix, npipe, tcp or ssh", safe(endpoint.Host), endpoint.Chosen)
	}
}

// holdsPassword reports whether an address, well-formed or not, names a user with
// a password.
func holdsPassword(address string) bool {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	authority, _, _ := strings.Cut(address, "/")
	at := strings.LastIndex(authority, "@")
	return at >= 0 && strings.Contains(authority[:at], ":")
}

// withSSH adds the ssh helper. BatchMode keeps ssh from asking for a password
// or a host key over the dashboard.
func withSSH(endpoint Endpoint) (Endpoint, error) {
	flags := []string{"-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=2"}
	helper, err := connhelper.GetConnectionHelperWithSSHOpts(endpoint.Host, flags)
	if err != nil {
		return Endpoint{}, fmt.Errorf("engine address \"%s\" (from %s): %s: write it as ssh://user@host", safe(endpoint.Host), endpoint.Chosen, safe(err.Error()))
	}
	endpoint.Dial = helper.Dialer
	return endpoint, nil
}

// discover takes the default socket, or, when that does not exist, the first
// usual one that does. Any other failure of the default socket, such as a
// permission, is not absence and keeps it.
func discover(opts Options) (Endpoint, error) {
	if opts.windows() {
		return discoverPipe(opts), nil
	}
	first := endpointAt(opts, defaultSocket, "default socket")
	if _, err := os.Stat(opts.SocketRoot + defaultSocket); !errors.Is(err, os.ErrNotExist) {
		return first, nil
	}
	for _, path := range usualSockets(opts) {
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			return endpointAt(opts, strings.TrimPrefix(path, opts.SocketRoot), "found at a usual place, since "+defaultSocket+" does not exist"), nil
		}
	}
	return first, nil
}

// discoverPipe takes the default pipe, or Podman's when only that one exists.
// When Hermes is told to use podman, its pipe goes first.
func discoverPipe(opts Options) Endpoint {
	endpoint := func(pipe, rule string) Endpoint {
		return Endpoint{Name: defaultContext, Host: "npipe://" + pipe, Chosen: rule, APIVersion: opts.env("DOCKER_API_VERSION")}
	}
	there := func(pipe string) bool {
		_, err := os.Stat(opts.SocketRoot + pipe)
		return !errors.Is(err, os.ErrNotExist)
	}
	if there(podmanPipe) && (wantsPodman(opts) || !there(defaultPipe)) {
		return endpoint(podmanPipe, "found at a usual place")
	}
	return endpoint(defaultPipe, "default pipe")
}

// wantsPodman reports whether Hermes is told to use podman.
func wantsPodman(opts Options) bool {
	return strings.Contains(filepath.Base(opts.env("HERMES_DOCKER_BINARY")), "podman")
}

func endpointAt(opts Options, path, rule string) Endpoint {
	host := "unix://" + opts.SocketRoot + path
	return Endpoint{Name: defaultContext, Host: host, Chosen: rule, APIVersion: opts.env("DOCKER_API_VERSION")}
}

// usualSockets lists where rootless Docker, Docker Desktop, Colima and Podman
// put their sockets. When Hermes is told to use podman, its sockets go first.
func usualSockets(opts Options) []string {
	var docker, podman []string
	if runtime := opts.env("XDG_RUNTIME_DIR"); runtime != "" {
		docker = append(docker, filepath.Join(runtime, "docker.sock"))
		podman = append(podman, filepath.Join(runtime, "podman", "podman.sock"))
	}
	if opts.Home != "" {
		for _, path := range []string{".docker/run/docker.sock", ".docker/desktop/docker.sock", ".colima/default/docker.sock", ".colima/docker.sock", ".orbstack/run/docker.sock", ".rd/docker.sock"} {
			docker = append(docker, filepath.Join(opts.Home, path))
		}
		podman = append(podman, filepath.Join(opts.Home, ".local/share/containers/podman/machine/podman.sock"))
	}
	podman = append(podman, opts.SocketRoot+"/run/podman/podman.sock")
	if wantsPodman(opts) {
		return append(podman, docker...)
	}
	return append(docker, podman...)
}

// distinct drops endpoints named twice and makes equal names of different
// hosts distinct, since a sandbox is identified by its engine's name.
func distinct(endpoints []Endpoint) []Endpoint {
	var kept []Endpoint
	hosts, names := map[string]bool{}, map[string]bool{}
	for _, endpoint := range endpoints {
		if hosts[endpoint.Host] {
			continue
		}
		hosts[endpoint.Host] = true
		if names[endpoint.Name] {
			endpoint.Name += " (" + endpoint.Host + ")"
		}
		names[endpoint.Name] = true
		kept = append(kept, endpoint)
	}
	return kept
}
