package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hermes-sandbox/config/filetest"
	"hermes-sandbox/model"
)

func TestSettingsFromEveryLayer(t *testing.T) {
	with := func(change func(*Settings)) Settings {
		s := DefaultSettings()
		change(&s)
		return s
	}
	cases := map[string]struct {
		file    string
		environ []string
		flags   map[string]any
		want    Settings
	}{
		"nothing set gives the defaults": {want: DefaultSettings()},
		"an empty file gives the defaults": {
			file: "# nothing yet\n", want: DefaultSettings(),
		},
		"every key from a file": {
			file: `
engines:
  - {name: here, host: "unix:///var/run/docker.sock"}
  - {context: far, hermes_home: ~/far}
hermes_homes: [/srv/a, ~/b]
read_only: true
theme: night
ascii: true
mouse: false
columns: [name, posture]
group: posture
sort: age
keys: [{action: remove, keys: [x, delete]}]
stats_interval: 5s
resync_interval: 1m
idle_after: 90m
confirm_above: 0
mask: ["[A-Z]+_PIN"]
egress: {binary: ~/bin/proxy, image: proxy:1, ports: [443], allow_cidrs: [10.0.0.0/8]}
log_file: ~/log
`,
			want: Settings{
				Engines: []EngineSetting{
					{Name: "here", Host: "unix:///var/run/docker.sock"},
					{Context: "far", HermesHome: "/home/u/far"},
				},
				HermesHomes: []string{"/srv/a", "/home/u/b"},
				ReadOnly:    true, Theme: "night", ASCII: true, Mouse: false,
				Columns: []string{"name", "posture"}, Group: "posture", Sort: "age",
				Keys:          []KeySetting{{Action: "remove", Keys: []string{"x", "delete"}}},
				StatsInterval: 5 * time.Second, ResyncInterval: time.Minute, IdleAfter: 90 * time.Minute, ConfirmAbove: 0,
				Mask: []string{"[A-Z]+_PIN"},
				Egress: EgressSetting{
					Binary: "/home/u/bin/proxy", Image: "proxy:1", Ports: []int{443}, AllowCIDRs: []string{"10.0.0.0/8"},
				},
				LogFile: "/home/u/log",
			},
		},
		"environment beats file, flag beats environment": {
			file:    "theme: a\ngroup: a\nsort: a\n",
			environ: []string{"HERMES_SANDBOX_GROUP=b", "HERMES_SANDBOX_SORT=b"},
			flags:   map[string]any{"sort": "c"},
			want:    with(func(s *Settings) { s.Theme, s.Group, s.Sort = "a", "b", "c" }),
		},
		"a nested key leaves its siblings alone": {
			file:    "egress: {image: one, ports: [1, 2, 3]}\n",
			environ: []string{"HERMES_SANDBOX_EGRESS__PORTS=9"},
			want:    with(func(s *Settings) { s.Egress = EgressSetting{Image: "one", Ports: []int{9}} }),
		},
		"a later list replaces an earlier one": {
			file:    "columns: [a, b, c]\n",
			environ: []string{"HERMES_SANDBOX_COLUMNS=x, y"},
			want:    with(func(s *Settings) { s.Columns = []string{"x", "y"} }),
		},
		"lists of objects in the environment are YAML": {
			environ: []string{`HERMES_SANDBOX_ENGINES=[{name: a, host: "tcp://a:1"}]`, `HERMES_SANDBOX_MASK=["a,b"]`},
			want: with(func(s *Settings) {
				s.Engines = []EngineSetting{{Name: "a", Host: "tcp://a:1"}}
				s.Mask = []string{"a,b"}
			}),
		},
		"shell spellings of booleans": {
			environ: []string{"HERMES_SANDBOX_READ_ONLY=1", "HERMES_SANDBOX_MOUSE=FALSE"},
			want:    with(func(s *Settings) { s.ReadOnly = true }),
		},
		"hermes' own variables are not ours": {
			environ: []string{"HERMES_HOME=/x", "HERMES_DOCKER_BINARY=podman", "HERMES_SANDBOXX=1", "=C:=x", "junk"},
			want:    DefaultSettings(),
		},
		"flags of every type": {
			flags: map[string]any{
				"read_only": true, "hermes_homes": []string{"/a"}, "stats_interval": 3 * time.Second,
				"confirm_above": 9, "log_file": "x",
			},
			want: with(func(s *Settings) {
				s.ReadOnly, s.HermesHomes, s.StatsInterval = true, []string{"/a"}, 3*time.Second
				s.ConfirmAbove, s.LogFile = 9, "x"
			}),
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			config := t.TempDir()
			environ := append([]string{"XDG_CONFIG_HOME=" + config}, c.environ...)
			if c.file != "" {
				path := filepath.Join(config, "hermes-sandbox", "config.yaml")
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := LoadSettings(SettingsInput{Environ: environ, UserHome: "/home/u", Flags: c.flags})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Settings{}, "File", "Sources"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("settings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSettingsErrorsNameFileLineAndKey(t *testing.T) {
	cases := map[string]struct {
		file    string
		environ []string
		flags   map[string]any
		want    []string
	}{
		"unknown key":                 {file: "theme: a\nthme: b\n", want: []string{"settings.yaml:2:", `"thme"`, "theme"}},
		"unknown nested key":          {file: "egress:\n  prots: [1]\n", want: []string{":2:", `"egress.prots"`, "ports"}},
		"unknown key in a list":       {file: "engines:\n- host: a\n  titel: b\n", want: []string{":3:", `"engines[0].titel"`}},
		"map instead of list":         {file: "engines:\n  a: {host: b}\n", want: []string{":2:", `"engines"`, "a list"}},
		"text instead of boolean":     {file: "read_only: 'true'\n", want: []string{":1:", `"read_only"`, "true or false"}},
		"YAML 1.1 word for boolean":   {file: "read_only: on\n", want: []string{`"read_only"`, "true or false"}},
		"number without unit":         {file: "stats_interval: 5\n", want: []string{`"stats_interval"`, "duration"}},
		"too short idle age":          {file: "idle_after: 1s\n", want: []string{"settings.yaml", `"idle_after"`, "at least"}},
		"too short interval":          {file: "resync_interval: 1ms\n", want: []string{"settings.yaml", `"resync_interval"`, "at least"}},
		"fraction":                    {file: "confirm_above: 1.5\n", want: []string{`"confirm_above"`, "whole number"}},
		"negative count":              {file: "confirm_above: -1\n", want: []string{`"confirm_above"`, "negative"}},
		"number instead of text":      {file: "theme: 5\n", want: []string{`"theme"`, "a text"}},
		"nothing instead of text":     {file: "theme:\n", want: []string{`"theme"`, "a text"}},
		"a key twice":                 {file: "theme: a\nsort: b\ntheme: c\n", want: []string{":3:", `"theme"`, "twice"}},
		"an alias":                    {file: "theme: &a x\nsort: *a\n", want: []string{":2:", `"sort"`, "alias"}},
		"a list at the top":           {file: "- theme\n", want: []string{":1:", "block of keys"}},
		"two documents":               {file: "theme: a\n---\ntheme: b\n", want: []string{"settings.yaml", "more than one document"}},
		"broken YAML":                 {file: "theme: [a\n", want: []string{"settings.yaml", "not valid YAML"}},
		"no UTF-8":                    {file: "theme: \xff\xfe\n", want: []string{"settings.yaml", "not valid YAML"}},
		"several problems at once":    {file: "thme: b\nsrot: c\n", want: []string{`"thme"`, `"srot"`}},
		"escape sequence in a key":    {file: "\"\\e[31m\": 1\n", want: []string{`"\x1b[31m"`}},
		"no port":                     {file: "egress: {ports: [0]}\n", want: []string{`"egress.ports"`, "no port"}},
		"no address range":            {file: "egress: {allow_cidrs: [x]}\n", want: []string{`"egress.allow_cidrs"`, `"x"`}},
		"binding without keys":        {file: "keys: [{action: quit}]\n", want: []string{`"keys"`, "entry 1"}},
		"engine without address":      {file: "engines: [{name: a}]\n", want: []string{`"engines"`, "host or context"}},
		"engine with two addresses":   {file: "engines: [{host: a, context: b}]\n", want: []string{`"engines"`, "host or context"}},
		"broken pattern of secrets":   {file: "mask: [fine, 'a(']\n", want: []string{"settings.yaml", `"mask"`, "a("}},
		"pattern that hides all":      {file: "mask: ['x*']\n", want: []string{`"mask"`, "x*", "everywhere"}},
		"engine name twice":           {file: "engines: [{name: a, host: b}, {name: a, host: c}]\n", want: []string{`"engines"`, "twice"}},
		"unknown variable":            {environ: []string{"HERMES_SANDBOX_READONLY=1"}, want: []string{"HERMES_SANDBOX_READONLY", `"readonly"`}},
		"variable naming a block":     {environ: []string{"HERMES_SANDBOX_EGRESS=1"}, want: []string{"HERMES_SANDBOX_EGRESS"}},
		"wrong type in a variable":    {environ: []string{"HERMES_SANDBOX_ASCII=maybe"}, want: []string{"HERMES_SANDBOX_ASCII", "true or false"}},
		"broken list in a variable":   {environ: []string{"HERMES_SANDBOX_COLUMNS=[a"}, want: []string{"HERMES_SANDBOX_COLUMNS", "a list"}},
		"unknown flag key":            {flags: map[string]any{"nope": 1}, want: []string{"flag", `"nope"`}},
		"wrong type of a flag":        {flags: map[string]any{"mouse": "x"}, want: []string{"flag", `"mouse"`}},
		"empty variable is no number": {environ: []string{"HERMES_SANDBOX_CONFIRM_ABOVE="}, want: []string{"HERMES_SANDBOX_CONFIRM_ABOVE"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.yaml")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := LoadSettings(SettingsInput{File: path, Environ: c.environ, Flags: c.flags})
			if !errors.Is(err, ErrSettings) {
				t.Fatalf("error %v is no ErrSettings", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q lacks %q", err, want)
				}
			}
		})
	}
}

func TestSettingsFileThatIsNoPlainFile(t *testing.T) {
	cases := map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"missing but named": {make: func(*testing.T, string) {}, want: "no such file"},
		"a directory": {make: func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, want: "directory"},
		"a pipe": {make: func(t *testing.T, path string) {
			filetest.Pipe(t, path)
		}, want: "pipe"},
		"a device": {make: func(t *testing.T, path string) {
			if err := os.Symlink("/dev/zero", path); err != nil {
				t.Fatal(err)
			}
		}, want: "device"},
		"huge": {make: func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, maxSettings+1); err != nil {
				t.Fatal(err)
			}
		}, want: "more than"},
		"a link in a circle": {make: func(t *testing.T, path string) {
			if err := os.Symlink(path, path); err != nil {
				t.Fatal(err)
			}
		}, want: "symbolic links"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			c.make(t, path)
			_, err := LoadSettings(SettingsInput{File: path})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v should name %s and say %q", err, path, c.want)
			}
		})
	}
}

