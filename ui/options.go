package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// Backend does the work the dashboard asks for. Its methods but Execute,
// Prepare and Audit return at once; all may be called from several goroutines.
type Backend interface {
	// Refresh asks for a new look at every engine now.
	Refresh()
	// Touch says that a person is at the keys.
	Touch()
	// Suspend stops watching while the program is in the background; Resume
	// starts again with a full look.
	Suspend()
	Resume()
	// Execute carries out a plan and returns it with the outcomes. It calls
	// progress for every finished target. Cancelling ctx stops what has not
	// started.
	Execute(ctx context.Context, plan model.Plan, progress func(model.Target)) (model.Plan, error)
	// Prepare reads the configuration files that a plan edits, and returns the
	// plan with what is to be shown of them. It writes nothing.
	Prepare(ctx context.Context, plan model.Plan) (model.Plan, error)
	// Audit returns the actions taken so far, oldest first.
	Audit(ctx context.Context) ([]model.AuditEntry, error)
}

// KeyBinding gives an action other keys than its own. No keys at all unbinds
// it; it stays in the palette.
type KeyBinding struct {
	Action string
	Keys   []string
}

// Options say how the dashboard looks and what it works on.
type Options struct {
	Backend Backend
	// Now is the program's clock. It is called in commands only.
	Now func() time.Time
	// Context ends what the dashboard started; nil means it never does.
	Context context.Context //nolint:containedctx // handed on to commands, which Bubble Tea gives no context
	// Stop stops this process until it is continued. An error is why it was not
	// stopped; nil: there is no way to.
	Stop func() error
	// Endpoint says what is being connected to before the first fleet; it is
	// safe to show.
	Endpoint string

	// Greeting is said above the footer until the first key; empty: nothing is.
	Greeting string

	// UserHome is the user's home folder, which is shown as ~; empty: none is.
	UserHome string

	ReadOnly bool
	ASCII    bool
	NoColor  bool
	Mouse    bool
	Theme    string   // one of theme.Names; empty: auto
	Group    string   // a model.Grouping; empty: profile > task > session
	Sort     string   // a model.SortKey with an optional leading "-"; empty: name
	Columns  []string // names of columns to show; empty: the usual ones
	Keys     []KeyBinding
	// Remembered is the look of an earlier run. It counts where the options say
	// nothing themselves.
	Remembered Look
	// Mask hides the secrets that have not been asked for.
	Mask model.Masker
	// CheckHosts returns entries of an allowlist in the form that is compared, or
	// an error that names each one that cannot be used, safe to show. Nil: each
	// is taken as it is.
	CheckHosts func(entries []string) ([]string, error)
	// EgressPorts are the ports of entries that name none; none: 80 and 443.
	EgressPorts []int
	// Profiles are the names the view starts with; empty: all.
	Profiles []string
	// StatsInterval is the time between two looks at what sandboxes use; 0
	// means 2 seconds, and it is never less than one.
	StatsInterval time.Duration
	// ConfirmAbove is the number of targets above which the count has to be
	// typed; 0 means 5.
	ConfirmAbove int
}

// defaultConfirmAbove is the usual size of an action that a single key may
// confirm.
const defaultConfirmAbove = 5

// framesPerSecond bounds how often the screen is drawn; a person sees no
// difference above it.
const framesPerSecond = 30

// ProgramOptions returns what the program has to be started with.
func ProgramOptions() []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithFPS(framesPerSecond)}
}
