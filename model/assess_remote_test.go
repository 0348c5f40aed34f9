package model

import (
	"strings"
	"testing"
)

func TestHomesDoNotReachEnginesElsewhere(t *testing.T) {
	home := "/home/me/.hermes"
	off, on, seconds := false, true, 600
	policy := &Policy{Position: PositionLocked, DockerNetwork: &off, OrphanReaper: &on, ReapAfterSeconds: &seconds}
	profiles := []Profile{{Name: NewText("default"), Label: "default", Home: home, Policy: policy}}
	container := Container{
		ID: ID("aa"), State: StateRunning, Inspected: true,
		Labels: Labels{
			NewText("hermes-agent"): NewText("1"), NewText("hermes-profile"): NewText("default"), NewText("hermes-task-id"): NewText("default"),
		},
		Networks: NetworkSettings{Mode: NewText("host"), Known: true},
		Mounts: []Mount{{
			Type: NewText("bind"), Source: NewText(home + "/sandboxes/docker/default/home"), Destination: NewText("/root"), RW: true,
		}},
	}
	for name, remote := range map[string]bool{"on this machine": false, "on another machine": true} {
		t.Run(name, func(t *testing.T) {
			fleet := Assess(Input{Profiles: profiles, Snapshots: []Snapshot{
				{Engine: Engine{Name: "e", State: Live, Remote: remote}, Containers: []*Container{&container}, NetworksKnown: true},
			}})
			s := fleet.Sandboxes[0]
			if known := s.Violation != nil; known == remote {
				t.Errorf("violation known: %v (%s)", known, s.ViolationReason)
			}
			if known := s.Policy != nil; known == remote {
				t.Errorf("policy known: %v", known)
			}
			if len(fleet.Profiles) != 1 || fleet.Profiles[0].Home != home {
				t.Errorf("the profiles of this machine are %+v", fleet.Profiles)
			}
		})
	}
}

// TestAHomeNamedForAnEngineElsewhere gives its sandboxes their policy, at
// whichever path that machine has the home, as long as there is only one.
func TestAHomeNamedForAnEngineElsewhere(t *testing.T) {
	off := false
	profile := func(root, name string) Profile {
		home := root
		if name != "default" {
			home += "/profiles/" + name
		}
		return Profile{
			Name: NewText(name), Label: name, Home: home, Root: root,
			Policy: &Policy{Position: PositionLocked, DockerNetwork: &off},
		}
	}
	number := 0
	container := func(label, home string) *Container {
		number++
		c := &Container{
			ID: ID(strings.Repeat(string(rune('a'+number)), 64)), State: StateRunning, Inspected: true,
			Labels: Labels{
				NewText("hermes-agent"): NewText("1"), NewText("hermes-profile"): NewText(label), NewText("hermes-task-id"): NewText("default"),
			},
			Networks: NetworkSettings{Mode: NewText("host"), Known: true},
		}
		if home != "" {
			c.Mounts = []Mount{{
				Type: NewText("bind"), Source: NewText(home + "/sandboxes/docker/default/home"), Destination: NewText("/root"), RW: true,
			}}
		}
		return c
	}
	cases := map[string]struct {
		engine     string // the home is named for
		containers []*Container
		want       string // home of the first one, "" when its policy must not be known
	}{
		"the same path":       {"far", []*Container{container("default", "/mnt/far")}, "/mnt/far"},
		"another path":        {"far", []*Container{container("default", "/home/u/.hermes")}, "/mnt/far"},
		"a profile of it":     {"far", []*Container{container("work", "/home/u/.hermes/profiles/work")}, "/mnt/far/profiles/work"},
		"by its label":        {"far", []*Container{container("work", "")}, "/mnt/far/profiles/work"},
		"a label nobody has":  {"far", []*Container{container("other", "")}, ""},
		"two installations":   {"far", []*Container{container("default", "/home/u/.hermes"), container("default", "/home/v/.hermes")}, ""},
		"named for another":   {"farther", []*Container{container("default", "/mnt/far")}, ""},
		"one of this machine": {"", []*Container{container("default", "/home/me/.hermes")}, ""},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			var memory Memory
			in := Input{
				Profiles: []Profile{profile("/home/me/.hermes", "default")},
				Given:    map[string][]Profile{tt.engine: {profile("/mnt/far", "default"), profile("/mnt/far", "work")}},
				Cuts:     map[ID]CutRecord{tt.containers[0].ID: {Complete: true}},
				Snapshots: []Snapshot{
					{Engine: Engine{Name: "near", State: Live}, Containers: []*Container{container("default", "")}, NetworksKnown: true},
					{Engine: Engine{Name: "far", State: Live, Remote: true}, Containers: tt.containers, NetworksKnown: true},
				},
			}
			for range 2 { // the second look remembers the first
				fleet := memory.Assess(in)
				near, s := fleet.Sandboxes[0], fleet.Sandboxes[1]
				if near.Home != "/home/me/.hermes" {
					t.Errorf("the sandbox of this machine belongs to %q", near.Home)
				}
				if known := s.Policy != nil && s.Violation != nil; known != (tt.want != "") || known && s.Home != tt.want {
					t.Errorf("home %q, policy known: %t, %s", s.Home, known, s.ViolationReason)
				}
				if s.Cut == nil {
					t.Error("what it was cut off from is not known")
				}
				listed := profileAt("/mnt/far/profiles/work", fleet.Profiles) != nil
				if listed != (tt.engine == "far") {
					t.Errorf("the profiles are %+v", fleet.Profiles)
				}
			}
		})
	}
}
