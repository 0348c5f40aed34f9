package simengine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the settings of a simulated engine. The zero value is an empty
// Engine 20.10 on the machine's clock.
type Options struct {
	// Clock gives the engine's time; nil: the machine's clock.
	Clock func() time.Time
	// APIVersion is the highest version served, such as "1.41"; empty: 1.41.
	// It also decides the engine version reported and the shapes of bodies.
	APIVersion string
	// Podman makes the engine present itself as Podman 4.3: in its headers, in
	// /version, and with the network mode bridge for the default.
	Podman bool
	// Rootless makes /info say that the engine runs without root.
	Rootless bool
	// Seed makes the IDs of two engines differ; IDs are the same in every run
	// with the same seed and the same calls.
	Seed string
	// Dir is the folder for the socket; empty: a new private one, removed by
	// Close.
	Dir string
}

// Engine is a simulated Docker Engine. Create it with [New]. All methods may
// be called from several goroutines.
type Engine struct {
	clock  func() time.Time
	offset atomic.Int64 // nanoseconds added to the clock
	seed   string
	podman bool
	faults *Faults
	record recorder
	mux    *http.ServeMux

	mu         sync.Mutex
	rootless   bool
	version    apiVersion
	ids        int
	pids       int
	byID       map[string]*container
	byName     map[string]*container
	containers []*container // newest created first
	networks   []*network
	images     []*image
	volumes    map[string]*volume
	execs      map[string]*exec
	events     eventLog
	changed    chan struct{} // closed and replaced at every change of state

	serve  sync.Mutex // guards the fields below
	dir    string
	ownDir bool
	server *http.Server
	done   chan struct{} // closed by Close: ends every held request
}

// firstPid lies above what a Linux kernel hands out, so that no process of this
// machine is ever taken for a simulated one.
const firstPid = 5_000_000

// New returns an engine with the three predefined networks and no container.
// It serves nothing until Start.
func New(options Options) *Engine {
	e := &Engine{
		clock:    options.Clock,
		seed:     options.Seed,
		dir:      options.Dir,
		podman:   options.Podman,
		rootless: options.Rootless,
		byID:     map[string]*container{},
		byName:   map[string]*container{},
		volumes:  map[string]*volume{},
		execs:    map[string]*exec{},
		changed:  make(chan struct{}),
		done:     make(chan struct{}),
		pids:     firstPid,
	}
	if e.clock == nil {
		e.clock = time.Now
	}
	e.version = parseVersion(options.APIVersion)
	if options.APIVersion == "" {
		e.version = apiVersion{1, 41}
	}
	e.faults = newFaults(e.done)
	e.mux = http.NewServeMux()
	e.routes()
	e.predefinedNetworks()
	return e
}

// Start begins to serve. The socket lies in a folder only this user can enter.
func (e *Engine) Start() error {
	e.serve.Lock()
	defer e.serve.Unlock()
	if e.server != nil {
		return errors.New("simulated engine is started already")
	}
	if e.dir == "" {
		dir, err := os.MkdirTemp("", "hermes-sandbox-sim-") // 0700
		if err != nil {
			return fmt.Errorf("folder for the simulated engine's socket: %w", err)
		}
		e.dir, e.ownDir = dir, true
	}
	return e.listen()
}

// listen opens the socket and serves it; serve is held.
func (e *Engine) listen() error {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "unix", e.socket())
	if err != nil {
		return fmt.Errorf("socket of the simulated engine: %w", err)
	}
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // a killed engine leaves its socket
	}
	// What the server would log is about clients that left or were made to.
	quiet := log.New(io.Discard, "", 0)
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: time.Minute, ErrorLog: quiet}
	server := e.server
	go func() { _ = server.Serve(listener) }()
	return nil
}

func (e *Engine) socket() string { return filepath.Join(e.dir, "docker.sock") }

// Close ends every request and stream, stops serving and removes the socket.
// It may be called more than once, and without Start.
func (e *Engine) Close() error {
	e.serve.Lock()
	defer e.serve.Unlock()
	select {
	case <-e.done:
		return nil
	default:
		close(e.done)
	}
	if e.server != nil {
		_ = e.server.Close()
	}
	if e.ownDir {
		if err := os.RemoveAll(e.dir); err != nil {
			return fmt.Errorf("remove the simulated engine's folder: %w", err)
		}
	} else if e.server != nil {
		_ = os.Remove(e.socket())
	}
	return nil
}

// Host returns the address for a client, such as unix:///tmp/x/docker.sock.
// It is valid after Start.
func (e *Engine) Host() string {
	e.serve.Lock()
	defer e.serve.Unlock()
	return "unix://" + e.socket()
}

// Faults returns the switchboard of faults.
func (e *Engine) Faults() *Faults { return e.faults }

// SetClockOffset moves the engine's clock against the one given in Options,
// for the Date header, /info and every time stored from now on.
func (e *Engine) SetClockOffset(offset time.Duration) { e.offset.Store(int64(offset)) }

// SetAPIVersion changes the highest API version served, as an upgrade of the
// engine would.
func (e *Engine) SetAPIVersion(version string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.version = parseVersion(version)
}

// now is the engine's time in UTC.
func (e *Engine) now() time.Time {
	return e.clock().Add(time.Duration(e.offset.Load())).UTC()
}

// newID returns the next 64 hex digits.
func (e *Engine) newID() string {
	e.ids++
	sum := sha256.Sum256([]byte(e.seed + "/" + strconv.Itoa(e.ids)))
	return hex.EncodeToString(sum[:])
}

// touch wakes everyone who waits for a change of state; mu is held.
func (e *Engine) touch() {
	close(e.changed)
	e.changed = make(chan struct{})
}
