package simengine

import (
	"net/url"
	"slices"
	"sync"
	"time"
)

// Request is one request the engine was sent, faults or not.
type Request struct {
	Method    string
	Path      string // without the version, such as /containers/json
	Query     url.Values
	Version   string // the API version asked for
	Operation Operation
	Body      string // the first 64 KiB
	At        time.Time
}

// maxRecordedBody bounds the part of a body that is kept.
const maxRecordedBody = 64 << 10

// maxRecorded bounds the record; the oldest half goes when it is full.
const maxRecorded = 200_000

type recorder struct {
	mu       sync.Mutex
	requests []Request
	changed  chan struct{}
	total    int // ever received
	open     int // not answered to the end yet, streams included
}

// Traffic returns how many requests came in ever, and how many of them have not
// been answered to their end, open streams included.
func (e *Engine) Traffic() (received, outstanding int) {
	e.record.mu.Lock()
	defer e.record.mu.Unlock()
	return e.record.total, e.record.open
}

// done says that a request was answered to its end, or given up.
func (r *recorder) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open--
}

func (r *recorder) add(c *call, operation Operation, at time.Time) {
	request := Request{
		Method: c.Method, Path: c.URL.Path, Query: c.query, Version: c.version.String(),
		Operation: operation, Body: string(c.body[:min(len(c.body), maxRecordedBody)]), At: at,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total++
	r.open++
	if len(r.requests) >= maxRecorded {
		r.requests = slices.Clone(r.requests[maxRecorded/2:])
	}
	r.requests = append(r.requests, request)
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Requests returns the requests so far, oldest first.
func (e *Engine) Requests() []Request {
	e.record.mu.Lock()
	defer e.record.mu.Unlock()
	return slices.Clone(e.record.requests)
}

// RequestsOf returns the requests of the given operations, oldest first.
func (e *Engine) RequestsOf(operations ...Operation) []Request {
	return slices.DeleteFunc(e.Requests(), func(r Request) bool {
		return !slices.Contains(operations, r.Operation)
	})
}

// ForgetRequests empties the record.
func (e *Engine) ForgetRequests() {
	e.record.mu.Lock()
	defer e.record.mu.Unlock()
	e.record.requests = nil
}

// NextRequest returns a channel that is closed when the next request comes in,
// so that a test can wait for one without sleeping.
func (e *Engine) NextRequest() <-chan struct{} {
	e.record.mu.Lock()
	defer e.record.mu.Unlock()
	if e.record.changed == nil {
		e.record.changed = make(chan struct{})
	}
	return e.record.changed
}
