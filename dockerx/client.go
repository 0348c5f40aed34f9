package dockerx

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/docker/go-connections/sockets"
	"github.com/moby/moby/client"

	"hermes-sandbox/rescue"
)

// Deadlines of single requests, and caps of bodies.
const (
	dialTimeout    = 3 * time.Second
	pingTimeout    = 4 * time.Second
	factsTimeout   = 5 * time.Second
	listTimeout    = 10 * time.Second
	inspectTimeout = 5 * time.Second

	listLimit    = 64 << 20
	inspectLimit = 8 << 20
	errorLimit   = 64 << 10
)

// dummyHost stands in the Host header of requests over a socket.
const dummyHost = client.DummyHost

// Client talks to one engine over one HTTP transport, shared by our own
// requests and those of the moby client. It is safe for concurrent use.
type Client struct {
	endpoint  Endpoint
	transport *transport
	http      *http.Client
	base      url.URL // scheme, host and base path of every request
	kernel    string  // release of the one this program runs on; empty: not known

	mu      sync.Mutex
	moby    API
	version string // negotiated API version; empty before the first answer
	facts   engineFacts
	// lastInspect is when the last inspect was answered.
	lastInspect time.Time
}

// ConnectOption changes how [Connect] builds a client.
type ConnectOption func(*transport)

// ReadOnly makes the client refuse every request but GET and HEAD with
// [ErrReadOnly], below everything else.
func ReadOnly() ConnectOption { return func(t *transport) { t.readOnly = true } }

// UserAgent names the program to the engine.
func UserAgent(name string) ConnectOption { return func(t *transport) { t.userAgent = name } }

// OnRequest calls a function with every request right before it is sent. It
// must not change the request.
func OnRequest(look func(*http.Request)) ConnectOption {
	return func(t *transport) { t.look = look }
}

// Clock gives the time that what is read is marked with; without it, the
// machine's. Deadlines do not go by it.
func Clock(now func() time.Time) ConnectOption { return func(t *transport) { t.now = now } }

// now is the time by the client's clock.
func (c *Client) now() time.Time { return c.transport.now() }

// Connect prepares a client; nothing is sent before the first request. Close
// it when done.
func Connect(endpoint Endpoint, options ...ConnectOption) (*Client, error) {
	scheme, rest, ok := strings.Cut(endpoint.Host, "://")
	if !ok || rest == "" {
		return nil, fmt.Errorf("engine address \"%s\" is no address: write it as unix:///path, tcp://host:port or ssh://user@host", safe(endpoint.Host))
	}
	base := &http.Transport{
		DialContext:         carried(endpoint.dialer()),
		TLSClientConfig:     endpoint.TLS,
		TLSHandshakeTimeout: pingTimeout,
		MaxIdleConns:        10,
		MaxIdleConnsPerHost: 10,
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true,
	}
	c := &Client{endpoint: endpoint, base: url.URL{Scheme: "http", Host: dummyHost}, kernel: kernelRelease()}
	c.transport = &transport{base: base, userAgent: "hermes-sandbox", now: time.Now}
	for _, option := range options {
		option(c.transport)
	}
	c.http = &http.Client{Transport: c.transport, CheckRedirect: client.CheckRedirect}
	if scheme == "tcp" || scheme == "http" || scheme == "https" {
		parsed, err := url.Parse(endpoint.Host)
		if err != nil {
			return nil, fmt.Errorf("engine address \"%s\" is no address: %s: write it as tcp://host:port", safe(endpoint.Host), safe(err.Error()))
		}
		c.base.Host, c.base.Path = parsed.Host, parsed.Path
		base.Proxy = http.ProxyFromEnvironment
	}
	if endpoint.TLS != nil || scheme == "https" {
		c.base.Scheme = "https"
	}
	fixed := strings.TrimPrefix(endpoint.APIVersion, "v")
	if fixed != "" && !plainVersion(fixed) {
		return nil, fmt.Errorf("DOCKER_API_VERSION \"%s\" is no API version: write it as 1.41, or unset it", safe(fixed))
	}
	var err error
	if c.moby, err = c.newMoby(fixed); err != nil {
		return nil, err
	}
	return c, nil
}

// newMoby builds a moby client over our transport. An empty version lets it
// negotiate by itself.
func (c *Client) newMoby(version string) (API, error) {
	host := c.endpoint.Host
	if c.endpoint.Dial != nil && c.base.Host == dummyHost {
		host = "http://" + dummyHost
	}
	// The host is set first, on a transport that is thrown away, and ours after
	// it: the moby client would otherwise replace our dialer.
	moby, err := client.New(client.WithHost(strings.Replace(host, "https://", "tcp://", 1)),
		client.WithHTTPClient(&http.Client{Transport: c.transport, CheckRedirect: client.CheckRedirect}),
		client.WithScheme(c.base.Scheme), client.WithAPIVersion(version))
	if err != nil {
		return nil, fmt.Errorf("engine address \"%s\" cannot be used: %s", safe(c.endpoint.Host), safe(err.Error()))
	}
	return moby, nil
}

