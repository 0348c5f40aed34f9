package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// List is a set of hosts and ports that may be reached. The zero value allows
// nothing.
type List struct {
	hosts      map[string]ports // by name or address
	subdomains map[string]ports // by the domain they are below
}

// ports are the ports of one host.
type ports []int

// EntryError is one entry of an allowlist that cannot be used.
type EntryError struct {
	Entry  string // as it was given
	Reason string // why not, and what to write instead; safe to print
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("allowlist entry %s: %s", quote(e.Entry), e.Reason)
}

// DefaultPorts returns the ports of an entry that names none: 80 and 443.
func DefaultPorts() []int { return []int{80, 443} }

// ParseAllowlist reads the entries of an allowlist. An entry is a host, or
// *.domain for every name below the domain but not the domain itself, or an
// address; each with :port where that one port is meant, and defaultPorts
// otherwise (nil: [DefaultPorts]). Case, blanks around an entry, blank entries
// and a dot at the end do not matter. The error joins one [*EntryError] per
// entry that cannot be used; the list holds the others.
func ParseAllowlist(entries []string, defaultPorts []int) (List, error) {
	if defaultPorts == nil {
		defaultPorts = DefaultPorts()
	}
	list := List{hosts: map[string]ports{}, subdomains: map[string]ports{}}
	var failures []error
	for _, entry := range entries {
		trimmed := strings.TrimSpace(entry)
		if trimmed == "" {
			continue
		}
		if err := list.add(trimmed, defaultPorts); err != nil {
			failures = append(failures, &EntryError{Entry: entry, Reason: err.Error()})
		}
	}
	return list, errors.Join(failures...)
}

func (l List) add(entry string, defaultPorts []int) error {
	if err := entryShape(entry); err != nil {
		return err
	}
	name, port, found, err := splitPort(entry)
	if err != nil {
		return err
	}
	allowed := ports(defaultPorts)
	if found {
		allowed = ports{port}
	}
	domain, below := strings.CutPrefix(name, "*.")
	host, addr, err := normalizeHost(domain)
	switch {
	case strings.Contains(domain, "*"):
		return errors.New("a star stands for all names below a domain: write it as *.domain")
	case err != nil:
		return err
	case addr.IsValid() && below:
		return errors.New("an address has no names below it")
	case addr.IsValid() && (addr.IsUnspecified() || addr.IsMulticast()):
		return errors.New("this address is nobody's own")
	}
	to := l.hosts
	if below {
		to = l.subdomains
	}
	to[host] = append(slices.Clone(to[host]), allowed...)
	return nil
}

// entryShape explains what people write by mistake.
func entryShape(entry string) error {
	if strings.Contains(entry, "://") {
		return errors.New("write the host alone, without scheme and path")
	}
	if prefix, err := netip.ParsePrefix(entry); err == nil && prefix.IsValid() {
		return errors.New("a range is no host: private ranges are admitted by the setting egress.allow_cidrs")
	}
	if strings.ContainsAny(entry, "/?#@") {
		return errors.New("write the host alone, without path and user")
	}
	return nil
}

// Match reports whether the list allows a host, a name or an address in any
// spelling, at a port.
func (l List) Match(host string, port int) bool {
	name, addr, err := normalizeHost(host)
	return err == nil && l.verdict(target{host: name, addr: addr, port: port}) == listed
}

// listing is what the list says about a target.
type listing int

const (
	notListed listing = iota
	otherPort         // the host is listed, with other ports
	listed
)

func (l List) verdict(to target) listing {
	best := l.hosts[to.host].verdict(to.port)
	for domain := to.host; !to.addr.IsValid() && best != listed; {
		_, parent, ok := strings.Cut(domain, ".")
		if !ok {
			break
		}
		best, domain = max(best, l.subdomains[parent].verdict(to.port)), parent
	}
	return best
}

func (p ports) verdict(port int) listing {
	switch {
	case len(p) == 0:
		return notListed
	case slices.Contains(p, port):
		return listed
	}
	return otherPort
}
