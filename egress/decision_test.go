package egress

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDecisions(t *testing.T) {
	type answers map[string][]string
	cases := map[string]struct {
		target  string
		answers answers
		status  int
		verdict Verdict
		reason  Reason
		says    string
		dials   []string
	}{
		"unlisted host":           {"evil.example:443", nil, 403, Deny, NotListed, "evil.example:443 is not on the allowlist", nil},
		"unlisted address":        {"8.8.8.8:443", nil, 403, Deny, NotListed, "8.8.8.8:443 is not", nil},
		"unlisted address of six": {"[2606:4700::1]:443", nil, 403, Deny, NotListed, "[2606:4700::1]:443 is not", nil},
		"unlisted loopback":       {"127.0.0.1:443", nil, 403, Deny, NotListed, "127.0.0.1:443 is not", nil},
		"unlisted metadata":       {"169.254.169.254:80", nil, 403, Deny, NotListed, "not on the allowlist", nil},
		"unlisted port":           {"good.example:22", nil, 403, Deny, PortNotListed, "port 22 of good.example", nil},
		"private address":         {"good.example:443", answers{"good.example": {"10.0.0.1"}}, 403, Deny, AddressRefused, "leads to a private address", nil},
		"metadata address":        {"good.example:443", answers{"good.example": {"169.254.169.254"}}, 403, Deny, AddressRefused, "a metadata service", nil},
		"loopback, in six":        {"good.example:443", answers{"good.example": {"::ffff:127.0.0.1"}}, 403, Deny, AddressRefused, "a loopback address", nil},
		"refused ones only":       {"good.example:443", answers{"good.example": {"127.0.0.1 10.0.0.1 ::1"}}, 403, Deny, AddressRefused, "", nil},
		"public beside private":   {"good.example:443", answers{"good.example": {"10.0.0.1 " + public + " ::1"}}, 200, Allow, Listed, "", []string{public + ":443"}},
		"listed literally":        {"10.7.7.7:8080", nil, 200, Allow, Listed, "", []string{"10.7.7.7:8080"}},
		"listed, another port":    {"10.7.7.7:443", nil, 403, Deny, PortNotListed, "port 443 of 10.7.7.7", nil},
		"name of a listed one":    {"good.example:8080", answers{"good.example": {"10.7.7.7"}}, 200, Allow, Listed, "", []string{"10.7.7.7:8080"}},
		"admitted range":          {"good.example:443", answers{"good.example": {"172.20.1.1"}}, 200, Allow, Listed, "", []string{"172.20.1.1:443"}},
		"address of the range":    {"172.20.1.1:443", nil, 403, Deny, NotListed, "not on the allowlist", nil},
		"no such name":            {"good.example:443", nil, 502, Fail, NoAddress, "good.example has no address", nil},
		"second address answers":  {"good.example:443", answers{"good.example": {"93.184.216.99 " + public}}, 200, Allow, Listed, "", []string{"93.184.216.99:443", public + ":443"}},
		"nothing answers":         {"good.example:443", answers{"good.example": {"93.184.216.99"}}, 502, Fail, Unreachable, "good.example:443 cannot be reached", []string{"93.184.216.99:443"}},
		"name in another script":  {"BÜCHER.example.:443", answers{"xn--bcher-kva.example": {public}}, 200, Allow, Listed, "", []string{public + ":443"}},
		"a host of many addresses": {
			"good.example:443",
			answers{"good.example": {strings.Repeat("93.184.216.99 ", 20) + public}},
			502, Fail, Unreachable, "",
			slices.Repeat([]string{"93.184.216.99:443"}, addressLimit),
		},
	}
	real := listen(t, echo)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{
				Allow:      []string{"good.example", "good.example:8080", "10.7.7.7:8080", "bücher.example"},
				AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("172.20.0.0/16")},
			})
			for _, address := range []string{public + ":443", "10.7.7.7:8080", "172.20.1.1:443"} {
				r.routes[address] = real
			}
			r.answers = c.answers
			conn := r.connect(t)
			_, _ = io.WriteString(conn, "CONNECT "+c.target+" HTTP/1.1\r\nHost: "+c.target+"\r\n\r\n")
			response, body := readAnswer(t, bufio.NewReader(conn), http.MethodConnect)
			_ = conn.Close()
			if response.StatusCode != c.status || !strings.Contains(body, c.says) {
				t.Errorf("answer = %d %q, want %d with %q", response.StatusCode, body, c.status, c.says)
			}
			if c.says != "" && !strings.Contains(response.Status, c.says) {
				t.Errorf("status line %q does not say %q", response.Status, c.says)
			}
			record := r.next(t)
			if record.Verdict != c.verdict || record.Reason != c.reason || record.Sandbox != "127.0.0.1" || record.Method != http.MethodConnect {
				t.Errorf("record = %+v, want %s because %s", record, c.verdict, c.reason)
			}
			if dials := r.dialled(); !slices.Equal(dials, c.dials) {
				t.Errorf("dialled %q, want %q", dials, c.dials)
			}
			if len(c.dials) > 0 && record.Address != c.dials[len(c.dials)-1] {
				t.Errorf("record has address %q, want %q", record.Address, c.dials[len(c.dials)-1])
			}
		})
	}
}

