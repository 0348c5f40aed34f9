package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// cursorName is the name of the sandbox under the cursor, empty on a group.
func (s *screen) cursorName() string {
	if sandbox := s.m.tree.sandbox(); sandbox != nil {
		return sandbox.Name.Raw()
	}
	return ""
}

// goTo moves the cursor to a sandbox.
func (s *screen) goTo(name string) *screen {
	s.t.Helper()
	for i, r := range s.m.tree.rows {
		if r.at >= 0 && s.m.tree.shown[r.at].Name.Raw() == name {
			s.m.tree.moveTo(i)
			s.send(nil)
			return s
		}
	}
	s.t.Fatalf("no row %q", name)
	return s
}

func TestFirstFrameSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	s := newScreen(t, func(o *Options) { o.Endpoint = "ssh://ada@far" })
	s.send(sizeMsg(80, 24))
	s.reads([]string{"Waiting for the first answer"}, []string{"from ssh://ada@far"})
}

func TestSelectionFollowsTheSandbox(t *testing.T) {
	t.Parallel()
	cases := map[string]func(s *screen){
		"sorting":          func(s *screen) { s.press("sss") },
		"reversing":        func(s *screen) { s.press("S") },
		"grouping":         func(s *screen) { s.press("v") },
		"grouping flat":    func(s *screen) { s.press("vvvv") },
		"filter":           func(s *screen) { s.press("/work<enter>") },
		"filter and clear": func(s *screen) { s.press("/work<esc>") },
		"newcomers on top": func(s *screen) {
			fleet := smallFleet()
			fleet.Sandboxes = append([]model.Sandbox{aSandbox("00000001", "default", "a").build()}, fleet.Sandboxes...)
			s.send(FleetMsg{Fleet: fleet})
		},
		"another order of the engine": func(s *screen) {
			fleet := smallFleet()
			slices.Reverse(fleet.Sandboxes)
			s.send(FleetMsg{Fleet: fleet})
		},
		"replacement by one with its name": func(s *screen) {
			fleet := smallFleet()
			fleet.Sandboxes[0].ID = identifier("ffff")
			s.send(FleetMsg{Fleet: fleet})
		},
	}
	for name, act := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-3f2a91c0")
			act(s)
			if got := s.cursorName(); got != "hermes-3f2a91c0" {
				t.Errorf("the cursor is on %q", got)
			}
		})
	}
}

func TestSelectionGoesToTheNeighbourOfAVanishedSandbox(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-bb66f1a2")
	fleet := smallFleet()
	fleet.Sandboxes = slices.DeleteFunc(fleet.Sandboxes, func(b model.Sandbox) bool { return b.Name.Raw() == "hermes-bb66f1a2" })
	s.send(FleetMsg{Fleet: fleet})
	if got := s.cursorName(); got != "hermes-cc77a2b3" {
		t.Errorf("the cursor is on %q", got)
	}
}

func TestFoldHidesAndCounts(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-3f2a91c0")
	s.press("<left><left><left><left>")
	s.readsNot("hermes-77aa10ce")
	s.reads([]string{"▸ work", "3 · 2 up", "2 violations"})
	s.press("<right><right><right>")
	s.reads([]string{"▾ work"}, []string{"hermes-77aa10ce"})
}

func TestFilterFieldOwnsEveryKey(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("/Dq?:77aa")
	if s.m.dialog != nil {
		t.Fatal("a key typed into the filter opened a dialog")
	}
	s.reads([]string{"/Dq?:77aa", "unknown key"})
	s.press("<backspace><backspace><backspace><backspace><backspace><backspace><backspace><backspace>77aa<enter>")
	s.reads([]string{"filter: 77aa"}, []string{"hermes-77aa10ce"})
	s.readsNot("hermes-aa55e0f1")
	s.press("<esc>")
	s.reads([]string{"hermes-aa55e0f1"})
	s.readsNot("filter:")
}

func TestFilterSaysItsProblem(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("/posture:nonsense")
	s.reads([]string{"/posture:nonsense", "posture"})
	if n := len(s.m.tree.shown); n != 0 {
		t.Errorf("%d sandboxes match a value that does not exist", n)
	}
	if len(s.m.filter.problems) == 0 {
		t.Error("no problem is said")
	}
}

