package egress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// ambiguousRequests are heads and bodies that two programs could read
// differently, or that are not for a proxy, by what is wrong with them.
func ambiguousRequests() map[string]string {
	const get = "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n"
	const post = "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\n"
	const connect = "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n"
	return map[string]string{
		"both lengths":                   post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"both lengths, other order":      post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"two lengths":                    post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
		"equal lengths":                  post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
		"list of lengths":                post + "Content-Length: 5, 5\r\n\r\nhello",
		"signed length":                  post + "Content-Length: +5\r\n\r\nhello",
		"negative length":                post + "Content-Length: -5\r\n\r\nhello",
		"hex length":                     post + "Content-Length: 0x5\r\n\r\nhello",
		"empty length":                   post + "Content-Length:\r\n\r\nhello",
		"length beyond all":              post + "Content-Length: 99999999999999999999\r\n\r\nhello",
		"two encodings":                  post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
		"list of encodings":              post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"unknown encoding":               post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"identity":                       post + "Transfer-Encoding: identity\r\n\r\n",
		"vertical tab in the encoding":   post + "Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
		"encoding in HTTP/1.0":           "POST http://good.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"blank before the colon":         post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
		"tab before the colon":           post + "Content-Length\t: 5\r\n\r\nhello",
		"folded line":                    get + "X-A: b\r\n c\r\n\r\n",
		"folded with a tab":              get + "Transfer-Encoding:\r\n\tchunked\r\n\r\n",
		"first field folded":             "GET http://good.example/ HTTP/1.1\r\n Host: good.example\r\n\r\n",
		"line without colon":             get + "nonsense\r\n\r\n",
		"empty name":                     get + ": b\r\n\r\n",
		"name that is no token":          get + "X(A): b\r\n\r\n",
		"bare line feeds":                "GET http://good.example/ HTTP/1.1\nHost: good.example\n\n",
		"one bare line feed":             get + "X-A: b\nContent-Length: 5\r\n\r\nhello",
		"empty line of a line feed":      get + "\n",
		"carriage return in a value":     get + "X-A: b\rContent-Length: 5\r\n\r\n",
		"carriage return before the end": get + "X-A: b\r\r\n\r\n",
		"zero byte in a value":           get + "X-A: b\x00c\r\n\r\n",
		"zero byte in the host":          "GET http://good.example\x00/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"empty line first":               "\r\n" + get + "\r\n",
		"two blanks in the line":         "GET  http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"tab in the line":                "GET\thttp://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"blank in the target":            "GET http://good.example/ x HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"blank at the end of the line":   "GET http://good.example/ HTTP/1.1 \r\nHost: good.example\r\n\r\n",
		"method that is no token":        "G(T http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"method without end":             strings.Repeat("G", 33) + " http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"HTTP/0.9":                       "GET http://good.example/\r\n\r\n",
		"HTTP/2":                         "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"HTTP/1.2":                       "GET http://good.example/ HTTP/1.2\r\nHost: good.example\r\n\r\n",
		"lower case protocol":            "GET http://good.example/ http/1.1\r\nHost: good.example\r\n\r\n",
		"no Host":                        "GET http://good.example/ HTTP/1.1\r\n\r\n",
		"two Hosts":                      get + "Host: good.example\r\n\r\n",
		"another Host":                   "GET http://good.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"another Host's port":            "GET http://good.example/ HTTP/1.1\r\nHost: good.example:8080\r\n\r\n",
		"empty Host":                     "GET http://good.example/ HTTP/1.1\r\nHost:\r\n\r\n",
		"list of Hosts":                  "GET http://good.example/ HTTP/1.1\r\nHost: good.example, evil.example\r\n\r\n",
		"origin form":                    "GET / HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"asterisk form":                  "OPTIONS * HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"authority form without CONNECT": "GET good.example:80 HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"scheme https":                   "GET https://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"scheme ftp":                     "GET ftp://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"one slash":                      "GET http:/good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"three slashes":                  "GET http:///good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"backslash":                      "GET http://good.example\\@evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"user in the URI":                "GET http://good.example@evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"password in the URI":            "GET http://a:b@good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"encoded host":                   "GET http://good%2eexample/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"fragment":                       "GET http://good.example/#@evil.example HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"fragment as path":               "GET http://good.example#@evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"broken escape in the path":      "GET http://good.example/%zz HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"bytes beyond ASCII in the path": "GET http://good.example/\xc4\x8d HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"unknown expectation":            post + "Expect: a-miracle\r\nContent-Length: 5\r\n\r\nhello",
		"CONNECT with a length":          connect + "Content-Length: 5\r\n\r\nhello",
		"CONNECT with chunks":            connect + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"CONNECT without port":           "CONNECT good.example HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"CONNECT to port zero":           "CONNECT good.example:0 HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"CONNECT with a URI":             "CONNECT http://good.example:443/ HTTP/1.1\r\nHost: good.example:443\r\n\r\n",
		"CONNECT with a path":            "CONNECT good.example:443/ HTTP/1.1\r\nHost: good.example:443\r\n\r\n",
		"CONNECT with a user":            "CONNECT a@good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n",
		"CONNECT with another Host":      "CONNECT good.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
		"CONNECT with another port":      "CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:80\r\n\r\n",
		"CONNECT to an odd address":      "CONNECT 0x5db8d822:443 HTTP/1.1\r\nHost: 0x5db8d822:443\r\n\r\n",
		"lower case connect":             "connect good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n",
		"fields without end":             get + strings.Repeat("A: b\r\n", fieldLimit) + "\r\n",
	}
}

