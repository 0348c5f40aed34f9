// Package egress is the filtering proxy of the allowlist position (contract
// 6.2): the only way out for sandboxes on an internal network. Whatever is not
// on the list is refused.
//
// It serves CONNECT, whose bytes pass through untouched, and plain HTTP
// requests with an absolute URI. A name is resolved here, every address it has
// is judged, and the very address that was judged is dialled, so a name that
// changes its answer in between gains nothing.
//
// The head of a request is read by this package and not by the server of
// net/http, which accepts what other servers read differently: Transfer-Encoding
// beside Content-Length, repeated lengths, folded lines. Such heads are refused
// here before net/http parses the rest. A connection carries one request, on
// both sides, so there is no second request that one side could see and the
// other not. Bodies are taken apart by net/http and framed anew; trailers and
// hop-by-hop headers end here.
//
// Every decision is one JSON line, a [Record].
package egress
