package egress

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"
)

// exchange is one connection of a client with its one request.
type exchange struct {
	server   *Server
	conn     net.Conn
	client   netip.Addr
	record   Record
	upstream *meter // nil until the target is connected
}

func (s *Server) newExchange(conn net.Conn) *exchange {
	x := &exchange{server: s, conn: conn}
	if from, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil {
		x.client = from.Addr().Unmap().WithZone("")
		x.record.Sandbox = x.client.String()
	}
	x.record.Time = s.options.Now().UTC()
	return x
}

// close answers a refusal that was not answered yet, ends the connections and
// logs the decision.
func (x *exchange) close(err error) {
	var refused *refusal
	if errors.As(err, &refused) {
		x.record.Verdict, x.record.Reason, x.record.Detail = refused.verdict, refused.reason, refused.detail
		refused.answer(x.conn)
	} else {
		x.record.Verdict, x.record.Reason = Allow, Listed
	}
	_ = x.conn.Close()
	if x.upstream != nil {
		_ = x.upstream.Close()
		x.record.Up, x.record.Down = x.upstream.written.Load(), x.upstream.read.Load()
	}
	if errors.Is(err, errNoRequest) {
		return // nothing was asked, nothing was decided
	}
	x.record.Duration = x.server.options.Now().Sub(x.record.Time).Milliseconds()
	x.server.log(x.record)
}

// run reads the request, decides, and carries it out. A nil error is a request
// that reached its target.
func (x *exchange) run(ctx context.Context) error {
	limits := x.server.options.Limits
	_ = x.conn.SetDeadline(time.Now().Add(limits.Head))
	reader := bufio.NewReaderSize(x.conn, limits.HeadBytes)
	raw, err := readHead(reader, limits.HeadBytes)
	if err != nil {
		return headRefusal(err)
	}
	request, err := parseHead(raw)
	if err != nil {
		return denied(Malformed, "%s", err)
	}
	x.record.Method = request.method
	to, address, err := request.parseTarget()
	if err != nil {
		return denied(Malformed, "%s", err)
	}
	x.record.Host, x.record.Port = to.host, to.port
	addresses, err := x.server.permitted(ctx, to)
	if err != nil {
		return err
	}
	upstream, dialled, err := x.server.dial(ctx, to, addresses)
	x.record.Address = dialled
	if err != nil {
		return err
	}
	defer x.meet(upstream)()
	if request.method == http.MethodConnect {
		x.tunnel(reader)
		return nil
	}
	return x.forward(ctx, plainRequest{head: request, raw: raw, rest: reader, url: address, to: to})
}

func headRefusal(err error) error {
	switch {
	case errors.Is(err, errNoRequest):
		return err
	case errors.Is(err, errHeadTooLarge):
		refused := denied(Malformed, "%s", err)
		refused.status = http.StatusRequestHeaderFieldsTooLarge
		return refused
	case timedOut(err):
		return denied(ClientTimeout, "the request did not arrive in time")
	}
	return denied(Malformed, "the request could not be read")
}

// meet joins the two connections: each byte either way postpones the end that
// comes for both when there are none.
func (x *exchange) meet(upstream net.Conn) (done func()) {
	idle := x.server.options.Limits.Idle
	x.upstream = &meter{Conn: upstream, idle: idle}
	x.upstream.timer = time.AfterFunc(idle, func() {
		x.upstream.expired.Store(true)
		_ = x.upstream.Close()
		_ = x.conn.SetDeadline(time.Unix(1, 0)) // wakes who waits for the client, and leaves it open for an answer
	})
	_ = x.conn.SetDeadline(time.Time{})
	return func() {
		x.upstream.timer.Stop()
		if x.upstream.expired.Load() {
			x.record.Detail = "closed after " + idle.String() + " without a byte"
		}
	}
}

// meter counts what passes through the connection to the target.
type meter struct {
	net.Conn
	written, read atomic.Int64
	idle          time.Duration
	timer         *time.Timer // ends the exchange
	expired       atomic.Bool
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	m.read.Add(m.passed(n))
	return n, err //nolint:wrapcheck // a connection's own errors, io.EOF among them
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.written.Add(m.passed(n))
	return n, err //nolint:wrapcheck // a connection's own errors
}

func (m *meter) passed(n int) int64 {
	if n > 0 {
		m.timer.Reset(m.idle)
	}
	return int64(n)
}

// CloseWrite tells the target that nothing more will come.
func (m *meter) CloseWrite() error { return closeWrite(m.Conn) }

// closeWrite ends one direction of a connection. Connections that cannot are
// an error.
func closeWrite(conn net.Conn) error {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