func TestAmbiguousRequestsAreRefusedUnsent(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example", "evil.example"}})
	arrived := make(chan string, 10)
	real := listen(t, func(conn *net.TCPConn) {
		raw, _ := io.ReadAll(conn)
		arrived <- string(raw)
	})
	r.host("good.example", "80", real)
	r.host("evil.example", "80", real)
	r.routes[public+":443"] = real
	for name, raw := range ambiguousRequests() {
		t.Run(name, func(t *testing.T) {
			response, body := r.exchange(t, raw, http.MethodGet)
			if response.StatusCode != http.StatusBadRequest {
				t.Errorf("answer = %s %q, want 400", response.Status, body)
			}
			if record := r.next(t); record.Verdict != Deny || record.Reason != Malformed || record.Up != 0 {
				t.Errorf("record = %+v, want a malformed request of which nothing was sent", record)
			}
			select {
			case raw := <-arrived:
				if raw != "" {
					t.Errorf("the target got %q", raw)
				}
			default:
			}
		})
	}
}

// The head may be sound and the body not: then the target must not be able to
// take what it got for a whole request.
func TestBrokenBodiesEndIncomplete(t *testing.T) {
	for name, body := range map[string]string{
		"no size":                   "\r\nhello\r\n0\r\n\r\n",
		"size that is none":         "5\r\nhello\r\nxyz\r\n",
		"size with a sign":          "+5\r\nhello\r\n0\r\n\r\n",
		"size as in C":              "0x5\r\nhello\r\n0\r\n\r\n",
		"size beyond all":           "5\r\nhello\r\nfffffffffffffffff\r\n",
		"data longer than its size": "5\r\nhello world\r\n0\r\n\r\n",
		"line feed after the size":  "5\nhello\r\n0\r\n\r\n",
		"line feed after the data":  "5\r\nhello\n0\r\n\r\n",
		"end within a chunk":        "5\r\nhel",
		"end without last chunk":    "5\r\nhello\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}})
			arrived := make(chan error, 1)
			r.host("good.example", "80", listen(t, func(conn *net.TCPConn) {
				request, err := http.ReadRequest(bufio.NewReader(conn))
				if err == nil {
					_, err = io.ReadAll(request.Body)
				}
				arrived <- err
			}))
			conn := r.connect(t)
			_, _ = io.WriteString(conn, "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nTransfer-Encoding: chunked\r\n\r\n"+body)
			_ = conn.CloseWrite()
			response, text := readAnswer(t, bufio.NewReader(conn), http.MethodPost)
			if response.StatusCode != http.StatusBadRequest {
				t.Errorf("answer = %s %q, want 400", response.Status, text)
			}
			if err := <-arrived; err == nil {
				t.Error("the target got a whole request")
			}
			if record := r.next(t); record.Reason != Malformed {
				t.Errorf("record = %+v, want a malformed request", record)
			}
		})
	}
}

