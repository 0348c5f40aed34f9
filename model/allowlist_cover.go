package model

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// CoveringEntries returns the entries of an allowlist that let a host through
// at a port: the name or address itself, or *.domain above it. Entries without
// a port stand for ports, the defaults of the proxy; none: 80 and 443. Wide
// tells that one of them covers more names than this one.
func CoveringEntries(entries []string, host string, port int, ports []int) (covering []string, wide bool) {
	if len(ports) == 0 {
		ports = []int{80, 443}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, entry := range canonicalAllowlist(entries) {
		name, at := splitEntry(entry)
		if at != port && (at != 0 || !slices.Contains(ports, port)) {
			continue
		}
		if domain, star := strings.CutPrefix(name, "*."); star && strings.HasSuffix(host, "."+domain) {
			covering, wide = append(covering, entry), true
		} else if name == host {
			covering = append(covering, entry)
		}
	}
	return covering, wide
}

// splitEntry cuts the port off an entry; 0: it names none. Addresses come in
// the form that hosts of requests have.
func splitEntry(entry string) (name string, port int) {
	name = entry
	if colon := strings.LastIndexByte(entry, ':'); colon > strings.LastIndexByte(entry, ']') && (strings.Count(entry, ":") == 1 || entry[0] == '[') {
		if number, err := strconv.Atoi(entry[colon+1:]); err == nil {
			name, port = entry[:colon], number
		}
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if address, err := netip.ParseAddr(name); err == nil {
		name = address.Unmap().String()
	}
	return name, port
}

// EntryFor returns the narrowest entry that lets a host through at a port.
func EntryFor(host string, port int, ports []int) string {
	if len(ports) == 0 {
		ports = []int{80, 443}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if slices.Contains(ports, port) {
		return host
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(port)
}
