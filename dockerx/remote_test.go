package dockerx

import "testing"

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