func TestHalfTypedFiltersNeverFail(t *testing.T) {
	t.Parallel()
	s := shown(t, 80, 24, smallFleet(), nil)
	s.press("/")
	for _, key := range `state:running !posture:open age>2h "x y orphan` {
		if key == ' ' {
			s.press("<space>")
		} else {
			s.send(keyMsg(string(key)))
		}
		if got := len(strings.Split(s.plainFrame(), "\n")); got != 25 {
			t.Fatalf("after %q the frame has %d lines", s.m.filter.text(), got-1)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-bb66f1a2")
	s.press("<space>")
	if got := s.cursorName(); got != "hermes-cc77a2b3" {
		t.Errorf("after marking the cursor is on %q", got)
	}
	s.goTo("hermes-aa55e0f1").press("V")
	if got := len(s.m.tree.marks); got != 3 {
		t.Errorf("a range marked %d", got)
	}
	s.press("u")
	if got := len(s.m.tree.marks); got != 0 {
		t.Errorf("%d marks are left", got)
	}
	s.press("a")
	s.reads([]string{"7 marked"})
	s.press("/orphan<enter>")
	s.reads([]string{"7 marked (5 hidden)"})
	fleet := smallFleet()
	fleet.Sandboxes = fleet.Sandboxes[:2]
	s.send(FleetMsg{Fleet: fleet})
	if got := len(s.m.tree.marks); got != 2 {
		t.Errorf("after five vanished %d marks are left", got)
	}
}

func TestPlanCountsHiddenMarksAndMarksClear(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.goTo("hermes-77aa10ce").press("<space>")
	s.goTo("hermes-bb66f1a2").press("<space>/work<enter>")
	s.press("D").settle()
	s.reads([]string{"Remove 2 sandboxes"}, []string{"1 marked sandbox is hidden by the filter"}, []string{"hermes-bb66f1a2", "remove"})
	s.press("y").work()
	if got := len(s.m.tree.marks); got != 0 {
		t.Errorf("%d marks are left after the action", got)
	}
	plans := s.backend.executed()
	if len(plans) != 1 || len(plans[0].Targets) != 2 {
		t.Fatalf("executed %+v", plans)
	}
}

func TestKeysBeforeTheDialogAppearedDoNotConfirm(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
	s.press("Dyyy<tab><enter>y")
	old := s.m.settled.generation
	s.press("y")
	s.send(dialogSettled{generation: old}) // a key came after that timer began
	s.press("y").work()
	if plans := s.backend.executed(); len(plans) != 0 {
		t.Fatal("a key typed ahead confirmed the plan")
	}
	if s.m.dialog == nil {
		t.Fatal("the dialog is gone")
	}
	s.settle().press("y").work()
	if plans := s.backend.executed(); len(plans) != 1 {
		t.Fatalf("%d plans were executed", len(plans))
	}
}

func TestCancelIsTheDefault(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
	s.press("D").settle().press("<enter>").work()
	if s.m.dialog != nil || len(s.backend.executed()) != 0 {
		t.Error("enter did not cancel")
	}
}

func TestPastedTextConfirmsNothing(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
	s.press("D").settle().send(tea.PasteMsg{Content: "y\r"}).work()
	if len(s.backend.executed()) != 0 {
		t.Error("a paste confirmed the plan")
	}
}

func TestRunningOnesAskForTheCount(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-3f2a91c0")
	s.press("D").settle().press("y").work()
	s.reads([]string{"type the count to confirm"})
	s.press("2<tab><enter>").work()
	if len(s.backend.executed()) != 0 {
		t.Fatal("a wrong count confirmed the plan")
	}
	s.press("<backspace>1<enter>").work()
	if len(s.backend.executed()) != 1 {
		t.Fatal("the right count did not confirm the plan")
	}
}

func TestManyTargetsAskForTheCount(t *testing.T) {
	t.Parallel()
	fleet := smallFleet()
	for i := range fleet.Sandboxes {
		fleet.Sandboxes[i].State = model.StateExited
	}
	s := shown(t, 120, 40, fleet, nil)
	s.press("aD").settle()
	s.reads([]string{"Remove 7 sandboxes"}, []string{"type 7 to confirm"})
	s.press("y").work()
	if len(s.backend.executed()) != 0 {
		t.Error("one key removed seven sandboxes")
	}
}

func TestExecutedPlanIsTheShownPlan(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("R").settle().press("<space>")
	s.reads([]string{"Reap 1 sandbox"}, []string{"hermes-bb66f1a2", "kept", "taken out of this plan"})
	dialog, ok := s.m.dialog.(*planDialog)
	if !ok {
		t.Fatal("no plan is open")
	}
	before := dialog.plan
	s.send(FleetMsg{Fleet: bigFleet(5)}) // the fleet moving on does not change the plan
	s.press("y").work()
	plans := s.backend.executed()
	if len(plans) != 1 {
		t.Fatalf("%d plans were executed", len(plans))
	}
	for i, target := range plans[0].Targets {
		if target.ID != before.Targets[i].ID || target.Decision != before.Targets[i].Decision {
			t.Errorf("target %d differs from the one shown: %+v", i, target)
		}
	}
	if plans[0].Targets[0].Decision != model.DecisionSkip {
		t.Error("the row taken out is acted on")
	}
}

func TestReapClassesSwitchEachOnItsOwn(t *testing.T) {
	t.Parallel()
	fleet := smallFleet()
	fleet.Sandboxes[3].State = model.StateCreated
	fleet.Sandboxes[3].Policy = openPolicy()
	s := shown(t, 120, 40, fleet, nil)
	s.press("R").settle()
	s.reads([]string{"[✓] exited", "[ ] created"}, []string{"hermes-aa55e0f1", "kept"})
	s.press("c")
	s.reads([]string{"[✓] exited", "[✓] created"}, []string{"Reap 3 sandboxes"})
	s.press("x")
	s.reads([]string{"[ ] exited", "[✓] created"}, []string{"Reap 1 sandbox"}, []string{"hermes-bb66f1a2", "exited ones were left out"})
	s.press("c")
	s.reads([]string{"Reap 0 sandboxes"}, []string{"[ Close ]"})
}

func TestDialogSaysWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
	s.press("D").settle()
	fleet := smallFleet()
	fleet.Sandboxes[1].State = model.StateRunning
	s.send(FleetMsg{Fleet: fleet})
	s.reads([]string{"1 target has changed"}, []string{"hermes-77aa10ce", "by now it is running"})
	fleet.Sandboxes = fleet.Sandboxes[2:]
	s.send(FleetMsg{Fleet: fleet})
	s.reads([]string{"hermes-77aa10ce", "it is gone by now"})
}

func TestResultCanBeReopened(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
	s.backend.outcome = model.OutcomeFailed
	s.press("D").settle().press("y").work()
	s.reads([]string{"Remove 1 sandbox: 0 done, 1 failed"})
	s.press("<esc>")
	s.reads([]string{"12:00:00", "remove: 0 done, 1 failed"})
	s.press("o")
	s.reads([]string{"✗ hermes-77aa10ce", "failed"})
	if !slices.Contains(s.backend.calls, "refresh") {
		t.Error("no new look was asked for after the action")
	}
}

func TestFailureOfTheWholeActionIsSaid(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
	s.backend.failure = errors.New("the audit file cannot be written; free some space")
	s.press("D").settle().press("y").work()
	s.reads([]string{"the audit file cannot be written"})
}

func TestEscStopsWhatHasNotStarted(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.backend.release = make(chan struct{})
	s.press("R").settle()
	_, command := s.m.Update(keyMsg("y"))
	batch, ok := command().(tea.BatchMsg)
	if !ok {
		t.Fatal("confirming gave no work")
	}
	finished := make(chan tea.Msg, len(batch)*4)
	for _, c := range flatten(batch) {
		go func() { finished <- c() }()
	}
	s.reads([]string{"0 of 2"}, []string{"esc stops what has not started"})
	if s.m.View().ProgressBar == nil {
		t.Error("the terminal shows no progress")
	}
	s.press("<esc>")
	s.reads([]string{"stopping"})
	for msg := range finished {
		s.send(msg)
		if _, over := msg.(planFinished); over {
			break
		}
	}
	s.reads([]string{"Reap 2 sandboxes: 0 done, 2 skipped"})
}

// flatten returns the commands inside nested batches that are not timers.
func flatten(batch tea.BatchMsg) []tea.Cmd {
	var out []tea.Cmd
	for _, c := range batch {
		if c == nil {
			continue
		}
		answer := make(chan tea.Msg, 1)
		go func() { answer <- c() }()
		out = append(out, func() tea.Msg {
			msg := <-answer
			if inner, ok := msg.(tea.BatchMsg); ok {
				answers := make(chan tea.Msg, len(inner))
				for _, d := range flatten(inner) {
					go func() { answers <- d() }()
				}
				for range inner {
					if msg := <-answers; msg != nil {
						if _, over := msg.(planFinished); over {
							return msg
						}
					}
				}
			}
			return msg
		})
	}
	return out
}

func TestQuit(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("q").work()
	if !slices.Contains(s.sent, tea.Quit()) {
		t.Error("q does not quit")
	}
	s = shown(t, 120, 40, smallFleet(), nil)
	s.press("<esc><esc><esc>").work()
	if slices.Contains(s.sent, tea.Quit()) {
		t.Error("esc quits")
	}
}

func TestQuitAsksWhileAnActionRuns(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("R").settle()
	s.send(keyMsg("y")) // the work is not run: the action stays under way
	s.press("<enter>q")
	s.reads([]string{"An action is running"}, []string{"[ Stay ]", "[ Quit ]"})
	s.settle().press("<enter>")
	if s.m.dialog != nil {
		t.Error("enter does not stay")
	}
	s.pending = nil
	s.press("<ctrl+c>").work()
	if !slices.Contains(s.sent, tea.Quit()) {
		t.Error("ctrl+c does not quit at once")
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), func(o *Options) { o.ReadOnly = true }).goTo("hermes-77aa10ce")
	s.reads([]string{"READ-ONLY"})
	s.readsNot("D remove", "R reap")
	for key, title := range map[string]string{"D": "Remove 1 sandbox", "R": "Reap", "O": "Start", "Z": "Pause", "X": "Stop"} {
		s.press(key)
		s.reads([]string{title}, []string{"read-only: nothing can be carried out"})
		s.settle().press("1y<tab><enter>").work()
		if s.m.dialog != nil {
			t.Fatalf("%s: enter does not close the plan", key)
		}
	}
	if len(s.backend.executed()) != 0 {
		t.Error("read-only executed a plan")
	}
}

