package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
	"hermes-sandbox/ui"
)

// frameFlags are the flags of frame.
type frameFlags struct {
	keys          string
	width, height int
	color         bool
}

// Limits of frame: how long it waits for data, how long nothing has to come of a
// key for its effect to be complete, and how long it waits for what the last key
// made the dashboard ask for.
const (
	frameDataTimeout = 5 * time.Second
	frameQuiet       = 60 * time.Millisecond
	frameAnswers     = 2 * time.Second
)

func (a *app) frameCommand(failed *error) *cobra.Command {
	var flags frameFlags
	command := &cobra.Command{
		Use:   "frame",
		Short: "Print one frame of the dashboard as text",
		Long: "Print one frame of the dashboard as text, for scripts, screen readers and bug\n" +
			"reports. It waits for data, or for the reason why there is none, then types\n" +
			"the keys of --keys. Nothing can be changed from here.",
		Example: "hermes-sandbox frame --width 120 --height 40\n" +
			"hermes-sandbox frame --demo --keys 'jj<enter>'",
		Args: cobra.NoArgs,
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			return a.runFrame(command.Context(), flags)
		}),
	}
	command.Flags().StringVar(&flags.keys, "keys", "", "keys to type, special ones as <enter>, <esc>, <tab>, <space>, <up>")
	command.Flags().IntVar(&flags.width, "width", 120, "columns")
	command.Flags().IntVar(&flags.height, "height", 40, "rows")
	command.Flags().BoolVar(&flags.color, "color", false, "keep colours")
	return command
}

func (a *app) runFrame(ctx context.Context, flags frameFlags) error {
	if flags.width < 1 || flags.height < 1 || flags.width > 1000 || flags.height > 1000 {
		return usageError(fmt.Errorf("a frame of %dx%d cannot be drawn; use 1 to 1000", flags.width, flags.height))
	}
	keys, err := parseKeys(flags.keys)
	if err != nil {
		return usageError(err)
	}
	a.flags.readOnly = true
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	followed := w.follow()
	dashboard, err := ui.New(w.dashboardOptions(ctx, followed))
	if err != nil {
		return usageError(err)
	}
	fleet, failed := firstFleet(ctx, followed)
	frame := newFrameDriver(dashboard)
	frame.start(flags.width, flags.height)
	if failed == nil {
		frame.send(ui.FleetMsg{Fleet: *fleet})
	}
	for _, key := range keys {
		frame.send(key)
	}
	frame.settle(dashboard.Waiting)
	text := frame.text()
	if !flags.color {
		text = ansi.Strip(text)
	}
	if _, err := fmt.Fprintln(a.stdout, trimLines(text)); err != nil {
		return fmt.Errorf("write the frame: %w", err)
	}
	if failed != nil {
		return &exitError{code: exitFailed, err: failed}
	}
	return unreachable(fleet)
}

// errNoData is returned when nothing came within the time of a frame.
var errNoData = errors.New("no engine answered in time")

// firstFleet waits until every engine has reported, or failed, or time is up.
func firstFleet(ctx context.Context, followed *live) (*model.Fleet, error) {
	ctx, cancel := context.WithTimeout(ctx, frameDataTimeout)
	defer cancel()
	var found *model.Fleet
	followed.run(ctx, func(fleet model.Fleet, awaited []string) {
		complete := len(awaited) == 0
		if found == nil || complete {
			found = &fleet
		}
		if complete {
			cancel()
		}
	})
	if found == nil {
		return nil, errNoData
	}
	return found, nil
}

// frameDriver runs the dashboard's model without a terminal: it hands in one
// message at a time and carries out the commands that come back, until nothing
// more comes of them but timers.
type frameDriver struct {
	model   tea.Model
	answers chan tea.Msg
	running int
}

func newFrameDriver(dashboard tea.Model) *frameDriver {
	return &frameDriver{model: dashboard, answers: make(chan tea.Msg)}
}

func (d *frameDriver) start(width, height int) {
	d.perform(d.model.Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
}

// send hands in a message and everything that follows from it.
func (d *frameDriver) send(msg tea.Msg) {
	d.update(msg)
	quiet := time.NewTimer(frameQuiet)
	defer quiet.Stop()
	for d.running > 0 {
		select {
		case answer := <-d.answers:
			d.running--
			d.update(answer)
			quiet.Reset(frameQuiet)
		case <-quiet.C:
			return
		}
	}
}

// settle takes in answers for as long as the dashboard waits for one.
func (d *frameDriver) settle(waiting func() bool) {
	end := time.NewTimer(frameAnswers)
	defer end.Stop()
	for waiting() && d.running > 0 {
		select {
		case answer := <-d.answers:
			d.running--
			d.update(answer)
		case <-end.C:
			return
		}
	}
}

func (d *frameDriver) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil, tea.QuitMsg:
	case *rescue.Panic:
		panic(msg)
	case tea.BatchMsg:
		for _, command := range msg {
			d.perform(command)
		}
	default:
		var command tea.Cmd
		d.model, command = d.model.Update(msg)
		d.perform(command)
	}
}

// perform runs a command beside the driver. One that never answers, as a timer
// does within the life of a frame, ends with the program.
func (d *frameDriver) perform(command tea.Cmd) {
	if command == nil {
		return
	}
	d.running++
	go func() { d.answers <- attempt(command) }()
}

// attempt carries out a command. A panic is its answer.
func attempt(command tea.Cmd) (msg tea.Msg) {
	defer func() {
		if caught := rescue.Caught(recover()); caught != nil {
			msg = caught
		}
	}()
	return command()
}

func (d *frameDriver) text() string { return d.model.View().Content }

// trimLines drops the blanks at the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
