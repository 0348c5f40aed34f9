package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// terminalShell connects this terminal with a shell in a sandbox.
type terminalShell struct {
	ctx    context.Context //nolint:containedctx // Bubble Tea's interface has no place for it
	in     io.Reader
	out    io.Writer
	record func() (*shellRecord, error)
	open   func(ctx context.Context, height, width int) (*dockerx.Shell, error)
	code   int // the shell's exit code, once Run has returned without an error
}

// SetStdin leaves the program's own input in place: a shell needs the terminal
// itself.
func (t *terminalShell) SetStdin(io.Reader) {}

// SetStdout leaves the program's own output in place.
func (t *terminalShell) SetStdout(io.Writer) {}

// SetStderr does nothing, since a terminal has one output.
func (t *terminalShell) SetStderr(io.Writer) {}

// afterShell undoes what programs in a sandbox like to leave behind: colours, a
// hidden cursor, mouse reports, bracketed paste, application keys.
const afterShell = "\x1b[0m\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>"

// Run opens the shell and stays until it ends. The terminal is as before
// afterwards, whatever happened. Without its line in the audit none is opened.
func (t *terminalShell) Run() error {
	in, ok := t.in.(*os.File)
	if !ok {
		return errors.New("a shell needs a terminal as its input")
	}
	record, err := t.record()
	if err != nil {
		return err
	}
	outcome, how, err := t.use(in)
	return record.end(outcome, how, err)
}

// use opens the shell, connects it with the terminal until it ends, and says
// what became of it.
func (t *terminalShell) use(in *os.File) (model.Outcome, string, error) {
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	width, height, err := term.GetSize(in.Fd())
	if err != nil {
		return model.OutcomeFailed, "", fmt.Errorf("ask the terminal for its size: %w", err)
	}
	shell, err := t.open(ctx, height, width)
	if err != nil {
		return model.OutcomeFailed, "", err
	}
	defer func() { _ = shell.Close() }()
	defer context.AfterFunc(ctx, func() { _ = shell.Close() })()
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return model.OutcomeFailed, "", fmt.Errorf("prepare the terminal: %w", err)
	}
	defer func() { _ = term.Restore(in.Fd(), before) }()
	if err := t.connect(ctx, in, shell); err != nil {
		return model.OutcomeUnknown, "", err
	}
	if ctx.Err() != nil {
		return model.OutcomeDone, "left before its end", nil
	}
	switch t.code, err = shell.ExitCode(ctx); {
	case errors.Is(err, dockerx.ErrNoShell):
		return model.OutcomeFailed, "", err
	case err != nil:
		return model.OutcomeUnknown, "", err
	default:
		return model.OutcomeDone, fmt.Sprintf("ended with exit code %d", t.code), nil
	}
}

// connect copies both ways until the shell ends.
func (t *terminalShell) connect(ctx context.Context, in *os.File, shell *dockerx.Shell) error {
	keys, err := cancelreader.NewReader(in)
	if err != nil {
		return fmt.Errorf("read the keys: %w", err)
	}
	typing := rescue.Group{Stop: func() { _ = shell.Close() }}
	typing.Go(func() {
		_, _ = io.Copy(shell, keys) // it ends with the shell, or when it is told to
	})
	stop := onResize(func() {
		if width, height, err := term.GetSize(in.Fd()); err == nil {
			_ = shell.Resize(ctx, height, width) // the next change tries again
		}
	})
	_, err = io.Copy(t.out, shell)
	stop()
	// Keys typed from here on are for whoever has the terminal next.
	if keys.Cancel() {
		typing.Wait()
	}
	_ = keys.Close()
	_, _ = io.WriteString(t.out, afterShell)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the connection to the shell broke: %s", model.NewText(err.Error()))
	}
	return nil
}