func TestActionsNeedALiveEngine(t *testing.T) {
	t.Parallel()
	fleet := smallFleet()
	fleet.Engines[0].State = model.Stale
	s := shown(t, 120, 40, fleet, nil)
	s.press("D")
	if s.m.dialog != nil {
		t.Error("a plan was offered on stale data")
	}
	s.reads([]string{"no engine is live"})
}

func TestCopy(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ keys, want string }{
		"id":   {"y", string(identifier("77aa10ce"))},
		"name": {"yn", "hermes-77aa10ce"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-77aa10ce")
			s.press(c.keys).work()
			if !slices.Contains(s.sent, tea.SetClipboard(c.want)()) {
				t.Errorf("%q was not copied: %v", c.want, s.sent)
			}
		})
	}
}

func TestMaskedValuesShowOnRequestAndHideAgain(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil).goTo("hermes-aa55e0f1")
	s.press("8")
	s.readsNot("sk-very-secret")
	s.press("8e")
	s.reads([]string{"API_TOKEN=sk-very-secret"})
	s.press("jk")
	s.readsNot("sk-very-secret")
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("p<space><down><down><space><enter>")
	s.reads([]string{"profile default,work", "6 sandboxes"})
	s.readsNot("hermes-dd88b3c4")
	s.press("P")
	s.reads([]string{"profile all", "7 sandboxes"})
	s.press("prsrch<enter>")
	s.reads([]string{"profile research", "1 sandbox"})
}

