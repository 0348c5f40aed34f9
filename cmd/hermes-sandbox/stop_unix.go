//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"hermes-sandbox/rescue"
)

// How long a stop takes at most, of the time in which this process runs.
const (
	stopLooks = 50
	stopLook  = 10 * time.Millisecond
)

// errNotStopped is returned where nobody could continue the process: the kernel
// drops the signal then.
var errNotStopped = errors.New("it was not started by a shell that can continue it")

// jobControl stops this process as a shell asks, once the terminal is in order.
// By itself the signal would leave the terminal as the dashboard needs it, and
// the engine's stream open with nobody reading.
type jobControl struct {
	asked   chan os.Signal
	done    chan struct{}
	waiting rescue.Group
}

func newJobControl() *jobControl {
	return &jobControl{asked: make(chan os.Signal, 1), done: make(chan struct{})}
}

// listen calls ask whenever another process wants this one to stop, until the
// function it returns is called.
func (j *jobControl) listen(ask func()) (end func()) {
	signal.Notify(j.asked, syscall.SIGTSTP)
	j.waiting.Go(func() {
		for {
			select {
			case <-j.asked:
				ask()
			case <-j.done:
				return
			}
		}
	})
	return func() {
		signal.Stop(j.asked)
		close(j.done)
		j.waiting.Wait()
	}
}

// stop stops the process group and returns when it was continued.
func (j *jobControl) stop() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	// A signal that was listened to once no longer stops a Go program, so it is
	// another one with the same effect. The kernel drops both where nobody could
	// continue the process.
	if err := syscall.Kill(0, syscall.SIGTTIN); err != nil {
		return err //nolint:wrapcheck // the dashboard says what was tried
	}
	looks := time.NewTicker(stopLook) // a stopped process has none
	defer looks.Stop()
	for range stopLooks {
		select {
		case <-continued:
			return nil
		case <-looks.C:
		}
	}
	return errNotStopped
}
