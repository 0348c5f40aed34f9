package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// listedHosts is the allowlist of the fixtures.
func listedHosts() []string { return []string{"github.com", "pypi.org"} }

// proxyEnv are the variables with which a sandbox finds its proxy.
func proxyEnv() []model.Text {
	var env []model.Text
	for _, setting := range model.EgressEnv() {
		env = append(env, text(setting.Name+"="+setting.Value))
	}
	return env
}

// onAllowlist puts a sandbox on the network of the fixtures' list.
func onAllowlist(s *model.Sandbox) {
	network, _ := model.EgressNames(listedHosts())
	s.Networks.Endpoints = []model.Endpoint{{Network: text(network)}}
	s.Posture = model.Posture{Level: model.LevelAllowlist, Effective: model.LevelAllowlist, Evidence: model.EvidenceAttached}
	s.Env, s.Policy = proxyEnv(), allowPolicy()
}

func allowPolicy() *model.Policy {
	network, _ := model.EgressNames(listedHosts())
	return &model.Policy{
		Position: model.PositionAllowlist, DockerNetwork: pointer(true), ExtraNetwork: &network,
		ExtraArgs: []string{"--network=" + network},
		Sources: map[string]model.Source{
			"docker_network": model.SourceDefault, "position": model.SourceConfig, "extra_network": model.SourceConfig,
		},
	}
}

// allowFleet is the fleet of the lockdown tests with a research profile that has
// an allowlist, and two sandboxes on it.
func allowFleet() model.Fleet {
	fleet := lockFleet()
	network, proxy := model.EgressNames(listedHosts())
	research := &fleet.Profiles[1]
	research.Policy = allowPolicy()
	research.Written = model.WrittenAllowlist{Allow: listedHosts(), Args: []string{"--network=" + network}}
	first := aSandbox("dd88b3c4", "research", "default").with(onAllowlist).build()
	second := aSandbox("ee99c4d5", "research", "cli").with(onAllowlist).build()
	fleet.Sandboxes = append(fleet.Sandboxes, first, second)
	fleet.Egress = []model.EgressPair{{
		Engine: "default", Network: text(network), Proxy: text(proxy), ProxyRunning: true,
		Allowlist: listedHosts(), Sandboxes: []model.ID{first.ID, second.ID},
	}}
	return fleet
}

func methods(plan *model.Plan) string {
	words := make([]string, len(plan.Targets))
	for i := range plan.Targets {
		words[i] = string(plan.Targets[i].Method)
	}
	return strings.Join(words, " ")
}

func TestThreePositions(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		sandbox, keys string
		action        model.Action
		running       model.Running
		says          []string
	}{
		"open begins with locked":       {"hermes-aa55e0f1", "", model.ActionLockdownOn, model.RunningCut, []string{"l (•) locked down"}},
		"locked begins with open":       {"hermes-77aa10ce", "", model.ActionLockdownOff, model.RunningRestart, []string{"o (•) open"}},
		"allowlist shows its list":      {"hermes-dd88b3c4", "", model.ActionLockdownAllowlist, model.RunningMove, []string{"hosts      github.com  pypi.org  + edits", "a (•) allowlist"}},
		"allowlist to locked":           {"hermes-dd88b3c4", "l", model.ActionLockdownOn, model.RunningCut, []string{"research locked down, 2 of 2 sandboxes without"}},
		"allowlist to open":             {"hermes-dd88b3c4", "o", model.ActionLockdownOff, model.RunningRestart, []string{"research open"}},
		"there and back":                {"hermes-dd88b3c4", "la", model.ActionLockdownAllowlist, model.RunningMove, []string{"2 on an allowlist"}},
		"rebuild":                       {"hermes-dd88b3c4", "b", model.ActionLockdownAllowlist, model.RunningRebuild, nil},
		"cut":                           {"hermes-dd88b3c4", "c", model.ActionLockdownAllowlist, model.RunningCut, nil},
		"keep":                          {"hermes-dd88b3c4", "e", model.ActionLockdownAllowlist, model.RunningKeep, nil},
		"another position's letter":     {"hermes-dd88b3c4", "r", model.ActionLockdownAllowlist, model.RunningMove, nil},
		"a letter of the same position": {"hermes-dd88b3c4", "ca", model.ActionLockdownAllowlist, model.RunningCut, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, allowFleet(), nil).goTo(c.sandbox)
			s.press("L").settle().work()
			s.settle().press(c.keys).work()
			d := s.plan()
			if d.plan.Action != c.action || d.lockdown.options.Running != c.running {
				t.Errorf("%s %s, want %s %s", d.plan.Action, d.lockdown.options.Running, c.action, c.running)
			}
			for _, say := range c.says {
				s.reads([]string{say})
			}
		})
	}
}

