package egress

import (
	"net/http"
	"net/url"
	"strings"
)

// plainPort is the port of a URI that names none.
const plainPort = 80

// parseTarget says where a request wants to go. Only the two forms of a proxy
// are taken, and the Host field must agree with the target, so that no two
// programs on the way can see different hosts.
func (h *head) parseTarget() (target, *url.URL, error) {
	if h.method == http.MethodConnect {
		to, err := h.tunnelTarget()
		return to, nil, err
	}
	rest, ok := cutScheme(h.uri)
	if !ok {
		return target{}, nil, malformed("this is a proxy: it takes CONNECT, or an absolute URI of the scheme http")
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if strings.ContainsAny(authority, "@%\\") {
		return target{}, nil, malformed("the host of the URI is malformed")
	}
	to, err := parseAuthority(authority, plainPort)
	if err != nil {
		return target{}, nil, malformed("the URI cannot be used: %s", err)
	}
	path := rest[len(authority):]
	if strings.Contains(path, "#") || !ascii(path) {
		return target{}, nil, malformed("the path of the URI is malformed")
	}
	address, err := url.Parse("http://" + to.authority(plainPort) + path)
	if err != nil {
		return target{}, nil, malformed("the path of the URI is malformed")
	}
	if err := h.agree(to, plainPort); err != nil {
		return target{}, nil, err
	}
	return to, address, nil
}

func (h *head) tunnelTarget() (target, error) {
	to, err := parseAuthority(h.uri, 0)
	if err != nil {
		return target{}, malformed("the target of CONNECT cannot be used: %s", err)
	}
	if len(h.encodings) > 0 || len(h.lengths) > 0 && strings.Trim(h.lengths[0], "0") != "" {
		return target{}, malformed("CONNECT has no body")
	}
	// Clients leave the port out of the Host field here, whichever it is.
	return to, h.agree(to, to.port)
}

// agree checks the Host field, if there is one, against the target.
func (h *head) agree(to target, fallback int) error {
	if len(h.hosts) == 0 {
		return nil
	}
	if host, err := parseAuthority(h.hosts[0], fallback); err != nil || host != to {
		return malformed("the Host field %s is not the target %s", quote(h.hosts[0]), to)
	}
	return nil
}

// authority is what the Host field of a request to the target holds.
func (t target) authority(fallback int) string {
	text := t.String()
	if t.port == fallback {
		text = text[:strings.LastIndexByte(text, ':')]
	}
	return text
}

func cutScheme(uri string) (rest string, ok bool) {
	const scheme = "http://"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return "", false
	}
	return uri[len(scheme):], true
}
