package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Resolver finds the addresses of a name; [*net.Resolver] is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options says what a proxy lets through. The zero value lets nothing through.
type Options struct {
	Allow      []string       // entries of the allowlist, see [ParseAllowlist]
	Ports      []int          // ports of entries that name none; nil: [DefaultPorts]
	AllowCIDRs []netip.Prefix // ranges that names may lead to although they are not public
	Clients    []netip.Prefix // networks of the clients that are served; nil: any
	Resolver   Resolver       // nil: the system's
	// Dial connects to the address and port that were checked; nil: over the
	// network.
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	Now    func() time.Time // clock of the records; nil: the system's
	Log    io.Writer        // receives one JSON line per decision; nil: nobody
	Limits Limits
}

// Limits bounds what clients can take. A zero field has the value of
// [DefaultLimits].
type Limits struct {
	Head      time.Duration // until the head of the request is there
	HeadBytes int           // of the head
	Resolve   time.Duration // for the addresses of a name
	Dial      time.Duration // for all addresses together
	Idle      time.Duration // without a byte either way
	Drain     time.Duration // for open connections when the proxy stops
	Clients   int           // connections of one client at a time
	Total     int           // connections at a time
}

// DefaultLimits returns the limits of a proxy that nobody tuned.
func DefaultLimits() Limits {
	return Limits{
		Head: 10 * time.Second, HeadBytes: 32 << 10,
		Resolve: 5 * time.Second, Dial: 10 * time.Second,
		Idle: 10 * time.Minute, Drain: 5 * time.Second,
		Clients: 256, Total: 512,
	}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Head: cmp.Or(l.Head, d.Head), HeadBytes: cmp.Or(l.HeadBytes, d.HeadBytes),
		Resolve: cmp.Or(l.Resolve, d.Resolve), Dial: cmp.Or(l.Dial, d.Dial),
		Idle: cmp.Or(l.Idle, d.Idle), Drain: cmp.Or(l.Drain, d.Drain),
		Clients: cmp.Or(l.Clients, d.Clients), Total: cmp.Or(l.Total, d.Total),
	}
}

// Server is a filtering proxy. Make one with [NewServer].
type Server struct {
	options   Options
	list      List
	addresses addressBook
	doors     doors

	logging sync.Mutex
	lost    error         // why a record is lost; guarded by logging
	halt    chan struct{} // closed with the first lost record
}

// NewServer returns a proxy that lets through what the options say. Entries of
// the allowlist that cannot be used, ports and ranges that are none are an
// error; all of them are in it.
func NewServer(options Options) (*Server, error) {
	list, err := ParseAllowlist(options.Allow, options.Ports)
	failures := []error{err}
	for _, port := range options.Ports {
		if port < 1 || port > 65535 {
			failures = append(failures, fmt.Errorf("port %d is no number from 1 to 65535", port))
		}
	}
	for _, prefix := range append(append([]netip.Prefix{}, options.AllowCIDRs...), options.Clients...) {
		if !prefix.IsValid() {
			failures = append(failures, errors.New("a range of addresses is invalid"))
		}
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	if options.Resolver == nil {
		options.Resolver = &net.Resolver{PreferGo: true}
	}
	if options.Dial == nil {
		options.Dial = (&net.Dialer{}).DialContext
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = io.Discard
	}
	options.Limits = options.Limits.orDefaults()
	return &Server{
		options: options, list: list, addresses: newAddressBook(options.AllowCIDRs),
		doors: doors{clients: options.Clients, limits: options.Limits, inside: map[netip.Addr]int{}},
		halt:  make(chan struct{}),
	}, nil
}

// Serve accepts connections until the context ends or the listener fails, and
// closes the listener. Open connections then have [Limits.Drain] to end by
// themselves; what is open after that is cut. It returns nil when the context
// ended, when every connection is closed and every decision logged.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var open sync.WaitGroup
	done := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-s.halt:
		case <-done:
		}
		_ = listener.Close()
	}()
	err := s.accept(work, listener, &open)
	close(done)
	drained := time.AfterFunc(s.options.Limits.Drain, cut)
	defer drained.Stop()
	open.Wait()
	switch lost := s.lostRecord(); {
	case lost != nil:
		return lost
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// Accepting may fail a few times in a row, as it does for a while when there
// are no free file descriptors.
const (
	acceptRetries = 10
	acceptPause   = 20 * time.Millisecond
)

func (s *Server) accept(work context.Context, listener net.Listener, open *sync.WaitGroup) error {
	for failures := 0; ; {
		conn, err := listener.Accept()
		switch {
		case err == nil:
			failures = 0
			s.welcome(work, conn, open)
		case errors.Is(err, net.ErrClosed) || failures == acceptRetries:
			return fmt.Errorf("accept connections: %w", err)
		default:
			failures++
			<-time.After(time.Duration(failures) * acceptPause)
		}
	}
}

// welcome starts an exchange, or tells the client why there is none. Where
// even those answers are too many, the connection is closed without.
func (s *Server) welcome(work context.Context, conn net.Conn, open *sync.WaitGroup) {
	x := s.newExchange(conn)
	leave, refused := s.doors.enter(x.client)
	if leave == nil {
		_ = conn.Close()
		x.close(refused)
		return
	}
	open.Go(func() {
		defer leave()
		stop := context.AfterFunc(work, func() { _ = conn.Close() })
		defer stop()
		if refused != nil {
			hear(conn)
			x.close(refused)
			return
		}
		x.close(x.run(work))
	})
}
