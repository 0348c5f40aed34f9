package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSanitize(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ value, want string }{
		"nothing":                  {"", "unknown"},
		"safe characters":          {"Az09_.-", "Az09_.-"},
		"one underscore per rune":  {"日本-é", "__-_"},
		"one underscore per byte":  {"a\xff\xfeb", "a__b"},
		"no trimming":              {" a ", "_a_"},
		"task of a profile":        {"profile:work", "profile_work"},
		"task of a home":           {"home:/srv/bot", "home__srv_bot"},
		"cut at 63":                {strings.Repeat("a", 64), strings.Repeat("a", 63)},
		"exactly 63":               {strings.Repeat("b", 63), strings.Repeat("b", 63)},
		"cut counts runes":         {strings.Repeat("é", 70), strings.Repeat("_", 63)},
		"escape sequence":          {"\x1b[2J", "__2J"},
		"emoji is one code point":  {"🏳a", "_a"},
		"combining marks count on": {"e\u0301", "e_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Sanitize(test.value); got != test.want {
				t.Errorf("Sanitize(%q) = %q, want %q", test.value, got, test.want)
			}
		})
	}
}

func TestDirName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ task, want string }{
		"nothing":             {"", "default"},
		"default":             {"default", "default"},
		"profile":             {"profile:work", "profile_work-ccca98e57b69"},
		"colon":               {"a:b", "a_b-6783a31eabf6"},
		"underscore verbatim": {"a_b", "a_b"},
		"session": {
			"session:agent:main:telegram:dm:123",
			"session_agent_main_telegram_dm_123-246d32470fb7",
		},
		"dot":                 {".", "task-" + digest(".", 12)},
		"dots":                {"..", "task-" + digest("..", 12)},
		"dot at the end":      {"a.", "a-" + digest("a.", 12)},
		"space at the end":    {"a ", "a-" + digest("a ", 12)},
		"128 are plain":       {strings.Repeat("a", 128), strings.Repeat("a", 128)},
		"129 are cut":         {strings.Repeat("a", 129), strings.Repeat("a", 115) + "-" + digest(strings.Repeat("a", 129), 12)},
		"cut before stripped": {strings.Repeat("a", 114) + "." + strings.Repeat("b", 20), strings.Repeat("a", 114) + "-" + digest(strings.Repeat("a", 114)+"."+strings.Repeat("b", 20), 12)},
		"nothing is left":     {":::", "task-" + digest(":::", 12)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := DirName(test.task); got != test.want {
				t.Errorf("DirName(%q) = %q, want %q", test.task, got, test.want)
			}
		})
	}
}

func TestSharedIdentity(t *testing.T) {
	t.Parallel()
	// The digests are those of sha256sum.
	for name, test := range map[string]struct{ key, want string }{
		"plain":     {"team", "team-ca8b22d0db83"},
		"unsafe":    {"a b", "a_b-c8687a08aa5d"},
		"cut at 50": {strings.Repeat("k", 60), strings.Repeat("k", 50) + "-5908256d51f5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := SharedIdentity(test.key)
			if got != test.want {
				t.Errorf("SharedIdentity(%q) = %q, want %q", test.key, got, test.want)
			}
			if !sharedLabel(got) {
				t.Errorf("%q is not recognised as a shared identity", got)
			}
		})
	}
}

func TestEgressHash(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allowlist []string
		want      string
	}{
		"empty denies all":   {nil, "e3b0c44298"},
		"one":                {[]string{"pypi.org"}, "a4aa2ac280"},
		"two":                {[]string{"github.com", "pypi.org"}, "b9ca2e323c"},
		"order":              {[]string{"pypi.org", "github.com"}, "b9ca2e323c"},
		"case and blanks":    {[]string{" PyPI.org\t", "", "  ", "GITHUB.com"}, "b9ca2e323c"},
		"blank entries only": {[]string{"", " "}, "e3b0c44298"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := EgressHash(test.allowlist); got != test.want {
				t.Errorf("EgressHash(%q) = %s, want %s", test.allowlist, got, test.want)
			}
		})
	}
	if EgressHash([]string{"a", "a"}) == EgressHash([]string{"a"}) {
		t.Error("a repeated entry does not change the hash, though nothing folds it")
	}
}

func TestMembership(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		labels map[string]string
		want   bool
	}{
		"one":         {map[string]string{"hermes-agent": "1"}, true},
		"other value": {map[string]string{"hermes-agent": "true"}, false},
		"blank":       {map[string]string{"hermes-agent": ""}, false},
		"other case":  {map[string]string{"Hermes-Agent": "1"}, false},
		"none":        {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Member(postureLabels(test.labels)); got != test.want {
				t.Errorf("Member = %v, want %v", got, test.want)
			}
		})
	}
}

func FuzzLabels(f *testing.F) {
	for _, seed := range []string{"", "a", "a:b", "a_b", "é", "\xff", strings.Repeat("x", 130), "..", " . ", "profile:default:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		label := Sanitize(value)
		if label == "" || utf8.RuneCountInString(label) > 63 || strings.ContainsFunc(label, func(r rune) bool { return !safeRune(r) }) {
			t.Errorf("Sanitize(%q) = %q, which no label may be", value, label)
		}
		if again := Sanitize(label); again != label {
			t.Errorf("Sanitize is not idempotent: %q, then %q", label, again)
		}
		shared := SharedIdentity(value)
		if len(shared) > 63 || Sanitize(shared) != shared || !sharedLabel(shared) {
			t.Errorf("SharedIdentity(%q) = %q is no label", value, shared)
		}
		dir := DirName(value)
		if dir == "" || dir == "." || dir == ".." || len(dir) > 128 || strings.ContainsAny(dir, "/:\\ ") || strings.HasSuffix(dir, ".") {
			t.Errorf("DirName(%q) = %q is no directory name", value, dir)
		}
	})
}

func FuzzDirNameTellsTasksApart(f *testing.F) {
	f.Add("a:b", "a_b")
	f.Add("", "default")
	f.Add("profile:work", "profile_work-ccca98e57b69")
	f.Add(strings.Repeat("a", 129), strings.Repeat("a", 130))
	f.Fuzz(func(t *testing.T, a, b string) {
		// A task that is spelled as another one's directory meets it; that is
		// how Hermes has it.
		if a == b || a == "" || b == "" || DirName(a) == b || DirName(b) == a {
			return
		}
		if DirName(a) == DirName(b) {
			t.Errorf("tasks %q and %q share directory %q", a, b, DirName(a))
		}
	})
}
