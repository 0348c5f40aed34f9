package model

import (
	"slices"
	"strings"
	"testing"
)

// onList puts a sandbox on the network of an allowlist, with the proxy variables.
func onList(entries ...string) func(*Sandbox) {
	return func(s *Sandbox) {
		network, _ := EgressNames(entries)
		declared(network)(s)
		s.Networks.Endpoints = []Endpoint{{Network: NewText(network)}}
		s.Posture = Posture{Level: LevelAllowlist, Effective: LevelAllowlist}
		withProxyVariables(s)
	}
}

func withProxyVariables(s *Sandbox) {
	for _, setting := range EgressEnv() {
		s.Env = append(s.Env, NewText(setting.Name+"="+setting.Value))
	}
}

func allowlistPlan(fleet *Fleet, running Running, allow ...string) Plan {
	return PlanLockdown(fleet, ActionLockdownAllowlist, LockdownOptions{Running: running, Allow: allow})
}

func TestAllowlistSandboxes(t *testing.T) {
	ironMarked := func(s *Sandbox) { s.Env = append(s.Env, NewText("HERMES_EGRESS_PROXY=1")) }
	cases := map[string]struct {
		changes []func(*Sandbox)
		running Running
		want    string // decision and method
		reason  string
	}{
		"with the proxy variables":           {[]func(*Sandbox){withProxyVariables}, RunningMove, "act move", "taken off bridge, then connected to hermes-egress-a4aa2ac280"},
		"without them":                       {nil, RunningMove, "act cut", "rebuild gives it those"},
		"without them, rebuilt":              {nil, RunningRebuild, "act rebuild", "network hermes-egress-a4aa2ac280 and the proxy variables"},
		"with them, cut by choice":           {[]func(*Sandbox){withProxyVariables}, RunningCut, "act cut", ""},
		"kept by choice":                     {[]func(*Sandbox){withProxyVariables}, RunningKeep, "skip none", "kept as it is by choice: it stays open"},
		"on the list already":                {[]func(*Sandbox){onList("pypi.org")}, RunningMove, "skip none", "already"},
		"on another list":                    {[]func(*Sandbox){onList("github.com")}, RunningMove, "act move", "taken off hermes-egress-"},
		"on the list without the variables":  {[]func(*Sandbox){onList("pypi.org"), func(s *Sandbox) { s.Env = nil }}, RunningRebuild, "act rebuild", ""},
		"cut off here, with the variables":   {[]func(*Sandbox){cutHere, withProxyVariables}, RunningMove, "act move", "taken off none"},
		"cut off here, without":              {[]func(*Sandbox){cutHere}, RunningMove, "skip none", "cut off already"},
		"cut off here, rebuilt":              {[]func(*Sandbox){cutHere}, RunningRebuild, "act rebuild", ""},
		"of the credential proxy":            {[]func(*Sandbox){withProxyVariables, ironMarked}, RunningMove, "refuse none", "credential proxy"},
		"of the credential proxy, cut":       {[]func(*Sandbox){withProxyVariables, ironMarked}, RunningCut, "act cut", ""},
		"in the host's network":              {[]func(*Sandbox){withProxyVariables, declared("host")}, RunningMove, "refuse none", "host's network"},
		"in a mode that cannot be changed":   {[]func(*Sandbox){withProxyVariables, declared("pasta")}, RunningMove, "refuse none", "pasta"},
		"with networks nobody knows":         {[]func(*Sandbox){withProxyVariables, func(s *Sandbox) { s.Networks.Known = false }}, RunningMove, "refuse none", "does not say"},
		"dead":                               {[]func(*Sandbox){withProxyVariables, inState(StateDead)}, RunningMove, "skip none", "dead"},
		"on two networks, the list's is one": {[]func(*Sandbox){onList("pypi.org"), alsoOn("bridge")}, RunningMove, "act move", "bridge"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			plan := allowlistPlan(openFleet(openSandbox("aa", c.changes...)), c.running, "pypi.org")
			target := onlyRow(t, plan)
			if got := string(target.Decision) + " " + string(target.Method); got != c.want || !strings.Contains(target.Reason, c.reason) {
				t.Errorf("%s: %s; want %s with %q", got, target.Reason, c.want, c.reason)
			}
			goes := target.Method == MethodMove || target.Method == MethodRebuild
			if goes != slices.Equal(target.Allowlist, []string{"pypi.org"}) {
				t.Errorf("method %s with list %q", target.Method, target.Allowlist)
			}
			if target.Decision == DecisionAct && target.WaitsFor == "" {
				t.Error("it does not wait for the configuration")
			}
		})
	}
}

