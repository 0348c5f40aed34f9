package egress

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

func TestBytesOfATunnelAreCounted(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example"}})
	r.host("good.example", "443", listen(t, func(conn *net.TCPConn) {
		question := make([]byte, 5)
		_, _ = io.ReadFull(conn, question)
		_, _ = io.WriteString(conn, "an answer")
	}))
	conn, reader := r.tunnel(t, "good.example:443")
	_, _ = io.WriteString(conn, "hello")
	if answer, err := io.ReadAll(reader); string(answer) != "an answer" || err != nil {
		t.Errorf("answer = %q, %v", answer, err)
	}
	_ = conn.Close()
	if record := r.next(t); record.Up != 5 || record.Down != 9 || record.Verdict != Allow || record.Detail != "" {
		t.Errorf("record = %+v, want 5 bytes up and 9 down", record)
	}
}

func TestEitherSideMayEndItsDirectionFirst(t *testing.T) {
	t.Run("client", func(t *testing.T) {
		r := newRig(t, Options{Allow: []string{"good.example"}})
		r.host("good.example", "443", listen(t, func(conn *net.TCPConn) {
			question, _ := io.ReadAll(conn)
			_, _ = fmt.Fprintf(conn, "after %s", question)
		}))
		conn, reader := r.tunnel(t, "good.example:443")
		_, _ = io.WriteString(conn, "all")
		_ = conn.CloseWrite()
		if answer, err := io.ReadAll(reader); string(answer) != "after all" || err != nil {
			t.Errorf("answer = %q, %v", answer, err)
		}
	})
	t.Run("target", func(t *testing.T) {
		r := newRig(t, Options{Allow: []string{"good.example"}})
		got := make(chan string, 1)
		r.host("good.example", "443", listen(t, func(conn *net.TCPConn) {
			_, _ = io.WriteString(conn, "first")
			_ = conn.CloseWrite()
			rest, _ := io.ReadAll(conn)
			got <- string(rest)
		}))
		conn, reader := r.tunnel(t, "good.example:443")
		if answer, err := io.ReadAll(reader); string(answer) != "first" || err != nil {
			t.Errorf("answer = %q, %v", answer, err)
		}
		_, _ = io.WriteString(conn, "still heard")
		_ = conn.Close()
		if rest := <-got; rest != "still heard" {
			t.Errorf("the target got %q after it had ended", rest)
		}
	})
}

// Clients may send the first bytes of the tunnel together with CONNECT.
func TestBytesBehindConnectBelongToTheTunnel(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example"}})
	r.host("good.example", "443", listen(t, echo))
	conn := r.connect(t)
	_, _ = io.WriteString(conn, "CONNECT good.example:443 HTTP/1.0\r\n\r\n\x16\x03\x01early")
	_ = conn.CloseWrite()
	reader := bufio.NewReader(conn)
	if response, body := readAnswer(t, reader, http.MethodConnect); response.StatusCode != http.StatusOK {
		t.Fatalf("answer = %s %q", response.Status, body)
	}
	if answer, err := io.ReadAll(reader); string(answer) != "\x16\x03\x01early" || err != nil {
		t.Errorf("answer = %q, %v", answer, err)
	}
}

func TestAResetOfTheClientEndsTheTunnel(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example"}})
	ended := make(chan struct{})
	r.host("good.example", "443", listen(t, func(conn *net.TCPConn) {
		_, _ = io.Copy(io.Discard, conn) // never ends a direction by itself
		close(ended)
	}))
	conn, _ := r.tunnel(t, "good.example:443")
	_ = conn.SetLinger(0)
	_ = conn.Close()
	if record := r.next(t); record.Verdict != Allow {
		t.Errorf("record = %+v", record)
	}
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the target's connection is still open")
	}
}

func TestManyTunnelsAtOnce(t *testing.T) {
	const tunnels, size = 200, 64 << 10
	r := newRig(t, Options{Allow: []string{"good.example"}, Limits: Limits{Clients: tunnels, Total: tunnels}})
	r.host("good.example", "443", listen(t, echo))
	var all, opened sync.WaitGroup
	opened.Add(tunnels)
	for n := range tunnels {
		all.Go(func() {
			conn, err := net.Dial("tcp", r.address)
			if err != nil {
				t.Error(err)
				opened.Done()
				return
			}
			defer func() { _ = conn.Close() }()
			reader := bufio.NewReader(conn)
			_, _ = io.WriteString(conn, "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n")
			response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
			opened.Done()
			if err == nil {
				defer func() { _ = response.Body.Close() }()
			}
			if err != nil || response.StatusCode != http.StatusOK {
				t.Errorf("tunnel %d: %v, %v", n, response, err)
				return
			}
			opened.Wait() // all are open at the same time
			payload := bytes.Repeat(sha256.New().Sum([]byte{byte(n), byte(n >> 8)}), size/34)
			go func() {
				_, _ = conn.Write(payload)
				_ = conn.(*net.TCPConn).CloseWrite()
			}()
			if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, payload) {
				t.Errorf("tunnel %d: %d bytes came back, %v, want %d", n, len(got), err, len(payload))
			}
		})
	}
	all.Wait()
	for range tunnels {
		if record := r.next(t); record.Verdict != Allow || record.Up != record.Down || record.Up != int64(size/34*34) {
			t.Errorf("record = %+v, want %d bytes each way", record, size/34*34)
		}
	}
}
