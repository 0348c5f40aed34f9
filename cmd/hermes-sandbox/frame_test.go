package main

import (
	"strings"
	"testing"
)

func TestFrameIsASCIIWhereTheLocaleIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env   map[string]string
		ascii bool
	}{
		"no locale":        {nil, false},
		"C":                {map[string]string{"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, true},
		"POSIX":            {map[string]string{"LANG": "POSIX"}, true},
		"Latin 1":          {map[string]string{"LC_CTYPE": "de_DE.ISO-8859-15@euro", "LANG": "de_DE.UTF-8"}, true},
		"UTF-8":            {map[string]string{"LANG": "en_US.UTF-8"}, false},
		"C in UTF-8":       {map[string]string{"LC_ALL": "C.utf8"}, false},
		"no character set": {map[string]string{"LANG": "en_US"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			for key, value := range c.env {
				b.env[key] = value
			}
			got := b.run(t, "frame")
			plain := strings.IndexFunc(got.stdout, func(r rune) bool { return r > 0x7e }) < 0
			if got.code != exitDone || plain != c.ascii {
				t.Errorf("exit %d, ASCII alone: %v\n%s", got.code, plain, got.stdout)
			}
		})
	}
}

func TestFrameWaitsForWhatItsKeysAskFor(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"9": `"HostConfig"`, "6": "written by the sandbox"} {
		b := newBench(t)
		b.box(t, "written by the sandbox")
		got := b.run(t, "frame", "--width", "160", "--height", "400", "--keys", "/hermes-00c0ffee<enter>G"+keys)
		if got.code != exitDone || !strings.Contains(got.stdout, want) {
			t.Errorf("with %s, exit %d: %s", keys, got.code, got.stdout)
		}
	}
}