func alsoOn(network string) func(*Sandbox) {
	return func(s *Sandbox) {
		s.Networks.Endpoints = append(s.Networks.Endpoints, Endpoint{Network: NewText(network)})
		s.Posture.Level, s.Posture.Effective = LevelOpen, LevelOpen
	}
}

func TestAllowlistGuestsGoWithTheirHost(t *testing.T) {
	fleet := openFleet(openSandbox("aa", withProxyVariables), openSandbox("bb", sharing("aa", LevelOpen)))
	plan := allowlistPlan(fleet, RunningMove, "pypi.org")
	if len(plan.Targets) != 2 || plan.Targets[0].Method != MethodMove || plan.Targets[1].Decision != DecisionSkip ||
		plan.Targets[1].Follows != fleet.Sandboxes[0].Key() {
		t.Errorf("targets %+v", plan.Targets)
	}
}

// edits writes the edits of a plan, one a line.
func edits(plan Plan) string {
	var lines []string
	for _, edit := range plan.Config {
		lines = append(lines, string(edit.Outcome)+" "+strings.TrimPrefix(edit.Key, "terminal.")+" "+edit.From+" -> "+edit.To)
	}
	return strings.Join(lines, "\n")
}

// variableEdits are the lines of the proxy variables; V stands for the value.
func variableEdits(from, to string) string {
	var lines []string
	for _, setting := range EgressEnv() {
		change := strings.ReplaceAll(from+" -> "+to, "V", `"`+setting.Value+`"`)
		lines = append(lines, "planned docker_env."+setting.Name+" "+change)
	}
	return strings.Join(lines, "\n")
}

