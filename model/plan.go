package model

import "time"

// Action names what a plan does.
type Action string

// Actions.
const (
	ActionRemove            Action = "remove"
	ActionReap              Action = "reap"
	ActionLockdownOn        Action = "lockdown-on"
	ActionLockdownAllowlist Action = "lockdown-allowlist"
	ActionLockdownOff       Action = "lockdown-off"
	ActionStart             Action = "start"
	ActionStop              Action = "stop"
	ActionPause             Action = "pause"
	ActionUnpause           Action = "unpause"
	ActionPrune             Action = "prune"
	ActionUndo              Action = "undo"
	ActionShell             Action = "shell" // only in the audit: a shell has no plan to confirm
)

// Decision is what a plan does with one target.
type Decision string

// Decisions. Skip is harmless (spared); refuse means the request itself was
// not acceptable for this target.
const (
	DecisionAct    Decision = "act"
	DecisionSkip   Decision = "skip"
	DecisionRefuse Decision = "refuse"
)

// Method is the engine work a target gets.
type Method string

// Methods.
const (
	MethodRemove       Method = "remove"
	MethodRemoveForce  Method = "remove-force"
	MethodStopRemove   Method = "stop-remove"
	MethodCut          Method = "cut"
	MethodRebuild      Method = "rebuild"
	MethodReconnect    Method = "reconnect"
	MethodReconnectHot Method = "reconnect-hot"
	MethodMove         Method = "move"
	MethodStart        Method = "start"
	MethodStop         Method = "stop"
	MethodPause        Method = "pause"
	MethodUnpause      Method = "unpause"
	MethodPrune        Method = "prune"
	MethodShell        Method = "shell"
	MethodNone         Method = "none"
)

// Words says a method as a person would.
func (m Method) Words() string {
	switch m {
	case MethodRemoveForce:
		return "kill, remove"
	case MethodStopRemove:
		return "stop, remove"
	case MethodReconnectHot:
		return "reconnect as it runs"
	default:
		return string(m)
	}
}

// Loss is something an action destroys.
type Loss string

// Losses.
const (
	LossProcesses        Loss = "processes"
	LossWritableLayer    Loss = "writable-layer"
	LossTmpfs            Loss = "tmpfs"
	LossSessionFiles     Loss = "session-files"
	LossAnonymousVolumes Loss = "anonymous-volumes"
)

// Outcome is what became of a target.
type Outcome string

// Outcomes. Unknown means the call's effect could not be verified; it is never
// used for something that was not tried.
const (
	OutcomePlanned Outcome = "planned"
	OutcomeDone    Outcome = "done"
	OutcomeSkipped Outcome = "skipped"
	OutcomeFailed  Outcome = "failed"
	OutcomePartial Outcome = "partial"
	OutcomeUnknown Outcome = "unknown"
	OutcomeRefused Outcome = "refused"
)

// Expect is the identity a target had when its plan was made. Right before the
// call the target is inspected again; any difference skips it.
type Expect struct {
	CreatedAt time.Time
	StartedAt time.Time // zero: never started
	State     State
	Labels    Labels
}

// Target is one row of a plan and, once carried out, of its result.
type Target struct {
	Engine   string   `json:"engine"`
	ID       ID       `json:"id"`
	Name     Text     `json:"name"`
	Profile  Text     `json:"profile"`
	Task     Text     `json:"task"`
	State    State    `json:"state"`
	Decision Decision `json:"decision"`
	Method   Method   `json:"method"`
	Reason   string   `json:"reason"`
	Loses    []Loss   `json:"loses"`
	Warnings []string `json:"warnings"`
	Outcome  Outcome  `json:"outcome"`
	Error    string   `json:"error"`
	NewID    ID       `json:"new_id"`

	// Step is what is being done right now, such as "commit", for methods of
	// several steps; empty before, after and for all others.
	Step string `json:"-"`
	// Network is true when the target is a network and not a container; ID and
	// Name are the network's then.
	Network bool `json:"-"`
	// Volumes also removes anonymous volumes.
	Volumes bool `json:"-"`
	// Class names the reap class a row belongs to; empty for removals.
	Class  ReapClass `json:"-"`
	Expect Expect    `json:"-"`
	// WaitsFor is the configuration file that must have been edited before
	// anything is done to the row; empty: none.
	WaitsFor string `json:"-"`
	// Allowlist holds the canonical entries of the allowlist whose network a move
	// or a rebuild brings the target to (contract 6.2); nil: none, and an empty
	// list is a network that lets nothing out.
	Allowlist []string `json:"-"`
	// Follows is the row whose method closes this skipped one along with its
	// own sandbox, whose network it shares; zero: none.
	Follows Key `json:"-"`
}

// ConfigEdit is a change of one key of a configuration file. From and To are
// the value as written, safe to show; empty: the key is absent.
type ConfigEdit struct {
	Profile Text    `json:"profile"`
	File    string  `json:"file"`
	Key     string  `json:"key"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error"`
	// Backup names the copy, in the state folder, of the file before the edit.
	Backup string `json:"backup,omitempty"`

	// Diff is the edit as a unified diff, safe to show, and Digest stands for
	// the contents that it was made from. Both are empty until the file was
	// read.
	Diff   string `json:"-"`
	Digest string `json:"-"`
	// Undo says that the edit takes back one of ours: the file must still say
	// From. Restore names the backup that it goes back to when nothing else
	// has changed since.
	Undo    bool   `json:"-"`
	Restore string `json:"-"`
	// Needs is the allowlist network that must be there before the edit is
	// made; empty: none.
	Needs string `json:"-"`
}

// Plan says what an action will do, per target, before anything is called.
// After execution the same value with outcomes filled in is the result.
type Plan struct {
	Schema  int          `json:"schema"`
	Action  Action       `json:"action"`
	DryRun  bool         `json:"dry_run"`
	Config  []ConfigEdit `json:"config"`
	Targets []Target     `json:"targets"`
	// Egress are the allowlist networks a plan makes sure of before it edits
	// or touches anything; none but for the allowlist position.
	Egress []EgressStep `json:"egress,omitempty"`

	// Leaves are the allowlist networks that sandboxes are taken away from.
	Leaves []string `json:"-"`
	// Notes are said with the plan: the scope taken, marked rows that the
	// filter hides, an age that was raised.
	Notes []string `json:"-"`
}

// ReapClass groups what reap can take. Only "exited" is Hermes' own rule; the
// others are taken by choice alone.
type ReapClass string

// Reap classes.
const (
	ClassExited     ReapClass = "exited"
	ClassCreated    ReapClass = "created"
	ClassDead       ReapClass = "dead"
	ClassStranded   ReapClass = "stranded"
	ClassDuplicates ReapClass = "duplicates"
	ClassProbes     ReapClass = "probes"
)
