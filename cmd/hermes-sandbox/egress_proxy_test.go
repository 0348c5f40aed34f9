package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// firstLine hands out the first line written to it.
type firstLine struct {
	lines chan string
	seen  bytes.Buffer
	done  bool
}

func (f *firstLine) Write(p []byte) (int, error) {
	f.seen.Write(p)
	if line, _, ok := strings.Cut(f.seen.String(), "\n"); ok && !f.done {
		f.done = true
		f.lines <- line
	}
	return len(p), nil
}

// runProxy runs the command on a port of the machine's choice until the test
// ends it, and returns its address.
func runProxy(t *testing.T, env map[string]string, args ...string) (address string, stdout *bytes.Buffer, stop func() int) {
	t.Helper()
	stderr := &firstLine{lines: make(chan string, 1)}
	stdout = &bytes.Buffer{}
	program := &app{
		stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, now: time.Now,
		getenv: func(name string) string { return env[name] },
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	code := make(chan int, 1)
	go func() {
		code <- program.run(ctx, append([]string{"egress-proxy", "--address", "127.0.0.1", "--port", "0"}, args...))
	}()
	stop = func() int { cancel(errTerminated); return <-code }
	select {
	case line := <-stderr.lines:
		_, rest, ok := strings.Cut(line, " on ")
		if !ok {
			t.Fatalf("the proxy says %q", line)
		}
		address, _, _ = strings.Cut(rest, " ")
	case <-time.After(patience):
		t.Fatal("the proxy does not start")
	}
	return address, stdout, stop
}

func TestEgressProxyCommand(t *testing.T) {
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	site := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "through") })}
	go func() { _ = site.Serve(target) }()
	defer func() { _ = site.Close() }()
	listed := target.Addr().String()
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"list from the environment": {map[string]string{"EGRESS_ALLOWLIST": "pypi.org, " + listed}, nil, "through"},
		"list from the flag":        {nil, []string{"--allow", "pypi.org," + listed}, "through"},
		"flag repeated":             {nil, []string{"--allow", "pypi.org", "--allow", listed}, "through"},
		"flag before environment":   {map[string]string{"EGRESS_ALLOWLIST": listed}, []string{"--allow", "pypi.org"}, "not on the allowlist"},
		"no list":                   {nil, nil, "not on the allowlist"},
		"list on a second line":     {map[string]string{"EGRESS_ALLOWLIST": "pypi.org,\n" + listed}, nil, "through"},
		"clients of elsewhere":      {map[string]string{"EGRESS_ALLOWLIST": listed, "EGRESS_CLIENTS": "10.0.0.0/8"}, nil, "does not serve"},
	} {
		t.Run(name, func(t *testing.T) {
			address, stdout, stop := runProxy(t, c.env, c.args...)
			transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: address}), DisableKeepAlives: true}
			client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
			response, err := client.Get("http://" + listed + "/")
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if !strings.Contains(string(body), c.want) {
				t.Errorf("body = %q, want %q", body, c.want)
			}
			if code := stop(); code != exitTerminated {
				t.Errorf("exit code %d, want %d", code, exitTerminated)
			}
			var record map[string]any
			if err := json.Unmarshal(stdout.Bytes(), &record); err != nil || record["sandbox"] != "127.0.0.1" || record["verdict"] == "" {
				t.Errorf("stdout = %q (%v), want one decision", stdout, err)
			}
		})
	}
}

func TestEgressProxySettingsThatCannotBeUsed(t *testing.T) {
	b := &bench{env: map[string]string{}}
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"entry":            {map[string]string{"EGRESS_ALLOWLIST": "https://pypi.org"}, nil, "without scheme"},
		"port of entries":  {nil, []string{"--ports", "443,x"}, `port "x"`},
		"port beyond all":  {map[string]string{"EGRESS_PORTS": "70000"}, nil, "port 70000"},
		"range":            {nil, []string{"--allow-cidrs", "10.0.0.1"}, "address range"},
		"range of clients": {map[string]string{"EGRESS_CLIENTS": "all"}, nil, "address range"},
	} {
		t.Run(name, func(t *testing.T) {
			b.env = c.env
			got := b.run(t, append([]string{"egress-proxy"}, c.args...)...)
			if got.code != exitUsage || !strings.Contains(got.stderr, c.want) {
				t.Errorf("exit code %d, stderr %q, want %d with %q", got.code, got.stderr, exitUsage, c.want)
			}
		})
	}
}