func TestAllowlistEdits(t *testing.T) {
	const old, new = "--network=hermes-egress-a4aa2ac280", "--network=hermes-egress-b9ca2e323c"
	// written is a profile at the position of the list pypi.org.
	written := func(p *Profile) {
		p.Policy.ExtraArgs = []string{old, "--cpus=2"}
		p.Policy.ExtraNetwork = pointer("hermes-egress-a4aa2ac280")
		p.Policy.Position, p.Policy.Allowlist = PositionAllowlist, []string{"pypi.org"}
		p.Policy.DockerEnv = map[string]string{"A": "b"}
		p.Policy.Sources["extra_network"], p.Policy.EnvSource = SourceConfig, SourceConfig
		for _, setting := range EgressEnv() {
			p.Policy.DockerEnv[setting.Name] = setting.Value
		}
		p.Written = WrittenAllowlist{Allow: []string{"pypi.org"}, Args: []string{old}, Env: EgressEnv()}
	}
	foreign := func(p *Profile) { p.Policy.ExtraArgs = []string{"--net", "lan"} }
	cases := map[string]struct {
		action  Action
		allow   []string
		deny    []string
		changes []func(*Profile)
		want    string
		reason  string // of the refusal
	}{
		"from open": {
			ActionLockdownAllowlist,
			[]string{"pypi.org", "github.com"},
			nil, nil,
			"skipped docker_network true -> true\nplanned docker_extra_args  -> \"" + new + "\"\n" + variableEdits("", "V"), "",
		},
		"a list that grows": {
			ActionLockdownAllowlist,
			[]string{"github.com"},
			nil,
			[]func(*Profile){written},
			"skipped docker_network true -> true\nplanned docker_extra_args \"" + old + "\" -> \"" + new + "\"", "",
		},
		"the same list again": {ActionLockdownAllowlist, nil, nil, []func(*Profile){written}, "skipped docker_network true -> true", ""},
		"back to open": {
			ActionLockdownOff, nil, nil,
			[]func(*Profile){written},
			"skipped docker_network true -> true\nplanned docker_extra_args \"" + old + "\" -> \n" + variableEdits("V", ""), "",
		},
		"locked from the list": {
			ActionLockdownOn, nil, nil,
			[]func(*Profile){written},
			"planned docker_network true -> false\nplanned docker_extra_args \"" + old + "\" -> \n" + variableEdits("V", ""), "",
		},
		"with entries others wrote": {
			ActionLockdownOn, nil, nil,
			[]func(*Profile){written, func(p *Profile) { p.Written = WrittenAllowlist{} }},
			"refused docker_network  -> false", "asks for network hermes-egress-a4aa2ac280",
		},
		"beside another network": {
			ActionLockdownAllowlist,
			[]string{"pypi.org"},
			nil,
			[]func(*Profile){foreign},
			"skipped docker_network true -> true\nrefused docker_extra_args  -> \"" + old + "\"\n" +
				strings.ReplaceAll(variableEdits("", "V"), "planned", "refused"), "asks for network lan",
		},
		"beside another proxy": {
			ActionLockdownAllowlist,
			[]string{"pypi.org"},
			nil,
			[]func(*Profile){func(p *Profile) { p.Policy.DockerEnv = map[string]string{"HTTP_PROXY": "http://corp:3128"} }},
			"skipped docker_network true -> true\nrefused docker_extra_args  -> \"" + old + "\"\nrefused docker_env.HTTP_PROXY  -> \"http://egress-proxy:8888\"", "set to something else",
		},
		"with the credential proxy": {
			ActionLockdownAllowlist,
			[]string{"pypi.org"},
			nil,
			[]func(*Profile){func(p *Profile) { p.Policy.ProxyEnabled = pointer(true) }},
			"refused docker_network  -> true", "proxy.enabled",
		},
		"arguments from .env": {
			ActionLockdownAllowlist,
			[]string{"pypi.org"},
			nil,
			[]func(*Profile){func(p *Profile) {
				p.Policy.ExtraArgs, p.Policy.Sources["extra_network"] = []string{"--cpus=2"}, SourceDotEnv
			}},
			"skipped docker_network true -> true\nrefused docker_extra_args  -> \"" + old + "\"\n" +
				strings.ReplaceAll(variableEdits("", "V"), "planned", "refused"), "comes from .env",
		},
		"no host at all":    {ActionLockdownAllowlist, nil, nil, nil, "refused docker_network true -> true", "no host is left"},
		"every host denied": {ActionLockdownAllowlist, nil, []string{"pypi.org"}, []func(*Profile){written}, "refused docker_network true -> true", "no host is left"},
		"one taken off a list nobody knows": {
			ActionLockdownAllowlist, nil,
			[]string{"pypi.org"},
			[]func(*Profile){written, func(p *Profile) { p.Policy.Allowlist, p.Written.Allow = nil, nil }},
			"refused docker_network true -> true", "not known",
		},
		"Hermes' own keys": {
			ActionLockdownAllowlist,
			[]string{"github.com"},
			nil,
			[]func(*Profile){func(p *Profile) {
				p.Policy.ContainerNetwork, p.Policy.Sources["container_network"] = pointer("on"), SourceConfig
			}},
			"skipped docker_network true -> true\nplanned container_network on -> \"allowlist\"\nplanned container_network_allowlist [] -> [\"github.com\"]", "",
		},
		"Hermes' own keys, open again": {
			ActionLockdownOff, nil, nil,
			[]func(*Profile){func(p *Profile) {
				p.Policy.ContainerNetwork, p.Policy.Position = pointer("allowlist"), PositionAllowlist
			}},
			"skipped docker_network true -> true\nplanned container_network allowlist -> \"on\"", "",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet := openFleet(openSandbox("aa", withProxyVariables))
			fleet.Profiles = []Profile{openProfile(c.changes...)}
			plan := PlanLockdown(fleet, c.action, LockdownOptions{Allow: c.allow, Deny: c.deny})
			if got := edits(plan); got != c.want {
				t.Errorf("edits\n%s\nwant\n%s", got, c.want)
			}
			refused := slices.IndexFunc(plan.Config, func(e ConfigEdit) bool { return e.Outcome == OutcomeRefused })
			if (refused >= 0) != (c.reason != "") || refused >= 0 && !strings.Contains(plan.Config[refused].Error, c.reason) {
				t.Errorf("refused %d: %+v; want %q", refused, plan.Config, c.reason)
			}
			if target := onlyRow(t, plan); refused >= 0 && target.Decision != DecisionRefuse {
				t.Errorf("its sandbox: %s %s", target.Decision, target.Reason)
			}
		})
	}
}

