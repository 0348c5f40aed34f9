// Command hermes-sandbox shows the Docker containers that Hermes Agent made as
// sandboxes, says what each can reach and what Hermes will do with it, and acts
// on them. Without a command it opens the dashboard.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	setGarbage(garbageAtStart)
	os.Exit(processApp().process(os.Args[1:]))
}

// processApp is the program with the streams and the environment of this
// process.
func processApp() *app {
	return &app{
		stdin:   os.Stdin,
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		getenv:  os.Getenv,
		environ: os.Environ(),
		now:     time.Now,
		thrift:  &thrift{},
	}
}

// process runs one command line until it ends or a signal ends it.
func (a *app) process(args []string) (code int) {
	ctx, stop := signalContext(context.Background())
	defer stop()
	return a.run(ctx, args)
}

// signalContext returns a context that ends, with the cause, at the first
// signal that asks us to stop. A second one ends the program at once, as if we
// had not asked for signals at all.
func signalContext(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	done := make(chan struct{})
	go func() {
		select {
		case received := <-signals:
			signal.Stop(signals)
			if received == os.Interrupt {
				cancel(errInterrupted)
			} else {
				cancel(errTerminated)
			}
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
		select {
		case <-done:
		default:
			close(done)
		}
	}
}
