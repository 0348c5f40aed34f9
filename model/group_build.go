package model

import (
	"cmp"
	"slices"
	"strings"
)

// GroupSandboxes builds the tree over a list, which stays as it is: groups
// hold positions in it, in its order. Groups stand in an order of their own
// that does not depend on the list. Two homes that use one profile label make
// two groups. Known profiles without a sandbox in the list get an empty group
// when grouping by profile, so that they can be acted on. Foreign sandboxes
// come last in a group of their own, whatever the grouping.
func GroupSandboxes(list []*Sandbox, by Grouping, profiles []Profile) []Group {
	builder := groupBuilder{list: list, profiles: profiles, index: map[string]int{}, homes: map[labelHome]int{}}
	for i := range list {
		builder.place(i, by)
	}
	if by == GroupProfile {
		builder.addEmptyProfiles()
	}
	groups := builder.groups
	for i := range groups {
		if by == GroupProfile && !groups[i].Foreign {
			builder.split(&groups[i])
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return compareGroups(&a, &b, by) })
	noteHomes(groups)
	return groups
}

type groupBuilder struct {
	list     []*Sandbox
	profiles []Profile
	groups   []Group
	index    map[string]int    // group key to position in groups
	homes    map[labelHome]int // the same for groups of profiles, whose keys take longer to make
}

// labelHome is what tells groups of profiles apart.
type labelHome struct {
	label Text
	home  string
}

// keySeparator stands between the parts of a key: no label or path holds it.
const keySeparator = "\x00"

// place puts one sandbox into its group, which is made when it is the first.
func (b *groupBuilder) place(i int, by Grouping) {
	s := b.list[i]
	key := labelHome{s.Profile, s.Home}
	at, known := b.homes[key]
	if byHome := by == GroupProfile && !s.Foreign; !byHome || !known {
		at = b.add(b.groupOf(s, by))
		if byHome {
			b.homes[key] = at
		}
	}
	b.groups[at].Sandboxes = append(b.groups[at].Sandboxes, i)
	b.groups[at].Counts.add(s)
}

// groupOf is the empty group of a sandbox.
func (b *groupBuilder) groupOf(s *Sandbox, by Grouping) Group {
	group := Group{Title: NewText("all")}
	switch by {
	case GroupProfile:
		group = b.profileGroup(s.Profile, s.Home)
	case GroupPosture:
		group.Title = NewText(string(s.Posture.Effective))
	case GroupState:
		group.Title = NewText(string(s.State))
	case GroupEngine:
		group.Title = NewText(s.Engine)
	default: // flat
	}
	if s.Foreign {
		group = Group{Title: NewText("foreign"), Foreign: true}
	}
	if group.Key == "" {
		kind := string(by)
		if group.Foreign {
			kind = "foreign"
		}
		group.Key = kind + keySeparator + group.Title.Raw()
	}
	return group
}

// add returns the position of the group with the same key, made if needed.
func (b *groupBuilder) add(group Group) int {
	at, ok := b.index[group.Key]
	if !ok {
		at = len(b.groups)
		b.index[group.Key] = at
		b.groups = append(b.groups, group)
	}
	return at
}

// profileGroup is the empty group of a label in a home.
func (b *groupBuilder) profileGroup(label Text, home string) Group {
	return Group{
		Key:     string(GroupProfile) + keySeparator + label.Raw() + keySeparator + home,
		Title:   label,
		Profile: b.profile(label, home),
		Home:    home,
		Odd:     OddLabel(label),
	}
}

// profile finds the profile of a home; without a home, the one known from this
// label alone.
func (b *groupBuilder) profile(label Text, home string) *Profile {
	if home != "" {
		return profileAt(home, b.profiles)
	}
	for i := range b.profiles {
		if p := &b.profiles[i]; p.Home == "" && p.Name == label {
			return p
		}
	}
	return nil
}

// addEmptyProfiles adds the known profiles that no group belongs to yet.
func (b *groupBuilder) addEmptyProfiles() {
	seen := map[*Profile]bool{}
	for i := range b.groups {
		seen[b.groups[i].Profile] = true
	}
	for i := range b.profiles {
		p := &b.profiles[i]
		if seen[p] || p.Home == "" {
			continue
		}
		group := b.profileGroup(p.Name, p.Home)
		group.Profile = p
		b.add(group)
	}
}

// split moves the sandboxes of a profile group into one child per task, by name.
func (b *groupBuilder) split(group *Group) {
	tasks := make(map[Text]int, len(group.Sandboxes)) // most tasks have one sandbox
	children := make([]Group, 0, len(group.Sandboxes))
	for _, i := range group.Sandboxes {
		s := b.list[i]
		at, known := tasks[s.Task]
		if !known {
			at = len(children)
			tasks[s.Task] = at
			children = append(children, Group{
				Key: group.Key + keySeparator + s.Task.Raw(), Title: s.Task, Session: s.Session.Title,
				Odd: OddLabel(s.Task), Depth: group.Depth + 1,
			})
		}
		child := &children[at]
		if child.Session != s.Session.Title {
			child.Session = Text{}
		}
		child.Sandboxes = append(child.Sandboxes, i)
		child.Counts.add(s)
	}
	order := make([]int, len(children)) // groups are large to move about
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return compareText(children[x].Title, children[y].Title) })
	group.Sandboxes, group.Children = nil, make([]Group, len(children))
	for i, at := range order {
		group.Children[i] = children[at]
	}
}

// compareGroups orders groups: the foreign one last, profiles and engines by
// name, states from running to gone, postures from open to closed so that
// trouble stands on top.
func compareGroups(a, b *Group, by Grouping) int {
	if order := compareBools(a.Foreign, b.Foreign); order != 0 {
		return order
	}
	order := 0
	switch by {
	case GroupState:
		order = compareState(State(a.Title.Raw()), State(b.Title.Raw()))
	case GroupPosture:
		order = -compareLevels(Level(a.Title.Raw()), Level(b.Title.Raw()))
	default:
	}
	return cmp.Or(order, compareText(a.Title, b.Title), strings.Compare(a.Home, b.Home))
}

// noteHomes lists in every profile group the homes that share its label.
func noteHomes(groups []Group) {
	homes := map[Text][]string{}
	for i := range groups {
		if g := &groups[i]; !g.Foreign && g.Counts.Total > 0 {
			homes[g.Title] = append(homes[g.Title], g.Home)
		}
	}
	for i := range groups {
		g := &groups[i]
		if !strings.HasPrefix(g.Key, string(GroupProfile)+keySeparator) {
			continue
		}
		g.Homes = homes[g.Title]
		if len(g.Homes) == 0 {
			g.Homes = []string{g.Home}
		}
	}
}