func TestAllowlistNetworksComeFirst(t *testing.T) {
	fleet := openFleet(openSandbox("aa", withProxyVariables), openSandbox("bb", withProxyVariables, func(s *Sandbox) { s.Engine = "far" }))
	fleet.Engines = append(fleet.Engines, Engine{Name: "far", State: Live, Remote: true}, Engine{Name: "idle", State: Live}, Engine{Name: "gone", State: Down})
	plan := allowlistPlan(fleet, RunningMove, "pypi.org")
	var engines []string
	for _, step := range plan.Egress {
		engines = append(engines, step.Engine)
		if step.Network != "hermes-egress-a4aa2ac280" || step.Proxy != "hermes-egress-proxy-a4aa2ac280" || step.Outcome != OutcomePlanned {
			t.Errorf("step %+v", step)
		}
	}
	if !slices.Equal(engines, []string{"far", "idle", "local"}) {
		t.Errorf("steps on %q", engines)
	}
	plan.Egress[0].Outcome, plan.Egress[0].Error = OutcomeFailed, "no space left"
	plan.Withhold()
	for _, edit := range plan.Config {
		if edit.Outcome == OutcomePlanned {
			t.Errorf("%s is still written", edit.Key)
		}
	}
	for _, target := range plan.Targets {
		if target.Decision != DecisionRefuse {
			t.Errorf("%s: %s", target.Engine, target.Decision)
		}
	}
}

func TestSingleSandboxesNeedNoConfiguration(t *testing.T) {
	fleet := openFleet(openSandbox("aa", onList("pypi.org")))
	fleet.Egress = []EgressPair{{Engine: "local", Network: NewText("hermes-egress-a4aa2ac280"), Allowlist: []string{"pypi.org"}}}
	plan := PlanLockdownOf(fleet, ActionLockdownAllowlist, keysOf(fleet.Sandboxes), LockdownOptions{Allow: []string{"github.com"}})
	target := onlyRow(t, plan)
	if len(plan.Config) > 0 || target.Method != MethodMove || !slices.Equal(target.Allowlist, []string{"github.com", "pypi.org"}) {
		t.Errorf("%d edits, %s to %q", len(plan.Config), target.Method, target.Allowlist)
	}
	if got := LeftNetworks(&plan); !slices.Equal(got, []string{"hermes-egress-a4aa2ac280"}) {
		t.Errorf("it leaves %q", got)
	}
	if len(plan.Egress) != 1 || plan.Egress[0].Network != "hermes-egress-b9ca2e323c" {
		t.Errorf("steps %+v", plan.Egress)
	}
}

