package dockerx

import (
	"errors"
	"fmt"
	"strings"

	"hermes-sandbox/model"
)

// ErrReadOnly is returned for every request that could change the engine on a
// client connected with [ReadOnly].
var ErrReadOnly = errors.New("read-only: nothing is changed on the engine")

// Reason tells apart why an engine could not be reached or understood.
type Reason string

// Reasons. Each comes with a next step of its own.
const (
	ReasonMissing      Reason = "missing"       // no such socket
	ReasonRefused      Reason = "refused"       // nobody listens
	ReasonPermission   Reason = "permission"    // the socket may not be opened
	ReasonNotSocket    Reason = "not-socket"    // the path is something else
	ReasonSilent       Reason = "silent"        // connected, no answer in time
	ReasonUnreachable  Reason = "unreachable"   // no route, no such host
	ReasonTooOld       Reason = "too-old"       // the engine's API is below ours
	ReasonVersion      Reason = "version"       // the engine refuses the API version
	ReasonTLS          Reason = "tls"           // the TLS handshake failed
	ReasonCertificate  Reason = "certificate"   // a certificate was not accepted
	ReasonUnauthorized Reason = "unauthorized"  // 401
	ReasonForbidden    Reason = "forbidden"     // 403, often a socket proxy
	ReasonNotEngine    Reason = "not-engine"    // HTML, a redirect, no API version
	ReasonServer       Reason = "server-error"  // 5xx
	ReasonRefusedCall  Reason = "request-error" // another 4xx
	ReasonBadAnswer    Reason = "bad-answer"    // truncated or no JSON
	ReasonTooLarge     Reason = "too-large"     // more than the cap
	ReasonHelper       Reason = "helper"        // the ssh helper failed
	ReasonOther        Reason = "other"
)

// Error is a failed request or connection: what was tried, on which engine, why
// it failed and what to do next. All its strings are safe to show.
type Error struct {
	Reason Reason
	// Op is what was tried, such as "list containers".
	Op string
	// Host is the engine's address.
	Host string
	// Detail says what happened.
	Detail string
	// Next is the next step; empty when there is none to name.
	Next string
	// Err is the cause; its kind can be asked with errors.Is and errdefs.
	Err error
}

// Error returns the whole sentence, safe to show.
func (e *Error) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s on %s: %s", e.Op, e.Host, e.Detail)
	if e.Next != "" {
		fmt.Fprintf(&out, "; %s", e.Next)
	}
	return out.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ReasonOf returns why a request failed, or ReasonOther for an error that is
// no [Error]. A nil error has the empty reason.
func ReasonOf(err error) Reason {
	if err == nil {
		return ""
	}
	var typed *Error
	if errors.As(err, &typed) {
		return typed.Reason
	}
	return ReasonOther
}

// safe makes any error text fit for display; long ones are cut.
func safe(text string) string {
	const limit = 400
	runes := []rune(strings.TrimSpace(text))
	if len(runes) > limit {
		return model.NewText(string(runes[:limit])).Display() + "..."
	}
	return model.NewText(string(runes)).Display()
}
