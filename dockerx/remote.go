package dockerx

import (
	"net/netip"
	"net/url"
	"strings"

	"hermes-sandbox/model"
)

// remoteHost reports whether an engine's address leads to another machine: any
// but a socket of this one or a loopback address. A socket that a person
// forwards from elsewhere looks local.
func remoteHost(host string) bool {
	scheme, _, _ := strings.Cut(host, "://")
	switch scheme {
	case "unix", "npipe", "fd":
		return false
	}
	address, err := url.Parse(host)
	if err != nil {
		return true
	}
	name := address.Hostname()
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return scheme == "ssh" // whoever logs in by ssh means another account, at least
	}
	ip, err := netip.ParseAddr(name)
	return scheme == "ssh" || err != nil || !ip.IsLoopback()
}

// wire tells how requests are protected on their way.
func (e Endpoint) wire() model.Wire {
	scheme, _, _ := strings.Cut(e.Host, "://")
	switch {
	case scheme != "tcp" && scheme != "http" && scheme != "https":
		return ""
	case e.TLS != nil && e.TLS.InsecureSkipVerify:
		return model.WireUnverified
	case e.TLS != nil || scheme == "https":
		return model.WireVerified
	default:
		return model.WirePlain
	}
}
