//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"hermes-sandbox/rescue"
)

// onResize calls a function each time the terminal changes its size, until the
// function it returns is called.
func onResize(call func()) (stop func()) {
	changes, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(changes, syscall.SIGWINCH)
	var waiting rescue.Group
	waiting.Go(func() {
		for {
			select {
			case <-changes:
				call()
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(changes)
		close(done)
		waiting.Wait()
	}
}
