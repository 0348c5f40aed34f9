package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"

	"hermes-sandbox/config"
	"hermes-sandbox/config/state"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/egress"
	"hermes-sandbox/model"
)

// profiles reads the homes, with what was written to their configuration for
// the allowlist position.
func (w *workspace) profiles() ([]model.Profile, []model.Problem) {
	profiles, problems := config.LoadProfiles(w.homes)
	written, err := w.writtenAllowlists()
	if err != nil {
		problems = append(problems, model.Problem{Part: "allowlists", Error: errorLine(err)})
	}
	for i := range profiles {
		p := &profiles[i]
		p.Written = written[p.ConfigFile]
		resolveAllowlist(p)
	}
	return profiles, problems
}

// resolveAllowlist fills in the entries of the list that a configuration names
// by its hash alone, where they are what was written.
func resolveAllowlist(p *model.Profile) {
	policy := p.Policy
	if policy == nil || policy.Position != model.PositionAllowlist || policy.ExtraNetwork == nil || len(policy.Allowlist) > 0 {
		return
	}
	if network, _ := model.EgressNames(p.Written.Allow); network == *policy.ExtraNetwork {
		policy.Allowlist = slices.Clone(p.Written.Allow)
	}
}

// writtenAllowlists returns the records by configuration file. Without a state
// folder there are none, and none is made.
func (w *workspace) writtenAllowlists() (map[string]model.WrittenAllowlist, error) {
	if _, err := os.Stat(w.stateDir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	folder, err := state.Open(w.stateDir)
	if err != nil {
		return nil, err
	}
	return folder.Allowlists()
}

// canonicalEntries brings entries of an allowlist into the form that the proxy
// compares. All mistakes are in the error.
func canonicalEntries(entries []string) ([]string, error) {
	var canonical []string
	var failures []error
	for _, entry := range entries {
		text, err := egress.Canonical(entry)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		canonical = append(canonical, text)
	}
	return canonical, errors.Join(failures...)
}

// egressSpec is the network and the proxy of an allowlist as the settings want
// them.
func (w *workspace) egressSpec(list []string) (dockerx.EgressSpec, error) {
	setting := w.settings.Egress
	spec := dockerx.EgressSpec{Allow: list, Ports: setting.Ports, Binary: setting.Binary, Image: setting.Image}
	for _, text := range setting.AllowCIDRs {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return spec, fmt.Errorf("setting egress.allow_cidrs: %w", err)
		}
		spec.AllowCIDRs = append(spec.AllowCIDRs, prefix)
	}
	if spec.Image != "" || spec.Binary != "" {
		return spec, nil
	}
	program, err := os.Executable()
	if err != nil {
		return spec, fmt.Errorf("find this program, which the proxy's image is made of: %w; name one with the setting egress.binary", err)
	}
	spec.Binary = program
	return spec, nil
}

// checkEgress refuses the allowlist networks of a plan that could not be made,
// so that the plan says so and not its execution.
func (w *workspace) checkEgress(ctx context.Context, plan *model.Plan) {
	plan.Egress = slices.Clone(plan.Egress)
	for i := range plan.Egress {
		step := &plan.Egress[i]
		if step.Outcome != model.OutcomePlanned {
			continue
		}
		client, spec, err := w.egressOn(step)
		if err == nil {
			err = client.CheckEgress(ctx, spec)
		}
		if err != nil {
			step.Outcome, step.Error = model.OutcomeRefused, errorLine(err)
		}
	}
}

// provision makes sure of the allowlist networks of a plan, one after the other.
func (e *executor) provision(ctx context.Context, plan *model.Plan) {
	plan.Egress = slices.Clone(plan.Egress)
	for i := range plan.Egress {
		step := &plan.Egress[i]
		if step.Outcome != model.OutcomePlanned {
			continue
		}
		if err := e.ensure(ctx, step); err != nil {
			step.Outcome, step.Error = model.OutcomeFailed, errorLine(err)
			continue
		}
		step.Outcome = model.OutcomeDone
	}
}

func (e *executor) ensure(ctx context.Context, step *model.EgressStep) error {
	client, spec, err := e.workspace.egressOn(step)
	if err != nil {
		return err
	}
	_, err = client.EnsureEgress(ctx, spec)
	return err
}

// egressOn returns the engine of a step and what is to be on it.
func (w *workspace) egressOn(step *model.EgressStep) (*dockerx.Client, dockerx.EgressSpec, error) {
	spec, err := w.egressSpec(step.Allowlist)
	if err != nil {
		return nil, spec, err
	}
	at := slices.IndexFunc(w.clients, func(client *dockerx.Client) bool { return client.Name() == step.Engine })
	if at < 0 {
		return nil, spec, fmt.Errorf("engine %s is not connected", model.NewText(step.Engine))
	}
	return w.clients[at], spec, nil
}

// remember keeps what the edits of a plan write for the allowlist position,
// starting from the records there were: before they are made, as if all that is
// planned were, and afterwards those done. An entry of ours must never look like
// somebody else's. The caller holds the lock.
func (e *executor) remember(before map[string]model.WrittenAllowlist, plan *model.Plan, counts model.Outcome) error {
	lists, seen := listsOf(plan), map[string]bool{}
	edits := slices.Clone(plan.Config)
	for i := range edits {
		if edits[i].Outcome == counts {
			edits[i].Outcome = model.OutcomeDone
		}
	}
	for _, row := range edits {
		if seen[row.File] || row.Outcome != model.OutcomeDone && row.Outcome != model.OutcomeSkipped {
			continue
		}
		seen[row.File] = true
		if err := e.folder.SaveAllowlist(row.File, model.WrittenBy(before[row.File], row.File, edits, lists[row.Needs])); err != nil {
			return err
		}
	}
	return nil
}

// pruneLeft removes the allowlist networks that a plan left and that nobody uses
// any more, with their proxies, as an action of its own.
func (e *executor) pruneLeft(ctx context.Context, result *model.Plan) {
	left := model.LeftNetworks(result)
	if len(left) == 0 || ctx.Err() != nil {
		return
	}
	if _, err := e.workspace.knownCuts(nil); err != nil {
		return // a cut sandbox may come back to one of them
	}
	fleet, seen := e.workspace.examine(ctx)
	plan := model.OnlyNetworks(model.PlanPrune(&fleet, seen.Inventories, seen.Cuts), left)
	if countDecisions(plan, model.DecisionAct) == 0 {
		return
	}
	pruned, err := e.actor(e.folder.Audit()).Execute(ctx, plan, nil)
	for _, target := range pruned.Targets {
		switch {
		case target.Decision == model.DecisionAct && target.Outcome == model.OutcomeDone:
			result.Notes = append(result.Notes, targetName(target)+" is removed, since nothing uses it any more")
		case target.Decision == model.DecisionAct:
			result.Notes = append(result.Notes, targetName(target)+" is not used any more and could not be removed: "+target.Error)
		}
	}
	if err != nil {
		result.Notes = append(result.Notes, "allowlist networks that are not used any more stay: "+errorLine(err))
	}
}

// listsOf are the allowlists of a plan by their network.
func listsOf(plan *model.Plan) map[string][]string {
	lists := map[string][]string{}
	for _, step := range plan.Egress {
		lists[step.Network] = step.Allowlist
	}
	return lists
}
