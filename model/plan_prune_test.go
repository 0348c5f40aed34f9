package model

import (
	"slices"
	"testing"
	"time"
)

func sizeProbe(c *Container) {
	c.Image, c.State = NewText("hello-world"), StateCreated
	c.Host.StorageOpt = map[Text]Text{NewText("size"): NewText("1m")}
}

func limitProbe(c *Container) {
	c.State, c.Command = StateCreated, postureTexts("sleep", "0")
	c.Host.NanoCPUs, c.Host.Memory, c.Host.PidsLimit, c.Host.AutoRemove = 5e8, 64<<20, 32, true
}

func TestProbeLeftover(t *testing.T) {
	change := func(base func(*Container), changes ...func(*Container)) []func(*Container) {
		return append([]func(*Container){base}, changes...)
	}
	cases := map[string]struct {
		changes []func(*Container)
		want    bool
	}{
		"size probe":                         {change(sizeProbe), true},
		"size probe of a mirror":             {change(sizeProbe, func(c *Container) { c.Image = NewText("mirror.example/library/hello-world:latest") }), true},
		"size probe that ran":                {change(sizeProbe, func(c *Container) { c.State = StateExited }), false},
		"hello-world of somebody else":       {change(sizeProbe, func(c *Container) { c.Host.StorageOpt = nil }), false},
		"image that only begins like it":     {change(sizeProbe, func(c *Container) { c.Image = NewText("hello-world-app") }), false},
		"probe that may still be at work":    {change(sizeProbe, func(c *Container) { c.CreatedAt = ago(time.Minute) }), false},
		"probe of unknown age":               {change(sizeProbe, func(c *Container) { c.CreatedAt = Stamp{} }), false},
		"probe that was not inspected":       {change(sizeProbe, func(c *Container) { c.Inspected = false }), false},
		"sandbox that looks like one":        {change(sizeProbe, labelled(LabelAgent, "1")), false},
		"limit probe":                        {change(limitProbe), true},
		"limit probe that runs":              {change(limitProbe, func(c *Container) { c.State = StateRunning }), false},
		"limit probe with another limit":     {change(limitProbe, func(c *Container) { c.Host.PidsLimit = 64 }), false},
		"sleeper of somebody else":           {change(limitProbe, func(c *Container) { c.Host.AutoRemove = false }), false},
		"limit probe that sleeps for longer": {change(limitProbe, func(c *Container) { c.Command = postureTexts("sleep", "05") }), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			container := plainContainer("b1", "quirky_name", c.changes...)
			if got := ProbeLeftover(&container, planNow()); got != c.want {
				t.Errorf("leftover is %v, want %v", got, c.want)
			}
		})
	}
}

// allowlistInventory holds an allowlist network of pypi.org with its running
// proxy and nobody else.
func allowlistInventory() Inventory {
	inventory := emptyInventory()
	network := postureNetwork(6, fixtureAllowlist, "bridge", true)
	network.Labels = postureLabels(map[string]string{"hermes.egress": "1"})
	proxy := plainContainer("c1", fixtureProxy, labelled("hermes.egress", "1"), func(c *Container) {
		c.State, c.StartedAt = StateRunning, ago(time.Hour)
		c.Networks.Endpoints = []Endpoint{{Network: network.Name, NetworkID: network.ID}, {Network: NewText("bridge")}}
	})
	network.Containers = map[ID]Text{proxy.ID: proxy.Name}
	inventory.Networks, inventory.Containers = []Network{network}, []Container{proxy}
	return inventory
}

