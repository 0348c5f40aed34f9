package egress

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	lingerTime  = time.Second
	lingerBytes = 256 << 10
)

// refusal ends an exchange with an answer of the proxy's own.
type refusal struct {
	status  int
	verdict Verdict
	reason  Reason
	detail  string // printable ASCII
}

func (r *refusal) Error() string { return r.detail }

func denied(reason Reason, format string, values ...any) *refusal {
	status := http.StatusForbidden
	switch reason {
	case Malformed:
		status = http.StatusBadRequest
	case ClientTimeout:
		status = http.StatusRequestTimeout
	case TooMany:
		status = http.StatusServiceUnavailable
	default:
	}
	return &refusal{status: status, verdict: Deny, reason: reason, detail: fmt.Sprintf(format, values...)}
}

func failed(reason Reason, format string, values ...any) *refusal {
	status := http.StatusBadGateway
	if reason == Timeout {
		status = http.StatusGatewayTimeout
	}
	return &refusal{status: status, verdict: Fail, reason: reason, detail: fmt.Sprintf(format, values...)}
}

// answer tells the client. The reason stands in the status line too, as many
// clients show nothing else of the answer to a CONNECT.
func (r *refusal) answer(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(lingerTime))
	body := fmt.Sprintf("egress proxy: %s\n", r.detail)
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s: %s\r\nContent-Type: text/plain; charset=us-ascii\r\n"+
		"Content-Length: %d\r\nConnection: close\r\n\r\n%s",
		r.status, http.StatusText(r.status), r.detail, len(body), body)
	linger(conn)
}

// hear waits until the client has begun to ask: some take an answer that comes
// before the question for a fault of the connection.
func hear(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = conn.Read(make([]byte, 1))
}

// linger lets the client read its answer: closing a connection with unread
// bytes resets it, and the answer may be lost.
func linger(conn net.Conn) {
	if closeWrite(conn) != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.CopyN(io.Discard, conn, lingerBytes)
}
