package dockerx

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"hermes-sandbox/dockerx/enginetest"
)

// BenchmarkEgress downloads over the engine's own bridges, straight from a
// server in a container and through the proxy of an allowlist. Their ratio is
// what an allowlist costs.
func BenchmarkEgress(b *testing.B) {
	const size = 256 << 20
	w := newInternet(b, &net.TCPAddr{Port: 1})
	run(b, w.e.Engine, w.server, "sh", "-c", fmt.Sprintf("busybox truncate -s %d /w/large", size))
	made := w.list(b, w.spec)
	proxy := net.JoinHostPort(addressOn(b, w.e.Engine, made.ProxyID, made.Network), egressPort)
	host := "www." + w.domain
	for _, way := range []struct{ name, address, connect, path string }{
		{name: "direct", address: net.JoinHostPort(w.address, "80"), path: "/large"},
		{name: "tunnel", address: proxy, connect: "CONNECT " + host + ":80 HTTP/1.1\r\nHost: " + host + ":80\r\n\r\n", path: "/large"},
		{name: "plain", address: proxy, path: "http://" + host + "/large"},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				download(b, way.address, way.connect, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", way.path, host), size)
			}
		})
	}
}

// download gets one page of a known size, through a tunnel when connect is set.
func download(b *testing.B, address, connect, request string, size int64) {
	b.Helper()
	conn, err := net.DialTimeout("tcp", address, enginetest.Wait)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for _, ask := range []string{connect, request} {
		if ask == "" {
			continue
		}
		if _, err := io.WriteString(conn, ask); err != nil {
			b.Fatal(err)
		}
		var to *http.Request
		if ask == connect {
			to = &http.Request{Method: http.MethodConnect}
		}
		answer, err := http.ReadResponse(reader, to)
		if err != nil || answer.StatusCode != http.StatusOK {
			b.Fatalf("answer %+v, error %v", answer, err)
		}
		if ask == connect {
			continue // what follows is the tunnel
		}
		defer func() { _ = answer.Body.Close() }()
		if n, err := io.Copy(io.Discard, answer.Body); n != size || err != nil {
			b.Fatalf("%d of %d bytes, error %v", n, size, err)
		}
	}
}
