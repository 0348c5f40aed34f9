package edit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/config/filetest"
	"hermes-sandbox/config/safefile"
)

func args() []string { return []string{"terminal", "docker_extra_args"} }

// outcome is what an edit of a text gives: the new text, or "refused".
func outcome(t *testing.T, before string, change func(*File) (Edit, error)) string {
	t.Helper()
	edit, err := change(read(t, before))
	if errors.Is(err, ErrShape) {
		return "refused"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(edit.After)
}

func TestSetString(t *testing.T) {
	proxy := []string{"terminal", "docker_env", "HTTP_PROXY"}
	cases := map[string]struct{ before, value, after string }{
		"everything missing":      {"", "http://p:1", "terminal:\n  docker_env:\n    HTTP_PROXY: \"http://p:1\"\n"},
		"block missing":           {"terminal:\n  a: 1\n", "x", "terminal:\n  docker_env:\n    HTTP_PROXY: \"x\"\n  a: 1\n"},
		"in a block":              {"terminal:\n  docker_env:\n    A: b\n", "x", "terminal:\n  docker_env:\n    HTTP_PROXY: \"x\"\n    A: b\n"},
		"in braces":               {"terminal:\n  docker_env: {A: b}\n", "x", "terminal:\n  docker_env: {HTTP_PROXY: \"x\", A: b}\n"},
		"in empty braces":         {"terminal:\n  docker_env: {}\n", "x", "terminal:\n  docker_env:\n    HTTP_PROXY: \"x\"\n"},
		"overwritten":             {"terminal:\n  docker_env:\n    HTTP_PROXY: old # c\n", "x", "terminal:\n  docker_env:\n    HTTP_PROXY: \"x\" # c\n"},
		"a word stays a text":     {"", "on", "terminal:\n  docker_env:\n    HTTP_PROXY: \"on\"\n"},
		"quotes and backslashes":  {"", `a"\b`, "terminal:\n  docker_env:\n    HTTP_PROXY: \"a\\\"\\\\b\"\n"},
		"a control character":     {"", "a\x1b", "refused"},
		"a line end":              {"", "a\n", "refused"},
		"text that is no UTF-8":   {"", "a\xff", "refused"},
		"the block is JSON text":  {"terminal:\n  docker_env: '{}'\n", "x", "refused"},
		"equal as text, no quote": {"terminal:\n  docker_env: {HTTP_PROXY: x}\n", "x", "terminal:\n  docker_env: {HTTP_PROXY: x}\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := outcome(t, c.before, func(f *File) (Edit, error) { return f.SetString(proxy, c.value) })
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Errorf("contents differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKeysThatNeedQuotes(t *testing.T) {
	for name, want := range map[string]string{
		"A": "A", "on": `"on"`, "1": `"1"`, "a b": `"a b"`, "-a": `"-a"`, "": `""`, "é": `"é"`, "a:": `"a:"`, "null": `"null"`, "\n": "",
	} {
		if got := keyText(name); got != want {
			t.Errorf("%q is written %s, want %s", name, got, want)
		}
	}
	file := read(t, "")
	for _, path := range [][]string{nil, {"a", "\x1b"}, {"<<"}} {
		if _, err := file.SetBool(path, true); !errors.Is(err, ErrShape) {
			t.Errorf("path %q: error %v", path, err)
		}
	}
}

func TestAddToList(t *testing.T) {
	cases := map[string]struct{ before, after string }{
		"missing":             {"terminal:\n  a: 1\n", "terminal:\n  docker_extra_args: [\"--x\", \"y z\"]\n  a: 1\n"},
		"null":                {"terminal:\n  docker_extra_args: # none\n", "terminal:\n  docker_extra_args: [\"--x\", \"y z\"] # none\n"},
		"empty":               {"terminal:\n  docker_extra_args: [] # c\n", "terminal:\n  docker_extra_args: [\"--x\", \"y z\"] # c\n"},
		"flow":                {"terminal:\n  docker_extra_args: [a, 2]\n", "terminal:\n  docker_extra_args: [\"--x\", \"y z\", a, 2]\n"},
		"flow over lines":     {"terminal:\n  docker_extra_args: [\n    a, # c\n  ]\n", "terminal:\n  docker_extra_args: [\"--x\", \"y z\", \n    a, # c\n  ]\n"},
		"block":               {"terminal:\n  docker_extra_args: # c\n    # above\n    - a\n    - b\n  z: 1\n", "terminal:\n  docker_extra_args: # c\n    - \"--x\"\n    - \"y z\"\n    # above\n    - a\n    - b\n  z: 1\n"},
		"block, not indented": {"terminal:\n  docker_extra_args:\n  - a\n  z: 1\n", "terminal:\n  docker_extra_args:\n  - \"--x\"\n  - \"y z\"\n  - a\n  z: 1\n"},
		"carriage returns":    {"terminal:\r\n  docker_extra_args:\r\n  - a\r\n", "terminal:\r\n  docker_extra_args:\r\n  - \"--x\"\r\n  - \"y z\"\r\n  - a\r\n"},
		"alias":               {"x: &x [a]\nterminal:\n  docker_extra_args: *x\n", "x: &x [a]\nterminal:\n  docker_extra_args: [\"--x\", \"y z\", \"a\"]\n"},
		"merge":               {"x: &x {docker_extra_args: [a]}\nterminal:\n  <<: *x\n", "x: &x {docker_extra_args: [a]}\nterminal:\n  docker_extra_args: [\"--x\", \"y z\", \"a\"]\n  <<: *x\n"},
		"alias with numbers":  {"x: &x [1]\nterminal:\n  docker_extra_args: *x\n", "refused"},
		"anchored and used":   {"terminal:\n  docker_extra_args: &x [a]\nx: *x\n", "refused"},
		"JSON text":           {"terminal:\n  docker_extra_args: '[]'\n", "refused"},
		"a block":             {"terminal:\n  docker_extra_args: {a: 1}\n", "refused"},
		"first entry is null": {"terminal:\n  docker_extra_args:\n  -\n  - a\n", "terminal:\n  docker_extra_args:\n  - \"--x\"\n  - \"y z\"\n  -\n  - a\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := outcome(t, c.before, func(f *File) (Edit, error) { return f.AddToList(args(), "--x", "y z") })
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Errorf("contents differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRemoveFromList(t *testing.T) {
	cases := map[string]struct {
		before, after string
		values        []string
	}{
		"block, first":           {"terminal:\n  docker_extra_args:\n  - x # mine\n  # of a\n  - a\n", "terminal:\n  docker_extra_args:\n  # of a\n  - a\n", []string{"x"}},
		"block, last, no end":    {"terminal:\n  docker_extra_args:\n  - a\n  - 'x'", "terminal:\n  docker_extra_args:\n  - a\n", []string{"x"}},
		"block, two":             {"terminal:\n  docker_extra_args:\n  - x\n  - a\n  - y\n", "terminal:\n  docker_extra_args:\n  - a\n", []string{"x", "y"}},
		"flow, first":            {"terminal: {docker_extra_args: [\"x\", a]}\n", "terminal: {docker_extra_args: [a]}\n", []string{"x"}},
		"flow, last":             {"terminal: {docker_extra_args: [a, \"x\" ]}\n", "terminal: {docker_extra_args: [a ]}\n", []string{"x"}},
		"flow, middle":           {"terminal: {docker_extra_args: [a, x, b]}\n", "terminal: {docker_extra_args: [a, b]}\n", []string{"x"}},
		"equal ones, the first":  {"terminal:\n  docker_extra_args: [x, a, x]\n", "terminal:\n  docker_extra_args: [a, x]\n", []string{"x"}},
		"not there":              {"terminal:\n  docker_extra_args: [a]\n", "terminal:\n  docker_extra_args: [a]\n", []string{"x"}},
		"no list":                {"a: 1\n", "a: 1\n", []string{"x"}},
		"a number is not a text": {"terminal:\n  docker_extra_args: [a, 2]\n", "terminal:\n  docker_extra_args: [a, 2]\n", []string{"2"}},
		"all, the key goes":      {"terminal:\n  a: 1\n  docker_extra_args: # c\n  - x\n  - y\n  # of b\n  b: 2\n", "terminal:\n  a: 1\n  # of b\n  b: 2\n", []string{"x", "y"}},
		"folded over two lines":  {"terminal:\n  docker_extra_args:\n  - a\n  - >-\n    x\n    y\n", "refused", []string{"x y"}},
		"over two lines":         {"terminal:\n  docker_extra_args:\n  - a\n  - \"x\n    y\"\n", "terminal:\n  docker_extra_args:\n  - a\n", []string{"x y"}},
		"through an alias":       {"x: &x [x, a]\nterminal:\n  docker_extra_args: *x\n", "refused", []string{"x"}},
		"anchored and used":      {"terminal:\n  docker_extra_args: &x [x, a]\nx: *x\n", "refused", []string{"x"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := outcome(t, c.before, func(f *File) (Edit, error) { return f.RemoveFromList(args(), c.values...) })
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Errorf("contents differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	cases := map[string]struct{ before, after string }{
		"between others":       {"terminal:\n  a: 1\n  docker_network: true # mine\n  # of b\n  b: 2\n", "terminal:\n  a: 1\n  # of b\n  b: 2\n"},
		"the last of the file": {"terminal:\n  a: 1\n  docker_network: true", "terminal:\n  a: 1\n"},
		"without value":        {"terminal:\n  docker_network:\n  b: 2\n", "terminal:\n  b: 2\n"},
		"alone in its section": {"terminal: # c\n  docker_network: true\nb: 2\n", "terminal: {} # c\nb: 2\n"},
		"twice":                {"terminal:\n  docker_network: true\n  a: 1\n  docker_network: no\n", "terminal:\n  a: 1\n"},
		"braces, first":        {"terminal: {docker_network: true, a: 1}\n", "terminal: {a: 1}\n"},
		"braces, last":         {"terminal: {a: [1, 2], docker_network: true}\n", "terminal: {a: [1, 2]}\n"},
		"braces, alone":        {"terminal: {docker_network: true}\n", "terminal: {}\n"},
		"over lines":           {"terminal:\n  docker_network: |\n    a\n    b\n  b: 2\n", "terminal:\n  b: 2\n"},
		"a block":              {"terminal:\n  docker_network:\n    a:\n    - b\n    - c: 1\n      d: {e: f}\n  b: 2\n", "terminal:\n  b: 2\n"},
		"missing":              {"a: 1\n", "a: 1\n"},
		"through a merge":      {"x: &x {docker_network: true}\nterminal:\n  <<: *x\n", "refused"},
		"over a merge":         {"x: &x {docker_network: true}\nterminal:\n  <<: *x\n  docker_network: no\n", "refused"},
		"anchored and used":    {"terminal:\n  docker_network: &x true\nx: *x\n", "refused"},
		"byte order mark":      {"\ufeffdocker: 1\nterminal: {a: 1, docker_network: true}\n", "\ufeffdocker: 1\nterminal: {a: 1}\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := outcome(t, c.before, func(f *File) (Edit, error) { return f.Unset(network()) })
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Errorf("contents differ (-want +got):\n%s", diff)
			}
		})
	}
	got := outcome(t, "\ufeffa: 1\n", func(f *File) (Edit, error) { return f.Unset([]string{"a"}) })
	if got != "\ufeff" {
		t.Errorf("the only key of a file: %q", got)
	}
}

func TestEditSaysWhatChanges(t *testing.T) {
	edit, err := read(t, "a: 1\napi_key: s3cret\nterminal:\n  docker_network: \"on\" # \u202e\n  TOKEN: \"x: y\"\nlast: 1").SetBool(network(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := "@@ -1,6 +1,6 @@\n a: 1\n api_key: ***\n terminal:\n" +
		"-  docker_network: \"on\" # \\u202e\n+  docker_network: false # \\u202e\n   TOKEN: ***\n last: 1\n\\ no line end at the end of the file\n"
	if _, hunk, _ := strings.Cut(edit.Diff, "+++ "+edit.Path+"\n"); hunk != want {
		t.Errorf("diff:\n%s\nwant:\n%s", edit.Diff, want)
	}
	if edit.From != `"on"` || edit.To != "false" {
		t.Errorf("from %s to %s", edit.From, edit.To)
	}
	if back := edit.Reverse(); back.From != "false" || !strings.Contains(back.Diff, "+  docker_network: \"on\"") {
		t.Errorf("taken back: from %s, diff\n%s", back.From, back.Diff)
	}
	edit, err = read(t, "").SetBool(network(), true)
	if err != nil || edit.From != "" || !strings.Contains(edit.Diff, "@@ -0,0 +1,2 @@\n+terminal:\n+  docker_network: true\n") {
		t.Errorf("a new file: from %q, error %v, diff\n%s", edit.From, err, edit.Diff)
	}
}

func TestWrittenFollowsMerges(t *testing.T) {
	file := read(t, "x: &x {docker_network: yes}\nterminal:\n  <<: *x\n  a: 'b'\n  l: [1]\n")
	for path, want := range map[string]string{"docker_network": "yes", "a": "'b'", "l": "a list or block"} {
		if got, there := file.Written([]string{"terminal", path}); got != want || !there {
			t.Errorf("%s is written %q", path, got)
		}
	}
	if got, there := file.Written([]string{"terminal", "none"}); got != "" || there {
		t.Errorf("an absent key is written %q", got)
	}
}

// lock plans a lock of the file at path.
func lock(t *testing.T, path string) Edit {
	t.Helper()
	file, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	edit, err := file.SetBool(network(), false)
	if err != nil {
		t.Fatal(err)
	}
	return edit
}

func TestApplyRefusesWhatChanged(t *testing.T) {
	text := "terminal: {docker_network: true}\n"
	cases := map[string]struct {
		meanwhile func(t *testing.T, path string)
		want      error
	}{
		"other contents": {func(t *testing.T, path string) { overwrite(t, path, text+"a: 1\n") }, ErrChanged},
		"same size":      {func(t *testing.T, path string) { overwrite(t, path, strings.ReplaceAll(text, "true", "yes ")) }, ErrChanged},
		"removed": {func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, ErrChanged},
		"a link elsewhere": {func(t *testing.T, path string) {
			if err := os.Rename(path, path+".moved"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path+".moved", path); err != nil {
				t.Fatal(err)
			}
		}, ErrChanged},
		"a second name": {func(t *testing.T, path string) {
			if err := os.Link(path, path+".second"); err != nil {
				t.Fatal(err)
			}
		}, ErrShape},
		"the same contents again": {func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			overwrite(t, path, text)
		}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := write(t, text)
			edit := lock(t, path)
			c.meanwhile(t, path)
			if err := edit.Apply(t.Context(), t.TempDir()); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			data, err := os.ReadFile(path)
			if written := err == nil && string(data) == string(edit.After); written != (c.want == nil) {
				t.Errorf("written: %v; the file holds %q", written, data)
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lateWriter is a context that changes the file once the new contents are
// staged beside it, between the two looks that Apply takes.
type lateWriter struct {
	context.Context
	t    *testing.T
	path string
	late *bool
}

func (w lateWriter) Err() error {
	staged, err := filepath.Glob(filepath.Join(filepath.Dir(w.path), ".*.tmp"))
	if err != nil {
		w.t.Error(err)
	}
	if len(staged) > 0 {
		*w.late = true
		overwrite(w.t, w.path, "a: late\n")
	}
	return w.Context.Err()
}

func TestApplyNoticesAChangeAfterStaging(t *testing.T) {
	for name, text := range map[string]string{"a file": "terminal: {docker_network: true}\n", "no file": ""} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if text != "" {
				overwrite(t, path, text)
			}
			edit := lock(t, path)
			late := false
			err := edit.Apply(lateWriter{t.Context(), t, path, &late}, t.TempDir())
			if !late || !errors.Is(err, ErrChanged) {
				t.Errorf("the file was changed late: %v; error %v", late, err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != "a: late\n" {
				t.Errorf("the file holds %q, error %v", data, err)
			}
		})
	}
}

func TestApplyMakesAMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	edit, other := lock(t, path), lock(t, path)
	if err := edit.Apply(t.Context(), "/nowhere"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	overwrite(t, path, "a: 1\n")
	if err := other.Apply(t.Context(), "/nowhere"); !errors.Is(err, ErrChanged) {
		t.Errorf("over a file made meanwhile: %v", err)
	}
}

func TestApplyStopsBeforeWriting(t *testing.T) {
	text := "terminal: {docker_network: true}\n"
	path := write(t, text)
	edit := lock(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := edit.Apply(ctx, t.TempDir()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := edit.Apply(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("written without a backup")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("the file holds %q, error %v", data, err)
	}
}

func TestApplyWaitsForAWritingHermes(t *testing.T) {
	path := write(t, "terminal: {docker_network: true}\n")
	edit := lock(t, path)
	unlock, err := safefile.Lock(t.Context(), path+".lock", true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := edit.Apply(ctx, t.TempDir()); !errors.Is(err, safefile.ErrLocked) {
		t.Errorf("written beside another writer: %v", err)
	}
	unlock()
	if err := edit.Apply(t.Context(), t.TempDir()); err != nil {
		t.Errorf("after the other writer: %v", err)
	}
}

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	lost := filepath.Join(dir, "lost")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), lost); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	filetest.Pipe(t, pipe)
	for name, path := range map[string]string{"a folder": dir, "a lost link": lost, "a pipe": pipe} {
		if _, err := Read(path); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestRealisticFile toggles the switch in a long file and checks that nothing
// but its line differs.
func TestRealisticFile(t *testing.T) {
	before, err := os.ReadFile(filepath.Join("testdata", "realistic.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	edit, err := read(t, string(before)).SetBool(network(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(string(before), "docker_network: yes   # full egress", "docker_network: false   # full egress", 1)
	if diff := cmp.Diff(want, string(edit.After)); diff != "" {
		t.Errorf("contents differ (-want +got):\n%s", diff)
	}
}

// TestThenFolds makes several edits of one file as one: whatever fails, the file
// never stands half way between two positions.
func TestThenFolds(t *testing.T) {
	const before = "terminal:\n  docker_network: false # closed\n  docker_extra_args:\n    - --cpus=2\n"
	file := read(t, before)
	whole := func(change Edit, err error) Edit {
		t.Helper()
		if err == nil {
			file, err = file.Then(change)
		}
		if err != nil {
			t.Fatal(err)
		}
		return change
	}
	whole(file.SetBool([]string{"terminal", "docker_network"}, true))
	whole(file.AddToList(args(), "--network=x"))
	last := whole(file.SetString([]string{"terminal", "docker_env", "HTTP_PROXY"}, "http://p:1"))
	const after = "terminal:\n  docker_env:\n    HTTP_PROXY: \"http://p:1\"\n  docker_network: true # closed\n  docker_extra_args:\n    - \"--network=x\"\n    - --cpus=2\n"
	if string(last.Before) != before || string(last.After) != after {
		t.Errorf("from\n%s\nto\n%s", last.Before, last.After)
	}
	for _, line := range []string{"-  docker_network: false", "+    HTTP_PROXY", "+    - \"--network=x\""} {
		if !strings.Contains(last.Diff, line) {
			t.Errorf("the difference lacks %q:\n%s", line, last.Diff)
		}
	}
	if err := last.Apply(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(last.Path); err != nil || string(data) != after {
		t.Errorf("written\n%s\n%v", data, err)
	}
}

func TestSetList(t *testing.T) {
	path := []string{"terminal", "list"}
	cases := map[string]struct{ before, after string }{
		"missing":      {"terminal:\n  a: 1\n", "terminal:\n  list: [\"x\", \"y\"]\n  a: 1\n"},
		"in one line":  {"terminal:\n  list: [a] # c\n", "terminal:\n  list: [\"x\", \"y\"] # c\n"},
		"line by line": {"terminal:\n  list:\n    - a\n    - b\n  z: 1\n", "terminal:\n  list: [\"x\", \"y\"]\n  z: 1\n"},
		"the same":     {"terminal:\n  list:\n    - x\n    - y\n", "terminal:\n  list:\n    - x\n    - y\n"},
		"a text":       {"terminal:\n  list: abc\n", "terminal:\n  list: [\"x\", \"y\"]\n"},
		"shared":       {"a: &l [b]\nterminal:\n  list: *l\n", "a: &l [b]\nterminal:\n  list: [\"x\", \"y\"]\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := outcome(t, c.before, func(f *File) (Edit, error) { return f.SetList(path, []string{"x", "y"}) })
			if diff := cmp.Diff(c.after, got); diff != "" {
				t.Errorf("contents differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTexts(t *testing.T) {
	file := read(t, "terminal:\n  docker_extra_args: [a, 1, \"b c\", [d]]\n  other: x\n")
	if diff := cmp.Diff([]string{"a", "b c"}, file.Texts(args())); diff != "" {
		t.Errorf("texts differ (-want +got):\n%s", diff)
	}
	if got := file.Texts([]string{"terminal", "other"}); got != nil {
		t.Errorf("a text has the entries %q", got)
	}
}

func TestDiffShowsWhatChangesAndNoSecret(t *testing.T) {
	const before = "terminal:\n  backend: docker\n  docker_env: {API_KEY: hunter2, A: b}\n  docker_extra_args:\n    - \"--env=DB_PASSWORD=hunter2\"\n" +
		"    - --cpus=2\nmodel: x\n"
	file := read(t, before)
	change, err := file.SetString([]string{"terminal", "docker_env", "HTTP_PROXY"}, "http://p:1")
	if err != nil {
		t.Fatal(err)
	}
	if file, err = file.Then(change); err != nil {
		t.Fatal(err)
	}
	if change, err = file.AddToList(args(), "--network=x"); err != nil {
		t.Fatal(err)
	}
	const want = ` terminal:
   backend: docker
-  docker_env: {API_KEY: *** A: b}
+  docker_env: {HTTP_PROXY: "http://p:1", API_KEY: *** A: b}
   docker_extra_args:
+    - "--network=x"
     - "--env=DB_PASSWORD=***"
     - --cpus=2
 model: x
`
	_, got, _ := strings.Cut(change.Diff, "@@ -1,7 +1,8 @@\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the difference differs (-want +got):\n%s\n%s", diff, change.Diff)
	}
}
