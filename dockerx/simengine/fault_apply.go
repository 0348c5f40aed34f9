package simengine

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// apply answers a request through the fault that hits it, if any.
func (f *Faults) apply(w http.ResponseWriter, c *call, operation Operation, answer func(http.ResponseWriter)) {
	request := Request{Method: c.Method, Path: c.URL.Path, Query: c.query, Version: c.version.String(), Operation: operation, Body: string(c.body)}
	fault := f.take(operation, request)
	if fault == nil {
		answer(w)
		return
	}
	if operation == Events && fault.Kind != Latency && fault.Kind != gated {
		answer = madeUpEvent
	}
	switch fault.Kind {
	case gated:
		if fault.gate.hold(f, c, request) {
			answer(w)
		}
	case Latency:
		if f.pause(c, fault.Delay) {
			answer(w)
		}
	case Silence:
		f.silence(c)
	case HeadersOnly:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		flush(w)
		f.silence(c)
	case CutStream:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		flush(w)
	case StatusCode:
		writeError(w, refuse(fault.Status, "%s", fault.Message))
	case HTMLBody:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(orStatus(fault.Status, http.StatusOK))
		_, _ = w.Write([]byte("<!DOCTYPE html><html><body><h1>Bad gateway</h1></body></html>\n"))
	case Redirect:
		w.Header().Set("Location", "http://elsewhere.invalid"+c.URL.Path)
		w.WriteHeader(orStatus(fault.Status, http.StatusMovedPermanently))
	default:
		f.spoil(w, c, fault, answer)
	}
}

func orStatus(status, fallback int) int {
	if status == 0 {
		return fallback
	}
	return status
}

// hold waits at a gate; false: the client left or the engine closed.
func (g *Gate) hold(f *Faults, c *call, request Request) bool {
	select {
	case g.arrived <- request:
	default:
	}
	select {
	case <-g.open:
		return true
	case <-c.Context().Done():
	case <-f.done:
	}
	return false
}

// silence says nothing until the client leaves or the engine closes. The
// connection then ends without a byte of an answer.
func (f *Faults) silence(c *call) {
	select {
	case <-c.Context().Done():
	case <-f.done:
	}
	panic(http.ErrAbortHandler)
}

func (f *Faults) pause(c *call, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.Context().Done():
	case <-f.done:
	}
	return false
}

// held keeps an answer instead of sending it.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is part of http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader is part of http.ResponseWriter; the first call counts.
func (h *held) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
}

// Write is part of http.ResponseWriter.
func (h *held) Write(data []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(data) //nolint:wrapcheck // a buffer does not fail
}

// spoil sends the true answer with something done to its body.
func (f *Faults) spoil(w http.ResponseWriter, c *call, fault *Fault, answer func(http.ResponseWriter)) {
	h := &held{header: w.Header().Clone()}
	answer(h)
	h.WriteHeader(http.StatusOK)
	body := h.body.Bytes()
	switch fault.Kind { //nolint:exhaustive // the others change the body alone
	case TruncatedChunk, WrongLength, Reset:
		h.breakOff(w, fault.Kind)
		return
	case SlowBytes:
		h.copyHead(w)
		for _, b := range body {
			if _, err := w.Write([]byte{b}); err != nil || !f.pause(c, fault.Delay) {
				return
			}
			flush(w)
		}
		return
	case HugeBody:
		h.copyHead(w)
		huge(w, body, fault.Size)
		return
	}
	h.copyHead(w)
	_, _ = w.Write(spoilBody(fault, body))
}

func (h *held) copyHead(w http.ResponseWriter) {
	for name, values := range h.header {
		w.Header()[name] = values
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(h.status)
}

// breakOff writes an answer by hand that ends too early.
func (h *held) breakOff(w http.ResponseWriter, kind Kind) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	body := h.body.Bytes()
	half := body[:len(body)/2]
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", h.status, http.StatusText(h.status))
	h.header.Del("Content-Length")
	_ = h.header.Write(&head)
	switch kind {
	case TruncatedChunk:
		fmt.Fprintf(&head, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s", len(body)+1, half)
	case WrongLength:
		fmt.Fprintf(&head, "Content-Length: %d\r\n\r\n%s", len(body)+1000, body)
	default:
		fmt.Fprintf(&head, "Content-Length: %d\r\n\r\n%s", len(body)+1, half)
	}
	_, _ = conn.Write(head.Bytes())
}

// madeUpEvent is the body of an event stream that is to be spoiled.
func madeUpEvent(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"Type":"container","Action":"start","Actor":{"ID":"0123456789abcdef","Attributes":` +
		`{"image":"made-up","name":"made-up"}},"scope":"local","time":1,"timeNano":1000000000}` + "\n"))
}
