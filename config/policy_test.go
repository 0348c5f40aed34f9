package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hermes-sandbox/config/filetest"
	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/model"
)

const configFile = ".hermes/config.yaml"

func terminal(lines ...string) string { return "terminal:\n  " + strings.Join(lines, "\n  ") + "\n" }

// one returns the policy of the default profile for a config.yaml.
func one(t *testing.T, text string, environ ...string) model.Profile {
	t.Helper()
	m := newMachine(t).set(environ...)
	m.write(configFile, text)
	return m.profile("default")
}

func TestDefaultPolicy(t *testing.T) {
	m := newMachine(t)
	m.folder(filepath.Join(m.home, ".hermes"))
	p := m.profile("default")
	want := &model.Policy{
		Backend: new("local"), DockerNetwork: new(true), Position: model.PositionOpen, OrphanReaper: new(true),
		PersistAcrossProcesses: new(true), ContainerPersistent: new(true), LifetimeSeconds: new(300), ReapAfterSeconds: new(600),
		SharedContainerKey: new(""), Image: new("nousresearch/hermes-sandbox:desktop"), ImagePinned: new(false),
		ProxyEnabled: new(false), ProxyEnforced: new(true), Sources: map[string]model.Source{}, EnvSource: model.SourceDefault,
	}
	for _, key := range []string{
		"backend", "docker_network", "container_network", "position", "allowlist", "extra_network", "orphan_reaper",
		"persist_across_processes", "container_persistent", "lifetime_seconds", "reap_after_seconds", "shared_container_key",
		"image", "image_pinned", "proxy_enabled", "proxy_enforced",
	} {
		want.Sources[key] = model.SourceDefault
	}
	if diff := cmp.Diff(want, p.Policy, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("policy differs (-want +got):\n%s", diff)
	}
	if len(p.Problems) != 0 {
		t.Errorf("problems %q", p.Problems)
	}
}

// TestTruthOfTerminalBooleans is the table of contract 5.2 with YAML 1.1's
// words.
func TestTruthOfTerminalBooleans(t *testing.T) {
	cases := map[string]struct {
		yaml string
		want bool
		note string
	}{
		"true": {"true", true, ""}, "True": {"True", true, ""}, "TRUE": {"TRUE", true, ""},
		"false": {"false", false, ""}, "plain yes": {"yes", true, ""}, "plain Yes": {"Yes", true, ""},
		"plain on": {"on", true, ""}, "plain ON": {"ON", true, ""}, "plain off": {"off", false, ""},
		"plain no": {"no", false, ""}, "plain No": {"No", false, ""},
		"plain y is text": {"y", false, "odd-bool"}, "mixed case is text but reads as yes": {"yEs", true, ""},
		"mixed case on is text": {"oN", false, "odd-bool"},
		"quoted true":           {`"true"`, true, ""}, "quoted yes": {`'YES'`, true, ""}, "quoted 1": {`"1"`, true, ""},
		"quoted on": {`"on"`, false, "quoted-bool"}, "quoted false": {`"false"`, false, ""}, "quoted off": {`"off"`, false, ""},
		"quoted empty": {`""`, false, "quoted-bool"}, "quoted blank before true": {`" true"`, false, "quoted-bool"},
		"one": {"1", true, ""}, "zero": {"0", false, ""}, "two": {"2", false, "odd-bool"}, "one as float": {"1.0", false, "odd-bool"},
		"one in octal": {"01", true, ""}, "one in hex": {"0x1", true, ""}, "one in binary": {"0b1", true, ""}, "plus one": {"+1", true, ""},
		"null": {"null", false, "odd-bool"}, "nothing": {"", false, "odd-bool"}, "tilde": {"~", false, "odd-bool"},
		"tagged text":       {"!!str on", false, "quoted-bool"},
		"tagged text yes":   {"!!str yes", true, ""},
		"tagged boolean":    {`!!bool "on"`, true, ""},
		"literal block":     {"|\n    true\n", false, "quoted-bool"},
		"folded stripped":   {">-\n    true\n", true, ""},
		"list":              {"[true]", false, "odd-bool"},
		"block":             {"{a: true}", false, "odd-bool"},
		"empty list":        {"[]", false, "odd-bool"},
		"a word":            {"enabled", false, "odd-bool"},
		"with a comment":    {"no # because", false, ""},
		"a control letter":  {`"\e[2J"`, false, "quoted-bool"},
		"a date":            {"2024-01-01", false, "odd-bool"},
		"anchored":          {"&x yes", true, ""},
		"base sixty is not": {"0:1", false, "odd-bool"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := one(t, terminal("docker_network: "+c.yaml))
			if p.Policy.DockerNetwork == nil || *p.Policy.DockerNetwork != c.want {
				t.Fatalf("docker_network %v, want %v (problems %q)", p.Policy.DockerNetwork, c.want, p.Problems)
			}
			position := model.PositionLocked
			if c.want {
				position = model.PositionOpen
			}
			if p.Policy.Position != position {
				t.Errorf("position %s, want %s", p.Policy.Position, position)
			}
			var want []string
			if c.note != "" {
				want = []string{c.note}
			}
			if diff := cmp.Diff(want, notes(p)); diff != "" {
				t.Errorf("notes differ (-want +got):\n%s", diff)
			}
			if got := p.Policy.Sources["docker_network"]; got != model.SourceConfig {
				t.Errorf("source %s", got)
			}
			for _, note := range p.Policy.Notes {
				if strings.ContainsRune(note.Detail, 0x1b) {
					t.Errorf("detail %q holds a control character", note.Detail)
				}
			}
		})
	}
}

