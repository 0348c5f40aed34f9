package dockerx

import (
	"crypto/tls"
	"testing"

	"github.com/docker/cli/cli/context/docker"

	"hermes-sandbox/model"
)

func TestRemoteHost(t *testing.T) {
	for host, want := range map[string]bool{
		"unix:///var/run/docker.sock":  false,
		"npipe:////./pipe/docker":      false,
		"tcp://127.0.0.1:2375":         false,
		"tcp://[::1]:2375":             false,
		"tcp://localhost:2375":         false,
		"https://localhost:2376":       false,
		"tcp://192.0.2.7:2376":         true,
		"tcp://docker.example:2376":    true,
		"ssh://me@host":                true,
		"ssh://me@localhost":           true,
		"tcp://localhost.example:2375": true,
		"tcp://%zz":                    true,
	} {
		if got := remoteHost(host); got != want {
			t.Errorf("remoteHost(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestWireTellsWhatIsProtected(t *testing.T) {
	unchecked, err := contextTLS(docker.Endpoint{EndpointMeta: docker.EndpointMeta{Host: "tcp://box:2376", SkipTLSVerify: true}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		endpoint Endpoint
		want     model.Wire
	}{
		"socket":                {Endpoint{Host: "unix:///var/run/docker.sock"}, ""},
		"pipe":                  {Endpoint{Host: "npipe:////./pipe/docker"}, ""},
		"ssh":                   {Endpoint{Host: "ssh://me@box"}, ""},
		"tcp":                   {Endpoint{Host: "tcp://box:2375"}, model.WirePlain},
		"tcp on this machine":   {Endpoint{Host: "tcp://127.0.0.1:2375"}, model.WirePlain},
		"http":                  {Endpoint{Host: "http://box:2375"}, model.WirePlain},
		"https":                 {Endpoint{Host: "https://box:2376"}, model.WireVerified},
		"tcp with certificates": {Endpoint{Host: "tcp://box:2376", TLS: &tls.Config{MinVersion: tls.VersionTLS12}}, model.WireVerified},
		"context that skips":    {Endpoint{Host: "tcp://box:2376", TLS: unchecked}, model.WireUnverified},
	} {
		if got := c.endpoint.wire(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
