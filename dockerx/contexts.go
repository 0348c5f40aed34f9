package dockerx

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/docker/cli/cli/context/docker"
	"github.com/docker/cli/cli/context/store"
	"github.com/docker/go-connections/tlsconfig"
)

// defaultContext is the docker command's name for "no context".
const defaultContext = "default"

// configDir is the Docker client's configuration directory.
func configDir(opts Options) string {
	if dir := opts.env("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	return filepath.Join(opts.Home, ".docker")
}

// currentContext reads the context the Docker configuration names; empty when
// there is no configuration. Only that one key is read: the file may hold
// credentials, and an odd value elsewhere must not stop us.
func currentContext(opts Options) (string, error) {
	path := filepath.Join(configDir(opts), "config.json")
	data, err := os.ReadFile(path) //nolint:gosec // the person's own configuration
	if err != nil {
		// Missing or unreadable: the docker command goes on without it, too.
		return "", nil //nolint:nilerr // see above
	}
	var file struct {
		CurrentContext string `json:"currentContext"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return "", fmt.Errorf("docker configuration %s is no valid JSON, so the engine it names is not known: repair it, or name an engine with --host: %s",
			safe(path), safe(err.Error()))
	}
	return file.CurrentContext, nil
}

// contextEndpoint reads one context of the Docker context store.
func contextEndpoint(opts Options, name, rule string) (Endpoint, error) {
	if name == defaultContext {
		return defaultContextEndpoint(opts, rule)
	}
	config := store.NewConfig(func() any { return &map[string]any{} },
		store.EndpointTypeGetter(docker.DockerEndpoint, func() any { return &docker.EndpointMeta{} }))
	contexts := store.New(filepath.Join(configDir(opts), "contexts"), config)
	metadata, err := contexts.GetMetadata(name)
	if err != nil {
		return Endpoint{}, contextError(opts, name, rule, err)
	}
	meta, err := docker.EndpointFromContext(metadata)
	if err != nil {
		return Endpoint{}, contextError(opts, name, rule, err)
	}
	full, err := docker.WithTLSData(contexts, name, meta)
	if err != nil {
		return Endpoint{}, contextError(opts, name, rule, err)
	}
	endpoint := Endpoint{Name: name, Host: meta.Host, Chosen: rule, APIVersion: opts.env("DOCKER_API_VERSION")}
	if endpoint.TLS, err = contextTLS(full); err != nil {
		return Endpoint{}, contextError(opts, name, rule, err)
	}
	return withHelper(endpoint)
}

// defaultContextEndpoint is the context named "default": DOCKER_HOST or the
// default socket. It was named, so nothing replaces it.
func defaultContextEndpoint(opts Options, rule string) (Endpoint, error) {
	host := opts.env("DOCKER_HOST")
	if host == "" {
		return endpointAt(opts, defaultSocket, rule), nil
	}
	endpoint, err := hostEndpoint(opts, host, rule)
	endpoint.Name = defaultContext
	return endpoint, err
}

func contextError(opts Options, name, rule string, err error) error {
	return fmt.Errorf("docker context \"%s\" (from %s) cannot be used: %s: see `docker context ls`; contexts are read from %s",
		safe(name), rule, safe(err.Error()), safe(filepath.Join(configDir(opts), "contexts")))
}

// contextTLS builds the TLS configuration of a context; nil when it has none.
func contextTLS(endpoint docker.Endpoint) (*tls.Config, error) {
	if endpoint.TLSData == nil && !endpoint.SkipTLSVerify {
		return nil, nil
	}
	config := tlsconfig.ClientDefault()
	config.InsecureSkipVerify = endpoint.SkipTLSVerify
	if endpoint.TLSData == nil {
		return config, nil
	}
	if endpoint.TLSData.CA != nil {
		config.RootCAs = newPool(endpoint.TLSData.CA)
		if config.RootCAs == nil {
			return nil, errors.New("its ca.pem holds no certificate")
		}
	}
	if endpoint.TLSData.Cert != nil && endpoint.TLSData.Key != nil {
		pair, err := tls.X509KeyPair(endpoint.TLSData.Cert, endpoint.TLSData.Key)
		if err != nil {
			return nil, fmt.Errorf("its client certificate cannot be used: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// environmentTLS is the TLS configuration of a tcp:// host: DOCKER_TLS_VERIFY
// asks for verification, DOCKER_CERT_PATH says where the certificates are. A
// set DOCKER_TLS_VERIFY verifies whatever its value, as in the docker command.
func environmentTLS(opts Options) (*tls.Config, error) {
	verify, dir := opts.env("DOCKER_TLS_VERIFY") != "", opts.env("DOCKER_CERT_PATH")
	if !verify && dir == "" {
		return nil, nil
	}
	if dir == "" {
		dir = configDir(opts)
	}
	config, err := tlsconfig.Client(tlsconfig.Options{
		CAFile:             filepath.Join(dir, "ca.pem"),
		CertFile:           filepath.Join(dir, "cert.pem"),
		KeyFile:            filepath.Join(dir, "key.pem"),
		InsecureSkipVerify: !verify,
		ExclusiveRootPools: true,
		MinVersion:         tls.VersionTLS12,
	})
	if err != nil {
		return nil, fmt.Errorf("TLS certificates in %s cannot be used: %s: check DOCKER_CERT_PATH", safe(dir), safe(err.Error()))
	}
	return config, nil
}
