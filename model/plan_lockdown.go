package model

import (
	"cmp"
	"slices"
)

// Running says what a change of lockdown does with the sandboxes there are.
type Running string

// Choices for sandboxes when a profile is locked down: RunningCut takes them
// off their networks, RunningRebuild makes them again without one,
// RunningRemove removes them. RunningKeep leaves them alone, in both
// directions.
const (
	RunningCut     Running = "cut"
	RunningRebuild Running = "rebuild"
	RunningRemove  Running = "remove"
	RunningKeep    Running = "keep"
)

// RunningMove is the usual choice for an allowlist: sandboxes with the proxy
// variables are moved to its network as they are, the others, which would not
// find the proxy, are cut.
const RunningMove Running = "move"

// Choices for sandboxes that were cut when a lockdown ends: RunningRestart
// reconnects them while they are stopped, RunningHot as they run.
const (
	RunningRestart Running = "restart"
	RunningHot     Running = "hot"
)

// RunningChoices returns what can be chosen for an action, the usual choice
// first; none for an action that is no lockdown.
func RunningChoices(action Action) []Running {
	switch action {
	case ActionLockdownOn:
		return []Running{RunningCut, RunningRebuild, RunningRemove, RunningKeep}
	case ActionLockdownAllowlist:
		return []Running{RunningMove, RunningRebuild, RunningCut, RunningKeep}
	case ActionLockdownOff:
		return []Running{RunningRestart, RunningHot, RunningKeep}
	default:
		return nil
	}
}

// LockdownOptions says what a lockdown reaches.
type LockdownOptions struct {
	// Profiles are profile names or raw labels; none: the active profiles.
	// Homes names profiles by their home instead, where names are not unique.
	Profiles []Text
	Homes    []string
	// Running is one of [RunningChoices]; empty: the usual one.
	Running Running
	// Allow and Deny are entries added to and taken off the allowlist there is,
	// for [ActionLockdownAllowlist]. They are valid and in the form that the
	// proxy compares.
	Allow, Deny []string
	// Bulk says that sandboxes given by key come from a group or a range, not
	// from a person naming one.
	Bulk bool
}

// PlanLockdown says what [ActionLockdownOn], [ActionLockdownAllowlist] or
// [ActionLockdownOff] does with profiles: the edit of each one's config.yaml, which comes first, and what
// becomes of its sandboxes. A sandbox whose profile's edit is refused is
// refused as well. Acted rows come first, then refused and spared ones.
func PlanLockdown(fleet *Fleet, action Action, opts LockdownOptions) Plan {
	l := newLockdownPlanner(fleet, action, opts)
	profiles, unknown := profilesInScope(fleet, opts.Profiles)
	if len(opts.Homes) > 0 {
		profiles, unknown = profilesAt(fleet, opts.Homes), nil
	}
	l.plan.Notes = append(l.plan.Notes, scopeNote(profiles, unknown, len(opts.Profiles)+len(opts.Homes) == 0))
	l.scope = profiles
	for _, p := range profiles {
		l.profile(p)
	}
	if slices.ContainsFunc(l.plan.Config, func(edit ConfigEdit) bool { return edit.Outcome == OutcomePlanned }) {
		l.plan.Notes = append(l.plan.Notes, "a Hermes that runs already keeps the settings it started with: restart it, or what it makes still follows them")
	}
	l.noteOutside(profiles)
	l.finish()
	slices.SortStableFunc(l.plan.Targets, func(a, b Target) int {
		return cmp.Compare(decisionRank(a.Decision), decisionRank(b.Decision))
	})
	return l.plan
}

// PlanLockdownOf says what the same actions do with single sandboxes, without
// any change of configuration.
func PlanLockdownOf(fleet *Fleet, action Action, keys []Key, opts LockdownOptions) Plan {
	l := newLockdownPlanner(fleet, action, opts)
	l.alone, l.keys = len(keys) == 1 && !opts.Bulk, keys
	for _, key := range keys {
		l.sandbox(key, nil, nil)
	}
	l.finish()
	return l.plan
}

// lockdownPlanner decides on one sandbox after the other. A sandbox gets one
// row, however many ways lead to it.
type lockdownPlanner struct {
	index   *planIndex
	action  Action
	running Running
	alone   bool // one sandbox, named by a person
	scope   []*Profile
	keys    []Key // sandboxes asked for one by one
	allow   []string
	deny    []string
	lists   map[string][]string // allowlists of the profiles in scope, by configuration file
	plan    Plan
	rows    map[Key]int // places in plan.Targets
}

func newLockdownPlanner(fleet *Fleet, action Action, opts LockdownOptions) *lockdownPlanner {
	l := &lockdownPlanner{
		index: newPlanIndex(fleet), action: action, running: opts.Running, plan: newPlan(action), rows: map[Key]int{},
		allow: opts.Allow, deny: opts.Deny, lists: map[string][]string{},
	}
	if choices := RunningChoices(action); l.running == "" && len(choices) > 0 {
		l.running = choices[0]
	}
	return l
}

// profile plans the edits of a profile's configuration and its sandboxes.
func (l *lockdownPlanner) profile(p *Profile) {
	var list []string
	refusal := ""
	if l.action == ActionLockdownAllowlist {
		if list, refusal = l.profileList(p); refusal == "" {
			l.lists[p.ConfigFile] = list
		}
	}
	edits, notes := positionEdits(p, l.action, list)
	if refusal != "" && edits[0].Outcome != OutcomeRefused {
		edits = edits[:1]
		edits[0].Outcome, edits[0].Error = OutcomeRefused, refusal
	}
	l.plan.Config = append(l.plan.Config, edits...)
	l.plan.Notes = append(l.plan.Notes, notes...)
	edit := &edits[0]
	if at := slices.IndexFunc(edits, func(edit ConfigEdit) bool { return edit.Outcome == OutcomeRefused }); at >= 0 {
		edit = &edits[at]
	}
	for i := range l.index.fleet.Sandboxes {
		if s := &l.index.fleet.Sandboxes[i]; l.serves(s, p) {
			l.sandbox(s.Key(), edit, nil)
		}
	}
}

