package egress

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	fieldLimit  = 128 // header fields of a request
	methodLimit = 32  // letters of a method
)

var (
	errHeadTooLarge = errors.New("the head of the request is too large")
	errNoRequest    = errors.New("the connection carried no request")
)

// malformedError is a request that is refused unread, as programs could
// understand it differently.
type malformedError struct{ reason string }

func (e *malformedError) Error() string { return e.reason }

func malformed(format string, values ...any) error {
	return &malformedError{fmt.Sprintf(format, values...)}
}

// readHead reads up to the empty line that ends the head of a request and not
// a byte further. It never holds more than limit bytes.
func readHead(from *bufio.Reader, limit int) ([]byte, error) {
	var head []byte
	for {
		line, err := from.ReadSlice('\n')
		if len(head)+len(line) > limit || errors.Is(err, bufio.ErrBufferFull) {
			return nil, errHeadTooLarge
		}
		head = append(head, line...)
		switch {
		case errors.Is(err, io.EOF) && len(head) == 0:
			return nil, errNoRequest
		case errors.Is(err, io.EOF):
			return nil, malformed("the request ends within its head")
		case err != nil:
			return nil, fmt.Errorf("read the request: %w", err)
		case len(line) <= 2 && len(bytes.TrimRight(line, "\r\n")) == 0:
			return head, nil
		}
	}
}

// head is what a request says about itself before its body.
type head struct {
	method, uri string
	version     string // 1.0 or 1.1
	hosts       []string
	lengths     []string // values of Content-Length
	encodings   []string // values of Transfer-Encoding
}

// parseHead checks the bytes of a head against the grammar of HTTP/1.1, more
// strictly than servers do: lines end in CR LF, no line is folded, no blank
// stands where it is not needed, and a body has one length.
func parseHead(raw []byte) (head, error) {
	text, ok := strings.CutSuffix(string(raw), "\r\n\r\n")
	if !ok {
		return head{}, malformed("the head of the request does not end in an empty line")
	}
	lines := strings.Split(text, "\r\n")
	if len(lines) > fieldLimit+1 {
		return head{}, malformed("the request has more than %d header fields", fieldLimit)
	}
	h, err := parseRequestLine(lines[0])
	if err != nil {
		return head{}, err
	}
	for _, line := range lines[1:] {
		if err := h.addField(line); err != nil {
			return head{}, err
		}
	}
	return h, h.checkFraming()
}

func parseRequestLine(line string) (head, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 || parts[1] == "" ||
		!token(parts[0]) || len(parts[0]) > methodLimit || strings.ContainsFunc(parts[1], control) {
		return head{}, malformed("the request line is malformed")
	}
	version, ok := strings.CutPrefix(parts[2], "HTTP/")
	if !ok || version != "1.1" && version != "1.0" {
		return head{}, malformed("the proxy speaks HTTP/1.1 and HTTP/1.0 only")
	}
	return head{method: parts[0], uri: parts[1], version: version}, nil
}

func (h *head) addField(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok || !token(name) {
		return malformed("the header field %s is malformed", quote(line))
	}
	if strings.ContainsFunc(value, func(r rune) bool { return control(r) && r != '\t' }) {
		return malformed("the header field %s holds control characters", quote(name))
	}
	value = strings.Trim(value, " \t")
	switch strings.ToLower(name) {
	case "host":
		h.hosts = append(h.hosts, value)
	case "content-length":
		h.lengths = append(h.lengths, value)
	case "transfer-encoding":
		h.encodings = append(h.encodings, value)
	}
	return nil
}

// checkFraming makes sure that there is one way only to tell where the body
// ends.
func (h *head) checkFraming() error {
	switch {
	case len(h.hosts) > 1:
		return malformed("the request has several Host fields")
	case len(h.hosts) == 0 && h.version == "1.1":
		return malformed("the request has no Host field")
	case len(h.lengths) > 0 && len(h.encodings) > 0:
		return malformed("the request has both Content-Length and Transfer-Encoding")
	case len(h.lengths) > 1:
		return malformed("the request has several Content-Length fields")
	case len(h.lengths) == 1 && !digits(h.lengths[0]):
		return malformed("the Content-Length is no number")
	case len(h.encodings) > 1:
		return malformed("the request has several Transfer-Encoding fields")
	case len(h.encodings) == 1 && !strings.EqualFold(h.encodings[0], "chunked"):
		return malformed("the Transfer-Encoding is not chunked")
	case len(h.encodings) == 1 && h.version == "1.0":
		return malformed("HTTP/1.0 has no Transfer-Encoding")
	}
	return nil
}

// token reports whether text is a token of HTTP: a method or a field's name.
func token(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }
