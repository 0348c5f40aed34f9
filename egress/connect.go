package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

// addressLimit is how many addresses of a name are tried.
const addressLimit = 8

// permitted returns the addresses of a target that may be dialled.
func (s *Server) permitted(ctx context.Context, to target) ([]netip.Addr, error) {
	switch s.list.verdict(to) {
	case notListed:
		return nil, denied(NotListed, "%s is not on the allowlist", to)
	case otherPort:
		return nil, denied(PortNotListed, "port %d of %s is not on the allowlist", to.port, to.host)
	case listed:
	}
	if to.addr.IsValid() {
		return []netip.Addr{to.addr}, nil // listed as it stands
	}
	found, err := s.lookup(ctx, to.host)
	if err != nil {
		return nil, err
	}
	var what string
	addresses := slices.DeleteFunc(found, func(addr netip.Addr) bool {
		name, refused := s.addresses.refuse(addr)
		literal := target{host: addr.Unmap().String(), addr: addr.Unmap(), port: to.port}
		if refused = refused && s.list.verdict(literal) != listed; refused {
			what = name
		}
		return refused
	})
	if len(addresses) == 0 {
		return nil, denied(AddressRefused, "%s leads to %s, which is neither on the allowlist nor in an admitted range", to.host, what)
	}
	return addresses[:min(len(addresses), addressLimit)], nil
}

func (s *Server) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	ctx, cancel := context.WithTimeout(ctx, s.options.Limits.Resolve)
	defer cancel()
	// The dot keeps the resolver from trying the name below its search domains.
	found, err := s.options.Resolver.LookupNetIP(ctx, "ip", host+".")
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound, err == nil && len(found) == 0:
		return nil, failed(NoAddress, "%s has no address", host)
	case timedOut(err):
		return nil, failed(Timeout, "the address of %s was not found in time", host)
	case err != nil:
		return nil, failed(NoAddress, "the address of %s cannot be found", host)
	}
	return slices.Clone(found), nil
}

// dial connects to the first of the addresses that answers. What it dials is
// what was checked: no name is resolved again.
func (s *Server) dial(ctx context.Context, to target, addresses []netip.Addr) (net.Conn, string, error) {
	deadline := time.Now().Add(s.options.Limits.Dial)
	var failure error
	var dialled string
	for i, addr := range addresses {
		left := time.Until(deadline) / time.Duration(len(addresses)-i)
		attempt, cancel := context.WithTimeout(ctx, left)
		dialled = netip.AddrPortFrom(addr, uint16(to.port)).String() //nolint:gosec // a port of a target is one
		var conn net.Conn
		conn, failure = s.options.Dial(attempt, "tcp", dialled)
		cancel()
		if failure == nil {
			return conn, dialled, nil
		}
	}
	if timedOut(failure) {
		return nil, dialled, failed(Timeout, "%s did not answer in time", to)
	}
	return nil, dialled, failed(Unreachable, "%s cannot be reached", to)
}

// timedOut reports whether an error is a deadline that passed.
func timedOut(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}