func TestASecondRequestIsNeverSent(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example"}})
	arrived := make(chan string, 1)
	r.host("good.example", "80", listen(t, func(conn *net.TCPConn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			t.Errorf("the target got no request: %v", err)
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		rest, _ := io.ReadAll(conn)
		arrived <- string(rest)
	}))
	response, _ := r.exchange(t, "POST http://good.example/ HTTP/1.1\r\nHost: good.example\r\nContent-Length: 5\r\n\r\nhello"+
		"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", http.MethodPost)
	if response.StatusCode != http.StatusNoContent || !response.Close {
		t.Errorf("answer = %s, close %t, want 204 and the end of the connection", response.Status, response.Close)
	}
	if rest := <-arrived; rest != "" {
		t.Errorf("the target got %q beside its request", rest)
	}
	r.next(t)
	if len(r.records) != 0 {
		t.Errorf("a second decision: %+v", <-r.records)
	}
}

func TestHeadsThatAreTooLarge(t *testing.T) {
	for name, raw := range map[string]string{
		"long line":  "GET http://good.example/" + strings.Repeat("a", 2000) + " HTTP/1.1\r\nHost: good.example\r\n\r\n",
		"many lines": "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n" + strings.Repeat("X: "+strings.Repeat("y", 100)+"\r\n", 20) + "\r\n",
		"no end":     strings.Repeat("a", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}, Limits: Limits{HeadBytes: 1024}})
			response, _ := r.exchange(t, raw, http.MethodGet)
			if record := r.next(t); response.StatusCode != http.StatusRequestHeaderFieldsTooLarge || record.Reason != Malformed {
				t.Errorf("answer = %s, record %+v, want 431", response.Status, record)
			}
		})
	}
}

// FuzzHead checks that what passes our grammar means the same to net/http,
// and that the request made of it has one reading.
func FuzzHead(f *testing.F) {
	for _, raw := range ambiguousRequests() {
		f.Add([]byte(raw))
	}
	f.Add([]byte("GET http://good.example/a?b HTTP/1.1\r\nHost: good.example\r\nConnection: x, close\r\nX: y\r\n\r\n"))
	f.Add([]byte("POST http://good.example:8080 HTTP/1.1\r\nHost: GOOD.example.:8080\r\nTransfer-Encoding: Chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n"))
	f.Add([]byte("CONNECT [2606:4700::1]:443 HTTP/1.0\r\nContent-Length: 00\r\n\r\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		reader := bufio.NewReaderSize(bytes.NewReader(sent), 4096)
		raw, err := readHead(reader, 4096)
		if err != nil {
			return
		}
		h, err := parseHead(raw)
		if err != nil {
			var refused *malformedError
			if !errors.As(err, &refused) || !ascii(err.Error()) || strings.ContainsFunc(err.Error(), control) {
				t.Fatalf("error %q is none for a client", err)
			}
			return
		}
		to, address, err := h.parseTarget()
		if err != nil || address == nil {
			return
		}
		incoming, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(raw), reader)))
		if err != nil {
			return // refused as well
		}
		host, err := parseAuthority(incoming.Host, plainPort)
		if err != nil || host != to || incoming.Method != h.method {
			t.Fatalf("net/http sees %s to %q, we see %s to %s", incoming.Method, incoming.Host, h.method, to)
		}
		body, err := io.ReadAll(incoming.Body)
		if err != nil {
			return // a broken body ends incomplete
		}
		incoming.Body = io.NopCloser(bytes.NewReader(body))
		plain := plainRequest{head: h, url: address, to: to}
		var wire bytes.Buffer
		if err := plain.outgoing(t.Context(), incoming, incoming.Body).Write(&wire); err != nil {
			return // net/http refuses to send it
		}
		head, err := readHead(bufio.NewReader(bytes.NewReader(wire.Bytes())), wire.Len())
		if err != nil {
			t.Fatalf("the request that is sent: %v", err)
		}
		if again, err := parseHead(head); err != nil || len(again.hosts) != 1 || !strings.HasPrefix(again.uri, "/") {
			t.Fatalf("the request that is sent is ambiguous: %v\n%s", err, wire.Bytes())
		}
		got, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(wire.Bytes())))
		if err != nil {
			t.Fatalf("the request that is sent: %v\n%s", err, wire.Bytes())
		}
		if text, err := io.ReadAll(got.Body); err != nil || !bytes.Equal(text, body) {
			t.Fatalf("the body became %q (%v), want %q", text, err, body)
		}
	})
}
