package egress

import (
	"net"
	"strconv"
	"strings"
)

// Canonical returns an entry of an allowlist in the form that hosts are compared
// in, so that two ways to write one entry are one: lower case, names of other
// scripts in ASCII, no dot at the end. The error is an [*EntryError].
func Canonical(entry string) (string, error) {
	trimmed := strings.TrimSpace(entry)
	if trimmed == "" {
		return "", &EntryError{Entry: entry, Reason: "the host is missing"}
	}
	if _, err := ParseAllowlist([]string{trimmed}, nil); err != nil {
		return "", err
	}
	name, port, found, err := splitPort(trimmed)
	if err != nil {
		return "", &EntryError{Entry: entry, Reason: err.Error()}
	}
	domain, below := strings.CutPrefix(name, "*.")
	host, _, err := normalizeHost(domain)
	if err != nil {
		return "", &EntryError{Entry: entry, Reason: err.Error()}
	}
	switch {
	case below:
		host = "*." + host
	case strings.Contains(host, ":") && !found:
		host = "[" + host + "]"
	}
	if found {
		return net.JoinHostPort(host, strconv.Itoa(port)), nil
	}
	return host, nil
}
