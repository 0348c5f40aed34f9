package main

import (
	"fmt"
	"os"
	"path/filepath"

	"hermes-sandbox/config"
	"hermes-sandbox/rescue"
)

// reportCrash writes a note about an internal error beside the state and names
// it on stderr. The note holds the cause, the stack and the version.
func (a *app) reportCrash(caught *rescue.Panic) {
	cause := displaySafe(caught.Error()) // it may quote what came from outside
	note := fmt.Sprintf("hermes-sandbox %s crashed at %s: %s\n\n%s",
		version(), a.now().UTC().Format("2006-01-02T15:04:05Z"), cause, caught.Stack)
	folder := config.StateDir(a.environ, config.UserHome(a.environ))
	if folder == "" || os.MkdirAll(folder, 0o700) != nil {
		folder = os.TempDir()
	}
	file, err := os.CreateTemp(folder, "crash-*.txt")
	if err != nil {
		a.note("hermes-sandbox: internal error: %s", cause)
		return
	}
	_, _ = file.WriteString(note)
	_ = file.Close()
	a.note("hermes-sandbox: internal error: %s; what is known of it is in %s", cause, displaySafe(filepath.Clean(file.Name())))
}

// spawn runs a function in a goroutine of its own and returns what waits for
// it. A panic in it ends the command the orderly way, so that the terminal is
// restored first.
func (a *app) spawn(run func()) (wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if caught := rescue.Caught(recover()); caught != nil {
				a.crashed(caught)
			}
		}()
		run()
	}()
	return func() { <-done }
}

// crashed keeps the first panic for the end of the run, and brings that about.
func (a *app) crashed(caught *rescue.Panic) {
	select {
	case a.panics <- caught:
	default:
	}
	a.cancel()
}
