package egress

import (
	"encoding/json"
	"fmt"
	"time"
)

// Verdict is what became of a request.
type Verdict string

// The verdicts.
const (
	Allow Verdict = "allow" // it reached its target
	Deny  Verdict = "deny"  // it was refused
	Fail  Verdict = "fail"  // it was allowed and did not reach its target
)

// Reason is the rule behind a verdict.
type Reason string

// The reasons.
const (
	Listed         Reason = "listed"          // allow: the host and the port are on the list
	NotListed      Reason = "not-listed"      // deny: the host is not on the list
	PortNotListed  Reason = "port-not-listed" // deny: the host is on the list with other ports
	AddressRefused Reason = "address-refused" // deny: the name leads to addresses that are not public
	ClientRefused  Reason = "client-refused"  // deny: the client is not on a network that is served
	TooMany        Reason = "too-many"        // deny: the client, or all together, have too many connections
	Malformed      Reason = "malformed"       // deny: the request is ambiguous or not for a proxy
	ClientTimeout  Reason = "client-timeout"  // deny: the request did not arrive in time
	NoAddress      Reason = "no-address"      // fail: the name has no address
	Unreachable    Reason = "unreachable"     // fail: no address answered, or what answered was no HTTP
	Timeout        Reason = "timeout"         // fail: no answer in time
)

// Record is one decision. All its texts are printable ASCII.
type Record struct {
	Time     time.Time `json:"time"`              // when the connection was accepted
	Sandbox  string    `json:"sandbox"`           // address of the client
	Method   string    `json:"method,omitempty"`  // empty: the request could not be read
	Host     string    `json:"host"`              // as it is compared; empty: it could not be read
	Port     int       `json:"port"`              // 0: it could not be read
	Address  string    `json:"address,omitempty"` // address and port that were dialled; empty: none
	Verdict  Verdict   `json:"verdict"`
	Reason   Reason    `json:"reason"`
	Detail   string    `json:"detail,omitempty"` // what the client was told, or how the connection ended
	Up       int64     `json:"bytes_up"`         // sent to the target
	Down     int64     `json:"bytes_down"`       // received from it
	Duration int64     `json:"duration_ms"`
}

// log writes a record as one line. A proxy that cannot account for what it
// does stops.
func (s *Server) log(record Record) {
	line, err := json.Marshal(record)
	s.logging.Lock()
	defer s.logging.Unlock()
	if err == nil {
		_, err = s.options.Log.Write(append(line, '\n'))
	}
	if err != nil && s.lost == nil {
		s.lost = fmt.Errorf("log a decision: %w", err)
		close(s.halt)
	}
}

func (s *Server) lostRecord() error {
	s.logging.Lock()
	defer s.logging.Unlock()
	return s.lost
}
