package egress

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"hermes-sandbox/model"
)

func TestMatch(t *testing.T) {
	cases := map[string]struct {
		entries string
		host    string
		port    int
		want    bool
	}{
		"exact host":                      {"pypi.org", "pypi.org", 443, true},
		"plain port by default":           {"pypi.org", "pypi.org", 80, true},
		"another port":                    {"pypi.org", "pypi.org", 22, false},
		"nothing listed":                  {"", "pypi.org", 443, false},
		"blank entries":                   {" , ,", "", 443, false},
		"subdomain of an exact host":      {"pypi.org", "files.pypi.org", 443, false},
		"parent of an exact host":         {"files.pypi.org", "pypi.org", 443, false},
		"name that ends alike":            {"pypi.org", "evilpypi.org", 443, false},
		"name that begins alike":          {"pypi.org", "pypi.org.evil.example", 443, false},
		"below a domain":                  {"*.pypi.org", "files.pypi.org", 443, true},
		"far below a domain":              {"*.pypi.org", "a.b.pypi.org", 443, true},
		"the domain itself":               {"*.pypi.org", "pypi.org", 443, false},
		"star and a name that ends alike": {"*.pypi.org", "evilpypi.org", 443, false},
		"star is no name":                 {"*.pypi.org", "*.pypi.org", 443, false},
		"domain and below":                {"pypi.org,*.pypi.org", "pypi.org", 443, true},
		"one port":                        {"pypi.org:8443", "pypi.org", 8443, true},
		"one port replaces the defaults":  {"pypi.org:8443", "pypi.org", 443, false},
		"two ports":                       {"pypi.org:22,pypi.org:443", "pypi.org", 22, true},
		"one port below a domain":         {"*.pypi.org:22", "a.pypi.org", 22, true},
		"other port below a domain":       {"*.pypi.org:22", "a.pypi.org", 443, false},
		"port of the nearer domain":       {"*.a.example:22,*.example:443", "x.a.example", 443, true},
		"case of the entry":               {"PyPI.org", "pypi.org", 443, true},
		"case of the host":                {"pypi.org", "PYPI.ORG", 443, true},
		"dot at the end of the host":      {"pypi.org", "pypi.org.", 443, true},
		"dot at the end of the entry":     {"pypi.org.", "pypi.org", 443, true},
		"two dots at the end":             {"pypi.org", "pypi.org..", 443, false},
		"blanks around the entry":         {" pypi.org ", "pypi.org", 443, true},
		"name in another script":          {"bücher.example", "xn--bcher-kva.example", 443, true},
		"host in another script":          {"xn--bcher-kva.example", "BÜCHER.example", 443, true},
		"look-alike in another script":    {"pypi.org", "pуpi.org", 443, false}, // a Cyrillic letter
		"wide dots":                       {"files.pypi.org", "files。pypi。org", 443, true},
		"below a domain in a script":      {"*.bücher.example", "a.xn--bcher-kva.example", 443, true},
		"hyphens as CDNs have them":       {"r3---sn-ab.example", "r3---sn-ab.example", 443, true},
		"underscore":                      {"my_bucket.example", "my_bucket.example", 443, true},
		"single label":                    {"registry", "registry", 443, true},
		"address":                         {"192.0.2.7", "192.0.2.7", 443, true},
		"address with a port":             {"192.0.2.7:8080", "192.0.2.7", 8080, true},
		"another address":                 {"192.0.2.7", "192.0.2.8", 443, false},
		"address in wide digits":          {"192.0.2.7", "１９２.0.2.7", 443, true},
		"address as a number":             {"192.0.2.7", "3221225991", 443, false},
		"address in hex":                  {"127.0.0.1", "0x7f.1", 443, false},
		"address with zeros":              {"192.0.2.7", "192.0.2.007", 443, false},
		"below an address":                {"*.2.7", "192.0.2.7", 443, false},
		"address of six":                  {"2001:db8::1", "[2001:db8::1]", 443, true},
		"address of six, other spelling":  {"[2001:DB8:0::1]", "2001:db8:0:0::1", 443, true},
		"address of six with a port":      {"[2001:db8::1]:22", "2001:db8::1", 22, true},
		"address of six without brackets": {"2001:db8::1:22", "2001:db8::1", 22, false},
		"address of four within six":      {"192.0.2.7", "::ffff:192.0.2.7", 443, true},
		"address with a zone":             {"fe80::1", "fe80::1%eth0", 443, false},
		"port zero":                       {"pypi.org", "pypi.org", 0, false},
		"host with a blank":               {"pypi.org", "pypi.org ", 443, false},
		"host with a line break":          {"pypi.org", "pypi.org\r\n", 443, false},
		"host with a zero byte":           {"pypi.org", "pypi.org\x00.evil.example", 443, false},
		"empty label":                     {"*.pypi.org", ".pypi.org", 443, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			list, _ := ParseAllowlist(strings.Split(c.entries, ","), nil)
			if got := list.Match(c.host, c.port); got != c.want {
				t.Errorf("Match(%q, %d) with %q = %t, want %t", c.host, c.port, c.entries, got, c.want)
			}
		})
	}
}

func TestMatchOfTheZeroList(t *testing.T) {
	var list List
	if list.Match("pypi.org", 443) {
		t.Error("the zero list allows a host")
	}
}

