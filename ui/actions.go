package ui

import tea "charm.land/bubbletea/v2"

// section is the heading an action stands under in the help.
type section string

// Sections, in the order of the help.
const (
	sectionMove   section = "move"
	sectionView   section = "view"
	sectionMark   section = "mark"
	sectionAct    section = "act"
	sectionDetail section = "detail"
	sectionOther  section = "other"
)

func sections() []section {
	return []section{sectionMove, sectionView, sectionMark, sectionAct, sectionDetail, sectionOther}
}

// action is one thing the dashboard can do. The keys, the footer, the help and
// the palette are all made from the list of actions.
type action struct {
	name    string   // in the settings file and the palette
	help    string   // in the help and the palette
	short   string   // in the footer; empty: never there
	keys    []string // as Bubble Tea names them
	section section
	// acts marks an action that changes something outside. In read-only mode its
	// key shows a plan that cannot be confirmed, and no help offers it.
	acts bool
	// there says whether a backend can do it; nil: each can.
	there func(Backend) bool
	run   func(*Model) tea.Cmd
}

// allActions returns every action with its usual keys.
func allActions() []action {
	var all []action
	for _, list := range [][]action{
		moveActions(), viewActions(), markActions(), planActions(), detailActions(), logActions(), shellActions(), exportActions(), otherActions(),
	} {
		all = append(all, list...)
	}
	return all
}

func moveActions() []action {
	move := func(name, help string, step func(*Model), keys ...string) action {
		return action{
			name: name, help: help, keys: keys, section: sectionMove,
			run: func(m *Model) tea.Cmd { step(m); return nil },
		}
	}
	return []action{
		move("up", "up", func(m *Model) { m.move(-1) }, "up", "k"),
		move("down", "down", func(m *Model) { m.move(1) }, "down", "j"),
		move("top", "first line", func(m *Model) { m.moveTo(0) }, "g", "home"),
		move("bottom", "last line", func(m *Model) { m.moveTo(m.lastLine()) }, "G", "end"),
		move("page-up", "page up", func(m *Model) { m.move(-m.page()) }, "pgup"),
		move("page-down", "page down", func(m *Model) { m.move(m.page()) }, "pgdown"),
		move("half-page-up", "half a page up", func(m *Model) { m.move(-m.page() / 2) }, "ctrl+u"),
		move("half-page-down", "half a page down", func(m *Model) { m.move(m.page() / 2) }, "ctrl+d"),
		move("left", "fold; previous tab", (*Model).left, "left"),
		move("right", "unfold; next tab", (*Model).right, "right"),
		{name: "open", help: "open the sandbox, fold or unfold the group", short: "open", keys: []string{"enter"}, section: sectionMove, run: (*Model).open},
		move("back", "back one level", (*Model).back, "esc"),
		move("next-pane", "next pane", (*Model).otherPane, "tab"),
		move("previous-pane", "previous pane", (*Model).otherPane, "shift+tab"),
	}
}

func viewActions() []action {
	view := func(name, help, short string, run func(*Model) tea.Cmd, keys ...string) action {
		return action{name: name, help: help, short: short, keys: keys, section: sectionView, run: run}
	}
	return []action{
		view("filter", "filter the list; find in the detail pane", "filter", (*Model).startSearch, "/"),
		view("sort", "next sort key", "", (*Model).nextSort, "s"),
		view("reverse", "sort the other way round", "", (*Model).reverseSort, "S"),
		view("group", "next grouping", "", (*Model).nextGrouping, "v"),
		view("profiles", "choose the profiles shown", "profile", (*Model).chooseProfiles, "p"),
		view("all-profiles", "show all profiles", "", (*Model).allProfiles, "P"),
		view("wide", "more columns", "", (*Model).toggleWide, "w"),
		view("theme", "next theme", "", (*Model).nextTheme, "T"),
		view("mouse", "mouse on or off", "", (*Model).toggleMouse, "m"),
		view("refresh", "look at the engines now", "look again", (*Model).refresh, "r"),
	}
}

