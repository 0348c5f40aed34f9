package model

import "strings"

// listsBack returns, by configuration file, the allowlist that edits which are
// taken back lead to again, and makes those edits wait for its network. Its
// entries stand in the audit with the action that made the network; a list that
// is not found there is left out, and its edits are refused.
func listsBack(entries []AuditEntry, edits []ConfigEdit) map[string][]string {
	lists := map[string][]string{}
	for i := range edits {
		network, isArg := strings.CutPrefix(unquoted(edits[i].To), "--network=")
		if edits[i].Key != ExtraArgsKey || !isArg || !IsEgressNetwork(NewText(network)) || edits[i].Outcome != OutcomePlanned {
			continue
		}
		list := listInAudit(entries, network)
		if list == nil {
			edits[i].Outcome = OutcomeRefused
			edits[i].Error = "the audit does not say which hosts " + network + " let through, so it cannot be made again; use lockdown allowlist"
			continue
		}
		lists[edits[i].File] = list
	}
	for i := range edits {
		if list := lists[edits[i].File]; list != nil {
			edits[i].Needs, _ = EgressNames(list)
		}
	}
	refuseTogether(edits)
	return lists
}

func listInAudit(entries []AuditEntry, network string) []string {
	for i := range entries {
		if entries[i].Plan == nil {
			continue
		}
		for _, step := range entries[i].Plan.Egress {
			if name, _ := EgressNames(step.Allowlist); step.Network == network && name == network {
				return canonicalAllowlist(step.Allowlist)
			}
		}
	}
	return nil
}

// undoMove decides on a sandbox that was moved to an allowlist: it goes to the
// list that its profile has again, else back to the networks that the record of
// the move names.
func undoMove(index *planIndex, back map[string][]string, target *Target) {
	s := index.sandboxes[Key{target.Engine, target.ID}]
	if s == nil || target.Decision != "" {
		return
	}
	l := &lockdownPlanner{index: index, action: ActionLockdownOff, running: RunningRestart}
	list := back[target.WaitsFor]
	switch {
	case list != nil && CarriesEgressEnv(s.Container):
		moveRow(index, s, target, list)
	case list == nil && movedOnto(s) && l.sparedOff(s) == "":
		reconnectRow(index, s, target, false, nil)
	default:
		target.refuse("no record says where it was before; use lockdown allowlist with the list it is to have, or lockdown off")
	}
}