// serves reports whether a sandbox belongs to a profile or is shared by it.
func (l *lockdownPlanner) serves(s *Sandbox, p *Profile) bool {
	return Belongs(s, p) || slices.ContainsFunc(keyHolders(s.Profile, l.index.fleet.Profiles), func(holder *Profile) bool {
		return samePath(holder.Home, p.Home)
	})
}

// noteOutside counts the sandboxes that bear the name of a profile in scope and
// are not known to be its own.
func (l *lockdownPlanner) noteOutside(profiles []*Profile) {
	outside := 0
	for i := range l.index.fleet.Sandboxes {
		s := &l.index.fleet.Sandboxes[i]
		_, planned := l.rows[s.Key()]
		if !planned && !s.Profile.Empty() && slices.ContainsFunc(profiles, func(p *Profile) bool { return named(p, s.Profile) }) {
			outside++
		}
	}
	if outside > 0 {
		l.plan.Notes = append(l.plan.Notes, plural(outside, "sandbox", "sandboxes")+
			" with the same profile label left out, since the home it belongs to is another or not known; name it to act on it alone")
	}
}

// sandbox adds the row of a sandbox, unless it is there, and returns its place.
// The edit is that of the profile, nil for a sandbox named by itself; guest is
// the sandbox that leads to this one by sharing its network, nil otherwise.
func (l *lockdownPlanner) sandbox(key Key, edit *ConfigEdit, guest *Sandbox) int {
	if at, planned := l.rows[key]; planned {
		return at
	}
	at := len(l.plan.Targets)
	l.rows[key] = at
	l.plan.Targets = append(l.plan.Targets, Target{Engine: key.Engine, ID: key.ID})
	s := l.index.sandboxes[key]
	if s == nil {
		l.plan.Targets[at].refuse("it is no longer there")
		return at
	}
	target := newTarget(s)
	l.decide(s, edit, guest, &target)
	if edit != nil && target.Decision == DecisionAct {
		target.WaitsFor = edit.File
		if edit.Outcome == OutcomeRefused {
			target.refuse(withheld(edit))
		}
	}
	asked := slices.ContainsFunc(l.scope, func(p *Profile) bool { return l.serves(s, p) }) || slices.Contains(l.keys, key)
	if guest != nil && !asked && target.Decision == DecisionAct {
		target.Warnings = append(target.Warnings, "it is cut because "+nameOf(guest)+" shares its network")
	}
	l.plan.Targets[at] = target
	return at
}

// decide fills in a row. A sandbox that only a guest leads to was not named.
func (l *lockdownPlanner) decide(s *Sandbox, edit *ConfigEdit, guest *Sandbox, target *Target) {
	if reason := untouchable(l.index.fleet, s); reason != "" {
		target.refuse(reason)
		return
	}
	var spared string
	switch l.action {
	case ActionLockdownOff:
		spared = l.sparedOff(s)
	case ActionLockdownAllowlist:
		spared = l.sparedAllowlist(s)
	default:
		spared = l.sparedOn(s)
	}
	switch {
	case spared != "":
		target.skip(spared)
	case s.Foreign && (!l.alone || guest != nil):
		target.refuse("foreign: without a profile or task label it is only acted on when named alone")
	case l.action == ActionLockdownOff:
		reconnectRow(l.index, s, target, l.running == RunningHot, policyAfter(s, edit))
	case l.action == ActionLockdownAllowlist:
		l.allowlist(s, edit, target)
	case l.running == RunningRebuild:
		rebuildRow(l.index, s, target, nil)
	case l.running == RunningRemove:
		decideRemoval(l.index, s, target, false)
	default:
		l.cut(s, edit, target)
	}
}

// sparedOn says why a lockdown leaves a sandbox as it is; empty when it does
// not.
func (l *lockdownPlanner) sparedOn(s *Sandbox) string {
	switch {
	case s.Posture.Effective == LevelAirGapped:
		return "air-gapped already"
	case s.Posture.Effective == LevelCutOff && !l.latched(s):
		return "cut off already; nothing keeps others from connecting it again, as it is not latched"
	case s.Posture.Effective == LevelCutOff:
		return "cut off already"
	case l.running != RunningRemove && s.State == StateDead:
		return "dead: nothing runs in it, and it cannot be started"
	case s.State == StateRemoving:
		return "it is being removed already"
	case l.running == RunningKeep:
		return "kept as it is by choice: it stays " + s.Posture.Effective.Word()
	}
	return ""
}

// latched reports whether the network a sandbox lives in, its own or another
// container's, is kept from being connected again.
func (l *lockdownPlanner) latched(s *Sandbox) bool {
	if host := l.host(s); host != nil {
		return host.Posture.Latched
	}
	return s.Posture.Latched
}

// host is the sandbox whose network another one lives in, nil for one with a
// network of its own and for one whose host is no sandbox.
func (l *lockdownPlanner) host(s *Sandbox) *Sandbox {
	if s.Posture.Level != LevelShared {
		return nil
	}
	return l.index.sandboxes[Key{s.Engine, s.Posture.Target}]
}

// policyAfter is the docker_network that holds once the plan is carried out,
// nil when it is not known.
func policyAfter(s *Sandbox, edit *ConfigEdit) *bool {
	switch {
	case edit != nil:
		network := edit.To == "true"
		return &network
	case s.Policy != nil:
		return s.Policy.DockerNetwork
	}
	return nil
}
