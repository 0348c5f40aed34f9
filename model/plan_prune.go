package model

import (
	"maps"
	"slices"
)

// PlanPrune plans the removal of what engines hold for nothing: leftovers of
// Hermes' probes, then allowlist proxies, then their networks, in that order,
// since a network goes only after its proxy. What a profile's configuration
// names or a cut sandbox comes back to is spared. Sandboxes are never touched.
func PlanPrune(fleet *Fleet, inventories []Inventory, cuts []CutRecord) Plan {
	plan := newPlan(ActionPrune)
	for i := range inventories {
		inventory := &inventories[i]
		engine := fleet.Engine(inventory.Engine)
		if engine == nil || engine.State != Live {
			continue
		}
		for _, found := range unusedThings(fleet, inventory, cuts) {
			plan.Targets = append(plan.Targets, pruneTarget(inventory.Engine, found))
		}
	}
	if len(plan.Targets) == 0 {
		plan.Notes = append(plan.Notes, "no probe leftover, allowlist proxy or allowlist network was found that nobody uses")
	}
	return plan
}

func pruneTarget(engine string, found unused) Target {
	target := Target{Engine: engine, Method: MethodNone, Loses: []Loss{}, Warnings: []string{}}
	problem := ""
	if n := found.network; n != nil {
		target.ID, target.Name, target.Network = ID(n.ID), n.Name, true
		target.Expect.Labels = maps.Clone(n.Labels)
	} else {
		c := found.container
		target.ID, target.Name, target.State = c.ID, c.Name, c.State
		target.Expect = Expect{CreatedAt: c.CreatedAt.Time, StartedAt: c.StartedAt.Time, State: c.State, Labels: maps.Clone(c.Labels)}
		target.Loses = []Loss{LossWritableLayer}
		if hasProcesses(c.State) {
			target.Loses = slices.Insert(target.Loses, 0, LossProcesses)
		}
		problem = containerProblem(c)
	}
	switch {
	case !target.ID.Valid():
		target.refuse("its ID is not one an engine gives")
	case problem != "":
		target.refuse(problem)
	case found.keep != "":
		target.skip(found.keep)
	default:
		target.act(MethodPrune, found.detail)
	}
	return target
}

// containerProblem says why too little is known of a container to act on it.
func containerProblem(c *Container) string {
	switch {
	case c.Problem != "":
		return "what the engine says of it could not be read: " + c.Problem
	case c.InspectError != "":
		return "it could not be inspected: " + c.InspectError
	case !c.Inspected:
		return "it has not been inspected"
	}
	return ""
}
