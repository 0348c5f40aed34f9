package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// planDialog shows a plan and asks to carry it out. The plan it shows is the
// very value that is executed.
type planDialog struct {
	base model.Plan // as it was made
	plan model.Plan // base without the rows taken out: what is shown and executed
	out  map[model.Key]bool
	// again makes the plan from the fleet as it is now; nil when it is only
	// what it was.
	again func() model.Plan
	reap  *reapChoice // nil for anything but a reap
	// lockdown is nil for anything but a lockdown.
	lockdown *lockdownChoice
	// preparing numbers the reading of files that has yet to end; 0: none.
	preparing int
	preview   bool // read-only: nothing can be confirmed
	cursor    int
	offset    int
	page      int
	confirm   bool   // the button in focus is the one that acts
	typed     string // the count, where it has to be typed
	refusal   string // why the last confirmation did not take
}

// reapChoice is what a reap is asked to take.
type reapChoice struct {
	options model.ReapOptions
	exited  bool // Hermes' own class
}

func newPlanDialog(plan model.Plan, preview bool) *planDialog {
	return &planDialog{base: plan, plan: plan, out: make(map[model.Key]bool), preview: preview}
}

func (d *planDialog) guards() bool { return !d.preview }

// rebuild applies the rows and classes taken out to the plan as it was made.
func (d *planDialog) rebuild() {
	d.plan = d.base
	d.plan.Targets = slices.Clone(d.base.Targets)
	for i := range d.plan.Targets {
		t := &d.plan.Targets[i]
		switch {
		case d.out[t.Follows]:
			leaveOut(t, "it shares the network of one that was taken out of this plan, and stays as it is")
		case t.Decision != model.DecisionAct:
		case d.reap != nil && !d.reap.exited && t.Class == model.ClassExited:
			leaveOut(t, "exited ones were left out of this plan")
		case d.out[targetKey(t)]:
			leaveOut(t, "taken out of this plan")
		}
	}
	d.confirm, d.typed, d.refusal = false, "", ""
}

func leaveOut(t *model.Target, reason string) {
	t.Decision, t.Method, t.Reason, t.Outcome = model.DecisionSkip, model.MethodNone, reason, model.OutcomeSkipped
	t.Loses, t.Warnings = []model.Loss{}, []string{}
}

func targetKey(t *model.Target) model.Key { return model.Key{Engine: t.Engine, ID: t.ID} }

// acts counts the targets something will be done to.
func (d *planDialog) acts() int {
	count := 0
	for i := range d.plan.Targets {
		if d.plan.Targets[i].Decision == model.DecisionAct {
			count++
		}
	}
	return count
}

// works reports whether the plan does anything at all.
func (d *planDialog) works(m *Model) bool {
	return d.acts() > 0 || edits(&d.plan) > 0 || d.provisions(m) > 0
}

// mustType reports whether the count has to be typed: for many targets, and
// for running ones that are removed.
func (d *planDialog) mustType(m *Model) bool {
	if d.acts() > m.options.ConfirmAbove {
		return true
	}
	return slices.ContainsFunc(d.plan.Targets, func(t model.Target) bool {
		return t.Method == model.MethodRemoveForce || t.Method == model.MethodStopRemove
	})
}

func (d *planDialog) key(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if listKey(key, &d.cursor, len(d.plan.Targets), d.page) {
		return nil
	}
	if d.classKey(key) {
		return nil
	}
	if command, taken := d.choiceKey(m, key); taken {
		return command
	}
	switch key {
	case "esc", "n", "q":
		m.closeDialog()
	case "space":
		d.toggleRow()
	case viewAll:
		return m.show(&textDialog{title: d.title(), lines: d.readLines, under: d})
	case "tab", "shift+tab", "left", "right":
		d.confirm = !d.confirm && !d.preview && d.works(m)
	case "y":
		if !d.mustType(m) {
			return d.execute(m)
		}
		d.refusal = "type the count to confirm"
	case "enter":
		return d.enter(m)
	case "backspace":
		if d.typed != "" {
			d.typed = d.typed[:len(d.typed)-1]
		}
		d.confirm = d.counted()
	default:
		d.typeCount(m, key)
	}
	return nil
}

