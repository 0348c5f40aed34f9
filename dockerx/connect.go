package dockerx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"syscall"

	"github.com/containerd/errdefs/pkg/errhttp"
	"github.com/moby/moby/client"
	"github.com/moby/moby/client/pkg/versions"

	"hermes-sandbox/model"
)

// negotiate makes sure that an API version is agreed on: once per connection
// the engine is asked, unless DOCKER_API_VERSION fixed the version.
func (c *Client) negotiate(ctx context.Context) (string, error) {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version != "" {
		return version, nil
	}
	return c.connect(ctx)
}

// connect looks at the socket, pings the engine and agrees on a version, which
// it returns.
func (c *Client) connect(ctx context.Context) (string, error) {
	const op = "connect"
	if err := c.checkSocket(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	sent := c.now()
	body, header, err := c.fetch(ctx, http.MethodGet, op, "/_ping", nil, errorLimit, 0)
	if err != nil {
		return "", err
	}
	offered := strings.TrimPrefix(header.Get("Api-Version"), "v")
	if offered == "" && c.endpoint.APIVersion == "" {
		return "", c.failure(ReasonNotEngine, op, "what answers names no API version ("+describeBody(header, body)+")",
			"check that the address is a Docker or Podman engine", nil)
	}
	version, err := c.chooseVersion(offered)
	if err != nil {
		return "", err
	}
	moby, err := c.newMoby(version)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.moby = version, moby
	c.facts = engineFacts{APIVersion: version, Podman: header.Get("Libpod-Api-Version") != "" || strings.HasPrefix(header.Get("Server"), "Libpod")}
	c.facts.clock.observe(header, sent, c.now())
	return version, nil
}

// ping asks for a sign of life. An answer that refuses the call is one, too.
func (c *Client) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	_, _, err := c.fetch(ctx, http.MethodHead, "ping", "/_ping", nil, errorLimit, 0)
	if ReasonOf(err) == ReasonRefusedCall {
		return nil
	}
	return err
}

// disconnect forgets the version and the facts, so that the next request looks
// at the engine afresh: another one may answer by then.
func (c *Client) disconnect() {
	c.mu.Lock()
	c.version, c.facts = "", engineFacts{}
	c.mu.Unlock()
	c.transport.base.CloseIdleConnections()
}

// chooseVersion takes the fixed version, else the lower of the engine's and
// ours.
func (c *Client) chooseVersion(offered string) (string, error) {
	if fixed := strings.TrimPrefix(c.endpoint.APIVersion, "v"); fixed != "" {
		if versions.LessThan(fixed, client.MinAPIVersion) {
			return "", c.failure(ReasonTooOld, "connect", fmt.Sprintf("DOCKER_API_VERSION asks for %s and %s is the least we speak", safe(fixed), client.MinAPIVersion),
				"unset it, so that the version is agreed on with the engine", nil)
		}
		return fixed, nil
	}
	if !plainVersion(offered) {
		return "", c.failure(ReasonNotEngine, "connect", fmt.Sprintf("what answers names API version \"%s\"", safe(offered)),
			"check that the address is a Docker or Podman engine", nil)
	}
	if versions.LessThan(offered, client.MinAPIVersion) {
		return "", c.failure(ReasonTooOld, "connect", fmt.Sprintf("the engine speaks API version %s and %s is the least we speak", offered, client.MinAPIVersion),
			"update the engine to Docker 19.03 or Podman 4 at least", nil)
	}
	if versions.GreaterThan(offered, client.MaxAPIVersion) {
		return client.MaxAPIVersion, nil
	}
	return offered, nil
}

// plainVersion reports whether a version is two short numbers with a point.
func plainVersion(version string) bool {
	major, minor, ok := strings.Cut(version, ".")
	return ok && shortNumber(major) && shortNumber(minor)
}

func shortNumber(digits string) bool {
	return digits != "" && len(digits) <= 4 && strings.Trim(digits, "0123456789") == ""
}

// checkSocket tells a missing socket, a plain file and a forbidden one apart
// before a request would blur them. Only unix sockets are looked at.
func (c *Client) checkSocket() error {
	path, ok := strings.CutPrefix(c.endpoint.Host, "unix://")
	if !ok || c.endpoint.Dial != nil {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return c.connectionError("connect", err)
	}
	if info.Mode()&os.ModeSocket == 0 {
		return c.failure(ReasonNotSocket, "connect", fmt.Sprintf("%s is a %s, not a socket", safe(path), fileKind(info)), c.notSocketStep(info), nil)
	}
	return nil
}

func fileKind(info os.FileInfo) string {
	switch {
	case info.IsDir():
		return "directory"
	case info.Mode().IsRegular():
		return "plain file"
	default:
		return "special file"
	}
}

func (c *Client) notSocketStep(info os.FileInfo) string {
	if info.IsDir() {
		return "a bind mount of a socket that did not exist makes such a directory: remove it and start the engine"
	}
	return "name the engine's socket with --host or DOCKER_HOST"
}

// failure builds an error about this engine.
func (c *Client) failure(reason Reason, op, detail, next string, err error) error {
	return &Error{Reason: reason, Op: op, Host: safe(c.endpoint.Host), Detail: detail, Next: next, Err: err}
}

