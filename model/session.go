package model

import "time"

// SessionBook is what one home's session database says (contract 11). The
// zero value means it was not read.
type SessionBook struct {
	Readable bool
	Problem  string // why it could not be read; empty when Readable
	Absent   bool   // there is no database: a home that has had no session yet
	ReadAt   time.Time
	Sessions []SessionRecord
	// ActivityUnknown is set when the schema keeps no last activity, so that
	// LastActivityAt is never more than the start, and silence is not known.
	ActivityUnknown bool
	// Leases maps a conversation id to the time its running turn's lease ends.
	Leases map[Text]time.Time
	// Backends are the Hermes processes that report a heartbeat for the home.
	Backends []BackendHeartbeat
	// BackendsUnknown is set when the schema keeps no heartbeats, so that none
	// means nothing.
	BackendsUnknown bool
}

// SessionRecord is one row of the sessions table. Times are zero when the cell
// was NULL or implausible.
type SessionRecord struct {
	ID             Text
	Key            Text // session_key
	Parent         Text
	Source         Text
	Title          Text
	DisplayName    Text
	ProfileName    Text
	EndReason      Text
	StartedAt      time.Time
	EndedAt        time.Time
	LastActivityAt time.Time // falls back to StartedAt
}

// BackendHeartbeat is a Hermes process that was alive at a time.
type BackendHeartbeat struct {
	ID      Text
	Profile Text
	Host    Text
	Pid     int64
	LastAt  time.Time
}