// A name that changes its answer gains nothing: it is resolved once per
// connection, and what was judged is what is dialled.
func TestNamesThatChangeTheirAddress(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"turncoat.example"}})
	r.host("turncoat.example", "443", listen(t, echo))
	r.answers["turncoat.example"] = []string{public, "127.0.0.1"}

	conn, _ := r.tunnel(t, "turncoat.example:443")
	_ = conn.Close()
	first := r.next(t)
	if first.Verdict != Allow || first.Address != public+":443" {
		t.Errorf("with the public answer: %+v, want it allowed at %s", first, public)
	}
	response, _ := r.exchange(t, "CONNECT turncoat.example:443 HTTP/1.1\r\nHost: turncoat.example:443\r\n\r\n", http.MethodConnect)
	second := r.next(t)
	if response.StatusCode != http.StatusForbidden || second.Reason != AddressRefused || second.Address != "" {
		t.Errorf("with the private answer: %s, %+v, want it refused", response.Status, second)
	}
	if want := []string{public + ":443"}; !slices.Equal(r.dialled(), want) {
		t.Errorf("dialled %q, want %q", r.dialled(), want)
	}
	if want := []string{"ip turncoat.example.", "ip turncoat.example."}; !slices.Equal(r.lookups, want) {
		t.Errorf("looked up %q, want %q: once per connection, as an absolute name", r.lookups, want)
	}
}

// What is dialled over the real network is an address, never a name.
func TestTheDefaultDialerGetsTheCheckedAddress(t *testing.T) {
	real := listen(t, echo)
	_, port, _ := net.SplitHostPort(real)
	r := newRig(t, Options{Allow: []string{"local.example:" + port}, AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Dial: new(net.Dialer).DialContext})
	r.answers["local.example"] = []string{"127.0.0.1", "192.0.2.1"}
	conn, _ := r.tunnel(t, "local.example:"+port)
	_ = conn.Close()
	if record := r.next(t); record.Address != real {
		t.Errorf("dialled %s, want %s", record.Address, real)
	}
}

func TestResolverFailures(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		reason Reason
	}{
		"server failure":    {&net.DNSError{Err: "server misbehaving", IsTemporary: true}, 502, NoAddress},
		"slow server":       {&net.DNSError{Err: "i/o timeout", IsTimeout: true}, 504, Timeout},
		"deadline":          {context.DeadlineExceeded, 504, Timeout},
		"something else":    {errors.New("broken"), 502, NoAddress},
		"no answer, no err": {nil, 502, NoAddress},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Allow: []string{"good.example"}, Resolver: failingResolver{c.err}})
			response, _ := r.exchange(t, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", http.MethodGet)
			if record := r.next(t); response.StatusCode != c.status || record.Reason != c.reason || record.Verdict != Fail {
				t.Errorf("answer %s, record %+v, want %d because %s", response.Status, record, c.status, c.reason)
			}
		})
	}
}

