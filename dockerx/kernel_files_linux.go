package dockerx

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// rejectRoute is the flag of a route that refuses traffic instead of carrying
// it (RTF_REJECT).
const rejectRoute = 0x200

// route4 reads a line of net/route: interface, destination, gateway, flags and
// so on, with addresses in the host's byte order.
func (n namespace) route4(fields []string) {
	if len(fields) < 8 {
		return
	}
	destination, ok := address4(fields[1])
	mask, maskOK := address4(fields[7])
	if !ok || !maskOK || rejects(fields[3]) {
		return // the heading, or a route that carries nothing
	}
	bits := 0
	for _, b := range mask.As4() {
		for ; b != 0; b <<= 1 {
			bits++
		}
	}
	n.addRoute(fields[0], netip.PrefixFrom(destination, bits))
}

// route6 reads a line of net/ipv6_route: destination, its length, source, its
// length, next hop, metric, counters, flags and interface.
func (n namespace) route6(fields []string) {
	if len(fields) < 10 || rejects(fields[8]) || fields[9] == loopback {
		return
	}
	destination, ok := address6(fields[0])
	bits, err := strconv.ParseUint(fields[1], 16, 8)
	if !ok || err != nil {
		return
	}
	n.addRoute(fields[9], netip.PrefixFrom(destination, int(bits)))
}

func (n namespace) addRoute(name string, prefix netip.Prefix) {
	text := prefix.String()
	if prefix.Bits() == 0 {
		text = "default"
	}
	n.at(name).Routes = append(n.at(name).Routes, text)
}

func rejects(flags string) bool {
	value, err := strconv.ParseUint(flags, 16, 32)
	return err == nil && value&rejectRoute != 0
}

// address6 reads a line of net/if_inet6: address, index, prefix length, scope,
// flags and interface.
func (n namespace) address6(fields []string) {
	if len(fields) < 6 {
		return
	}
	if address, ok := address6(fields[0]); ok {
		n.at(fields[5]).Addresses = append(n.at(fields[5]).Addresses, address)
	}
}

// groups4 reads a line of net/igmp. An interface joins its first group when it
// comes up, so one that is listed is up.
func (n namespace) groups4(fields []string) {
	if len(fields) < 3 || (fields[2] != ":" && !strings.HasSuffix(fields[1], ":")) {
		return
	}
	if _, err := strconv.Atoi(fields[0]); err != nil {
		return // the heading
	}
	n.at(strings.TrimSuffix(fields[1], ":")).Up = true
}

// localAddresses reads net/fib_trie, where a line with an address is followed
// by one that says "/32 host LOCAL" when the address is the namespace's own. The
// file names no interface, so the address goes to the one whose route covers it.
func (n namespace) localAddresses(trie string) {
	var last netip.Addr
	seen := map[netip.Addr]bool{}
	for line := range strings.Lines(trie) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == "|--" {
			last, _ = netip.ParseAddr(fields[1]) // invalid when odd, which no route covers
			continue
		}
		if !strings.Contains(line, "/32 host LOCAL") || seen[last] {
			continue
		}
		seen[last] = true
		for _, device := range n {
			if routesCover(device.Routes, last) {
				device.Addresses = append(device.Addresses, last)
			}
		}
	}
}

// routesCover reports whether an address lies in one of the destinations.
func routesCover(routes []string, address netip.Addr) bool {
	for _, route := range routes {
		if prefix, err := netip.ParsePrefix(route); err == nil && prefix.Contains(address) {
			return true
		}
	}
	return false
}

// address4 reads eight hex digits in the host's byte order.
func address4(text string) (netip.Addr, bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 4 {
		return netip.Addr{}, false
	}
	var out [4]byte
	binary.NativeEndian.PutUint32(out[:], binary.BigEndian.Uint32(raw))
	return netip.AddrFrom4(out), true
}

// address6 reads 32 hex digits in network byte order.
func address6(text string) (netip.Addr, bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 16 {
		return netip.Addr{}, false
	}
	return netip.AddrFrom16([16]byte(raw)), true
}
