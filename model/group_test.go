package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// outline writes a tree with one line per group.
func outline(groups []Group) string {
	var out strings.Builder
	var walk func([]Group)
	walk = func(groups []Group) {
		for i := range groups {
			g := &groups[i]
			fmt.Fprintf(&out, "%s%s %v %d/%d/%d", strings.Repeat("  ", g.Depth), g.Title, g.Sandboxes,
				g.Counts.Total, g.Counts.Running, g.Counts.Violations)
			if len(g.Homes) > 1 {
				fmt.Fprintf(&out, " homes %d", len(g.Homes))
			}
			if g.Odd {
				out.WriteString(" odd")
			}
			if g.Profile != nil {
				fmt.Fprintf(&out, " = %s", g.Profile.Name)
			}
			out.WriteByte('\n')
			walk(g.Children)
		}
	}
	walk(groups)
	return out.String()
}

func groupList() []Sandbox {
	return []Sandbox{
		0: workSandbox("0", func(s *Sandbox) { s.Foreign, s.Profile, s.Task, s.Home = true, Text{}, Text{}, "" }),
		1: workSandbox("1", inState(StateRunning), func(s *Sandbox) {
			s.Violation, s.Posture.Effective = pointer(true), LevelOpen
		}),
		2: workSandbox("2", func(s *Sandbox) { s.Task = NewText("profile_work") }),
		3: workSandbox("3", func(s *Sandbox) { s.Home, s.Engine = "/srv/bot", "remote" }),
		4: workSandbox("4", func(s *Sandbox) { s.Profile, s.Home = NewText("alpha\u200b"), "" }),
		5: workSandbox("5"),
	}
}

func TestGroupSandboxes(t *testing.T) {
	profiles := []Profile{
		workProfile(),
		{Name: NewText("idle"), Home: "/home/u/.hermes/profiles/idle"},
		{Name: NewText("labels-only")},
	}
	cases := map[Grouping]string{
		GroupProfile: `alpha\u200b [] 1/0/0 odd
  default [4] 1/0/0
idle [] 0/0/0 = idle
work [] 3/1/1 homes 2 = work
  default [1 5] 2/1/1
  profile_work [2] 1/0/0
work [] 1/0/0 homes 2
  default [3] 1/0/0
foreign [0] 1/0/0
`,
		GroupPosture: "open [1] 1/1/1\nair-gapped [2 3 4 5] 4/0/0\nforeign [0] 1/0/0\n",
		GroupState:   "running [1] 1/1/1\nexited [2 3 4 5] 4/0/0\nforeign [0] 1/0/0\n",
		GroupEngine:  "local [1 2 4 5] 4/1/1\nremote [3] 1/0/0\nforeign [0] 1/0/0\n",
		GroupFlat:    "all [1 2 3 4 5] 5/1/1\nforeign [0] 1/0/0\n",
	}
	for by, want := range cases {
		t.Run(string(by), func(t *testing.T) {
			if got := outline(GroupSandboxes(references(groupList()), by, profiles)); got != want {
				t.Errorf("tree:\n%swant:\n%s", got, want)
			}
		})
	}
	if len(cases) != len(Groupings()) {
		t.Error("a grouping is not tested")
	}
}

func TestGroupKeysAreUniqueAndStay(t *testing.T) {
	list := groupList()
	keys := func(groups []Group) []string {
		var out []string
		for i := range groups {
			out = append(out, groups[i].Key)
			for j := range groups[i].Children {
				out = append(out, groups[i].Children[j].Key)
			}
		}
		return out
	}
	for _, by := range Groupings() {
		first := keys(GroupSandboxes(references(list), by, nil))
		if unique := slices.Compact(slices.Sorted(slices.Values(first))); len(unique) != len(first) {
			t.Errorf("%s: keys repeat: %q", by, first)
		}
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		if second := keys(GroupSandboxes(references(reversed), by, nil)); !slices.Equal(first, second) {
			t.Errorf("%s: groups depend on the order of the list: %q and %q", by, first, second)
		}
	}
}

func TestGroupHoldsEverySandboxOnce(t *testing.T) {
	list := groupList()
	for _, by := range Groupings() {
		var all []int
		groups := GroupSandboxes(references(list), by, nil)
		for i := range groups {
			all = append(all, groups[i].All()...)
		}
		slices.Sort(all)
		if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("%s: the tree holds %v", by, all)
		}
	}
}

func TestSharedLabelShowsItsHomes(t *testing.T) {
	groups := GroupSandboxes(references(groupList()), GroupProfile, nil)
	for i := range groups {
		if g := &groups[i]; g.Title.Raw() == "work" && !slices.Equal(g.Homes, []string{workHome, "/srv/bot"}) {
			t.Errorf("homes of %q: %q", g.Home, g.Homes)
		}
	}
}

func TestTaskGroupNamesTheOneSession(t *testing.T) {
	session := func(title string) func(*Sandbox) {
		return func(s *Sandbox) { s.Task, s.Session.Title = NewText("session_x"), NewText(title) }
	}
	groups := GroupSandboxes(references([]Sandbox{workSandbox("a", session("one")), workSandbox("b", session("one"))}), GroupProfile, nil)
	if got := groups[0].Children[0].Session.Raw(); got != "one" {
		t.Errorf("session of the group: %q", got)
	}
	groups = GroupSandboxes(references([]Sandbox{workSandbox("a", session("one")), workSandbox("b", session("two"))}), GroupProfile, nil)
	if got := groups[0].Children[0].Session.Raw(); got != "" {
		t.Errorf("two sessions are shown as %q", got)
	}
}

func TestCount(t *testing.T) {
	counts := Count(append(groupList(), workSandbox("6", inState(StateRunning), func(s *Sandbox) {
		s.Stranded, s.Violation = true, nil
	})))
	if want := (Counts{Total: 7, Running: 2, Orphans: 5, Stranded: 1, Violations: 1, Unknown: 1}); counts != want {
		t.Errorf("counts = %+v, want %+v", counts, want)
	}
}

// A sandbox without a task label stays out of the group of its profile label,
// whichever of the two comes first.
func TestForeignSandboxesShareNoGroupWithTheirLabel(t *testing.T) {
	foreign := workSandbox("1", func(s *Sandbox) { s.Foreign, s.Task = true, Text{} })
	own := workSandbox("2")
	for name, list := range map[string][]*Sandbox{"first": {&foreign, &own}, "last": {&own, &foreign}} {
		groups := GroupSandboxes(list, GroupProfile, nil)
		if len(groups) != 2 || groups[0].Foreign || !groups[1].Foreign || groups[0].Counts.Total != 1 || groups[1].Counts.Total != 1 {
			t.Errorf("%s:\n%s", name, outline(groups))
		}
	}
}
