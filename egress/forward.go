package egress

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"sync/atomic"
)

// responseHeadLimit bounds the head of a target's answer.
const responseHeadLimit = 256 << 10

// plainRequest is a request of plain HTTP whose head was checked.
type plainRequest struct {
	head head
	raw  []byte        // the head as it came
	rest *bufio.Reader // what follows the head
	url  *url.URL
	to   target
}

// forward sends a plain request to the connected target and passes the answer
// on. Both connections end with it.
func (x *exchange) forward(ctx context.Context, p plainRequest) error {
	incoming, err := http.ReadRequest(bufio.NewReader(io.MultiReader(bytes.NewReader(p.raw), p.rest)))
	if err != nil {
		return denied(Malformed, "the request is malformed")
	}
	if expected := incoming.Header.Get("Expect"); expected != "" {
		if !strings.EqualFold(expected, "100-continue") {
			return denied(Malformed, "the proxy does not know the expectation %s", quote(expected))
		}
		if !x.send("HTTP/1.1 100 Continue\r\n\r\n") {
			return nil
		}
	}
	body := &requestBody{ReadCloser: incoming.Body}
	response, err := x.transport().RoundTrip(p.outgoing(ctx, incoming, body))
	switch {
	case err != nil && x.upstream.expired.Load():
		return failed(Timeout, "%s did not answer in time", p.to)
	case err != nil && body.failed.Load():
		return denied(Malformed, "the body of the request is malformed or incomplete")
	case err != nil:
		return failed(Unreachable, "%s did not answer with HTTP", p.to)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return failed(Unreachable, "%s switched to a protocol that nobody asked for", p.to)
	}
	x.answer(p, response)
	return nil
}

// transport sends one request over the connection that is there.
func (x *exchange) transport() *http.Transport {
	return &http.Transport{
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return x.upstream, nil },
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: responseHeadLimit,
	}
}

// outgoing is the request as the target gets it: in origin form, without the
// fields that were meant for the proxy, and with nothing added.
func (p *plainRequest) outgoing(ctx context.Context, incoming *http.Request, body io.ReadCloser) *http.Request {
	header := incoming.Header
	stripHops(header)
	header.Del("Expect")
	if _, ok := header["User-Agent"]; !ok {
		header["User-Agent"] = nil // else net/http would name itself
	}
	request := &http.Request{
		Method: p.head.method, URL: p.url, Host: p.to.authority(plainPort), Header: header,
		Body: body, ContentLength: incoming.ContentLength,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if incoming.ContentLength == 0 {
		request.Body = nil
	}
	return request.WithContext(ctx)
}

// answer passes a target's answer on. Where it is cut short and its end is the
// end of the connection, a reset tells the client so.
func (x *exchange) answer(p plainRequest, response *http.Response) {
	stripHops(response.Header)
	response.Status, response.Trailer, response.Close = "", nil, true
	response.Proto, response.ProtoMajor, response.ProtoMinor = "HTTP/"+p.head.version, 1, 1
	response.TransferEncoding = nil
	if p.head.version == "1.0" {
		response.ProtoMinor = 0
	} else if response.ContentLength < 0 {
		response.TransferEncoding = []string{"chunked"}
	}
	if err := response.Write(x.conn); err != nil {
		x.record.Detail = "the answer was cut short"
		if tcp, ok := x.conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		return
	}
	linger(x.conn)
}

// stripHops removes the fields that are for the next program only: those of the
// standard, those that Connection names, and what proxies are told.
func stripHops(header http.Header) {
	for _, value := range header["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			header.Del(textproto.TrimString(name))
		}
	}
	for _, name := range []string{
		"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
		"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	} {
		header.Del(name)
	}
}

// requestBody remembers whether the client's body could not be read.
type requestBody struct {
	io.ReadCloser
	failed atomic.Bool
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		b.failed.Store(true)
	}
	return n, err //nolint:wrapcheck // readers return io.EOF itself
}