func TestHostsAreAddedAndTakenOff(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), nil).goTo("hermes-dd88b3c4")
	s.press("L").settle().work()
	s.settle().press("+")
	s.reads([]string{"Hosts that can be reached"}, []string{"2 hosts"})
	s.press("PyPI.org<enter>files.example.com<enter>") // the first is there already
	s.reads([]string{"+ files.example.com"}, []string{"3 hosts, 1 added"})
	s.press("<up><up><space>")
	s.reads([]string{"- github.com"}, []string{"2 hosts, 1 added, 1 taken off"})
	s.golden("allowlist-hosts-120x40")
	s.press("<enter>").work()
	s.settle()
	d := s.plan()
	if !slices.Equal(d.lockdown.options.Allow, []string{"files.example.com"}) || !slices.Equal(d.lockdown.options.Deny, []string{"github.com"}) {
		t.Fatalf("options %+v", d.lockdown.options)
	}
	want, _ := model.EgressNames([]string{"files.example.com", "pypi.org"})
	if methods(&d.plan) != "move move" || len(d.plan.Egress) != 1 || d.plan.Egress[0].Network != want {
		t.Errorf("plan %s, egress %+v", methods(&d.plan), d.plan.Egress)
	}
	s.reads([]string{"hosts      +files.example.com  -github.com  pypi.org  + edits"}, []string{"network " + want + " with its proxy is made first"})
	s.golden("allowlist-plan-120x40")
	s.press("y").work()
	if plans := s.backend.executed(); len(plans) != 1 || plans[0].Egress[0].Network != want {
		t.Errorf("executed %+v", plans)
	}
}

func TestHostsAreLeftAsTheyWere(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), nil).goTo("hermes-dd88b3c4")
	s.press("L").settle().work()
	s.settle().press("-<space>new.example<enter><esc>").work()
	d := s.plan()
	if len(d.lockdown.options.Allow)+len(d.lockdown.options.Deny) != 0 {
		t.Errorf("options %+v", d.lockdown.options)
	}
	if s.m.settled.done {
		t.Error("a plan that is shown again takes a key at once")
	}
	s.settle().press("+<space><space>one.example<enter><space><enter>").work()
	if d := s.plan(); len(d.lockdown.options.Allow)+len(d.lockdown.options.Deny) != 0 {
		t.Errorf("what was taken back is a change: %+v", d.lockdown.options)
	}
}

func TestAHostThatCannotBeUsedStaysInTheField(t *testing.T) {
	t.Parallel()
	refuse := func(o *Options) {
		o.CheckHosts = func(entries []string) ([]string, error) {
			if slices.Contains(entries, "*") {
				return nil, errors.New("allowlist entry *: it would allow everything\x1b[2J")
			}
			return entries, nil
		}
	}
	s := shown(t, 120, 40, allowFleet(), refuse).goTo("hermes-dd88b3c4")
	s.press("L").settle().work()
	s.settle().press("+*<enter>")
	s.reads([]string{"add  *"}, []string{"it would allow everything"})
	s.readsNot("\x1b[2J")
	s.press("<backspace>ok.example<enter><enter>").work()
	if d := s.plan(); !slices.Equal(d.lockdown.options.Allow, []string{"ok.example"}) {
		t.Errorf("options %+v", d.lockdown.options)
	}
}

