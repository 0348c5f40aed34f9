package main

import (
	"context"
	"slices"

	"hermes-sandbox/config/state"
	"hermes-sandbox/model"
	"hermes-sandbox/ui"
)

// EgressRequests waits for news of what sandboxes ask allowlist proxies for.
func (b *backend) EgressRequests(ctx context.Context, seen uint64) ([]model.EgressTraffic, uint64, error) {
	return b.requests.Wait(ctx, seen)
}

// The file, in the state folder, of the hosts that stay denied, and how many are
// kept.
const (
	deniedFile = "denied-hosts.json"
	deniedKept = 1000
)

// LeftDenied returns the hosts that were decided on to stay denied.
func (b *backend) LeftDenied(context.Context) ([]ui.HostDecision, error) {
	folder, err := state.Open(b.workspace.stateDir)
	if err != nil {
		return nil, err
	}
	var decisions []ui.HostDecision
	return decisions, folder.Load(deniedFile, &decisions)
}

// LeaveDenied remembers that a host stays denied, or forgets it. The oldest
// decisions go when there are too many.
func (b *backend) LeaveDenied(ctx context.Context, decision ui.HostDecision, denied bool) error {
	folder, err := state.Open(b.workspace.stateDir)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	var decisions []ui.HostDecision
	if err := folder.Load(deniedFile, &decisions); err != nil {
		return err
	}
	decisions = slices.DeleteFunc(decisions, func(d ui.HostDecision) bool { return d == decision })
	if denied {
		decisions = append(decisions, decision)
	}
	return folder.Save(deniedFile, decisions[max(0, len(decisions)-deniedKept):])
}
