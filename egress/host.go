package egress

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

const (
	hostLimit  = 253 // octets of a name, without the dot of the root
	labelLimit = 63
)

// target is where a request wants to go: a name or an address, and a port.
type target struct {
	host string     // lower case, ASCII, without trailing dot and brackets
	addr netip.Addr // the address when host is one; the zero Addr otherwise
	port int
}

func (t target) String() string {
	if t.addr.Is6() {
		return "[" + t.host + "]:" + strconv.Itoa(t.port)
	}
	return t.host + ":" + strconv.Itoa(t.port)
}

// parseAuthority reads host, host:port, address, [address] or [address]:port.
// Without a port it is given fallback; a fallback of 0 demands one.
func parseAuthority(authority string, fallback int) (target, error) {
	name, port, found, err := splitPort(authority)
	if err != nil {
		return target{}, err
	}
	if !found {
		if fallback == 0 {
			return target{}, errors.New("the port is missing")
		}
		port = fallback
	}
	host, addr, err := normalizeHost(name)
	if err != nil {
		return target{}, err
	}
	return target{host: host, addr: addr, port: port}, nil
}

// splitPort cuts the port off. An address of IPv6 without brackets has none.
func splitPort(authority string) (host string, port int, found bool, err error) {
	colon := strings.LastIndexByte(authority, ':')
	bracket := strings.LastIndexByte(authority, ']')
	if colon < bracket || colon < 0 || bracket < 0 && strings.Count(authority, ":") > 1 {
		return authority, 0, false, nil
	}
	port, err = parsePort(authority[colon+1:])
	return authority[:colon], port, true, err
}

func parsePort(text string) (int, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 || text[0] == '+' {
		return 0, fmt.Errorf("port %s is no number from 1 to 65535", quote(text))
	}
	return int(port), nil
}

// normalizeHost brings a host to the form in which hosts are compared: lower
// case, without the dot of the root, names of other scripts in ASCII, addresses
// as they are written in short, and those of IPv4 never as ones of IPv6.
func normalizeHost(name string) (string, netip.Addr, error) {
	if inner, ok := strings.CutPrefix(name, "["); ok {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if err != nil || !closed || !addr.Is6() || addr.Zone() != "" {
			return "", netip.Addr{}, fmt.Errorf("%s is no address", quote(name))
		}
		addr = addr.Unmap()
		return addr.String(), addr, nil
	}
	host := strings.ToLower(name)
	if !ascii(host) {
		mapped, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", netip.Addr{}, fmt.Errorf("%s is no name of a host", quote(name))
		}
		host = strings.ToLower(mapped)
	}
	host = strings.TrimSuffix(host, ".")
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return addr.String(), addr, nil
	}
	if err := checkName(host); err != nil {
		return "", netip.Addr{}, err
	}
	return host, netip.Addr{}, nil
}

// checkName refuses what is no name in DNS. A name whose last label is a number
// is an address in a notation that some programs read and others do not, such
// as 0x7f.1 or 2130706433.
func checkName(host string) error {
	if host == "" {
		return errors.New("the host is missing")
	}
	if len(host) > hostLimit {
		return errors.New("the name of the host is too long")
	}
	var last string
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > labelLimit || strings.ContainsFunc(label, notInName) {
			return fmt.Errorf("%s is no name of a host", quote(host))
		}
		last = label
	}
	if digits(last) || strings.HasPrefix(last, "0x") {
		return fmt.Errorf("%s is no address", quote(host))
	}
	return nil
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

func digits(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// quoteLimit caps how much of somebody's text an explanation repeats.
const quoteLimit = 80

// quote makes untrusted text safe to repeat: printable ASCII, and not long.
func quote(text string) string {
	if len(text) > quoteLimit {
		text = text[:quoteLimit] + "..."
	}
	return strconv.QuoteToASCII(text)
}