// connectionError explains why a request got no answer at all.
func (c *Client) connectionError(op string, err error) error {
	path := safe(strings.TrimPrefix(c.endpoint.Host, "unix://"))
	var (
		netError  net.Error
		dnsError  *net.DNSError
		tlsRecord tls.RecordHeaderError
		malformed textproto.ProtocolError
	)
	switch {
	case errors.Is(err, ErrReadOnly), errors.Is(err, context.Canceled):
		return c.failure(ReasonOther, op, safe(err.Error()), "", err)
	case errors.Is(err, os.ErrNotExist):
		return c.failure(ReasonMissing, op, "there is no socket "+path, "start the engine, or name another with --host, --context or DOCKER_HOST", err)
	case errors.Is(err, os.ErrPermission):
		return c.failure(ReasonPermission, op, "the socket "+path+" may not be opened by this user", socketAccessStep(path), err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.failure(ReasonRefused, op, "nobody listens there", "start the engine; a socket file left by a stopped one refuses like this", err)
	case errors.As(err, &dnsError):
		return c.failure(ReasonUnreachable, op, "the host name is not known", "check the address", err)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return c.failure(ReasonUnreachable, op, "the host cannot be reached", "check the network and the address", err)
	case certificateProblem(err):
		return c.failure(ReasonCertificate, op, "a certificate was not accepted: "+safe(rootCause(err).Error()), "check DOCKER_CERT_PATH or the context's certificates", err)
	case errors.As(err, &tlsRecord), errors.Is(err, http.ErrSchemeMismatch):
		return c.failure(ReasonTLS, op, "the engine does not speak TLS on this address", "unset DOCKER_TLS_VERIFY, or use the engine's TLS port", err)
	case strings.HasPrefix(c.endpoint.Host, "ssh://") && !errors.Is(err, context.DeadlineExceeded):
		return c.failure(ReasonHelper, op, "ssh failed: "+safe(rootCause(err).Error()), "try `ssh "+sshTarget(c.endpoint.Host)+" docker version`; keys and host keys must work without a prompt", err)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netError) && netError.Timeout():
		return c.failure(ReasonSilent, op, "no answer in time", "the engine may be hung: look at its log or restart it", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return c.failure(ReasonBadAnswer, op, "the connection was closed before an answer", "the engine may be stopping; it is tried again", err)
	case errors.As(err, &malformed):
		return c.failure(ReasonNotEngine, op, "what answers does not speak HTTP: "+safe(malformed.Error()), "check that the address is a Docker or Podman engine", err)
	default:
		return c.failure(ReasonOther, op, safe(rootCause(err).Error()), "", err)
	}
}

// bodyError explains why an answer stopped half-way.
func (c *Client) bodyError(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return c.connectionError(op, ctx.Err())
	}
	return c.failure(ReasonBadAnswer, op, "the answer broke off: "+safe(rootCause(err).Error()), "it is tried again", err)
}

// statusError explains an answer that is no success. The kind of the status
// stays askable with errdefs.
func (c *Client) statusError(op string, response *http.Response, body []byte) error {
	native := errhttp.ToNative(response.StatusCode)
	message := errorMessage(body)
	detail := fmt.Sprintf("status %d", response.StatusCode)
	if message != "" {
		detail += ": " + message
	}
	switch status := response.StatusCode; {
	case status < 400:
		return c.failure(ReasonNotEngine, op, detail+", a redirect, which no engine sends", "check the address", native)
	case status == http.StatusUnauthorized:
		return c.failure(ReasonUnauthorized, op, detail, "the proxy before the engine wants credentials that it does not get", native)
	case status == http.StatusForbidden:
		return c.failure(ReasonForbidden, op, detail, "a socket proxy or an authorization plugin does not allow this call", native)
	case status == http.StatusBadRequest && strings.Contains(message, "API version"), status == http.StatusBadRequest && strings.Contains(message, "client version"):
		return c.failure(ReasonVersion, op, detail, "we speak API "+client.MinAPIVersion+" to "+client.MaxAPIVersion+"; unset DOCKER_API_VERSION, or update the engine", native)
	case status >= 500:
		return c.failure(ReasonServer, op, detail, "look at the engine's log", native)
	case message == "" && len(body) > 0:
		return c.failure(ReasonNotEngine, op, detail+" with "+describeBody(response.Header, body),
			"check that the address is an engine; one that wants TLS needs DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH", native)
	default:
		return c.failure(ReasonRefusedCall, op, detail, "", native)
	}
}

// errorMessage is the engine's own message in a JSON body; empty without one.
func errorMessage(body []byte) string {
	var answer struct {
		Message any `json:"message"`
		Cause   any `json:"cause"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	if text, ok := answer.Message.(string); ok {
		return safe(text)
	}
	if text, ok := answer.Cause.(string); ok {
		return safe(text)
	}
	return ""
}

// describeBody says in a few words what an unexpected body is.
func describeBody(header http.Header, body []byte) string {
	switch kind := header.Get("Content-Type"); {
	case strings.HasPrefix(kind, "text/html"), strings.HasPrefix(strings.TrimSpace(strings.ToLower(string(body[:min(len(body), 64)]))), "<"):
		return "a web page"
	case len(body) == 0:
		return "an empty body"
	default:
		return "content of type " + model.NewText(kind).Display()
	}
}

func certificateProblem(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		alert     tls.AlertError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) || errors.As(err, &alert)
}

// rootCause is the innermost error, whose text says what happened without the
// request around it.
func rootCause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

func sshTarget(host string) string {
	target, _, _ := strings.Cut(strings.TrimPrefix(host, "ssh://"), "/")
	return safe(target)
}