// typeCount takes digits. A right count moves the focus to the button.
func (d *planDialog) typeCount(m *Model, key string) {
	const longest = 6
	if len(key) == 1 && key[0] >= '0' && key[0] <= '9' && len(d.typed) < longest && d.mustType(m) && !d.preview {
		d.typed += key
		d.confirm = d.counted()
		d.refusal = ""
	}
}

func (d *planDialog) counted() bool { return d.typed == strconv.Itoa(d.acts()) }

func (d *planDialog) enter(m *Model) tea.Cmd {
	if !d.confirm {
		m.closeDialog()
		return nil
	}
	return d.execute(m)
}

// execute starts the plan, when everything that has to be confirmed is.
func (d *planDialog) execute(m *Model) tea.Cmd {
	switch {
	case d.preview || !d.works(m):
		return nil
	case d.preparing != 0:
		d.refusal = "the configuration is still being read"
		return nil
	case d.mustType(m) && !d.counted():
		d.refusal = "type the count to confirm"
		return nil
	}
	if why := m.acting(); why != "" {
		d.refusal = why
		return nil
	}
	m.unmarkAll()
	return m.startRun(d.plan)
}

// toggleRow takes a row out of the plan or back in.
func (d *planDialog) toggleRow() {
	if d.cursor >= len(d.base.Targets) || d.base.Targets[d.cursor].Decision != model.DecisionAct {
		return
	}
	key := targetKey(&d.base.Targets[d.cursor])
	d.out[key] = !d.out[key]
	d.rebuild()
}

// classKeys are the letters that switch the reap classes.
func classKeys() map[string]model.ReapClass {
	return map[string]model.ReapClass{
		"x": model.ClassExited, "c": model.ClassCreated, "d": model.ClassDead,
		"s": model.ClassStranded, "u": model.ClassDuplicates, "p": model.ClassProbes,
	}
}

// classKey switches a reap class and makes the plan anew from the fleet as it
// is now.
func (d *planDialog) classKey(key string) bool {
	class, ok := classKeys()[key]
	if d.reap == nil || !ok {
		return false
	}
	if class == model.ClassExited {
		d.reap.exited = !d.reap.exited
		d.rebuild()
		return true
	}
	include := d.reap.options.Include
	if at := slices.Index(include, class); at >= 0 {
		include = slices.Delete(slices.Clone(include), at, at+1)
	} else {
		include = append(slices.Clone(include), class)
	}
	d.reap.options.Include = include
	d.base = d.again()
	d.rebuild()
	d.cursor = 0
	return true
}

// title says the action and the count.
func (d *planDialog) title() string {
	if d.acts() == 0 && edits(&d.plan) > 0 {
		return actionTitle(d.plan.Action) + ": the policy alone"
	}
	return planTitle(&d.plan, d.acts())
}

// planTitle says what a plan does and to how many sandboxes.
func planTitle(plan *model.Plan, count int) string {
	if count == 0 && len(plan.Config) == 0 && len(plan.Egress) > 0 {
		return "Start " + plural(len(plan.Egress), "allowlist proxy", "allowlist proxies")
	}
	title := actionTitle(plan.Action)
	switch plan.Action {
	case model.ActionLockdownOff:
		title += " of"
	case model.ActionUndo, model.ActionLockdownAllowlist:
		title += " for"
	default:
	}
	return title + " " + plural(count, "sandbox", "sandboxes")
}

// actionTitle says an action as a heading.
func actionTitle(action model.Action) string {
	switch action {
	case model.ActionLockdownOn:
		return "Lock down"
	case model.ActionLockdownOff:
		return "End the lockdown"
	case model.ActionLockdownAllowlist:
		return "Allowlist"
	case model.ActionUndo:
		return "Take back"
	default:
	}
	word := safe(string(action))
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// changed says how the fleet differs by now from what the plan was made for;
// empty when it does not.
func (m *Model) changed(t *model.Target) string {
	at, ok := m.index[targetKey(t)]
	if !ok {
		return "it is gone by now"
	}
	s := &m.fleet.Sandboxes[at]
	switch {
	case s.State != t.State:
		return "by now it is " + stateWord(s.State)
	case !s.StartedAt.Time.Equal(t.Expect.StartedAt):
		return "it was started again"
	case !s.CreatedAt.Time.Equal(t.Expect.CreatedAt):
		return "it is another container by now"
	}
	return ""
}
