package model

import "time"

// CutRecord is what a sandbox was attached to before it was cut off. It is
// saved before the first disconnect, since the engine forgets an endpoint's
// settings with the endpoint.
type CutRecord struct {
	Name  Text      `json:"name"`   // the container's name at that time, for people
	CutAt time.Time `json:"cut_at"` // our clock
	// Complete is true once the cut was verified, and until a reconnect begins.
	// Meanwhile a sandbox found attached again was reconnected by someone else,
	// and the next cut starts a new record; before and after, a retry goes on.
	Complete bool         `json:"complete"`
	Networks []CutNetwork `json:"networks"`
	// Onto names the allowlist network that the sandbox was moved to instead of
	// being cut off; empty: it is cut off.
	Onto Text `json:"onto,omitzero"`
}

// CutNetwork is one network of a [CutRecord] with the settings a connect has
// to give again.
type CutNetwork struct {
	ID         string        `json:"id"` // may be empty for a container that never ran
	Name       Text          `json:"name"`
	StaticIPv4 Text          `json:"static_ipv4"` // empty: the engine chose
	StaticIPv6 Text          `json:"static_ipv6"`
	Aliases    []Text        `json:"aliases"` // without the container's short ID
	DriverOpts map[Text]Text `json:"driver_opts"`
}
