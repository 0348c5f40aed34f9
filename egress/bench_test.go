package egress

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
)

// BenchmarkTunnel compares a tunnel with a direct connection, 1 MiB at a time.
func BenchmarkTunnel(b *testing.B) {
	const size = 1 << 20
	source := func(conn *net.TCPConn) {
		one := make([]byte, 1)
		for {
			if _, err := io.ReadFull(conn, one); err != nil {
				return
			}
			if _, err := io.CopyN(conn, zeros{}, size); err != nil {
				return
			}
		}
	}
	transfer := func(b *testing.B, conn net.Conn, from io.Reader) {
		b.SetBytes(size)
		for b.Loop() {
			if _, err := conn.Write([]byte("x")); err != nil {
				b.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, from, size); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("direct", func(b *testing.B) {
		conn, err := net.Dial("tcp", listen(b, source))
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		transfer(b, conn, conn)
	})
	b.Run("proxy", func(b *testing.B) {
		r := newRig(b, Options{Allow: []string{"good.example"}})
		r.host("good.example", "443", listen(b, source))
		conn, reader := r.tunnel(b, "good.example:443")
		defer func() { _ = conn.Close() }()
		transfer(b, conn, reader)
	})
}

// BenchmarkConnect opens and ends a tunnel.
func BenchmarkConnect(b *testing.B) {
	r := newRig(b, Options{Allow: []string{"good.example"}})
	r.host("good.example", "443", listen(b, echo))
	for b.Loop() {
		conn, _ := r.tunnel(b, "good.example:443")
		_ = conn.Close()
		<-r.records
	}
}

// BenchmarkPlainRequest forwards a small plain request.
func BenchmarkPlainRequest(b *testing.B) {
	r := newRig(b, Options{Allow: []string{"good.example"}})
	r.host("good.example", "80", listen(b, func(conn *net.TCPConn) {
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, okAnswer)
		}
	}))
	for b.Loop() {
		r.exchange(b, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", http.MethodGet)
		<-r.records
	}
}
