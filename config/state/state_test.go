package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func open(t *testing.T) *State {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "state", "hermes-sandbox"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpenMakesAClosedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Path() != dir {
		t.Errorf("path %q", s.Path())
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder others may read should be closed: mode %v, error %v", info.Mode(), err)
	}
}

func TestOpenRefusesFoldersOthersControl(t *testing.T) {
	cases := map[string]struct {
		make func(t *testing.T, dir string)
		want error
	}{
		"writable for all":         {make: func(t *testing.T, dir string) { makeDir(t, dir, 0o777) }, want: ErrUnsafe},
		"writable for the group":   {make: func(t *testing.T, dir string) { makeDir(t, dir, 0o770) }, want: ErrUnsafe},
		"replaceable by all":       {make: func(t *testing.T, dir string) { makeDir(t, filepath.Dir(dir), 0o777) }, want: ErrUnsafe},
		"shared but sticky parent": {make: func(t *testing.T, dir string) { makeDir(t, filepath.Dir(dir), 0o777|os.ModeSticky) }},
		"owned by another": {make: func(t *testing.T, dir string) {
			makeDir(t, dir, 0o700)
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			if err := os.Chown(dir, 12345, -1); err != nil {
				t.Fatal(err)
			}
		}, want: ErrUnsafe},
		"a link made by another": {make: func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a link away")
			}
			if err := os.Symlink(t.TempDir(), dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Lchown(dir, 12345, -1); err != nil {
				t.Fatal(err)
			}
		}, want: ErrUnsafe},
		"a file": {make: func(t *testing.T, dir string) {
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, want: syscall.ENOTDIR},
		"a link of one's own": {make: func(t *testing.T, dir string) {
			target := filepath.Join(t.TempDir(), "elsewhere")
			makeDir(t, target, 0o700)
			if err := os.Symlink(target, dir); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "parent", "state")
			makeDir(t, filepath.Dir(dir), 0o700)
			c.make(t, dir)
			_, err := Open(dir)
			if c.want == nil && err != nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
	if _, err := Open(""); !errors.Is(err, ErrNoFolder) {
		t.Errorf("no folder: error %v", err)
	}
}

func makeDir(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
}

func TestFilesComeBackAndStayClosed(t *testing.T) {
	s := open(t)
	type record struct{ Names []string }
	var got record
	if err := s.Load("cuts.json", &got); err != nil || got.Names != nil {
		t.Fatalf("a missing file: %v, error %v", got, err)
	}
	want := record{Names: []string{"a", "\x1b[2J"}}
	if err := s.Save("cuts.json", want); err != nil {
		t.Fatal(err)
	}
	if err := s.Load("cuts.json", &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record differs (-want +got):\n%s", diff)
	}
	path := filepath.Join(s.Path(), "cuts.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	names, err := os.ReadDir(s.Path())
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, error %v", names, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Load("cuts.json", &got); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a damaged file: error %v should name it", err)
	}
}

func TestNamesCannotLeaveTheFolder(t *testing.T) {
	s := open(t)
	for _, name := range []string{"../x", "/x", "a/../../x", ""} {
		if err := s.Save(name, 1); err == nil {
			t.Errorf("saved %q", name)
		}
		if _, err := s.Folder(name); err == nil {
			t.Errorf("folder %q", name)
		}
	}
	dir, err := s.Folder("backups/x")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestSavingReplacesAPlantedLink(t *testing.T) {
	s := open(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(s.Path(), "x.json")); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("x.json", 1); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "precious" {
		t.Errorf("victim %q, error %v", data, err)
	}
}

func TestInterfaceIsRemembered(t *testing.T) {
	s := open(t)
	if got, err := s.Interface(); err != nil || got.Sort != "" {
		t.Fatalf("nothing yet: %v, error %v", got, err)
	}
	want := Interface{Sort: "age", Descending: true, Group: "posture", Columns: []string{"name"}, Wide: true, Theme: "night"}
	if err := s.SaveInterface(want); err != nil {
		t.Fatal(err)
	}
	got, err := s.Interface()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

// What would be too large to be loaded again does not replace what can be.
func TestWhatCannotBeLoadedIsNotSaved(t *testing.T) {
	t.Parallel()
	s, err := Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save("kept.json", "kept"); err != nil {
		t.Fatal(err)
	}
	if err := s.Save("kept.json", strings.Repeat("x", maxFile)); err == nil {
		t.Error("a file was saved that cannot be loaded")
	}
	var text string
	if err := s.Load("kept.json", &text); err != nil || text != "kept" {
		t.Errorf("loaded %q, %v", text, err)
	}
	if err := s.Save("kept.json", strings.Repeat("x", maxFile-3)); err != nil {
		t.Errorf("the largest that fits: %v", err)
	}
	if err := s.Load("kept.json", &text); err != nil {
		t.Errorf("the largest that fits: %v", err)
	}
}
