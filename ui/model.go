package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// pane is a part of the screen that can have the focus.
type pane int

const (
	paneTree pane = iota
	paneDetail
)

// Model is the dashboard. Make one with [New].
type Model struct {
	options Options
	context context.Context //nolint:containedctx // the program's life, for its commands
	keys    keymap
	theme   theme.Theme
	dark    bool
	sixteen bool // the terminal has no more than its own colours

	width, height int
	now           time.Time // our clock, as of the last message that carried it
	timer         timer

	fleet       *model.Fleet      // nil before the first answer
	index       map[model.Key]int // places in fleet.Sandboxes
	counts      fleetCounts
	view        viewState
	started     Look // as the options had it
	tree        tree
	detail      detail
	looking     looking
	logs        logView
	processes   processView
	connections connectionView
	raw         rawView
	paths       hostPaths
	sampling    sampling
	activity    activityView
	requests    requestView
	focus       pane
	filter      filter
	find        find
	dialog      dialog // nil: none
	settled     settling
	run         *run // the running or last plan; nil: none yet
	runs        int  // how many plans were started
	// prepared counts the plans whose files were asked for.
	prepared int
	note     noted
	lost     lostLockdown
	copying  bool // y was pressed, n or j may follow
	// suspending: the process is stopped, or will be in a moment.
	suspending bool
	mouse      bool
	click      click
}

// viewState says which sandboxes are shown, and how.
type viewState struct {
	sort       model.SortKey
	descending bool
	grouping   model.Grouping
	columns    []column
	wide       bool
	profiles   map[string]bool // chosen profile names; empty: all
}

// New checks the options and returns the dashboard. Errors wrap [ErrKeys] or
// [ErrOption].
func New(options Options) (*Model, error) {
	keys, err := newKeymap(options.Keys)
	if err != nil {
		return nil, err
	}
	options.recall()
	view, err := newView(options)
	if err != nil {
		return nil, err
	}
	if options.Theme == "" {
		options.Theme = theme.Auto
	}
	if !theme.Known(options.Theme) {
		return nil, fmt.Errorf("%w: there is no theme %q; there are %s", ErrOption, options.Theme, strings.Join(theme.Names(), ", "))
	}
	if options.NoColor {
		options.Theme = theme.Monochrome
	}
	if options.ConfirmAbove <= 0 {
		options.ConfirmAbove = defaultConfirmAbove
	}
	m := &Model{
		options: options, context: options.Context, keys: keys, view: view,
		dark: true, mouse: options.Mouse, tree: newTree(), detail: newDetail(),
		filter: filter{field: widget.NewField(filterLimit)},
	}
	m.keys.keep(options.Backend)
	if m.context == nil {
		m.context = context.Background()
	}
	m.setTheme()
	m.note = noted{text: options.Greeting}
	m.started = m.look()
	return m, nil
}

func newView(options Options) (viewState, error) {
	wide := options.Remembered.Wide && len(options.Columns) == 0
	columns, err := chosenColumns(options.Columns, wide)
	if err != nil {
		return viewState{}, err
	}
	key := model.SortKey(strings.TrimPrefix(options.Sort, "-"))
	if key == "" {
		key = model.SortName
	}
	if !slices.Contains(model.SortKeys(), key) && !usageSort(key) {
		return viewState{}, fmt.Errorf("%w: there is no sort key %q", ErrOption, key)
	}
	grouping := model.Grouping(options.Group)
	if grouping == "" {
		grouping = model.Groupings()[0]
	}
	if !slices.Contains(model.Groupings(), grouping) {
		return viewState{}, fmt.Errorf("%w: there is no grouping %q", ErrOption, grouping)
	}
	view := viewState{
		sort: key, descending: strings.HasPrefix(options.Sort, "-"), grouping: grouping,
		columns: columns, wide: wide, profiles: make(map[string]bool),
	}
	for _, name := range options.Profiles {
		view.profiles[name] = true
	}
	return view, nil
}

func (m *Model) setTheme() {
	made := theme.New
	if m.sixteen {
		made = theme.InSixteen
	}
	m.theme = made(m.options.Theme, m.dark, m.options.ASCII)
	m.detail.stale = true
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	if m.options.Theme == theme.Auto || m.options.Theme == theme.ColourBlind {
		return tea.Batch(tea.RequestBackgroundColor, m.readClock(), m.followRequests(0))
	}
	return tea.Batch(m.readClock(), m.followRequests(0))
}

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	command := m.handle(msg)
	m.layout()
	look := tea.Batch(m.keepLooking(), m.keepSampling())
	m.fillDetail()
	return m, tea.Batch(command, look, m.schedule())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case FleetMsg:
		m.setFleet(&msg.Fleet)
		return m.followFleet()
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.sixteen = msg.Profile == colorprofile.ANSI
		m.setTheme()
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.setTheme()
	case tea.KeyPressMsg:
		return m.keyPressed(msg)
	case tea.PasteMsg:
		m.pasted(msg)
	case tea.MouseClickMsg:
		return tea.Batch(m.touch(), m.clicked(msg))
	case tea.MouseWheelMsg:
		m.wheeled(msg)
		return m.touch()
	case SuspendMsg:
		return m.suspend()
	case continued:
		return m.continued(msg)
	case shellEnded:
		return m.shellEnded(msg)
	case exported:
		m.say(msg.kind, msg.text)
	case samples:
		return m.takeSamples(msg)
	case sampleDue:
		return m.sampleAgain(msg)
	case lookAnswer:
		return m.takeLook(msg)
	case requestsSeen:
		return m.requestsSeen(msg)
	case tea.FocusMsg:
		m.looking.blurred = false
	case tea.BlurMsg:
		m.looking.blurred = true
	case ticked:
		m.ticked(msg)
	case clockRead:
		m.setNow(msg.at)
	case dialogSettled:
		m.settled.settle(msg.generation)
	case targetFinished:
		return m.targetFinished(msg)
	case planFinished:
		return m.planFinished(msg)
	case planPrepared:
		return m.planPrepared(msg)
	case auditRead:
		m.auditRead(msg)
	case noted:
		m.noted(msg)
	}
	return nil
}

// readClock brings the time to the model.
func (m *Model) readClock() tea.Cmd {
	now := m.options.Now
	if now == nil {
		return nil
	}
	return func() tea.Msg { return clockRead{at: now()} }
}

// setNow moves the model's time on; it never goes back.
func (m *Model) setNow(at time.Time) {
	if at.After(m.now) {
		m.now = at
		m.detail.stale = true
	}
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.frame(), "\n"))
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = "hermes-sandbox"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.ProgressBar = m.progressBar()
	return v
}

// frame draws the whole screen: exactly height lines of exactly width columns.
func (m *Model) frame() []string {
	if m.width <= 0 || m.height <= 0 {
		return nil
	}
	screen := widget.FitLines(m.screen(), m.width, m.height, m.theme.Glyphs.Ellipsis)
	if m.dialog == nil {
		return screen
	}
	box := m.dialogBox()
	if m.width < minWidth || m.height < minHeight {
		return widget.FitLines(box, m.width, m.height, m.theme.Glyphs.Ellipsis)
	}
	screen = widget.Overlay(screen, box, m.width, m.theme.Styles.Dim)
	return widget.FitLines(screen, m.width, m.height, "")
}
