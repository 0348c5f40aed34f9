package dockerx

import (
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"hermes-sandbox/rescue"
)

// transport sits below every request of a client, ours and the moby client's:
// it refuses changes on a read-only client, names us, and notes when the engine
// last answered.
type transport struct {
	base       *http.Transport
	readOnly   bool
	userAgent  string
	look       func(*http.Request) // nil: nobody looks
	now        func() time.Time
	lastAnswer atomic.Int64 // unix nanoseconds, 0: never
}

// RoundTrip sends one request, or refuses it with [ErrReadOnly].
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.readOnly && request.Method != http.MethodGet && request.Method != http.MethodHead {
		if request.Body != nil {
			_ = request.Body.Close() // a RoundTripper closes the body in any case
		}
		return nil, ErrReadOnly
	}
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", t.userAgent)
	if t.look != nil {
		t.look(request)
	}
	response, err := t.base.RoundTrip(request)
	if err == nil {
		t.answered(t.now())
	}
	if caught := (*rescue.Panic)(nil); errors.As(err, &caught) {
		panic(caught)
	}
	return response, err //nolint:wrapcheck // a decorator must not change errors
}

// answered notes a sign of life.
func (t *transport) answered(at time.Time) { t.lastAnswer.Store(at.UnixNano()) }

// last returns when the engine last answered anything; zero: never.
func (t *transport) last() time.Time {
	nanos := t.lastAnswer.Load()
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}

// newPool returns a pool of the given certificates, nil when there is none.
func newPool(pem []byte) *x509.CertPool {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil
	}
	return pool
}

// cancelBody ends a request's context with its body.
type cancelBody struct {
	io.ReadCloser
	cancel func()
}

// Close closes the body and ends the request.
func (b *cancelBody) Close() error {
	b.cancel()
	return b.ReadCloser.Close() //nolint:wrapcheck // a decorator must not change errors
}
