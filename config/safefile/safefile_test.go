package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sandbox/config/filetest"
)

func TestReadTakesOnlySmallRegularFiles(t *testing.T) {
	cases := map[string]struct {
		make func(t *testing.T, path string)
		want error
	}{
		"at the limit":   {make: func(t *testing.T, path string) { write(t, path, "1234") }},
		"over the limit": {make: func(t *testing.T, path string) { write(t, path, "12345") }, want: ErrTooLarge},
		"missing":        {make: func(*testing.T, string) {}, want: fs.ErrNotExist},
		"a folder": {make: func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, want: ErrNotRegular},
		"a pipe": {make: func(t *testing.T, path string) {
			filetest.Pipe(t, path)
		}, want: ErrNotRegular},
		"a link to a device": {make: func(t *testing.T, path string) {
			if err := os.Symlink("/dev/zero", path); err != nil {
				t.Fatal(err)
			}
		}, want: ErrNotRegular},
		"a link to a file": {make: func(t *testing.T, path string) {
			write(t, path+".target", "1234")
			if err := os.Symlink(path+".target", path); err != nil {
				t.Fatal(err)
			}
		}},
		// Files of /proc say that they are empty.
		"longer than it says": {make: func(t *testing.T, path string) {
			if err := os.Symlink("/proc/self/status", path); err != nil {
				t.Fatal(err)
			}
		}, want: ErrTooLarge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			c.make(t, path)
			data, err := Read(path, 4)
			if !errors.Is(err, c.want) {
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if c.want == nil && string(data) != "1234" {
				t.Errorf("data %q", data)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReplaceLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "two"} {
		if err := Replace(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("data %q, error %v", data, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if err := Replace(filepath.Join(dir, "missing", "f"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(filepath.Join(dir, "folder"), nil, 0o600); err == nil {
		t.Error("replaced a folder")
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("left behind: %v, error %v", names, err)
	}
}

func TestDisplayKeepsTheChain(t *testing.T) {
	_, err := Read("/nowhere/\x1b[2J", 1)
	shown := Display(err)
	if !errors.Is(shown, fs.ErrNotExist) || strings.ContainsRune(shown.Error(), 0x1b) || !strings.Contains(shown.Error(), `\x1b[2J`) {
		t.Errorf("shown as %q", shown)
	}
	if Display(nil) != nil {
		t.Error("no error became one")
	}
}