func TestTruthOfVariables(t *testing.T) {
	cases := map[string]struct {
		value string
		want  bool
		note  string
	}{
		"true": {"true", true, ""}, "yes": {"Yes", true, ""}, "one": {"1", true, ""},
		"on opens nothing": {"on", false, "env-bool"}, "empty": {"", false, "env-bool"}, "y": {"y", false, "env-bool"},
		"false": {"false", false, ""}, "off": {"off", false, ""}, "zero": {"0", false, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t).set("TERMINAL_DOCKER_NETWORK=" + c.value)
			m.folder(filepath.Join(m.home, ".hermes"))
			p := m.profile("default")
			if *p.Policy.DockerNetwork != c.want || p.Policy.Sources["docker_network"] != model.SourceEnvironment {
				t.Errorf("docker_network %v from %s", *p.Policy.DockerNetwork, p.Policy.Sources["docker_network"])
			}
			if got := strings.Join(notes(p), " "); got != c.note {
				t.Errorf("notes %q, want %q", got, c.note)
			}
		})
	}
}

func TestPrecedenceOfSources(t *testing.T) {
	const key, variable = "lifetime_seconds", "TERMINAL_LIFETIME_SECONDS"
	cases := map[string]struct {
		managed, managedEnv, config, dotEnv, process string
		named                                        bool // ask for a profile that is not active
		want                                         int
		source                                       model.Source
	}{
		"default":                         {want: 300, source: model.SourceDefault},
		"process":                         {process: "1", want: 1, source: model.SourceEnvironment},
		".env beats process":              {process: "1", dotEnv: "2", want: 2, source: model.SourceDotEnv},
		"config beats .env":               {process: "1", dotEnv: "2", config: "3", want: 3, source: model.SourceConfig},
		"managed .env beats config":       {process: "1", dotEnv: "2", config: "3", managedEnv: "4", want: 4, source: model.SourceManaged},
		"managed config beats all":        {process: "1", dotEnv: "2", config: "3", managedEnv: "4", managed: "5", want: 5, source: model.SourceManaged},
		"process is not of other":         {process: "1", named: true, want: 300, source: model.SourceDefault},
		".env of its own counts":          {process: "1", dotEnv: "2", named: true, want: 2, source: model.SourceDotEnv},
		"managed counts for all profiles": {managed: "5", named: true, want: 5, source: model.SourceManaged},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			home, profile := ".hermes", "default"
			if c.named {
				home, profile = ".hermes/profiles/other", "other"
			}
			m.folder(filepath.Join(m.home, home))
			for path, text := range map[string]string{
				filepath.Join(m.managed, "config.yaml"): c.managed, filepath.Join(home, "config.yaml"): c.config,
			} {
				if text != "" {
					m.write(path, terminal(key+": "+text))
				}
			}
			for path, text := range map[string]string{filepath.Join(m.managed, ".env"): c.managedEnv, filepath.Join(home, ".env"): c.dotEnv} {
				if text != "" {
					m.write(path, variable+"="+text+"\n")
				}
			}
			if c.process != "" {
				m.set(variable + "=" + c.process)
			}
			p := m.profile(profile)
			if p.Policy.LifetimeSeconds == nil || *p.Policy.LifetimeSeconds != c.want || p.Policy.Sources[key] != c.source {
				t.Errorf("got %v from %s, want %d from %s", p.Policy.LifetimeSeconds, p.Policy.Sources[key], c.want, c.source)
			}
		})
	}
}

