package main

import (
	"context"
	"fmt"
	"sync"

	"hermes-sandbox/model"
)

// Bounds of what a watch remembers of requests.
const (
	requestsWaiting  = 1000   // before their sandboxes were printed
	requestsReported = 20_000 // hosts that were reported, each per sandbox and verdict
)

// watchPrinter prints the lines of a watch: what changes in the fleet, and what
// sandboxes ask allowlist proxies for.
type watchPrinter struct {
	app    *app
	cancel context.CancelFunc

	mu      sync.Mutex
	last    *model.Fleet          // as far as it was printed
	synced  bool                  // every engine has answered, and that was said
	waiting []model.EgressRequest // until their sandboxes were printed
	seen    map[seenRequest]bool
	failed  error
}

// seenRequest is a host that was reported.
type seenRequest struct {
	sandbox       model.Key
	address, host string
	port          int
	verdict       model.EgressVerdict
}

// show prints what a new fleet differs in. Until every engine has answered once
// it prints those that have, so that one that hangs holds up no other.
func (p *watchPrinter) show(fleet model.Fleet, awaited []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil {
		return
	}
	if !p.synced && len(awaited) > 0 {
		fleet = fleet.WithoutEngines(awaited)
	}
	p.print(model.DiffFleets(p.last, &fleet)...)
	p.last = &fleet
	if !p.synced && len(awaited) == 0 {
		p.synced = true
		p.print(model.SyncedEvent(&fleet))
	}
	waiting := p.waiting
	p.waiting = nil
	for i := range waiting {
		p.take(&waiting[i])
	}
}

// request prints a request that is the first of its kind.
func (p *watchPrinter) request(r model.EgressRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(&r)
}

// take reports a request, or keeps it until its sandbox was printed.
func (p *watchPrinter) take(r *model.EgressRequest) {
	switch {
	case p.synced, p.last != nil && p.last.Find(r.Sandbox) != nil:
		p.note(r)
	case len(p.waiting) < requestsWaiting:
		p.waiting = append(p.waiting, *r)
	}
}

func (p *watchPrinter) note(r *model.EgressRequest) {
	one := seenRequest{r.Sandbox, r.Address.Raw(), r.Host.Raw(), r.Port, r.Verdict}
	if p.seen[one] {
		return
	}
	if len(p.seen) >= requestsReported { // said twice is better than never
		clear(p.seen)
	}
	event := model.RequestEvent(p.last, r)
	if event.Sandbox == nil && len(p.app.flags.profiles) > 0 {
		return // of a profile that was not asked for, or of nobody known
	}
	p.seen[one] = true
	p.print(event)
}

func (p *watchPrinter) print(events ...model.WatchEvent) {
	for _, event := range events {
		if p.failed != nil {
			return
		}
		if err := p.app.printLine(event); err != nil {
			p.failed = fmt.Errorf("write an event: %w", err)
			p.cancel()
		}
	}
}

// fine reports whether nothing failed so far.
func (p *watchPrinter) fine() bool { return p.end() == nil }

// end returns why nothing could be printed any more, nil when nothing failed.
func (p *watchPrinter) end() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}