type failingResolver struct{ err error }

func (f failingResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, f.err
}

func TestDialTimeoutIsAGatewayTimeout(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example"}, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: context.DeadlineExceeded}
	}})
	r.answers["good.example"] = []string{public}
	response, _ := r.exchange(t, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", http.MethodGet)
	if record := r.next(t); response.StatusCode != http.StatusGatewayTimeout || record.Reason != Timeout || record.Address != public+":80" {
		t.Errorf("answer %s, record %+v, want 504", response.Status, record)
	}
}

func TestClientsOfOtherNetworks(t *testing.T) {
	r := newRig(t, Options{Allow: []string{"good.example"}, Clients: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	response, body := r.exchange(t, "GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", http.MethodGet)
	if response.StatusCode != http.StatusForbidden || !strings.Contains(body, "does not serve") {
		t.Errorf("answer = %s %q, want 403", response.Status, body)
	}
	if record := r.next(t); record.Verdict != Deny || record.Reason != ClientRefused || record.Host != "" {
		t.Errorf("record = %+v, want client-refused", record)
	}
}

// The standard client, over TLS whose certificate is the target's own.
func TestStandardClientThroughTheProxy(t *testing.T) {
	target := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		_, _ = w.Write(append([]byte(request.Proto+" "), body...))
	}))
	defer target.Close()
	r := newRig(t, Options{Allow: []string{"example.com"}})
	r.host("example.com", "443", target.Listener.Addr().String())
	roots := x509.NewCertPool()
	roots.AddCert(target.Certificate())
	transport := &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: r.address}), TLSClientConfig: &tls.Config{RootCAs: roots},
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: patience}
	response, err := client.Post("https://example.com/x", "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if string(body) != "HTTP/1.1 hello" {
		t.Errorf("body = %q", body)
	}
	refused, err := client.Get("https://evil.example/")
	if err == nil {
		_ = refused.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "evil.example:443 is not on the allowlist") {
		t.Errorf("an unlisted host: %v, want the reason", err)
	}
}

func TestNewServerRefusesWhatItCannotUse(t *testing.T) {
	for name, options := range map[string]Options{
		"entry":  {Allow: []string{"a/b"}},
		"port":   {Ports: []int{70000}},
		"range":  {AllowCIDRs: []netip.Prefix{{}}},
		"client": {Clients: []netip.Prefix{{}}},
	} {
		if _, err := NewServer(options); err == nil {
			t.Errorf("an unusable %s is no error", name)
		}
	}
	_, err := NewServer(Options{Allow: []string{"a/b", "*"}, Ports: []int{0}})
	for _, want := range []string{`"a/b"`, `"*"`, "port 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

func TestRecordsAreLinesOfPrintableASCII(t *testing.T) {
	for target, want := range map[string]string{
		"ev\xffil\u202e:443": `{"time":"2026-03-01T11:00:01.5Z","sandbox":"127.0.0.1","method":"CONNECT","host":"","port":0,` +
			`"verdict":"deny","reason":"malformed","detail":"the target of CONNECT cannot be used: \"ev\\xffil\\u202e\" is no name of a host",` +
			`"bytes_up":0,"bytes_down":0,"duration_ms":1500}`,
		"bücher.example:443": `{"time":"2026-03-01T11:00:01.5Z","sandbox":"127.0.0.1","method":"CONNECT","host":"xn--bcher-kva.example","port":443,` +
			`"verdict":"deny","reason":"not-listed","detail":"xn--bcher-kva.example:443 is not on the allowlist",` +
			`"bytes_up":0,"bytes_down":0,"duration_ms":1500}`,
	} {
		var log bytes.Buffer
		moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
		r := newRig(t, Options{Log: &log, Now: func() time.Time { moment = moment.Add(1500 * time.Millisecond); return moment }})
		r.exchange(t, "CONNECT "+target+" HTTP/1.1\r\nHost: "+target+"\r\n\r\n", http.MethodConnect)
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		if log.String() != want+"\n" {
			t.Errorf("log =\n%s, want\n%s", log.String(), want)
		}
	}
}
