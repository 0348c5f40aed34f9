package model

import "time"

// Level is what a sandbox can reach over the network (contract B).
type Level string

// Levels, from closed to open; unknown sorts with open.
const (
	LevelAirGapped         Level = "air-gapped"
	LevelCutOff            Level = "cut-off"
	LevelInternal          Level = "internal"
	LevelAllowlist         Level = "allowlist"
	LevelCredentialProxied Level = "credential-proxied" //nolint:gosec // a posture, not a credential
	LevelOpen              Level = "open"
	LevelHost              Level = "host"
	LevelShared            Level = "shared"
	LevelUnknown           Level = "unknown"
)

// Evidence is the strongest look that agrees with a posture.
type Evidence string

// Evidence, from weak to strong.
const (
	EvidenceDeclared Evidence = "declared"
	EvidenceAttached Evidence = "attached"
	EvidenceProbed   Evidence = "probed"
)

// Posture is what the network lets a sandbox reach now, with the evidence.
type Posture struct {
	Level     Level    `json:"level"`
	Effective Level    `json:"effective"` // differs from Level only for shared
	Evidence  Evidence `json:"evidence"`
	Drifted   bool     `json:"drifted"`
	Latched   bool     `json:"latched"`
	Reasons   []string `json:"reasons"`
	// Target is the container a shared namespace belongs to; empty otherwise.
	Target ID `json:"-"`
}

// Severity ranks a finding.
type Severity string

// Severities, worst first.
const (
	SeverityVoid Severity = "void"
	SeverityWeak Severity = "weak"
	SeverityInfo Severity = "info"
)

// Finding is something that weakens or voids isolation, apart from the posture
// (contract 6.4.9).
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Detail   string   `json:"detail"`
}

// ReuseVerdict is what the next Hermes process of the same identity and task
// does with a sandbox (contract C).
type ReuseVerdict string

// Reuse verdicts, in the order of contract C.
const (
	ReuseNever          ReuseVerdict = "never"
	ReuseUnmatched      ReuseVerdict = "unmatched"
	ReuseReapedFirst    ReuseVerdict = "reaped-first"
	ReuseShadowed       ReuseVerdict = "shadowed"
	ReuseReplaced       ReuseVerdict = "replaced"
	ReuseReused         ReuseVerdict = "reused"
	ReuseStarted        ReuseVerdict = "started"
	ReuseDuplicated     ReuseVerdict = "duplicated"
	ReuseAttachedBroken ReuseVerdict = "attached-broken"
	ReuseRefused        ReuseVerdict = "refused"
	ReuseUnknown        ReuseVerdict = "unknown"
)

// Reuse is a reuse verdict with its reason.
type Reuse struct {
	Verdict      ReuseVerdict  `json:"verdict"`
	Reason       string        `json:"reason"`
	Alternatives []Alternative `json:"alternatives"`
	// Rules tells how every rule came out, in order, for the Verdicts tab.
	Rules Trail `json:"-"`
}

// Alternative is the outcome under another Hermes version.
type Alternative struct {
	When    string       `json:"when"`
	Verdict ReuseVerdict `json:"verdict"`
	Reason  string       `json:"reason"`
}

// ReapVerdict is what Hermes' orphan reaper does with a sandbox (contract D).
type ReapVerdict string

// Reap verdicts.
const (
	ReapReaped  ReapVerdict = "reaped"
	ReapSpared  ReapVerdict = "spared"
	ReapUnknown ReapVerdict = "unknown"
)

// ReapReason is the rule that decided a reap verdict.
type ReapReason string

// Reap reasons. The last five are spared by our own reap as well, whatever
// Hermes would do.
const (
	ReapEligible   ReapReason = "eligible"
	ReapDisabled   ReapReason = "disabled"
	ReapNotExited  ReapReason = "not-exited"
	ReapTooYoung   ReapReason = "too-young"
	ReapAgeUnknown ReapReason = "age-unknown"
	ReapClockSkew  ReapReason = "clock-skew"
	ReapOtherHome  ReapReason = "other-home"
	ReapInherited  ReapReason = "inherited"
	ReapForeign    ReapReason = "foreign"
	ReapNoProfile  ReapReason = "no-profile"
)

