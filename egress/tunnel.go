package egress

import (
	"bufio"
	"io"
	"net"
	"sync"
)

// tunnel passes bytes both ways until both directions have ended. Bytes that
// the client sent together with its CONNECT belong to the tunnel.
func (x *exchange) tunnel(from *bufio.Reader) {
	if !x.send("HTTP/1.1 200 Connection established\r\n\r\n") {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { x.pass(x.upstream, from) })
	both.Go(func() { x.pass(x.conn, x.upstream) })
	both.Wait()
}

// send writes a line of the proxy's own to the client, if it is still there.
func (x *exchange) send(text string) bool {
	_, err := io.WriteString(x.conn, text)
	if err != nil {
		x.record.Detail = "the client had gone"
	}
	return err == nil
}

// pass copies one direction. Its end is passed on as the end of that direction
// alone; a failure ends both.
func (x *exchange) pass(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if err == nil {
		err = closeWrite(to)
	}
	if err != nil {
		_ = x.conn.Close()
		_ = x.upstream.Close()
	}
}