func TestAuditView(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.backend.entries = []model.AuditEntry{
		{N: 1, Time: noon(), User: "ada", Action: model.ActionRemove, Phase: model.PhaseIntent, Plan: &model.Plan{Targets: []model.Target{{Decision: model.DecisionAct}}}},
		{N: 1, Time: noon(), Action: model.ActionRemove, Phase: model.PhaseResult, Target: &model.Target{Name: text("hermes-x"), Outcome: model.OutcomeDone}},
	}
	s.press("A").work()
	s.reads([]string{"remove", "✓ done", "hermes-x"}, []string{"began on 1 sandbox by ada"})
	s.press("<esc>")
	s.backend.auditErr = errors.New("the audit file cannot be read")
	s.press("A").work()
	s.reads([]string{"the audit file cannot be read"})
}

func TestSuspendStopsAndResumesTheWatch(t *testing.T) {
	t.Parallel()
	stop := func() error { return errors.New("nobody is there") }
	s := shown(t, 120, 40, smallFleet(), func(o *Options) { o.Stop = stop })
	s.send(SuspendMsg{}, keyMsg("ctrl+z"), SuspendMsg{}).work() // once is enough
	if !s.m.suspending || !s.m.looking.asleep {
		t.Error("it is not on its way into the background")
	}
	s.send(continued{err: stop()}).work()
	if !slices.Contains(s.backend.calls, "resume") || s.m.suspending {
		t.Errorf("calls: %v", s.backend.calls)
	}
	s.reads([]string{"not suspended: nobody is there"})
	none := shown(t, 120, 40, smallFleet(), nil)
	none.press("<ctrl+z>").work()
	none.reads([]string{"no way to be suspended"})
	if slices.Contains(none.backend.calls, "suspend") {
		t.Errorf("the watch was stopped for nothing: %v", none.backend.calls)
	}
}