// Reap is a reap verdict with its reason.
type Reap struct {
	Verdict   ReapVerdict `json:"verdict"`
	Reason    ReapReason  `json:"reason"`
	InSeconds *int64      `json:"in_seconds"`
	// Detail says the reason in words a person understands.
	Detail string `json:"-"`
	Rules  Trail  `json:"-"`
}

// Scope is what a sandbox belongs to.
type Scope string

// Scopes.
const (
	ScopeProbe   Scope = "probe"
	ScopeShared  Scope = "shared"
	ScopeSession Scope = "session"
	ScopeProfile Scope = "profile"
	ScopeRollout Scope = "rollout"
	ScopeUnknown Scope = "unknown"
)

// Generation is the Hermes generation that made a sandbox, as far as the
// container itself tells (contract 0.2).
type Generation string

// Generations.
const (
	GenerationG1   Generation = "G1"
	GenerationG2G3 Generation = "G2-G3"
	GenerationG3G4 Generation = "G3-G4"
	GenerationG4   Generation = "G4"
	GenerationG5   Generation = "G5"
)

// SessionState is what the session database says of a sandbox's session.
type SessionState string

// Session states.
const (
	SessionNone    SessionState = "none"
	SessionUnknown SessionState = "unknown"
	SessionEnded   SessionState = "ended"
	SessionLive    SessionState = "live"
	SessionIdle    SessionState = "idle"
)

// Session is the Hermes session a sandbox serves (contract 11).
type Session struct {
	ID             Text
	Title          Text
	Source         Text
	State          SessionState
	EndReason      Text
	LastActivityAt time.Time // zero: unknown
	TurnRunning    bool
	Candidates     []Text // several: ambiguous
}

// Sandbox is a container with label hermes-agent=1 and everything that follows
// from the facts.
type Sandbox struct {
	*Container // of the snapshot, which is never changed

	Profile Text // raw hermes-profile label, empty when absent
	Task    Text // raw hermes-task-id label, empty when absent
	Foreign bool // without a profile or task label
	// Inherited: the hermes labels come from the image, not from whoever made
	// the container.
	Inherited  bool
	Scope      Scope
	Generation Generation
	Home       string // HERMES_HOME it belongs to; "" when not known
	// HomeLabel is the value Hermes writes to hermes-profile for Home; "" when
	// that is not known.
	HomeLabel string
	// HomeProfile is the index-free key of the profile its policy comes from:
	// the profile's home; "" when no policy applies.
	Policy    *Policy
	Session   Session
	Posture   Posture
	Findings  []Finding
	Violation *bool // nil: not known
	// ViolationReason says what breaks the policy, or why that is not known.
	ViolationReason string
	Reuse           Reuse
	Reap            Reap
	Stranded        bool
	Idle            Idle
	// DeclaredMode is the network mode in words for people: bridge for the
	// default, a container's name for its ID. Networks.Mode has the raw value.
	DeclaredMode string
	// AttachedTo describes the network of each endpoint, without its members,
	// in the endpoints' order; one the engine did not describe has its name
	// and an Error.
	AttachedTo []Network
	// Cut is what this program took it off when it cut it; nil: it did not.
	Cut *CutRecord
	// Orphan: the reap verdict is "reaped" now.
	Orphan bool
}

// Key identifies a sandbox over all engines.
type Key struct {
	Engine string
	ID     ID
}

// Key returns the sandbox's identity over all engines.
func (s *Sandbox) Key() Key { return Key{Engine: s.Engine, ID: s.ID} }

// EgressPair is an allowlist network with its proxy (contract 6.2).
type EgressPair struct {
	Engine       string `json:"engine"`
	Network      Text   `json:"network"`
	Proxy        Text   `json:"proxy"`
	ProxyRunning bool   `json:"proxy_running"`
	// ProxyUnknown says that no proxy was found among the containers that are
	// known, while others are still to be inspected.
	ProxyUnknown bool     `json:"-"`
	Allowlist    []string `json:"allowlist"`
	Sandboxes    []ID     `json:"sandboxes"`
}

// Fleet is everything known at one time, over all engines.
type Fleet struct {
	GeneratedAt time.Time // our clock
	Engines     []Engine
	Profiles    []Profile
	Sandboxes   []Sandbox
	Egress      []EgressPair
	Problems    []Problem
}