func TestPathsWithoutHome(t *testing.T) {
	if _, err := LoadSettings(SettingsInput{}); err != nil {
		t.Errorf("settings without a home: %v", err)
	}
	if got := SettingsFile(nil, ""); got != "" {
		t.Errorf("settings file without a home: %q", got)
	}
	if got := StateDir(nil, ""); got != "" {
		t.Errorf("state folder without a home: %q", got)
	}
	relative := []string{"XDG_STATE_HOME=state"}
	if got, want := StateDir(relative, "/home/u"), "/home/u/.local/state/hermes-sandbox"; got != want {
		t.Errorf("relative XDG_STATE_HOME: got %q, want %q", got, want)
	}
	absolute := []string{"XDG_STATE_HOME=/state"}
	if got, want := StateDir(absolute, ""), "/state/hermes-sandbox"; got != want {
		t.Errorf("absolute XDG_STATE_HOME: got %q, want %q", got, want)
	}
}

func TestSettingsSourcesNameTheWinner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte("theme: a\nsort: a\negress: {image: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := LoadSettings(SettingsInput{
		File: path, Environ: []string{"HERMES_SANDBOX_SORT=b"}, Flags: map[string]any{"ascii": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"theme": path, "sort": "HERMES_SANDBOX_SORT", "egress.image": path, "ascii": "flag"}
	if diff := cmp.Diff(want, got.Sources); diff != "" {
		t.Errorf("sources differ (-want +got):\n%s", diff)
	}
	if got.File != path {
		t.Errorf("file %q", got.File)
	}
}

// FuzzSettings feeds arbitrary files and variables: every outcome is settings
// or an ErrSettings whose text is safe to show.
func FuzzSettings(f *testing.F) {
	f.Add("theme: a\negress: {ports: [1]}\n", "COLUMNS", "a,b")
	f.Add("engines: [{host: a}, {context: \"\\e[31m\"}]\n", "ENGINES", "[{host: b}]")
	f.Add("&a theme: *a\n? {a: b}\n: c\n", "EGRESS__PORTS", "[1, x]")
	f.Add("\"\\u202e\": 1\n", "\x1b", "!!binary x")
	f.Fuzz(func(t *testing.T, file, name, value string) {
		path := filepath.Join(t.TempDir(), "s.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := LoadSettings(SettingsInput{File: path, Environ: []string{envPrefix + name + "=" + value}})
		if err == nil {
			if got.ConfirmAbove < 0 || got.StatsInterval < time.Second {
				t.Errorf("values that were not checked: %+v", got)
			}
			return
		}
		if !errors.Is(err, ErrSettings) {
			t.Errorf("error %v is no ErrSettings", err)
		}
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return r != '\n' && !model.Printable(r) }) {
			t.Errorf("error %q is not safe to show", err)
		}
	})
}