func TestHostsArePasted(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), nil).goTo("hermes-dd88b3c4")
	s.press("L").settle().work()
	s.settle().press("+")
	s.send(tea.PasteMsg{Content: "a.example,\n b.example\nc.example\n"})
	s.press("<enter><enter>").work()
	if d := s.plan(); !slices.Equal(d.lockdown.options.Allow, []string{"a.example", "b.example", "c.example"}) {
		t.Errorf("options %+v", d.lockdown.options)
	}
}

func TestAnEmptyAllowlistAsksForHosts(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), nil).goTo("hermes-aa55e0f1")
	s.press("L").settle().work()
	s.settle().press("a").work()
	s.reads([]string{"Hosts that can be reached"}, []string{"no host yet"})
	s.press("<esc>").work()
	s.settle()
	s.reads([]string{"no host yet; + edits"}, []string{"[ Close ]"})
	s.press("y<tab><enter>").work()
	if len(s.backend.executed()) != 0 {
		t.Fatal("an allowlist of nothing was executed")
	}
	s.goTo("hermes-aa55e0f1").press("L").settle().work()
	s.settle().press("apypi.org<enter><enter>").work()
	s.settle()
	if d := s.plan(); methods(&d.plan) != "cut cut" || !d.works(s.m) { // they lack the proxy variables
		t.Errorf("plan %s", methods(&d.plan))
	}
	s.reads([]string{"changes in /home/ada/.hermes/config.yaml"}, []string{"after      default allowlist of 1 host, 2 of 2 sandboxes"})
}

func TestASandboxAloneHasThreeWays(t *testing.T) {
	t.Parallel()
	fleet := allowFleet()
	fleet.Sandboxes[2].Env = proxyEnv() // hermes-aa55e0f1 of the open profile
	s := shown(t, 120, 40, fleet, nil).goTo("hermes-aa55e0f1")
	s.press("C").settle()
	s.reads([]string{"o ( ) open again   a ( ) allowlist   l (•) cut off"})
	s.press("apypi.org<enter><enter>").settle()
	d := s.plan()
	if methods(&d.plan) != "move" || len(d.plan.Config) != 0 || len(d.plan.Egress) != 1 {
		t.Errorf("plan %+v", d.plan)
	}
	s.reads([]string{"Allowlist for 1 sandbox"}, []string{"after      0 of 1 sandbox without a way out, 1 on an allowlist"})
	s.press("o").settle()
	if d := s.plan(); d.plan.Action != model.ActionLockdownOff || d.lockdown.options.Running != model.RunningRestart {
		t.Errorf("plan %s %s", d.plan.Action, d.lockdown.options.Running)
	}
	s.press("y").work()
	if len(s.backend.executed()) != 0 {
		t.Error("a sandbox that was never cut was reconnected")
	}
}

func TestPositionIsShown(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), nil).goTo("hermes-dd88b3c4")
	s.reads([]string{"research", "◑ allowlist 2"}, []string{"work", "⚿ locked"}, []string{"policy", "allowlist (config.yaml)"}, []string{"hosts", "github.com, pypi.org"})
	s.reads([]string{"lockdown 1/3"})
	s.press("2")
	s.reads([]string{"Allowlist of research"}, []string{"· github.com"})
	s.press("p")
	s.reads([]string{"research", "allowlist of 2 hosts"}, []string{"work", "locked down"}, []string{"default", "open"})
	unknown := allowFleet()
	unknown.Egress, unknown.Profiles[1].Written = nil, model.WrittenAllowlist{}
	s = shown(t, 120, 40, unknown, nil).goTo("hermes-dd88b3c4").press("2")
	s.reads([]string{"◑ allowlist "}, []string{"its configuration names a network, and no"})
	s.readsNot("allowlist 0")
}