func TestAgesMoveWithTheOneTimer(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	if s.m.timer.due.IsZero() {
		t.Fatal("no timer is set although ages are shown")
	}
	first := s.m.timer.generation
	s.press("jjkk")
	if s.m.timer.generation != first {
		t.Error("moving the cursor set another timer")
	}
	s.reads([]string{"hermes-3f2a91c0", "2h"})
	s.send(ticked{generation: first, at: noon().Add(time.Hour)})
	s.reads([]string{"hermes-3f2a91c0", "3h"})
	s.send(ticked{generation: first, at: noon().Add(9 * time.Hour)})
	s.reads([]string{"hermes-3f2a91c0", "3h"})
	if s.m.timer.generation != first+1 {
		t.Errorf("%d timers were set", s.m.timer.generation)
	}
}

func TestNothingAgesWithoutAFleet(t *testing.T) {
	t.Parallel()
	s := newScreen(t, nil)
	s.send(sizeMsg(80, 24), clockRead{at: noon()})
	if !s.m.timer.due.IsZero() {
		t.Error("a timer runs although nothing shown has an age")
	}
}

func TestMouse(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	if s.m.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is captured from the start")
	}
	s.press("m")
	if s.m.View().MouseMode == tea.MouseModeNone {
		t.Error("m does not turn the mouse on")
	}
	click := func(x, y int) { s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(10, 6)
	if got := s.cursorName(); got != "hermes-cc77a2b3" {
		t.Errorf("a click selected %q", got)
	}
	click(10, 6)
	if s.m.focus != paneDetail {
		t.Error("a second click does not open")
	}
	click(89, 2)
	if s.m.detail.tab != "egress" {
		t.Errorf("a click on a tab shows %q", s.m.detail.tab)
	}
	click(40, 2)
	if s.m.view.sort != model.SortState {
		t.Errorf("a click on a title sorts by %q", s.m.view.sort)
	}
}

func TestKeysOnAnEmptyList(t *testing.T) {
	t.Parallel()
	empty := smallFleet()
	empty.Sandboxes, empty.Profiles = nil, nil
	full := smallFleet()
	for _, fleet := range []*model.Fleet{nil, &empty, &full} {
		s := newScreen(t, nil)
		s.send(sizeMsg(80, 24))
		if fleet != nil {
			s.send(FleetMsg{Fleet: *fleet}).press("/nothing-is-named-so<enter>")
		}
		for _, a := range s.m.keys.actions {
			for _, key := range a.keys {
				if a.name != "suspend" && a.name != "back" && a.name != "filter" {
					s.press("<" + key + ">").press("<esc>/nothing-is-named-so<enter>")
				}
			}
		}
		if len(s.backend.executed()) != 0 {
			t.Error("something was executed on nothing")
		}
	}
}

func TestFindInTheDetailPane(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 20, smallFleet(), nil).goTo("hermes-aa55e0f1")
	s.press("i").work()
	s.press("/OnlyTheEngine")
	s.reads([]string{"find OnlyTheEngine", "1 line"}, []string{`"OnlyTheEngineSaysThis": true`})
	s.press("<esc>")
	if s.m.focus != paneDetail || s.m.find.typing {
		t.Error("esc does not end the search alone")
	}
}

func TestSeveralEnginesAreTold(t *testing.T) {
	t.Parallel()
	fleet := smallFleet()
	other := liveEngine()
	other.Name, other.State, other.Error = "far", model.Down, "the host does not answer"
	fleet.Engines = append(fleet.Engines, other)
	s := shown(t, 200, 40, fleet, nil)
	s.reads([]string{"● default", "○ far down"}, []string{"NAME", "ENGINE"}, []string{"hermes-aa55e0f1", "default"})
	s.reads([]string{"far is down", "the host does not answer"})
}

func TestPlansFollowTheOrderOfTheScreen(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, smallFleet(), nil)
	s.press("aD")
	dialog, ok := s.m.dialog.(*planDialog)
	if !ok {
		t.Fatal("no plan is open")
	}
	names := make([]string, len(dialog.plan.Targets))
	for i := range dialog.plan.Targets {
		names[i] = dialog.plan.Targets[i].Name.Raw()
	}
	want := []string{
		"hermes-bb66f1a2", "hermes-cc77a2b3", "hermes-aa55e0f1", "hermes-dd88b3c4", "hermes-3f2a91c0", "hermes-77aa10ce", "hermes-90be2d13",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the plan lists %q", names)
	}
}