func TestOffAfterAMove(t *testing.T) {
	moved := openSandbox("aa", onList("pypi.org"), func(s *Sandbox) {
		s.Cut = &CutRecord{Complete: true, Onto: NewText("hermes-egress-a4aa2ac280"), Networks: []CutNetwork{{Name: NewText("bridge")}}}
	})
	made := openSandbox("bb", onList("pypi.org"))
	plan := PlanLockdownOf(openFleet(moved, made), ActionLockdownOff, []Key{moved.Key(), made.Key()}, LockdownOptions{})
	if plan.Targets[0].Method != MethodReconnect || !slices.ContainsFunc(plan.Targets[0].Warnings, func(w string) bool { return strings.Contains(w, "proxy variables") }) {
		t.Errorf("one that was moved: %+v", plan.Targets[0])
	}
	if plan.Targets[1].Decision != DecisionSkip || !strings.Contains(plan.Targets[1].Reason, "made on its allowlist") {
		t.Errorf("one that was made there: %+v", plan.Targets[1])
	}
}

func TestEditAllowlist(t *testing.T) {
	got := EditAllowlist([]string{"b.org", "a.org"}, []string{"c.org", "a.org"}, []string{"b.org", "z.org"})
	if !slices.Equal(got, []string{"a.org", "c.org"}) {
		t.Errorf("got %q", got)
	}
}

func TestAllowedBy(t *testing.T) {
	entries := []string{"*.pypi.org", "pypi.org", "git.example:22", "[2001:db8::1]", "[2001:db8::2]:8443", "192.0.2.7"}
	cases := map[string]struct {
		host string
		port int
		want []string
	}{
		"a host":                 {"pypi.org", 443, []string{"pypi.org"}},
		"a name below":           {"files.pypi.org", 443, []string{"*.pypi.org"}},
		"no name below":          {"notpypi.org", 443, nil},
		"its port":               {"git.example", 22, []string{"git.example:22"}},
		"another port":           {"git.example", 443, nil},
		"an address":             {"192.0.2.7", 80, []string{"192.0.2.7"}},
		"a long address":         {"2001:db8::1", 443, []string{"[2001:db8::1]"}},
		"a long one at its port": {"2001:db8::2", 8443, []string{"[2001:db8::2]:8443"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := AllowedBy(entries, c.host, c.port); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWrittenByFollowsTheEdits(t *testing.T) {
	edit := func(key, from, to string, outcome Outcome) ConfigEdit {
		return ConfigEdit{File: "f", Key: key, From: from, To: to, Outcome: outcome}
	}
	before := WrittenAllowlist{Allow: []string{"a.org"}, Args: []string{"--network=old"}, Env: []EnvSetting{{"HTTP_PROXY", "x"}}}
	done := WrittenBy(before, "f", []ConfigEdit{
		edit(ExtraArgsKey, `"--network=old"`, `"--network=new"`, OutcomeDone),
		edit(DockerEnvKey+".HTTP_PROXY", `"x"`, "", OutcomeDone), edit(DockerEnvKey+".no_proxy", "", `"y"`, OutcomeDone),
		edit(NetworkKey, "true", "false", OutcomeDone),
	}, []string{"b.org"})
	want := WrittenAllowlist{Allow: []string{"b.org"}, Args: []string{"--network=new"}, Env: []EnvSetting{{"no_proxy", "y"}}}
	if !done.Equal(want) {
		t.Errorf("got %+v, want %+v", done, want)
	}
	kept := WrittenBy(before, "f", []ConfigEdit{edit(ExtraArgsKey, `"--network=old"`, "", OutcomeRefused)}, nil)
	if !kept.Equal(before) {
		t.Errorf("an edit that was refused changed the record: %+v", kept)
	}
	if other := WrittenBy(before, "g", []ConfigEdit{edit(ExtraArgsKey, `"--network=old"`, "", OutcomeDone)}, nil); !other.Equal(before) {
		t.Errorf("an edit of another file changed the record: %+v", other)
	}
}
