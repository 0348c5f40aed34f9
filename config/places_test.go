package config

import "testing"

func TestPlacesOfEverySystem(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		goos, home string
		env        environment
		settings   string
		state      string
	}{
		"linux": {
			goos: "linux", home: "/home/ada",
			settings: "/home/ada/.config/hermes-sandbox/config.yaml", state: "/home/ada/.local/state/hermes-sandbox",
		},
		"macOS": {
			goos: "darwin", home: "/Users/ada/",
			settings: "/Users/ada/.config/hermes-sandbox/config.yaml", state: "/Users/ada/.local/state/hermes-sandbox",
		},
		"XDG": {
			goos: "darwin", home: "/Users/ada", env: environment{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"},
			settings: "/c/hermes-sandbox/config.yaml", state: "/s/hermes-sandbox",
		},
		"XDG that is not absolute": {
			goos: "linux", home: "/home/ada", env: environment{"XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": `C:\s`},
			settings: "/home/ada/.config/hermes-sandbox/config.yaml", state: "/home/ada/.local/state/hermes-sandbox",
		},
		"no home": {goos: "linux"},
		"Windows": {
			goos: "windows", home: `C:\Users\ada`, env: environment{"APPDATA": `C:\Users\ada\AppData\Roaming`, "LOCALAPPDATA": `C:\Users\ada\AppData\Local`},
			settings: `C:\Users\ada\AppData\Roaming\hermes-sandbox\config.yaml`, state: `C:\Users\ada\AppData\Local\hermes-sandbox`,
		},
		"Windows with XDG": {
			goos: "windows", home: `C:\Users\ada`, env: environment{"XDG_CONFIG_HOME": "D:/c", "XDG_STATE_HOME": `\\server\s`, "APPDATA": `C:\a`},
			settings: `D:/c\hermes-sandbox\config.yaml`, state: `\\server\s\hermes-sandbox`,
		},
		"Windows with Unix paths": {
			goos: "windows", home: `C:\Users\ada`, env: environment{"XDG_CONFIG_HOME": "/c", "APPDATA": "a", "LOCALAPPDATA": "C:a"},
			settings: `C:\Users\ada\.config\hermes-sandbox\config.yaml`, state: `C:\Users\ada\.local\state\hermes-sandbox`,
		},
		"other systems know no APPDATA": {
			goos: "linux", home: "/home/ada", env: environment{"APPDATA": "/a", "LOCALAPPDATA": "/l"},
			settings: "/home/ada/.config/hermes-sandbox/config.yaml", state: "/home/ada/.local/state/hermes-sandbox",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := places{goos: c.goos, env: c.env, userHome: c.home}
			settings := p.below(p.base("XDG_CONFIG_HOME", "APPDATA", ".config"), appDir, "config.yaml")
			state := p.below(p.base("XDG_STATE_HOME", "LOCALAPPDATA", ".local", "state"), appDir)
			if settings != c.settings || state != c.state {
				t.Errorf("settings %q, want %q; state %q, want %q", settings, c.settings, state, c.state)
			}
		})
	}
}

func TestHomeOfEverySystem(t *testing.T) {
	t.Parallel()
	env := environment{"USERPROFILE": `C:\Users\ada`}
	if got := (places{goos: "windows", env: env}).home(); got != `C:\Users\ada` {
		t.Errorf("Windows without HOME: %q", got)
	}
	if got := (places{goos: "linux", env: env}).home(); got != "" {
		t.Errorf("Linux without HOME: %q", got)
	}
	env["HOME"] = "/home/ada"
	if got := (places{goos: "windows", env: env}).home(); got != "/home/ada" {
		t.Errorf("HOME does not count: %q", got)
	}
}
