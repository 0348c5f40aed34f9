package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"charm.land/fang/v2"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// app is one run of the program: its streams, its environment and the global
// flags. Everything a command needs from the outside comes through it.
type app struct {
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	getenv  func(string) string
	environ []string
	now     func() time.Time
	flags   globalFlags
	connect []dockerx.ConnectOption // beside those of the settings
	panics  chan *rescue.Panic      // the first panic of a goroutine of ours
	cancel  context.CancelFunc      // ends the command that runs
	thrift  *thrift                 // nil: none
}

// globalFlags are the flags every command takes.
type globalFlags struct {
	contexts    []string
	hosts       []string
	profiles    []string
	hermesHomes []string
	config      string
	output      string
	logFile     string
	readOnly    bool
	demo        bool
	yes         bool
	dryRun      bool
	noColor     bool
	ascii       bool
	verbose     bool
}

// run executes one command line and returns the exit code. A panic ends as an
// internal error with a note that can be sent to us.
func (a *app) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if caught := rescue.Caught(recover()); caught != nil {
			a.reportCrash(caught)
			code = exitUsage
		}
	}()
	a.panics = make(chan *rescue.Panic, 1)
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	a.cancel = cancel
	// The commands' own errors are kept here and never handed to fang, which
	// would ask the terminal for its colours before it prints one.
	var failed error
	root := a.rootCommand(&failed)
	root.SetArgs(args)
	err := fang.Execute(running, root,
		fang.WithVersion(version()),
		fang.WithoutManpage(),
		fang.WithErrorHandler(func(io.Writer, fang.Styles, error) {}),
	)
	if err != nil {
		failed = usageError(err)
	}
	select {
	case caught := <-a.panics:
		a.reportCrash(caught)
		return exitUsage
	default:
	}
	var coded *exitError
	if failed != nil && (!errors.As(failed, &coded) || coded.err != nil) && context.Cause(ctx) == nil {
		a.complain(failed)
	}
	return exitCode(ctx, failed)
}

// complain writes one error to stderr. Errors are composed of display-safe
// parts; what comes of libraries or arguments and is not gets escaped here.
func (a *app) complain(err error) {
	a.note("hermes-sandbox: %s", displaySafe(err.Error()))
}

// displaySafe escapes the lines of a text that could change how a terminal
// draws, and leaves the others, escaped before or harmless, as they are.
func displaySafe(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.ContainsFunc(line, func(r rune) bool { return !model.Printable(r) }) {
			lines[i] = model.NewText(line).Display()
		}
	}
	return strings.Join(lines, "\n")
}

// errorLine is an error as one line that is safe to show.
func errorLine(err error) string { return strings.ReplaceAll(displaySafe(err.Error()), "\n", "; ") }

// note writes a line for the person beside the results.
func (a *app) note(format string, values ...any) {
	_, _ = fmt.Fprintf(a.stderr, format+"\n", values...)
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(file.Fd())
}

// guarded turns a command's function into one that never hands its error to
// the library.
func guarded(failed *error, run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		*failed = run(cmd, args)
		return nil
	}
}
