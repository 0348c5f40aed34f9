package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"hermes-sandbox/model"
	"hermes-sandbox/ui"
)

// orderlyEnd is how long a program that was told to end may take until it is
// killed.
const orderlyEnd = time.Second

// runDashboard opens the dashboard and stays until the person quits.
func (a *app) runDashboard(command *cobra.Command, _ []string) error {
	if err := a.usableTerminal(); err != nil {
		return usageError(err)
	}
	defer a.spawn(warmUp)()
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(command.Context())
	defer cancel()
	followed := w.follow()
	screen := w.dashboardOptions(ctx, followed)
	screen.Remembered = w.rememberedLook()
	screen.Greeting = w.greeting(screen.Remembered)
	control := newJobControl()
	screen.Stop = control.stop
	dashboard, err := ui.New(screen)
	if err != nil {
		return usageError(err)
	}
	killed, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	options := append(ui.ProgramOptions(),
		tea.WithContext(killed), tea.WithInput(a.stdin), tea.WithOutput(a.stdout), tea.WithEnvironment(a.environ),
		tea.WithoutSignalHandler(), // ours ends ctx, and knows the exit code
	)
	var program *tea.Program
	options = append(options, tea.WithFilter(holdQuit(a.now, func(msg tea.Msg) { program.Send(msg) })))
	program = tea.NewProgram(ui.Guarded(dashboard, a.crashed), options...)
	defer context.AfterFunc(ctx, func() { quitOrKill(program.Send, kill) })()
	defer control.listen(func() { program.Send(ui.SuspendMsg{}) })()
	ended := a.spawn(func() {
		followed.run(ctx, func(fleet model.Fleet, _ []string) { program.Send(ui.FleetMsg{Fleet: fleet}) })
	})
	_, err = program.Run()
	cancel()
	ended()
	followed.endRequests()
	w.keepLook(screen.Remembered, dashboard.Look())
	return a.dashboardEnd(command.Context(), err)
}

// warmUp has the table of the widths of characters built, which takes longer than
// drawing the first frame and would hold it up.
func warmUp() { ansi.StringWidthWc("─") }

// quitOrKill ends a program: in order if it still reads its messages, which lets
// the reader of the terminal end before that is put back, else at once.
func quitOrKill(send func(tea.Msg), kill func()) {
	time.AfterFunc(orderlyEnd, kill)
	send(quitNow{})
}

// dashboardEnd turns the way the program ended into an error of ours.
func (a *app) dashboardEnd(ctx context.Context, err error) error {
	if context.Cause(ctx) != nil {
		err = nil // a signal ended it; its own exit code says so
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, tea.ErrInterrupted):
		return silentExit(exitInterrupted)
	case errors.Is(err, tea.ErrProgramPanic):
		return &exitError{code: exitUsage, err: fmt.Errorf("internal error: %w", err)}
	default:
		return &exitError{code: exitFailed, err: fmt.Errorf("the dashboard ended: %w", err)}
	}
}

// usableTerminal says what is missing for a dashboard.
func (a *app) usableTerminal() error {
	const instead = "use `list` or `frame` instead"
	switch {
	case !isTerminal(a.stdout):
		return errors.New("the dashboard needs a terminal, and the output is none; " + instead)
	case !isTerminal(a.stdin):
		return errors.New("the dashboard needs a terminal, and the input is none; " + instead)
	}
	if kind := a.getenv("TERM"); kind == "" || kind == "dumb" {
		return fmt.Errorf("the dashboard cannot draw on terminal type %q; %s", kind, instead)
	}
	return nil
}

// asciiLocale reports whether the locale names a character set in which the signs
// of the dashboard would come out as something else.
func asciiLocale(getenv func(string) string) bool {
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	if locale == "C" || locale == "POSIX" {
		return true
	}
	_, charset, named := strings.Cut(locale, ".")
	charset, _, _ = strings.Cut(charset, "@")
	return named && !slices.Contains([]string{"utf8", "utf-8"}, strings.ToLower(charset))
}

// dashboardOptions puts together what the dashboard works with.
func (w *workspace) dashboardOptions(ctx context.Context, followed *live) ui.Options {
	settings := w.settings
	followed.observe()
	followed.observeRequests(ctx, nil)
	options := ui.Options{
		Backend: &backend{live: followed, workspace: w, begun: w.app.now()}, Now: w.app.now, Context: ctx,
		ReadOnly: settings.ReadOnly, ASCII: settings.ASCII || asciiLocale(w.app.getenv), Mouse: settings.Mouse, Theme: settings.Theme,
		UserHome: w.homes.UserHome,
		NoColor:  w.app.flags.noColor || w.app.getenv("NO_COLOR") != "",
		Group:    settings.Group, Sort: settings.Sort, Columns: settings.Columns, CheckHosts: allowlistEntries, EgressPorts: settings.Egress.Ports,
		Profiles: w.app.flags.profiles, ConfirmAbove: settings.ConfirmAbove, StatsInterval: settings.StatsInterval, Mask: w.mask,
	}
	hosts := make([]string, 0, len(w.clients))
	for _, client := range w.clients {
		endpoint := client.Endpoint()
		hosts = append(hosts, fmt.Sprintf("%s (%s)", model.NewText(endpoint.Host), model.NewText(endpoint.Chosen)))
	}
	options.Endpoint = strings.Join(hosts, ", ")
	for _, key := range settings.Keys {
		options.Keys = append(options.Keys, ui.KeyBinding{Action: key.Action, Keys: key.Keys})
	}
	return options
}

// backend is what the dashboard acts through.
type backend struct {
	*live
	workspace *workspace
	begun     time.Time // when it asked the terminal what it is
}

// Suspend is that of the engines, before which an early one waits for the
// answers of the terminal, as quitting does.
func (b *backend) Suspend() {
	if b.workspace.app.now().Sub(b.begun) < answersDue {
		<-time.After(answersWait)
	}
	b.live.Suspend()
}

// Execute carries out a plan that was confirmed on the screen.
func (b *backend) Execute(ctx context.Context, plan model.Plan, progress func(model.Target)) (model.Plan, error) {
	executor, err := b.workspace.executor()
	if err != nil {
		return plan, err
	}
	defer b.Refresh()
	return executor.Execute(ctx, plan, progress)
}

// Prepare reads the configuration files that a plan edits, and how much it
// copies.
func (b *backend) Prepare(ctx context.Context, plan model.Plan) (model.Plan, error) {
	return b.workspace.measure(ctx, b.workspace.prepare(ctx, plan)), ctx.Err()
}

// Audit returns the actions taken so far.
func (b *backend) Audit(context.Context) ([]model.AuditEntry, error) {
	audit, err := b.workspace.audit()
	if err != nil {
		return nil, err
	}
	return audit.Read()
}