func TestDefaultPortsReplaceEightyAndFourFourThree(t *testing.T) {
	list, err := ParseAllowlist([]string{"pypi.org", "a.example:80"}, []int{8443})
	if err != nil {
		t.Fatal(err)
	}
	got := []bool{list.Match("pypi.org", 8443), list.Match("pypi.org", 443), list.Match("a.example", 80), list.Match("a.example", 8443)}
	if want := []bool{true, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("default port, 443, own port, default beside own = %v, want %v", got, want)
	}
}

func TestEntriesThatCannotBeUsed(t *testing.T) {
	for entry, want := range map[string]string{
		"*":                              "star",
		"*.":                             "missing",
		"*pypi.org":                      "star",
		"a.*.org":                        "star",
		"*.*.org":                        "star",
		"https://pypi.org":               "without scheme",
		"pypi.org/simple":                "without path",
		"me@pypi.org":                    "user",
		"10.0.0.0/8":                     "allow_cidrs",
		"2001:db8::/32":                  "allow_cidrs",
		"pypi.org:":                      "port",
		"pypi.org:0":                     "port",
		"pypi.org:65536":                 "port",
		"pypi.org:+80":                   "port",
		"pypi.org:https":                 "port",
		"pypi.org:*":                     "port",
		":443":                           "missing",
		"0.0.0.0":                        "nobody",
		"224.0.0.1":                      "nobody",
		"[::]":                           "nobody",
		"*.192.0.2.1":                    "address",
		"0x7f.0.0.1":                     "address",
		"127.1":                          "address",
		"256.256.256.256":                "address",
		"[192.0.2.1]":                    "address",
		"[2001:db8::1":                   "address",
		"[fe80::1%eth0]":                 "address",
		"pypi .org":                      "name",
		"pypi..org":                      "name",
		"pypi.org\x1b[31m":               "name",
		strings.Repeat("a", 64):          "name",
		strings.Repeat("a.", 127) + "aa": "too long",
	} {
		t.Run(entry, func(t *testing.T) {
			list, err := ParseAllowlist([]string{"good.example", entry}, nil)
			var failure *EntryError
			if !errors.As(err, &failure) || failure.Entry != entry || !strings.Contains(failure.Reason, want) {
				t.Fatalf("error = %v, want one about the entry with %q", err, want)
			}
			if text := err.Error(); !ascii(text) || strings.ContainsFunc(text, control) {
				t.Errorf("the error is not safe to print: %q", text)
			}
			if !list.Match("good.example", 443) || len(list.hosts)+len(list.subdomains) != 1 {
				t.Errorf("the list holds %v and %v, want the good entry alone", list.hosts, list.subdomains)
			}
		})
	}
}

func TestEveryUnusableEntryIsNamed(t *testing.T) {
	_, err := ParseAllowlist([]string{"*", "a.example", "b/c"}, nil)
	for _, entry := range []string{`"*"`, `"b/c"`} {
		if !strings.Contains(err.Error(), entry) {
			t.Errorf("error %q does not name %s", err, entry)
		}
	}
}

// The hash names the network; what it is made of must mean the same here.
func TestListsOfEqualHashAllowTheSame(t *testing.T) {
	for hash, spellings := range map[string][]string{
		"e3b0c44298": {"", " , "},
		"a4aa2ac280": {"pypi.org", " PyPI.org ,"},
		"b9ca2e323c": {"github.com,pypi.org", "PYPI.org, github.com"},
	} {
		for _, spelling := range spellings {
			entries := strings.Split(spelling, ",")
			if got := model.EgressHash(entries); got != hash {
				t.Fatalf("hash of %q = %s, want %s", spelling, got, hash)
			}
			list, err := ParseAllowlist(entries, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, host := range []string{"pypi.org", "github.com"} {
				if got, want := list.Match(host, 443), strings.Contains(strings.ToLower(spelling), host); got != want {
					t.Errorf("%q allows %s: %t, want %t", spelling, host, got, want)
				}
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	for _, seed := range []string{"pypi.org", "*.pypi.org", "files.pypi.org.", "[::1]:80", "pуpi.org", "a。b", "1.2.3.4", "0x7f.1", "ﬀ.example", "xn--a.example"} {
		f.Add(seed, "files.pypi.org")
	}
	f.Fuzz(func(t *testing.T, entry, host string) {
		name, addr, err := normalizeHost(host)
		if err == nil {
			again, same, err := normalizeHost(name)
			if err != nil || again != name || same != addr {
				t.Fatalf("%q is %q, and that is %q (%v)", host, name, again, err)
			}
			if !ascii(name) || name != strings.ToLower(name) || strings.ContainsAny(name, " \t\r\n/@#?%") {
				t.Fatalf("%q became %q", host, name)
			}
		}
		list, failure := ParseAllowlist([]string{entry}, nil)
		matched := list.Match(host, 443)
		if matched && (err != nil || failure != nil) {
			t.Fatalf("entry %q (%v) lets %q (%v) through", entry, failure, host, err)
		}
		if exact, _ := ParseAllowlist([]string{"exact.example"}, nil); exact.Match(host, 443) && name != "exact.example" {
			t.Fatalf("%q passes for exact.example", host)
		}
		if below, _ := ParseAllowlist([]string{"*.below.example"}, nil); below.Match(host, 443) && !strings.HasSuffix(name, ".below.example") {
			t.Fatalf("%q passes for a name below below.example", host)
		}
	})
}
