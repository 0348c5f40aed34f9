package model

import "fmt"

// RequestEvent is the watch event of a request that a sandbox made through an
// allowlist proxy. Its fields are the verdict, the host with its port, and the
// reason. Sandbox is nil when none is known to have the address.
func RequestEvent(fleet *Fleet, r *EgressRequest) WatchEvent {
	event := WatchEvent{Schema: Schema, Time: documentTime(r.At), Event: WatchEgress, Engine: r.Engine, ID: string(r.Sandbox.ID)}
	for i := range fleet.Sandboxes {
		if s := &fleet.Sandboxes[i]; s.Key() == r.Sandbox {
			event.Sandbox = newSandboxDocument(s)
		}
	}
	host := r.Host.Raw()
	if host != "" {
		host = fmt.Sprintf("%s:%d", host, r.Port)
	}
	event.Fields = []string{string(r.Verdict), host, r.Reason.Raw()}
	return event
}
