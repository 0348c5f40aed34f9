package main

import (
	"context"
	"errors"
	"fmt"
)

// Exit codes; exitMeanings says what each means to a script.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitViolations  = 4
	exitRefused     = 5
	exitInterrupted = 130
	exitTerminated  = 143
)

// exitMeaning says what exit codes mean to a script.
type exitMeaning struct{ codes, meaning string }

// exitMeanings returns what the manual and docs/cli.md say of every exit code.
func exitMeanings() []exitMeaning {
	return []exitMeaning{
		{fmt.Sprint(exitDone), "done, nothing to do, or a dry run"},
		{fmt.Sprint(exitFailed), "failed: an engine could not be reached (the data of the others is printed), settings unreadable, or --check with unknowns and no violation"},
		{fmt.Sprint(exitUsage), "usage: unknown flag, filter key or value, reference to nothing or to several; no usable terminal; an internal error (a crash note is named on stderr)"},
		{fmt.Sprint(exitIncomplete), "a target that was to be acted on failed, changed since the plan, or is partial or unknown"},
		{fmt.Sprint(exitViolations), "--check found a violation (--strict: or an unknown), or doctor nothing worse than one"},
		{fmt.Sprint(exitRefused), "refused: read-only, not confirmed, a guard, or only refusals"},
		{fmt.Sprintf("%d, %d", exitInterrupted, exitTerminated), "interrupted; terminated, also by SIGHUP and SIGQUIT"},
	}
}

// exitError is an error that knows its exit code. A nil inner error means that
// everything was already said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError marks a mistake in the words of the command line.
func usageError(err error) error { return &exitError{code: exitUsage, err: err} }

// refusedError marks something we will not do.
func refusedError(err error) error { return &exitError{code: exitRefused, err: err} }

// silentExit ends with a code when the output already says why.
func silentExit(code int) error {
	if code == exitDone {
		return nil
	}
	return &exitError{code: code}
}

// Causes a command's context is cancelled for.
var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
)

// exitCode maps what a command returned to the exit code of the program.
func exitCode(ctx context.Context, err error) int {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errInterrupted):
		return exitInterrupted
	case errors.Is(cause, errTerminated):
		return exitTerminated
	}
	var coded *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &coded):
		return coded.code
	default:
		return exitFailed
	}
}
