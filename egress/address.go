package egress

import "net/netip"

// addressBook knows which addresses are not of the public internet.
type addressBook struct {
	refused []addressRange
	allowed []netip.Prefix // admitted by the settings all the same
}

// addressRange is a part of the address space that a sandbox has no business
// in, and what to call it.
type addressRange struct {
	prefix netip.Prefix
	name   string
}

// The ranges that carry an address of IPv4 within one of IPv6.
const (
	nat64Prefix = "64:ff9b::/96"
	sixToFour   = "2002::/16"
)

// specialRanges are the ranges of the IANA registries of special-purpose
// addresses, and the metadata services of clouds that have a public address.
// The first match names the reason, so the narrow ones come first.
func specialRanges() []addressRange {
	table := []struct{ prefix, name string }{
		{"169.254.169.254/32", "a metadata service"},
		{"169.254.170.2/32", "a metadata service"},
		{"100.100.100.200/32", "a metadata service"},
		{"168.63.129.16/32", "a metadata service"},
		{"192.0.0.192/32", "a metadata service"},
		{"fd00:ec2::254/128", "a metadata service"},
		{"fd20:ce::254/128", "a metadata service"},
		{"0.0.0.0/8", "an unspecified address"},
		{"10.0.0.0/8", "a private address"},
		{"100.64.0.0/10", "an address of a carrier's NAT"},
		{"127.0.0.0/8", "a loopback address"},
		{"169.254.0.0/16", "a link-local address"},
		{"172.16.0.0/12", "a private address"},
		{"192.0.0.0/24", "a reserved address"},
		{"192.0.2.0/24", "a documentation address"},
		{"192.88.99.0/24", "a reserved address"},
		{"192.168.0.0/16", "a private address"},
		{"198.18.0.0/15", "a benchmark address"},
		{"198.51.100.0/24", "a documentation address"},
		{"203.0.113.0/24", "a documentation address"},
		{"224.0.0.0/4", "a multicast address"},
		{"240.0.0.0/4", "a reserved address"},
		{"::/128", "an unspecified address"},
		{"::1/128", "a loopback address"},
		{"2001::/23", "a reserved address"},
		{"2001:db8::/32", "a documentation address"},
		{"3fff::/20", "a documentation address"},
		{"fc00::/7", "a private address"},
		{"fe80::/10", "a link-local address"},
		{"fec0::/10", "a private address"},
		{"ff00::/8", "a multicast address"},
	}
	ranges := make([]addressRange, len(table))
	for i, row := range table {
		ranges[i] = addressRange{netip.MustParsePrefix(row.prefix), row.name}
	}
	return ranges
}

func newAddressBook(allowed []netip.Prefix) addressBook {
	return addressBook{refused: specialRanges(), allowed: allowed}
}

// refuse says what an address is when a sandbox may not reach it. An address
// of IPv4 inside one of IPv6 is judged as what it leads to.
func (b addressBook) refuse(addr netip.Addr) (what string, refused bool) {
	if !addr.IsValid() || addr.Zone() != "" {
		return "an address of one link", true
	}
	addr = addr.Unmap()
	if b.admits(addr) {
		return "", false
	}
	if inner, ok := embedded(addr); ok {
		return b.refuse(inner)
	}
	for _, r := range b.refused {
		if r.prefix.Contains(addr) {
			return r.name, true
		}
	}
	// All else in IPv6 that is in use is global unicast.
	if addr.Is6() && !netip.MustParsePrefix("2000::/3").Contains(addr) {
		return "a reserved address", true
	}
	return "", false
}

func (b addressBook) admits(addr netip.Addr) bool {
	for _, prefix := range b.allowed {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// embedded returns the address of IPv4 that a translator or a tunnel makes of
// one of IPv6.
func embedded(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	raw := addr.As16()
	switch {
	case netip.MustParsePrefix(nat64Prefix).Contains(addr):
		return netip.AddrFrom4([4]byte(raw[12:])), true
	case netip.MustParsePrefix(sixToFour).Contains(addr):
		return netip.AddrFrom4([4]byte(raw[2:6])), true
	}
	return netip.Addr{}, false
}