// carried makes a panic of a dialer its error: the HTTP transport dials on a
// goroutine of its own. The request that the connection was for passes it on.
func carried(dial Dialer) Dialer {
	return func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		defer func() {
			if caught := rescue.Caught(recover()); caught != nil {
				err = caught
			}
		}()
		return dial(ctx, network, address)
	}
}

// dialer returns how connections are opened.
func (e Endpoint) dialer() Dialer {
	if e.Dial != nil {
		return e.Dial
	}
	direct := &net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
	if path, ok := strings.CutPrefix(e.Host, "unix://"); ok {
		return func(ctx context.Context, _, _ string) (net.Conn, error) { return direct.DialContext(ctx, "unix", path) }
	}
	if path, ok := strings.CutPrefix(e.Host, "npipe://"); ok {
		pipe := &http.Transport{}
		if err := sockets.ConfigureTransport(pipe, "npipe", path); err != nil {
			return func(context.Context, string, string) (net.Conn, error) { return nil, err } //nolint:wrapcheck // explained where it is used
		}
		return pipe.DialContext
	}
	return direct.DialContext
}

// Endpoint returns what the client connects to.
func (c *Client) Endpoint() Endpoint { return c.endpoint }

// Name returns the engine's name, which stands in [model.Container.Engine].
func (c *Client) Name() string { return c.endpoint.Name }

// API returns the moby client's calls. They share our transport, so a read-only
// client refuses their changes too. Ask for it at each use: a new
// connection can negotiate another version.
func (c *Client) API() API {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.moby
}

// Dial opens a raw connection to the engine, for streams. A read-only client
// opens none, since anything could be sent on it: [ErrReadOnly].
func (c *Client) Dial(ctx context.Context) (net.Conn, error) {
	if c.transport.readOnly {
		return nil, c.connectionError("connect", ErrReadOnly)
	}
	network, address := "tcp", c.base.Host
	if strings.HasPrefix(c.endpoint.Host, "unix://") {
		network = "unix"
	}
	conn, err := c.endpoint.dialer()(ctx, network, address)
	if err != nil {
		return nil, c.connectionError("connect", err)
	}
	return conn, nil
}

// Close drops idle connections; with ssh, that ends the helper's processes.
func (c *Client) Close() { c.transport.base.CloseIdleConnections() }

// get sends a GET to a versioned path and returns the whole body, at most
// limit bytes of it.
func (c *Client) get(ctx context.Context, op, route string, query url.Values, limit int64) ([]byte, http.Header, error) {
	return c.getLarge(ctx, op, route, query, limit, usualSize)
}

// getLarge is get of an answer that is expected to have so many bytes.
func (c *Client) getLarge(ctx context.Context, op, route string, query url.Values, limit int64, expected int) ([]byte, http.Header, error) {
	version, err := c.negotiate(ctx)
	if err != nil {
		return nil, nil, err
	}
	return c.fetch(ctx, http.MethodGet, op, "/v"+version+route, query, limit, expected)
}

// usualSize is what most answers stay below, in bytes.
const usualSize = 8 << 10

// fetch sends one request to an exact path.
func (c *Client) fetch(ctx context.Context, method, op, route string, query url.Values, limit int64, expected int) ([]byte, http.Header, error) {
	response, err := c.open(ctx, method, op, route, query)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body := bytes.NewBuffer(make([]byte, 0, expected+bytes.MinRead))
	if _, err := body.ReadFrom(io.LimitReader(response.Body, limit+1)); err != nil {
		return nil, nil, c.bodyError(ctx, op, err)
	}
	if int64(body.Len()) > limit {
		return nil, nil, c.failure(ReasonTooLarge, op, fmt.Sprintf("the answer is larger than %d MiB", limit>>20), "", nil)
	}
	return body.Bytes(), response.Header, nil
}

// open sends one request and returns the answer when its status is a success.
func (c *Client) open(ctx context.Context, method, op, route string, query url.Values) (*http.Response, error) {
	return c.openWith(ctx, method, op, route, query, nil)
}

// openWith is open with a body of JSON; nil: none.
func (c *Client) openWith(ctx context.Context, method, op, route string, query url.Values, body []byte) (*http.Response, error) {
	address := c.base
	address.Path = path.Join("/", c.base.Path, route)
	address.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, c.failure(ReasonOther, op, safe(err.Error()), "", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.connectionError(op, err)
	}
	if response.StatusCode >= 300 {
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(io.LimitReader(response.Body, errorLimit)) // what came is enough for a reason
		return nil, c.statusError(op, response, body)
	}
	return response, nil
}
