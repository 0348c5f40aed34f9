package model

import (
	"slices"
	"testing"
)

func TestPlanProxies(t *testing.T) {
	t.Parallel()
	hosts := []string{"github.com", "pypi.org"}
	network, proxy := EgressNames(hosts)
	pair := func(change func(*EgressPair)) EgressPair {
		p := EgressPair{Engine: "local", Network: NewText(network), Proxy: NewText(proxy), Allowlist: hosts, Sandboxes: []ID{"aa"}}
		change(&p)
		return p
	}
	gone := func(p *EgressPair) { p.Proxy, p.Allowlist = Text{}, []string{} }
	cases := map[string]struct {
		pair   EgressPair
		change func(*Fleet)
		steps  int
		notes  int
	}{
		"down":           {pair(func(*EgressPair) {}), nil, 1, 0},
		"running":        {pair(func(p *EgressPair) { p.ProxyRunning = true }), nil, 0, 0},
		"nobody on it":   {pair(func(p *EgressPair) { p.Sandboxes = nil }), nil, 0, 0},
		"network gone":   {pair(func(p *EgressPair) { p.Network = Text{} }), nil, 0, 0},
		"engine down":    {pair(func(*EgressPair) {}), func(f *Fleet) { f.Engines[0].State = Down }, 0, 1},
		"list not known": {pair(gone), nil, 0, 1},
		"another's list": {pair(func(p *EgressPair) { p.Allowlist = []string{"example.com"} }), nil, 0, 1},
		"gone, the profile tells": {
			pair(gone),
			func(f *Fleet) { f.Profiles = append(f.Profiles, Profile{Written: WrittenAllowlist{Allow: hosts}}) }, 1, 0,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := planFleet(workSandbox("aa"))
			fleet.Egress = []EgressPair{c.pair}
			if c.change != nil {
				c.change(fleet)
			}
			plan := PlanProxies(fleet)
			if len(plan.Egress) != c.steps || len(plan.Notes) != c.notes || len(plan.Targets)+len(plan.Config) != 0 {
				t.Fatalf("plan %+v", plan)
			}
			for _, step := range plan.Egress {
				if step.Network != network || step.Proxy != proxy || !slices.Equal(step.Allowlist, hosts) || step.Outcome != OutcomePlanned {
					t.Errorf("step %+v", step)
				}
			}
		})
	}
}
