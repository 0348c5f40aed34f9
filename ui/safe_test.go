package ui

import "testing"

func TestHomePath(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ home, path, want string }{
		"below":           {"/home/ada", "/home/ada/.hermes", "~/.hermes"},
		"itself":          {"/home/ada/", "/home/ada", "~"},
		"beside":          {"/home/ada", "/home/adam/.hermes", "/home/adam/.hermes"},
		"elsewhere":       {"/home/ada", "/srv/hermes", "/srv/hermes"},
		"no home":         {"", "/srv/hermes", "/srv/hermes"},
		"root as home":    {"/", "/srv/hermes", "/srv/hermes"},
		"Windows":         {`C:\Users\ada`, `C:\Users\ada\.hermes`, `~\.hermes`},
		"control in path": {"/home/ada", "/home/ada/\x1b[2J", `~/\x1b[2J`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &Model{options: Options{UserHome: c.home}}
			if got := m.homePath(c.path); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestHomePathsInASentence(t *testing.T) {
	t.Parallel()
	m := &Model{options: Options{UserHome: "/home/ada"}}
	const text = "stays on the host: /home/ada/a, /home/adam/b, /srv/home/ada/c, /home/ada/d"
	if got, want := m.homePaths(text), "stays on the host: ~/a, /home/adam/b, /srv/home/ada/c, ~/d"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.options.UserHome = ""
	if got := m.homePaths(text); got != text {
		t.Errorf("without a home: %q", got)
	}
}
