package egress

import (
	"errors"
	"testing"
)

func TestCanonical(t *testing.T) {
	cases := map[string]string{
		"*.Example.COM:8443": "*.example.com:8443", "bücher.example": "xn--bcher-kva.example",
		"192.0.2.7": "192.0.2.7", "[2001:DB8::1]": "[2001:db8::1]", "2001:db8::1": "[2001:db8::1]", "[2001:db8::1]:443": "[2001:db8::1]:443",
		"[::ffff:192.0.2.7]:80": "192.0.2.7:80",
	}
	if got, err := Canonical(" PyPI.org. "); err != nil || got != "pypi.org" {
		t.Errorf("blanks and case: %q, %v", got, err)
	}
	for entry, want := range cases {
		got, err := Canonical(entry)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", entry, got, err, want)
			continue
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("%q is %q, and that is %q, %v", entry, got, again, err)
		}
	}
	for _, entry := range []string{"", "https://pypi.org", "a.*.org", "pypi.org:0", "0x7f.1", "pypi.org/simple"} {
		var wrong *EntryError
		if got, err := Canonical(entry); !errors.As(err, &wrong) {
			t.Errorf("%q: %q, %v", entry, got, err)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("*.PyPI.org.:443")
	f.Add("[::1]:80")
	f.Fuzz(func(t *testing.T, entry string) {
		got, err := Canonical(entry)
		if err != nil {
			return
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("%q is %q, and that is %q, %v", entry, got, again, err)
		}
		if _, err := ParseAllowlist([]string{got}, nil); err != nil {
			t.Errorf("%q is %q, which the proxy refuses: %v", entry, got, err)
		}
	})
}