func markActions() []action {
	mark := func(name, help, short string, step func(*Model), keys ...string) action {
		return action{
			name: name, help: help, short: short, keys: keys, section: sectionMark,
			run: func(m *Model) tea.Cmd { step(m); return nil },
		}
	}
	return []action{
		mark("mark", "mark, unmark", "mark", (*Model).toggleMark, "space"),
		mark("mark-range", "mark from the last mark to here", "", (*Model).markRange, "V"),
		mark("mark-all", "mark all shown", "", (*Model).markAll, "a"),
		mark("unmark-all", "unmark all", "", (*Model).unmarkAll, "u"),
	}
}

func planActions() []action {
	act := func(name, help, short string, run func(*Model) tea.Cmd, keys ...string) action {
		return action{name: name, help: help, short: short, keys: keys, section: sectionAct, acts: true, run: run}
	}
	return []action{
		act("remove", "remove (shows its plan first)", "remove", (*Model).planRemove, "D"),
		act("reap", "reap orphans (shows its plan first)", "reap", (*Model).planReap, "R"),
		act("lockdown", "lock the profile down, give it an allowlist, or open it (shows its plan first)", "lockdown", (*Model).planLockdown, "L"),
		act("cut", "cut off, allowlist or reconnect sandboxes alone (shows its plan first)", "", (*Model).planCut, "C"),
		act("start-proxy", "start allowlist proxies that do not run (shows its plan first)", "", (*Model).planProxies, "E"),
		act("start", "start (shows its plan first)", "", (*Model).planStart, "O"),
		act("pause", "pause or unpause (shows its plan first)", "", (*Model).planPause, "Z"),
		act("stop", "stop (shows its plan first)", "", (*Model).planStop, "X"),
		{
			name: "hosts", help: "hosts that sandboxes asked for: allow, deny", keys: []string{"H"}, section: sectionAct,
			there: canRead[EgressSource], run: (*Model).openHosts,
		},
		{name: "last-result", help: "show the last result again", keys: []string{"o"}, section: sectionAct, run: (*Model).showLastResult},
		{name: "audit", help: "show the actions taken", keys: []string{"A"}, section: sectionAct, run: (*Model).showAudit},
	}
}

func detailActions() []action {
	list := make([]action, 0, len(tabs())+2)
	for _, t := range tabs() {
		list = append(list, action{
			name: "tab-" + t.name, help: "tab " + t.title, keys: []string{t.key}, section: sectionDetail, there: t.there,
			run: func(m *Model) tea.Cmd { return m.showTab(t.name) },
		})
	}
	return append(
		list,
		action{
			name: "inspect", help: "everything the engine says", keys: []string{"i"}, section: sectionDetail, there: canRead[InspectSource],
			run: func(m *Model) tea.Cmd { return m.openTab("raw") },
		},
		action{name: "reveal", help: "show or mask secret values", keys: []string{"e"}, section: sectionDetail, run: (*Model).toggleReveal},
		action{name: "copy", help: "copy the id; then n for the name, j for JSON", keys: []string{"y"}, section: sectionDetail, run: (*Model).copyID},
	)
}

func otherActions() []action {
	return []action{
		{name: "palette", help: "every action by name", keys: []string{":"}, section: sectionOther, run: (*Model).openPalette},
		{name: "help", help: "this help", short: "help", keys: []string{"?"}, section: sectionOther, run: (*Model).openHelp},
		{name: "suspend", help: "suspend", keys: []string{"ctrl+z"}, section: sectionOther, run: (*Model).suspend},
		{name: "quit", help: "quit", short: "quit", keys: []string{"q"}, section: sectionOther, run: (*Model).quit},
		{name: "quit-now", help: "quit at once", keys: []string{"ctrl+c"}, section: sectionOther, run: (*Model).quitNow},
	}
}
