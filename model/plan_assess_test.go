package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPlansOverTheWholeChain plans over what the assessment says of plain
// containers, so that plans and verdicts speak of the same rules.
func TestPlansOverTheWholeChain(t *testing.T) {
	container := func(n int, changes ...func(*Container)) *Container {
		c := truthContainer(n, "G4")
		c.State, c.FinishedAt = StateExited, Stamp{Time: truthNow().Add(-time.Hour)}
		for _, change := range changes {
			change(&c)
		}
		return &c
	}
	label := func(key, value string) func(*Container) {
		return func(c *Container) { c.Labels[NewText(key)] = NewText(value) }
	}
	state := func(state State) func(*Container) { return func(c *Container) { c.State = state } }
	boundIn := func(home string) func(*Container) {
		return func(c *Container) {
			for i := range c.Mounts {
				c.Mounts[i].Source = NewText(strings.Replace(c.Mounts[i].Source.Raw(), truthHome, home, 1))
			}
		}
	}
	snapshot := truthSnapshot()
	snapshot.Containers = []*Container{
		container(1),
		container(2, func(c *Container) { c.FinishedAt.Time = truthNow().Add(-time.Minute) }),
		container(3, state(StateRunning), label(LabelTask, "profile_work")),
		container(4, state(StateCreated), func(c *Container) { c.FinishedAt = Stamp{} }),
		container(5, boundIn("/srv/bot")),
		container(6, func(c *Container) { delete(c.Labels, NewText(LabelTask)) }),
		container(7, func(c *Container) { c.ImageLabels = c.Labels }),
		container(8, label(LabelProfile, "nobody"), func(c *Container) { c.Mounts = nil }),
		container(9, state(StateRunning), label(LabelTask, "prompt-backend-probe")),
	}
	fleet := Assess(Input{
		Now: truthNow(), Snapshots: []Snapshot{snapshot}, Profiles: []Profile{truthProfile(t, "locked", "G4")},
	})
	rows := func(opts ReapOptions) string {
		plan := PlanReap(&fleet, truthNow(), opts)
		lines := map[ID]string{}
		for i := range plan.Targets {
			target := &plan.Targets[i]
			lines[target.ID] = fmt.Sprintf("%s %s", target.Decision, target.Class)
		}
		var out []string
		for n := 1; n <= len(snapshot.Containers); n++ {
			out = append(out, strings.TrimSpace(lines[truthID(n)]))
		}
		return strings.Join(out, ", ")
	}
	work := []Text{NewText("work")}
	cases := map[string]struct {
		opts ReapOptions
		want string
	}{
		"Hermes' own rule": {
			ReapOptions{Profiles: work},
			"act exited, skip exited, skip, skip, skip, skip, skip, , skip",
		},
		"with classes": {
			ReapOptions{Profiles: work, Include: []ReapClass{ClassCreated, ClassProbes}},
			"act exited, skip exited, skip, act created, skip, skip, skip, , act probes",
		},
		"a profile with no home": {
			ReapOptions{Profiles: []Text{NewText("nobody")}, Explicit: true, OlderThan: pointer(time.Minute)},
			", , , , , , , act exited,",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := strings.TrimSpace(rows(c.opts)); got != c.want {
				t.Errorf("rows: %s\nwant: %s", got, c.want)
			}
		})
	}
}
