package simengine

import (
	"slices"
	"sync"
	"time"
)

// Kind is a way to misbehave.
type Kind string

// Kinds of faults. Those that change the body work on the true answer; on an
// event stream they work on one made-up event, after which the stream ends.
const (
	// Latency answers truly, after Delay.
	Latency Kind = "latency"
	// Silence never answers: not a byte until the client leaves.
	Silence Kind = "silence"
	// HeadersOnly sends the head of a success and then nothing, for ever. An
	// event stream with it is open and mute.
	HeadersOnly Kind = "headers-only"
	// SlowBytes sends the true answer byte by byte, Delay apart.
	SlowBytes Kind = "slow-bytes"
	// StatusCode refuses with Status and Message in the engine's form.
	StatusCode Kind = "status"
	// HTMLBody answers Status (0: 200) with a page, as a proxy would.
	HTMLBody Kind = "html"
	// EmptyBody answers truly but without a body.
	EmptyBody Kind = "empty"
	// NullBody answers null.
	NullBody Kind = "null"
	// TypeSwap answers {} for a list and [] for an object.
	TypeSwap Kind = "type-swap"
	// NullFields answers null in the place of lists and maps inside.
	NullFields Kind = "null-fields"
	// UnknownWords puts a word nobody knows in the place of states, drivers
	// and kinds.
	UnknownWords Kind = "unknown-words"
	// TruncatedJSON ends the body half way, with a length that agrees.
	TruncatedJSON Kind = "truncated-json"
	// TruncatedChunk ends a chunked body inside a chunk.
	TruncatedChunk Kind = "truncated-chunk"
	// WrongLength announces more bytes than come.
	WrongLength Kind = "wrong-length"
	// Reset breaks the connection half way through the body.
	Reset Kind = "reset"
	// HugeBody pads the true answer with Size bytes (0: 100 MiB).
	HugeBody Kind = "huge"
	// InvalidUTF8 puts bytes that are no UTF-8 into text values.
	InvalidUTF8 Kind = "invalid-utf8"
	// DuplicateKeys repeats keys of objects with other values first.
	DuplicateKeys Kind = "duplicate-keys"
	// DeepNesting answers Size lists in each other (0: 100 000).
	DeepNesting Kind = "deep-nesting"
	// Redirect answers Status (0: 301) to another place.
	Redirect Kind = "redirect"
	// CutStream ends a stream right after its head.
	CutStream Kind = "cut-stream"

	gated Kind = "gate"
)

// Kinds lists all kinds of faults, for tests that go through them.
func Kinds() []Kind {
	return []Kind{
		Latency, Silence, HeadersOnly, SlowBytes, StatusCode, HTMLBody, EmptyBody, NullBody, TypeSwap, NullFields,
		UnknownWords, TruncatedJSON, TruncatedChunk, WrongLength, Reset, HugeBody, InvalidUTF8, DuplicateKeys,
		DeepNesting, Redirect, CutStream,
	}
}

// Fault is one misbehaviour. Fields a kind does not name are ignored.
type Fault struct {
	Kind    Kind
	Status  int
	Message string
	Delay   time.Duration
	Size    int
	// Times is how many requests it hits; 0: all until it is taken away.
	Times int
	// When narrows it to some requests of the operation; nil: all.
	When func(Request) bool

	gate *Gate
}

// Faults is the switchboard of an engine's faults. Switching works at any
// time; requests that are being answered keep what they began with.
type Faults struct {
	mu     sync.Mutex
	faults []*armed
	cut    chan struct{}
	losing bool
	done   <-chan struct{}
}

type armed struct {
	operation Operation
	fault     Fault
	left      int
}

func newFaults(done <-chan struct{}) *Faults {
	return &Faults{cut: make(chan struct{}), done: done}
}

// Set makes requests of an operation, or of [Any], fail. The newest matching
// fault hits. The returned function takes it away again.
func (f *Faults) Set(operation Operation, fault Fault) (remove func()) {
	a := &armed{operation: operation, fault: fault, left: fault.Times}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, a)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.faults = slices.DeleteFunc(f.faults, func(have *armed) bool { return have == a })
	}
}

// Clear takes all faults away and lets events through again.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults, f.losing = nil, false
}

// CutStreams ends all event and log streams that are open now.
func (f *Faults) CutStreams() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.cut)
	f.cut = make(chan struct{})
}

// LoseEvents makes events from now on reach no open stream, as if every reader
// had been too slow. The history keeps them.
func (f *Faults) LoseEvents(losing bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.losing = losing
}

func (f *Faults) loses() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.losing
}

func (f *Faults) streamCut() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cut
}

// take returns the fault that hits a request, if any, and counts it.
func (f *Faults) take(operation Operation, request Request) *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range slices.Backward(f.faults) {
		if a.operation != Any && a.operation != operation || a.fault.When != nil && !a.fault.When(request) {
			continue
		}
		if a.fault.Times > 0 {
			if a.left--; a.left == 0 {
				f.faults = slices.Delete(f.faults, i, i+1)
			}
		}
		return &a.fault
	}
	return nil
}

// Gate holds requests of one operation until it is opened, so that a test can
// do something between two calls without guessing at times.
type Gate struct {
	arrived chan Request
	open    chan struct{}
	once    sync.Once
	remove  func()
}

// Gate holds the requests of an operation, or of [Any], that when accepts (nil:
// all) before they are carried out.
func (f *Faults) Gate(operation Operation, when func(Request) bool) *Gate {
	g := &Gate{arrived: make(chan Request, 1024), open: make(chan struct{})}
	g.remove = f.Set(operation, Fault{Kind: gated, When: when, gate: g})
	return g
}

// Arrived delivers the requests as they come to the gate.
func (g *Gate) Arrived() <-chan Request { return g.arrived }

// Open lets all held requests go on and takes the gate away.
func (g *Gate) Open() {
	g.once.Do(func() {
		g.remove()
		close(g.open)
	})
}