func TestLifetimeAndReaperAge(t *testing.T) {
	cases := map[string]struct {
		yaml     string
		lifetime *int
		after    int
		note     string
	}{
		"ordinary":           {"300", new(300), 600, ""},
		"under a minute":     {"5", new(5), 120, ""},
		"exactly a minute":   {"60", new(60), 120, ""},
		"a minute and one":   {"61", new(61), 122, ""},
		"negative":           {"-5", new(-5), 120, ""},
		"zero":               {"0", new(0), 120, ""},
		"quoted":             {`" 90 "`, new(90), 180, ""},
		"underscores":        {`"1_0"`, new(10), 120, ""},
		"octal":              {"0100", new(64), 128, ""},
		"base sixty":         {"2:00", new(120), 240, ""},
		"fraction":           {"300.0", nil, 600, "bad-number"},
		"word":               {"soon", nil, 600, "bad-number"},
		"boolean":            {"true", nil, 600, "bad-number"},
		"nothing":            {"", nil, 600, "bad-number"},
		"list":               {"[1]", nil, 600, "bad-number"},
		"larger than a word": {"99999999999999999999", new(2147483647), 4294967294, ""},
		"empty text":         {`""`, nil, 600, "bad-number"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := one(t, terminal("lifetime_seconds: "+c.yaml))
			if diff := cmp.Diff(c.lifetime, p.Policy.LifetimeSeconds); diff != "" {
				t.Errorf("lifetime differs (-want +got):\n%s", diff)
			}
			if p.Policy.ReapAfterSeconds == nil || *p.Policy.ReapAfterSeconds != c.after {
				t.Errorf("reap after %v, want %d", p.Policy.ReapAfterSeconds, c.after)
			}
			if got := strings.Join(notes(p), " "); got != c.note {
				t.Errorf("notes %q, want %q", got, c.note)
			}
		})
	}
}

