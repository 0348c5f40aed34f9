package model_test

import (
	"strings"
	"testing"
	"time"

	"hermes-sandbox/model"
)

// What a person reads about a sandbox's networks: the mode in words, what is
// attached beside it, and what kind of network that is.
func TestNetworksInWords(t *testing.T) {
	t.Parallel()
	owner := strings.Repeat("ab", 32)
	endpoint := func(name string) model.Endpoint { return model.Endpoint{Network: model.NewText(name)} }
	cases := map[string]struct {
		mode     string
		attached []model.Endpoint
		unknown  bool
		listed   bool   // not inspected
		engine   string // kind
		want     string
		driver   string
		problem  string
	}{
		"default is bridge":     {mode: "default", attached: []model.Endpoint{endpoint("bridge")}, want: "bridge", driver: "bridge"},
		"Podman's own network":  {mode: "bridge", attached: []model.Endpoint{endpoint("podman")}, engine: "podman", want: "podman", problem: "does not list"},
		"Podman, not inspected": {mode: "bridge", attached: []model.Endpoint{endpoint("podman")}, engine: "podman", listed: true, want: "podman", problem: "does not list"},
		"moved on Docker":       {mode: "bridge", attached: []model.Endpoint{endpoint("lab")}, engine: "docker", want: "bridge+lab", problem: "does not list"},
		"cut off":               {mode: "bridge", want: "bridge-cut"},
		"drifted":               {mode: "none", attached: []model.Endpoint{endpoint("bridge")}, want: "none+bridge", driver: "bridge"},
		"cut off and latched":   {mode: "bridge", attached: []model.Endpoint{endpoint("none")}, want: "bridge-cut", problem: "does not list"},
		"air-gapped":            {mode: "none", want: "none"},
		"host":                  {mode: "host", want: "host"},
		"shared by name":        {mode: "container:" + owner, want: "container:owner"},
		"shared with one gone":  {mode: "container:" + strings.Repeat("cd", 32), want: "container:cdcdcdcdcdcd"},
		"nothing known":         {mode: "bridge", unknown: true, want: "bridge"},
		"network not listed":    {mode: "lab", attached: []model.Endpoint{endpoint("lab")}, want: "lab", problem: "does not list"},
		"name that needs signs": {mode: "a\x1b", attached: []model.Endpoint{endpoint("a\x1b")}, want: `a\x1b`, problem: "does not list"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			snap := model.Snapshot{
				NetworksKnown: true, Engine: model.Engine{Kind: c.engine},
				Networks: []model.Network{{ID: "n1", Name: model.NewText("bridge"), Driver: model.NewText("bridge")}},
				Containers: []*model.Container{
					{ID: model.ID(strings.Repeat("12", 32)), Inspected: !c.listed, Host: model.HostConfig{NetworkMode: model.NewText(c.mode)}, Networks: model.NetworkSettings{Mode: model.NewText(c.mode), Known: !c.unknown, Endpoints: c.attached}},
					{ID: model.ID(owner), Name: model.NewText("owner"), Networks: model.NetworkSettings{Mode: model.NewText("none"), Known: true}},
				},
			}
			fleet := model.Assess(model.Input{Now: time.Unix(1_700_000_000, 0), Snapshots: []model.Snapshot{snap}})
			got := &fleet.Sandboxes[0]
			if got.NetworkWords() != c.want {
				t.Errorf("network is %q, want %q", got.NetworkWords(), c.want)
			}
			if len(got.AttachedTo) != len(c.attached) {
				t.Fatalf("%d networks for %d endpoints", len(got.AttachedTo), len(c.attached))
			}
			for _, network := range got.AttachedTo {
				if network.Driver.Raw() != c.driver || !strings.Contains(network.Error, c.problem) || (network.Error == "") != (c.problem == "") {
					t.Errorf("network is %+v", network)
				}
			}
		})
	}
}