func TestAMovedSandboxIsLostPastItsAllowlistAlone(t *testing.T) {
	t.Parallel()
	moved := func(level model.Level) model.Fleet { // its profile's policy is open
		fleet := allowFleet()
		s := &fleet.Sandboxes[4]
		s.Policy, s.Violation = openPolicy(), pointer(false)
		s.Cut = &model.CutRecord{Complete: true, Onto: s.Networks.Endpoints[0].Network, Networks: []model.CutNetwork{{Name: text("bridge")}}}
		s.Posture.Level, s.Posture.Effective = level, level
		return fleet
	}
	for level, raised := range map[model.Level]bool{
		model.LevelAllowlist: false, model.LevelInternal: false, model.LevelCutOff: false, model.LevelAirGapped: false,
		model.LevelOpen: true, model.LevelHost: true, model.LevelCredentialProxied: true,
	} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, moved(model.LevelAllowlist), nil)
			s.send(FleetMsg{Fleet: moved(level)})
			if got := len(s.m.lost.keys) > 0; got != raised {
				t.Errorf("alarm %v, want %v", got, raised)
			}
			if raised {
				s.reads([]string{"on an allowlist, and a way past it: hermes-dd88b3c4"})
			}
		})
	}
}

func TestAnAllowlistThatIsBrokenRaisesTheAlarm(t *testing.T) {
	t.Parallel()
	s := shown(t, 120, 40, allowFleet(), nil)
	s.send(FleetMsg{Fleet: attach(allowFleet(), "hermes-ee99c4d5")})
	s.reads([]string{"on an allowlist, and a way past it: hermes-ee99c4d5 on bridge: C cuts it off again"})
}

func TestAProxyThatIsDownIsSaidAndStarted(t *testing.T) {
	t.Parallel()
	down := func() model.Fleet {
		fleet := allowFleet()
		fleet.Egress[0].ProxyRunning = false
		return fleet
	}
	s := shown(t, 120, 40, allowFleet(), nil).goTo("hermes-dd88b3c4")
	s.press("E")
	s.reads([]string{"every allowlist proxy that sandboxes need is running"})
	s.send(FleetMsg{Fleet: down()})
	s.reads([]string{"allowlist proxy down: hermes-egress-proxy-"}, []string{"2 sandboxes have no way out, E starts it"}, []string{"1 proxy down"})
	s.press("2")
	s.reads([]string{"allowlist proxy down"}) // the state stays said when the note is gone
	s.reads([]string{"nothing is let"})
	s.golden("proxy-down-120x40")
	s.press("E").settle()
	s.reads([]string{"Start 1 allowlist proxy"}, []string{"is there; its proxy is started first"})
	s.press("y").work()
	plans := s.backend.executed()
	if len(plans) != 1 || len(plans[0].Egress) != 1 || len(plans[0].Targets)+len(plans[0].Config) != 0 ||
		!slices.Equal(plans[0].Egress[0].Allowlist, listedHosts()) {
		t.Fatalf("executed %+v", plans)
	}
}

func TestAPlanThatDoesNotFitCanBeReadWhole(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 15}, {40, 10}} {
		s := shown(t, size[0], size[1], allowFleet(), nil).goTo("hermes-dd88b3c4")
		s.press("L").settle().work()
		s.settle().press("+files.example.com<enter><enter>").work()
		s.settle()
		if size[1] >= 15 {
			s.reads([]string{"[ Cancel ]"}, []string{"[✓] hermes-dd", "move"})
		}
		if size[1] == 24 {
			s.golden("allowlist-plan-80x24")
			s.reads([]string{"v shows all"})
			s.press("v")
			s.reads([]string{"a Hermes that runs already"}, []string{"with its proxy is made first"})
			s.press("v")
			s.plan()
		}
		if size[1] == 15 {
			s.golden("allowlist-plan-60x15")
		}
	}
}

// TestAProxyThatWasDownBeforeHasNotStopped says nothing of proxies before it is
// known which there are, and then only how they stand.
func TestAProxyThatWasDownBeforeHasNotStopped(t *testing.T) {
	t.Parallel()
	first := allowFleet()
	first.Engines[0].Partial, first.Egress = true, nil
	s := shown(t, 120, 40, first, nil)
	s.readsNot("proxy down")
	second := allowFleet()
	second.Egress[0].ProxyRunning = false
	s.send(FleetMsg{Fleet: second})
	s.reads([]string{"allowlist proxy down: hermes-egress-proxy-"})
	if s.m.note.text != "" {
		t.Errorf("it is noted as if it had stopped just now: %s", s.m.note.text)
	}
}