func TestPlanPrune(t *testing.T) {
	const act, spared, refused = "act prune", "skip none", "refuse none"
	onIt := func(in *Inventory, changes ...func(*Container)) {
		in.Containers = append(in.Containers, plainContainer("d1", "user", append(changes, func(c *Container) {
			c.Networks.Endpoints = []Endpoint{{Network: in.Networks[0].Name, NetworkID: in.Networks[0].ID}}
		})...))
	}
	cases := map[string]struct {
		change func(*Fleet, *Inventory) []CutRecord
		want   []string
	}{
		"proxy, then its network": {nil, []string{fixtureProxy + " " + act, fixtureAllowlist + " " + act}},
		"sandbox on it":           {func(_ *Fleet, in *Inventory) []CutRecord { onIt(in); return nil }, nil},
		"created, so without a network ID": {func(_ *Fleet, in *Inventory) []CutRecord {
			onIt(in)
			in.Containers[1].State, in.Containers[1].Networks.Endpoints[0].NetworkID = StateCreated, ""
			return nil
		}, nil},
		"member that no list shows": {func(_ *Fleet, in *Inventory) []CutRecord {
			in.Networks[0].Containers[planID("ee")] = NewText("stranger")
			return nil
		}, nil},
		"network that cannot be inspected": {func(_ *Fleet, in *Inventory) []CutRecord { in.Networks[0].Error = "timeout"; return nil }, nil},
		"networks not listed":              {func(_ *Fleet, in *Inventory) []CutRecord { in.NetworksKnown, in.Networks = false, nil; return nil }, nil},
		"network without the label":        {func(_ *Fleet, in *Inventory) []CutRecord { in.Networks[0].Labels = Labels{}; return nil }, []string{fixtureProxy + " " + act}},
		"user of a network without the label": {func(_ *Fleet, in *Inventory) []CutRecord {
			onIt(in)
			in.Networks = nil
			return nil
		}, nil},
		"proxy of a network that is gone": {func(_ *Fleet, in *Inventory) []CutRecord { in.Networks = nil; return nil }, []string{fixtureProxy + " " + act}},
		"network whose proxy is gone": {func(_ *Fleet, in *Inventory) []CutRecord {
			in.Containers, in.Networks[0].Containers = nil, nil
			return nil
		}, []string{fixtureAllowlist + " " + act}},
		"proxy not inspected": {
			func(_ *Fleet, in *Inventory) []CutRecord { in.Containers[0].Inspected = false; return nil },
			[]string{fixtureProxy + " " + refused, fixtureAllowlist + " " + act},
		},
		"configuration names it": {func(f *Fleet, _ *Inventory) []CutRecord {
			f.Profiles[0].Policy.ExtraNetwork = pointer(fixtureAllowlist)
			return nil
		}, []string{fixtureProxy + " " + spared, fixtureAllowlist + " " + spared}},
		"allowlist hashes to it": {func(f *Fleet, _ *Inventory) []CutRecord {
			f.Profiles[0].Policy.Position, f.Profiles[0].Policy.Allowlist = PositionAllowlist, []string{"pypi.org"}
			return nil
		}, []string{fixtureProxy + " " + spared, fixtureAllowlist + " " + spared}},
		"policy not known": {
			func(f *Fleet, _ *Inventory) []CutRecord { f.Profiles[0].Policy.Position = PositionUnknown; return nil },
			[]string{fixtureProxy + " " + spared, fixtureAllowlist + " " + spared},
		},
		"cut sandbox comes back to it": {func(*Fleet, *Inventory) []CutRecord {
			return []CutRecord{{Name: NewText("cut"), Networks: []CutNetwork{{Name: NewText(fixtureAllowlist)}}}}
		}, []string{fixtureProxy + " " + spared, fixtureAllowlist + " " + spared}},
		"engine not live":  {func(f *Fleet, _ *Inventory) []CutRecord { f.Engines[0].State = Stale; return nil }, nil},
		"list that failed": {func(_ *Fleet, in *Inventory) []CutRecord { in.Failure = &EngineFailure{}; return nil }, nil},
		"probe before them": {func(_ *Fleet, in *Inventory) []CutRecord {
			in.Containers = append(in.Containers, plainContainer("b1", "quirky_name", sizeProbe))
			return nil
		}, []string{"quirky_name " + act, fixtureProxy + " " + act, fixtureAllowlist + " " + act}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet, _ := doctorWorld()
			inventory := allowlistInventory()
			var cuts []CutRecord
			if c.change != nil {
				cuts = c.change(fleet, &inventory)
			}
			plan := PlanPrune(fleet, []Inventory{inventory}, cuts)
			var got []string
			for _, target := range plan.Targets {
				got = append(got, target.Name.Raw()+" "+string(target.Decision)+" "+string(target.Method))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the plan is %v, want %v", got, c.want)
			}
		})
	}
}

func TestPlanPruneExpects(t *testing.T) {
	fleet, _ := doctorWorld()
	inventory := allowlistInventory()
	plan := PlanPrune(fleet, []Inventory{inventory}, nil)
	proxy, network := plan.Targets[0], plan.Targets[1]
	if proxy.Network || proxy.Expect.State != StateRunning || proxy.Expect.StartedAt.IsZero() || len(proxy.Expect.Labels) != 1 {
		t.Errorf("the proxy's row does not tell what was seen: %+v", proxy)
	}
	if !slices.Equal(proxy.Loses, []Loss{LossProcesses, LossWritableLayer}) || len(network.Loses) != 0 {
		t.Errorf("they lose %v and %v", proxy.Loses, network.Loses)
	}
	if !network.Network || string(network.ID) != inventory.Networks[0].ID || len(network.Expect.Labels) != 1 {
		t.Errorf("the network's row is %+v", network)
	}
}