func TestPositionAndNetworkNotes(t *testing.T) {
	cases := map[string]struct {
		lines    []string
		proxy    string
		position model.Position
		extra    *string
		notes    []string
	}{
		"open":                        {position: model.PositionOpen},
		"locked":                      {lines: []string{"docker_network: false"}, position: model.PositionLocked},
		"extra none locks":            {lines: []string{"docker_extra_args: [--network, none]"}, position: model.PositionLocked, extra: new("none")},
		"extra host is open":          {lines: []string{"docker_extra_args: [--network=host]"}, position: model.PositionOpen, extra: new("host")},
		"extra egress is allowlist":   {lines: []string{"docker_extra_args: [--network=hermes-egress-a4aa2ac280]"}, position: model.PositionAllowlist, extra: new("hermes-egress-a4aa2ac280")},
		"a lookalike is open":         {lines: []string{"docker_extra_args: [--network=hermes-egress-zzz]"}, position: model.PositionOpen, extra: new("hermes-egress-zzz")},
		"long form":                   {lines: []string{`docker_extra_args: ["--net=name=hermes-egress-a4aa2ac280,alias=x"]`}, position: model.PositionAllowlist, extra: new("hermes-egress-a4aa2ac280")},
		"flag without value":          {lines: []string{"docker_extra_args: [--network]"}, position: model.PositionOpen},
		"another flag":                {lines: []string{"docker_extra_args: [--network-alias=none]"}, position: model.PositionOpen},
		"locked with none":            {lines: []string{"docker_network: false", "docker_extra_args: [--network=none]"}, position: model.PositionLocked, extra: new("none")},
		"locked with bridge":          {lines: []string{"docker_network: false", "docker_extra_args: [--net, bridge]"}, position: model.PositionLocked, extra: new("bridge"), notes: []string{"network-conflict"}},
		"locked, first none":          {lines: []string{"docker_network: false", "docker_extra_args: [--net=none, --network=bridge]"}, position: model.PositionLocked, extra: new("none"), notes: []string{"network-conflict"}},
		"two user networks":           {lines: []string{"docker_extra_args: [--net=a, --net=b]"}, position: model.PositionOpen, extra: new("a"), notes: []string{"network-conflict"}},
		"JSON text":                   {lines: []string{`docker_extra_args: '["--network=none"]'`}, position: model.PositionLocked, extra: new("none")},
		"bad JSON text":               {lines: []string{"docker_extra_args: --network=none"}, position: model.PositionUnknown, notes: []string{"bad-list"}},
		"nothing":                     {lines: []string{"docker_extra_args:"}, position: model.PositionUnknown, notes: []string{"bad-list"}},
		"entry that is no text":       {lines: []string{"docker_extra_args: [--cpus, 2, --network=none]"}, position: model.PositionLocked, extra: new("none"), notes: []string{"dropped-entry"}},
		"container_network off":       {lines: []string{"container_network: off"}, position: model.PositionLocked, notes: []string{"container-network"}},
		"container_network on":        {lines: []string{"container_network: on"}, position: model.PositionOpen, notes: []string{"container-network"}},
		"container_network allowlist": {lines: []string{"container_network: allowlist"}, position: model.PositionAllowlist, notes: []string{"container-network"}},
		"container_network odd":       {lines: []string{"container_network: some"}, position: model.PositionLocked, notes: []string{"container-network", "container-network-mode"}},
		"docker_network beats it":     {lines: []string{"docker_network: no", "container_network: allowlist"}, position: model.PositionLocked, notes: []string{"container-network"}},
		"proxy alone":                 {proxy: "proxy: {enabled: true}\n", position: model.PositionOpen},
		"proxy with allowlist":        {lines: []string{"container_network: allowlist"}, proxy: "proxy: {enabled: true}\n", position: model.PositionAllowlist, notes: []string{"container-network", "proxy-allowlist"}},
		"proxy while locked":          {lines: []string{"docker_network: false"}, proxy: "proxy: {enabled: true}\n", position: model.PositionLocked, notes: []string{"proxy-locked"}},
		"proxy with a network":        {lines: []string{"docker_extra_args: [--network=a]"}, proxy: "proxy: {enabled: true}\n", position: model.PositionOpen, extra: new("a"), notes: []string{"proxy-extra-args"}},
		"proxy with an env file":      {lines: []string{"docker_extra_args: [--env-file=x]"}, proxy: "proxy: {enabled: true}\n", position: model.PositionOpen, notes: []string{"proxy-extra-args"}},
		"proxy not enforced":          {lines: []string{"docker_extra_args: [--network=a]"}, proxy: "proxy: {enabled: true, enforce_on_docker: false}\n", position: model.PositionOpen, extra: new("a")},
		"proxy off with a network":    {lines: []string{"docker_extra_args: [--network=a]"}, proxy: "proxy: {enabled: false}\n", position: model.PositionOpen, extra: new("a")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			text := c.proxy
			if len(c.lines) > 0 {
				text += terminal(c.lines...)
			}
			p := one(t, text)
			if p.Policy.Position != c.position {
				t.Errorf("position %s, want %s", p.Policy.Position, c.position)
			}
			if diff := cmp.Diff(c.extra, p.Policy.ExtraNetwork); diff != "" {
				t.Errorf("extra network differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.notes, notes(p)); diff != "" {
				t.Errorf("notes differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProxyGoesByTruthOfTheValue(t *testing.T) {
	cases := map[string]struct {
		yaml string
		want bool
		note bool
	}{
		"true": {"true", true, false}, "on": {"on", true, false}, "false": {"false", false, false}, "no": {"no", false, false},
		"quoted false": {`"false"`, true, true}, "quoted empty": {`""`, false, false}, "quoted true": {`"true"`, true, false},
		"zero": {"0", false, false}, "two": {"2", true, false}, "null": {"", false, false}, "empty list": {"[]", false, false},
		"list": {"[0]", true, false}, "zero as float": {"0.0", false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := one(t, "proxy:\n  enabled: "+c.yaml+"\n")
			if *p.Policy.ProxyEnabled != c.want {
				t.Errorf("enabled %v, want %v", *p.Policy.ProxyEnabled, c.want)
			}
			if got := slices.Contains(notes(p), "quoted-bool"); got != c.note {
				t.Errorf("note %v, want %v", got, c.note)
			}
		})
	}
}

func TestConfigThatCannotBeUsed(t *testing.T) {
	good := terminal("docker_network: false")
	cases := map[string]struct {
		config  string
		make    func(t *testing.T, path string)
		backups map[string]string
		source  model.Source
		known   bool
	}{
		"unparsable without a copy": {config: "terminal: [\n", source: model.SourceUnreadable},
		"unparsable with copies": {
			config: "a: b: c\n",
			backups: map[string]string{
				"config.yaml.good.20260101-000000": "{}", "config.yaml.good.20260102-000000": good, "config.yaml.bad.20260103-000000": "x",
			},
			source: model.SourceBackup, known: true,
		},
		"newest copy damaged": {
			config:  "\tterminal: x\n",
			backups: map[string]string{"config.yaml.good.20260101-000000": good, "config.yaml.good.20260102-000000": "a: ["},
			source:  model.SourceUnreadable,
		},
		"a list at the top":        {config: "- a\n", source: model.SourceUnreadable},
		"two documents":            {config: good + "---\n" + good, source: model.SourceUnreadable},
		"an unknown tag":           {config: "x: !python/object:os.system y\n" + good, source: model.SourceUnreadable},
		"a key that is a list":     {config: "? [a]\n: b\n" + good, source: model.SourceUnreadable},
		"an alias without anchor":  {config: "a: *b\n" + good, source: model.SourceUnreadable},
		"bytes that are no UTF-8":  {config: "a: \xff\n" + good, source: model.SourceUnreadable},
		"a NUL byte":               {config: "a: \x00\n" + good, source: model.SourceUnreadable},
		"nested without end":       {config: strings.Repeat("[", 20000), source: model.SourceUnreadable},
		"nested too deeply, valid": {config: "a: " + strings.Repeat("[", 400) + strings.Repeat("]", 400) + "\n" + good, source: model.SourceUnreadable},
		"a directory": {make: func(t *testing.T, path string) {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, source: model.SourceUnreadable},
		"a pipe": {make: func(t *testing.T, path string) {
			filetest.Pipe(t, path)
		}, source: model.SourceUnreadable},
		"huge": {make: func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, maxConfig+1); err != nil {
				t.Fatal(err)
			}
		}, source: model.SourceUnreadable},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			path := filepath.Join(m.home, configFile)
			if c.make != nil {
				m.folder(filepath.Dir(path))
				c.make(t, path)
			} else {
				m.write(configFile, c.config)
			}
			for file, text := range c.backups {
				m.write(".hermes/backups/config/"+file, text)
			}
			p := m.profile("default")
			if got := p.Policy.Sources["docker_network"]; got != c.source {
				t.Errorf("source %s, want %s", got, c.source)
			}
			if known := p.Policy.DockerNetwork != nil; known != c.known {
				t.Errorf("docker_network known %v, want %v", known, c.known)
			}
			want := model.PositionUnknown
			if c.known {
				want = model.PositionLocked
			}
			if p.Policy.Position != want {
				t.Errorf("position %s, want %s", p.Policy.Position, want)
			}
			if len(p.Problems) != 1 || !strings.Contains(p.Problems[0], path) {
				t.Errorf("problems %q should name %s once", p.Problems, path)
			}
		})
	}
}

func TestUnreadableLayersLeaveOnlyWhatStandsAboveThem(t *testing.T) {
	m := newMachine(t)
	m.write(configFile, "terminal: [\n")
	m.write(filepath.Join(m.managed, "config.yaml"), terminal("docker_network: false"))
	p := m.profile("default")
	if p.Policy.Position != model.PositionLocked || p.Policy.Sources["position"] != model.SourceManaged {
		t.Errorf("a managed value should hold: %s from %s", p.Policy.Position, p.Policy.Sources["position"])
	}
	if p.Policy.ReapAfterSeconds != nil || p.Policy.ImagePinned != nil || p.Policy.ProxyEnabled != nil || p.Policy.Backend != nil {
		t.Error("values of an unreadable file must stay unknown")
	}
	m.write(configFile, terminal("docker_network: true"))
	m.folder(filepath.Join(m.home, ".hermes/.env"))
	p = m.profile("default")
	if p.Policy.LifetimeSeconds != nil || p.Policy.Sources["lifetime_seconds"] != model.SourceUnreadable {
		t.Error("a key that may stand in an unreadable .env must stay unknown")
	}
	if err := os.Remove(filepath.Join(m.managed, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	m.folder(filepath.Join(m.managed, "config.yaml"))
	p = m.profile("default")
	if p.Policy.DockerNetwork != nil || p.Policy.Position != model.PositionUnknown {
		t.Error("under an unreadable managed scope nothing is known")
	}
}

func TestOddFilesAreReadAsHermesDoes(t *testing.T) {
	cases := map[string]struct {
		text    string
		environ []string
		locked  bool
		notes   []string
	}{
		"byte order mark":               {text: "\ufeff" + terminal("docker_network: no"), locked: true},
		"tab before the value":          {text: terminal("docker_network:\tno"), locked: true, notes: []string{"loaders-differ"}},
		"tab before a comment":          {text: terminal("docker_network: no\t# c"), locked: true, notes: []string{"loaders-differ"}},
		"glued head of a block":         {text: "a: |#c\n  x\n" + terminal("docker_network: no"), locked: true, notes: []string{"loaders-differ"}},
		"tabs where both take them":     {text: "# a\tb\na: \"\t\" #\t\nb: |\n  x\n  \ty\n\n   \tz\nc: 'x\n \ty'\n" + terminal("docker_network: no"), locked: true},
		"byte order mark in a value":    {text: "# \ufeff\na: \"\n\ufeff x\"\nb: |\n \ufeff\n" + terminal("docker_network: no"), locked: true},
		"line ends of another system":   {text: "terminal:\r\n  docker_network: no\r\n", locked: true},
		"no final line end":             {text: "terminal:\n  docker_network: no", locked: true},
		"flow style":                    {text: "{terminal: {docker_network: no}}", locked: true},
		"comments only":                 {text: "# a\n\n# b\n"},
		"document marks":                {text: "---\nterminal: {docker_network: no}\n...\n", locked: true},
		"section is null":               {text: "terminal:\n"},
		"section is text":               {text: "terminal: yes please\n", notes: []string{"bad-section"}},
		"key twice, last wins":          {text: terminal("docker_network: true", "docker_network: false"), locked: true, notes: []string{"duplicate-key"}},
		"section twice, last wins":      {text: terminal("docker_network: false") + terminal("backend: docker"), notes: []string{"duplicate-key"}},
		"alias":                         {text: "x: &x no\n" + terminal("docker_network: *x"), locked: true},
		"merge":                         {text: "x: &x {docker_network: no}\n" + terminal("<<: *x"), locked: true},
		"merge loses to a key":          {text: "x: &x {docker_network: no}\n" + terminal("docker_network: yes", "<<: *x")},
		"merge list, first wins":        {text: "x: &x {docker_network: no}\ny: &y {docker_network: yes}\n" + terminal("<<: [*x, *y]"), locked: true},
		"section is an alias":           {text: "x: &x {docker_network: no}\nterminal: *x\n", locked: true},
		"an alias to itself":            {text: "terminal: &t\n  docker_network: no\n  me: *t\n", locked: true},
		"reference":                     {text: terminal("docker_network: ${NET}"), environ: []string{"NET=false"}, locked: true},
		"reference with env prefix":     {text: terminal("docker_network: \"${env:NET}\""), environ: []string{"NET=yes"}},
		"reference to on":               {text: terminal("docker_network: ${NET}"), environ: []string{"NET=on"}, locked: true, notes: []string{"odd-bool"}},
		"reference to nothing":          {text: terminal("docker_network: ${NET}"), locked: true, notes: []string{"unresolved-reference", "odd-bool"}},
		"variable without effect":       {text: terminal("docker_network: false"), environ: []string{"TERMINAL_DOCKER_NETWORK=true"}, locked: true, notes: []string{"env-overridden"}},
		"the same value twice":          {text: terminal("backend: docker"), environ: []string{"TERMINAL_ENV=docker"}},
		"the same boolean twice":        {text: terminal("docker_network: false"), environ: []string{"TERMINAL_DOCKER_NETWORK=false"}, locked: true},
		"keys elsewhere do not count":   {text: "docker_network: false\nother: {docker_network: false}\n"},
		"a thousand aliases of aliases": {text: bomb() + terminal("docker_network: no"), locked: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := one(t, c.text, c.environ...)
			want := model.PositionOpen
			if c.locked {
				want = model.PositionLocked
			}
			if p.Policy.Position != want || len(p.Problems) > 0 {
				t.Errorf("position %s, want %s; problems %q", p.Policy.Position, want, p.Problems)
			}
			if diff := cmp.Diff(c.notes, notes(p)); diff != "" {
				t.Errorf("notes differ (-want +got):\n%s", diff)
			}
		})
	}
}

// bomb is a document that would be enormous with its aliases written out.
func bomb() string {
	var text strings.Builder
	text.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i < 40; i++ {
		name := string(rune('a'+i%26)) + strings.Repeat("z", i/26)
		previous := string(rune('a'+(i-1)%26)) + strings.Repeat("z", (i-1)/26)
		if i == 1 {
			previous = "a0"
		}
		text.WriteString(name + ": &" + name + " [" + strings.Repeat("*"+previous+", ", 9) + "]\n")
	}
	return text.String()
}

func TestReferenceOfAnotherProfileIsNotGuessed(t *testing.T) {
	m := newMachine(t).set("NET=true")
	m.write(".hermes/profiles/other/config.yaml", terminal("docker_network: ${NET}", "docker_extra_args: ['--network=${WHERE}']"))
	m.write(".hermes/profiles/other/.env", "WHERE=none\n")
	p := m.profile("other")
	if p.Policy.DockerNetwork != nil || p.Policy.Position != model.PositionUnknown {
		t.Errorf("docker_network %v, position %s; both must be unknown", p.Policy.DockerNetwork, p.Policy.Position)
	}
	if p.Policy.ExtraNetwork == nil || *p.Policy.ExtraNetwork != "none" {
		t.Errorf("a reference to the profile's own .env: %v", p.Policy.ExtraNetwork)
	}
	if !slices.Contains(notes(p), "unresolved-reference") {
		t.Errorf("notes %q", notes(p))
	}
}

func TestOtherPolicyValues(t *testing.T) {
	p := one(t, terminal(
		"backend: docker", "docker_image: my/image:1.10", "docker_shared_container_key: '  team '", "docker_orphan_reaper: no",
		"docker_persist_across_processes: off", "container_persistent: 'False'", "sandbox_dir: /data/boxes",
		"docker_volumes: ['/a:/b', no-colon, 'v:/c:ro']", "docker_env: {A: 1, B: 'x', C: yes}",
	))
	got := p.Policy
	want := &model.Policy{
		Backend: new("docker"), DockerNetwork: new(true), Position: model.PositionOpen, OrphanReaper: new(false),
		PersistAcrossProcesses: new(false), ContainerPersistent: new(false), LifetimeSeconds: new(300), ReapAfterSeconds: new(600),
		SharedContainerKey: new("team"), Image: new("my/image:1.10"), ImagePinned: new(true),
		ProxyEnabled: new(false), ProxyEnforced: new(true),
		SandboxDir: "/data/boxes", Volumes: []string{"/a:/b", "v:/c:ro"}, DockerEnv: map[string]string{"A": "1", "B": "x", "C": "True"},
		EnvSource: model.SourceConfig,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Policy{}, "Sources"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("policy differs (-want +got):\n%s", diff)
	}
}

func TestListsAndBlocksOfTheEnvironmentAreJSON(t *testing.T) {
	m := newMachine(t).set(
		`TERMINAL_DOCKER_EXTRA_ARGS=["--cpus", 2, null, true, 1e99, "--network=none", "${HOME}"]`,
		`TERMINAL_DOCKER_ENV={"A": 1, "B": "x", "C": true, "D": null, "E": 1.5}`,
		`TERMINAL_DOCKER_VOLUMES={"a": 1}`,
	)
	m.folder(filepath.Join(m.home, ".hermes"))
	p := m.profile("default")
	if diff := cmp.Diff([]string{"--cpus", "--network=none", "${HOME}"}, p.Policy.ExtraArgs); diff != "" {
		t.Errorf("arguments differ (-want +got):\n%s", diff)
	}
	want := map[string]string{"A": "1", "B": "x", "C": "True", "D": "None", "E": "1.5"}
	if p.Policy.EnvSource != model.SourceEnvironment {
		t.Errorf("docker_env comes from %s", p.Policy.EnvSource)
	}
	if diff := cmp.Diff(want, p.Policy.DockerEnv); diff != "" {
		t.Errorf("variables differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bad-list", "dropped-entry"}, notes(p)); diff != "" {
		t.Errorf("notes differ (-want +got):\n%s", diff)
	}
}

func TestAllowlistOfContainerNetwork(t *testing.T) {
	p := one(t, terminal("container_network: allowlist", "container_network_allowlist: [pypi.org, github.com]"))
	if diff := cmp.Diff([]string{"pypi.org", "github.com"}, p.Policy.Allowlist); diff != "" {
		t.Errorf("allowlist differs (-want +got):\n%s", diff)
	}
	if p.Policy.Sources["allowlist"] != model.SourceConfig {
		t.Errorf("source %s", p.Policy.Sources["allowlist"])
	}
}

func TestDotEnv(t *testing.T) {
	cases := map[string]struct {
		text string
		want environment
	}{
		"plain":            {"A=1\nB = two words \n", environment{"A": "1", "B": "two words"}},
		"export":           {"export A=1\n", environment{"A": "1"}},
		"comments":         {"# x=1\nA=1 # c\nB=a#b\nC='a # b'\n", environment{"A": "1", "B": "a#b", "C": "a # b"}},
		"quotes":           {"A='x\\n$B'\nB=\"a\\n\\\"b\"\n", environment{"A": "x\\n$B", "B": "a\n\"b"}},
		"several lines":    {"A=\"x\ny\"\nB=1\n", environment{"A": "x\ny", "B": "1"}},
		"open quote":       {"A=\"x\nB=1\n", environment{"A": "\"x", "B": "1"}},
		"last wins":        {"A=1\nA=2\n", environment{"A": "2"}},
		"no assignment":    {"A\nB=1\n\n=x\n", environment{"B": "1"}},
		"empty":            {"A=\nB=''\n", environment{"A": "", "B": ""}},
		"other line ends":  {"A=1\r\nB=2\r", environment{"A": "1", "B": "2"}},
		"byte order mark":  {"\ufeffA=1", environment{"A": "1"}},
		"reference":        {"A=1\nB=${A}2\nC='${A}'\nD=${OUT}\n", environment{"A": "1", "B": "12", "C": "${A}", "D": "out"}},
		"bytes of latin 1": {"A=\xe9\n", environment{"A": "é"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, parseDotEnv([]byte(c.text), environment{"OUT": "out"})); diff != "" {
				t.Errorf("variables differ (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzPolicy feeds arbitrary files. Whatever they hold, every value is either
// known with a source or unknown, the position follows from docker_network,
// and no note can carry a control character to a terminal.
func FuzzPolicy(f *testing.F) {
	f.Add(terminal("docker_network: 'on'", "lifetime_seconds: 1:30"), "TERMINAL_DOCKER_NETWORK=on\n")
	f.Add("a: &a {docker_network: no}\nterminal:\n  <<: [*a, *a]\n", "export X=\"a\nb\"\n")
	f.Add("terminal: &t\n  <<: *t\n  docker_extra_args: '[\"--net\", \"\\u001b[2J\"]'\n", "A=${A}\n")
	f.Add("\ufeff? {a: b}\n: c\n", "=\n'\n")
	f.Add("terminal: {docker_network: !!bool \"on\", docker_env: {\"\\e\": ${X}}}", "X='\n")
	f.Fuzz(func(t *testing.T, config, dotEnv string) {
		env := environment{"HERMES_MANAGED_DIR": "/nonexistent"}
		r := &policyReader{
			active: true, policy: &model.Policy{Sources: map[string]model.Source{}},
			user:    yamlLayer{source: model.SourceConfig},
			dotEnv:  envLayer{source: model.SourceDotEnv, values: parseDotEnv([]byte(dotEnv), env)},
			process: envLayer{source: model.SourceEnvironment, values: env},
		}
		root, err := hermesyaml.Parse([]byte(config))
		r.user.root, r.user.unreadable = root, err != nil
		p := r.read()
		if err != nil && p.Position != model.PositionUnknown {
			t.Errorf("position %s of a file that does not parse", p.Position)
		}
		if p.DockerNetwork != nil && !*p.DockerNetwork && p.Position != model.PositionLocked {
			t.Errorf("docker_network is false, but the position is %s", p.Position)
		}
		if p.Position == model.PositionOpen && (p.DockerNetwork == nil || !*p.DockerNetwork) {
			t.Error("open without docker_network true")
		}
		for key, source := range p.Sources {
			if source == "" {
				t.Errorf("no source of %s", key)
			}
		}
		for _, note := range p.Notes {
			for _, text := range []string{note.Detail, note.Remedy, note.Key} {
				if model.NewText(text).Escaped() && strings.ContainsFunc(text, func(r rune) bool { return !model.Printable(r) }) {
					t.Errorf("note %q is not safe to show", text)
				}
			}
		}
	})
}

// FuzzTruth checks the truth table against its definition.
func FuzzTruth(f *testing.F) {
	for _, word := range []string{"on", "yes", "TRUE", "1", "", "0x1", "1_0", "-.inf", "1:30", "~"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		got := hermesyaml.Truthy(word)
		want := slices.Contains([]string{"true", "1", "yes"}, strings.ToLower(word))
		if got != want {
			t.Errorf("truthy(%q) = %v", word, got)
		}
		plain := hermesyaml.PlainScalar(word)
		if plain.Kind == hermesyaml.String && plain.Text != word {
			t.Errorf("text %q changed to %q", word, plain.Text)
		}
		if plain.Kind == hermesyaml.Int && !pythonInt.MatchString(plain.Text) {
			t.Errorf("number %q became %q", word, plain.Text)
		}
	})
}
