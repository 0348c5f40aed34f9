package egress

import (
	"net/netip"
	"strings"
	"testing"
)

func TestRefusedAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"8.8.8.8": "", "1.1.1.1": "", "151.101.0.223": "", "172.15.255.255": "", "172.32.0.0": "", "100.63.255.255": "", "100.128.0.0": "",
		"11.0.0.0": "", "9.255.255.255": "", "126.255.255.255": "", "128.0.0.0": "", "223.255.255.255": "", "198.17.255.255": "", "198.20.0.0": "",
		"192.167.255.255": "", "192.169.0.0": "", "169.253.255.255": "", "169.255.0.0": "", "168.63.129.15": "",
		"2606:4700::1111": "", "2a00:1450:4001:81b::200e": "", "2001:200::1": "",

		"0.0.0.0": "unspecified", "0.1.2.3": "unspecified", "::": "unspecified",
		"127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback",
		"10.0.0.0": "private", "10.255.255.255": "private", "172.16.0.1": "private", "172.31.255.255": "private",
		"192.168.1.1": "private", "fc00::1": "private", "fdff::1": "private", "fec0::1": "private",
		"169.254.0.1": "link-local", "fe80::1": "link-local", "fe80::a9fe:a9fe": "link-local", "fe80::1%eth0": "one link",
		"100.64.0.0": "carrier", "100.127.255.255": "carrier",
		"198.18.0.1": "benchmark", "198.19.255.255": "benchmark", "2001:2::1": "reserved",
		"192.0.2.1": "documentation", "198.51.100.1": "documentation", "203.0.113.1": "documentation", "2001:db8::1": "documentation", "3fff::1": "documentation",
		"224.0.0.1": "multicast", "239.255.255.255": "multicast", "ff02::1": "multicast",
		"240.0.0.1": "reserved", "255.255.255.255": "reserved", "192.0.0.1": "reserved", "192.88.99.1": "reserved",
		"2001::1": "reserved", "2001:20::1": "reserved", "100::1": "reserved", "5f00::1": "reserved", "4000::1": "reserved",
		"169.254.169.254": "metadata", "169.254.170.2": "metadata", "100.100.100.200": "metadata", "168.63.129.16": "metadata", "192.0.0.192": "metadata",
		"fd00:ec2::254": "metadata", "fd20:ce::254": "metadata",

		// Addresses of IPv4 in the clothes of IPv6.
		"::ffff:8.8.8.8": "", "::ffff:127.0.0.1": "loopback", "::ffff:169.254.169.254": "metadata", "::ffff:10.1.2.3": "private",
		"64:ff9b::8.8.8.8": "", "64:ff9b::127.0.0.1": "loopback", "64:ff9b::a9fe:a9fe": "metadata", "64:ff9b:1::8.8.8.8": "reserved",
		"2002:0808:0808::1": "", "2002:7f00:0001::1": "loopback", "2002:a9fe:a9fe::": "metadata", "2002:c0a8:0101::1": "private",
		"::127.0.0.1": "reserved", "::8.8.8.8": "reserved",
	} {
		t.Run(text, func(t *testing.T) {
			what, refused := newAddressBook(nil).refuse(netip.MustParseAddr(text))
			if refused != (want != "") || !strings.Contains(what, want) {
				t.Errorf("%s is refused: %t (%q), want %q", text, refused, what, want)
			}
		})
	}
	if _, refused := newAddressBook(nil).refuse(netip.Addr{}); !refused {
		t.Error("no address passes")
	}
}

func TestAdmittedRanges(t *testing.T) {
	book := newAddressBook([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")})
	for text, want := range map[string]bool{
		"10.1.2.3": false, "::ffff:10.1.2.3": false, "64:ff9b::10.1.2.3": false, "fd00:1::1": false,
		"10.2.0.1": true, "fd00:2::1": true, "127.0.0.1": true, "fe80::1%eth0": true,
	} {
		if _, refused := book.refuse(netip.MustParseAddr(text)); refused != want {
			t.Errorf("%s is refused: %t, want %t", text, refused, want)
		}
	}
}

// Whatever the standard library knows to be special is refused.
func FuzzAddresses(f *testing.F) {
	for _, seed := range []string{"\x7f\x00\x00\x01", "\x08\x08\x08\x08", "0123456789abcdef"} {
		f.Add([]byte(seed))
	}
	book := newAddressBook(nil)
	f.Fuzz(func(t *testing.T, raw []byte) {
		addr, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		plain := addr.Unmap()
		special := plain.IsLoopback() || plain.IsPrivate() || plain.IsMulticast() || plain.IsUnspecified() ||
			plain.IsLinkLocalUnicast() || !plain.IsGlobalUnicast()
		if _, refused := book.refuse(addr); special && !refused {
			t.Errorf("%s passes", addr)
		}
	})
}
