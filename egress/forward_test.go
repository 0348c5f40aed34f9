package egress

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// plainTarget serves one raw answer per connection and hands out the requests
// as they came, up to the end of their body.
func plainTarget(t *testing.T, r *rig, answer string) (requests chan string) {
	t.Helper()
	requests = make(chan string, 10)
	r.host("good.example", "80", listen(t, func(conn *net.TCPConn) {
		var seen strings.Builder
		request, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &seen)))
		if err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
		}
		requests <- seen.String()
		_, _ = io.WriteString(conn, answer)
	}))
	return requests
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestWhatTheTargetOfAPlainRequestGets(t *testing.T) {
	for name, c := range map[string]struct{ sent, want string }{
		"absolute URI to origin form": {
			"GET http://good.example/a/b?c=d%2f&e HTTP/1.1\r\nHost: good.example\r\nX-A: b\r\n\r\n",
			"GET /a/b?c=d%2f&e HTTP/1.1\r\nHost: good.example\r\nX-A: b\r\nConnection: close\r\n\r\n",
		},
		"no path": {
			"GET http://good.example HTTP/1.1\r\nHost: good.example\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
		},
		"host in another spelling": {
			"GET HTTP://GOOD.example.:80/ HTTP/1.1\r\nHost: Good.Example\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
		},
		"escaped path": {
			"GET http://good.example/a%2Fb%20c HTTP/1.1\r\nHost: good.example\r\n\r\n",
			"GET /a%2Fb%20c HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
		},
		"path of slashes": {
			"GET http://good.example//evil.example/../x HTTP/1.1\r\nHost: good.example\r\n\r\n",
			"GET //evil.example/../x HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
		},
		"fields for the proxy": {
			"GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nProxy-Authorization: Basic c2VjcmV0\r\nProxy-Connection: keep-alive\r\n" +
				"Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\nTrailer: X-T\r\nAuthorization: Bearer t\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: good.example\r\nAuthorization: Bearer t\r\nConnection: close\r\n\r\n",
		},
		"agent and cookies": {
			"GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\nUser-Agent: curl/8\r\nCookie: a=b\r\nCookie: c=d\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: good.example\r\nUser-Agent: curl/8\r\nCookie: a=b\r\nCookie: c=d\r\nConnection: close\r\n\r\n",
		},
		"body with a length": {
			"POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 5\r\n\r\nhello",
			"POST / HTTP/1.1\r\nHost: good.example\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
		},
		"body of nothing": {
			"POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 0\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: good.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		},
		"body in chunks, with extension and trailer": {
			"PUT http://good.example/ HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n5;x=\"y\"\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
			"PUT / HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		},
		"HTTP/1.0": {
			"GET http://good.example/ HTTP/1.0\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: good.example\r\nConnection: close\r\n\r\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}})
			requests := plainTarget(t, r, okAnswer)
			response, body := r.exchange(t, c.sent, http.MethodGet)
			if response.StatusCode != http.StatusOK || body != "ok" {
				t.Errorf("answer = %s %q", response.Status, body)
			}
			if got := <-requests; got != c.want {
				t.Errorf("the target got\n%q, want\n%q", got, c.want)
			}
			if record := r.next(t); record.Up != int64(len(c.want)) || record.Down != int64(len(okAnswer)) || record.Verdict != Allow || record.Host != "good.example" || record.Port != 80 {
				t.Errorf("record = %+v, want %d bytes up and %d down", record, len(c.want), len(okAnswer))
			}
		})
	}
}

func TestWhatTheClientOfAPlainRequestGets(t *testing.T) {
	const get = "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n"
	for name, c := range map[string]struct{ sent, answer, want string }{
		"length":              {get, okAnswer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"},
		"chunks":              {get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2;x\r\nok\r\n0\r\nX-T: 1\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"},
		"end of connection":   {get, "HTTP/1.0 200 OK\r\n\r\nok", "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"},
		"both lengths":        {get, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"},
		"client of HTTP/1.0":  {"GET http://good.example/ HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nok"},
		"fields of a hop":     {get, "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nProxy-Authenticate: Basic\r\nX-A: b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nX-A: b\r\nContent-Length: 0\r\n\r\n"},
		"compressed as it is": {get, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\nContent-Encoding: gzip\r\n\r\nok"},
		"redirect as it is":   {get, "HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"},
		"no body":             {get, "HTTP/1.1 304 Not Modified\r\nEtag: x\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nConnection: close\r\nEtag: x\r\n\r\n"},
		"HEAD":                {"HEAD http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\n"},
		"field that is none":  {get, "HTTP/1.1 200 OK\r\nX A: b\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"},
		"words of the status": {get, "HTTP/1.1 200 A\rSet-Cookie: b\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"},
		"early hints":         {get, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + okAnswer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"},
		"expected 100": {
			"POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\nhello", okAnswer,
			"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}})
			plainTarget(t, r, c.answer)
			conn := r.connect(t)
			_, _ = io.WriteString(conn, c.sent)
			got, err := io.ReadAll(conn)
			if err != nil || string(got) != c.want {
				t.Errorf("the client got (%v)\n%q, want\n%q", err, got, c.want)
			}
			_ = conn.Close()
			if record := r.next(t); record.Verdict != Allow || record.Down != int64(len(c.answer)) {
				t.Errorf("record = %+v, want %d bytes down", record, len(c.answer))
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":            "",
		"no HTTP":            "SSH-2.0-OpenSSH_9.6\r\n",
		"end within head":    "HTTP/1.1 200 OK\r\nX-A: b",
		"two lengths":        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
		"head without end":   "HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("b", responseHeadLimit+1) + "\r\n\r\n",
		"another protocol":   "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
		"unknown encoding":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\nok",
		"status that is not": "HTTP/1.1 two OK\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}})
			plainTarget(t, r, answer)
			response, body := r.exchange(t, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", http.MethodGet)
			if record := r.next(t); response.StatusCode != http.StatusBadGateway || record.Verdict != Fail || record.Reason != Unreachable {
				t.Errorf("answer = %s %q, record %+v, want 502", response.Status, body, record)
			}
		})
	}
}

// A client must not take half an answer for a whole one.
func TestAnswersCutShort(t *testing.T) {
	for name, answer := range map[string]string{
		"length":      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
		"chunks":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
		"broken size": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nx\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}})
			plainTarget(t, r, answer)
			conn := r.connect(t)
			_, _ = io.WriteString(conn, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			if err == nil {
				t.Error("the answer seems whole")
			}
			if record := r.next(t); record.Verdict != Allow || !strings.Contains(record.Detail, "cut short") {
				t.Errorf("record = %+v, want an answer cut short", record)
			}
		})
	}
}

func TestLargeBodiesPassBothWays(t *testing.T) {
	const size = 8 << 20
	r := newRig(t, Options{Allow: []string{"good.example"}})
	r.host("good.example", "80", listen(t, func(conn *net.TCPConn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, request.Body)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		_, _ = io.Copy(conn, io.LimitReader(zeros{}, n))
	}))
	conn := r.connect(t)
	go func() {
		_, _ = io.WriteString(conn, "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 8388608\r\n\r\n")
		_, _ = io.Copy(conn, io.LimitReader(zeros{}, size))
	}()
	response, body := readAnswer(t, bufio.NewReader(conn), http.MethodPost)
	if response.StatusCode != http.StatusOK || len(body) != size {
		t.Errorf("answer = %s with %d bytes, want %d", response.Status, len(body), size)
	}
	_ = conn.Close()
	if record := r.next(t); record.Up < size || record.Down < size {
		t.Errorf("record = %+v, want %d bytes each way", record, size)
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Events must arrive when they are sent, not when the answer ends.
func TestPartsOfAnAnswerArriveAtOnce(t *testing.T) {
	for name, c := range map[string]struct{ head, event string }{
		"chunks":            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nevent\r\n"},
		"length":            {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "event"},
		"end of connection": {"HTTP/1.1 200 OK\r\n\r\n", "event"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}})
			heard := make(chan struct{})
			r.host("good.example", "80", listen(t, func(conn *net.TCPConn) {
				_, _ = http.ReadRequest(bufio.NewReader(conn))
				_, _ = io.WriteString(conn, c.head+c.event)
				<-heard
			}))
			conn := r.connect(t)
			_, _ = io.WriteString(conn, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n")
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				close(heard)
				t.Fatal(err)
			}
			defer func() { close(heard); _ = conn.Close(); _ = response.Body.Close() }()
			event := make([]byte, 5)
			if _, err := io.ReadFull(response.Body, event); err != nil || string(event) != "event" {
				t.Errorf("while the answer goes on: %q, %v", event, err)
			}
		})
	}
}
