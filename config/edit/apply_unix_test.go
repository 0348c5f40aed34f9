//go:build unix

package edit

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestApplyKeepsModeOwnerLinkAndBackup(t *testing.T) {
	dir, backups := t.TempDir(), t.TempDir()
	real := filepath.Join(dir, "real.yaml")
	text := "terminal: {docker_network: true}\n"
	if err := os.WriteFile(real, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o644); err != nil {
		t.Fatal(err)
	}
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		uid, gid = 4321, 4322
		if err := os.Chown(real, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "config.yaml")
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Fatal(err)
	}
	edit := lock(t, link)
	if err := edit.Apply(t.Context(), backups); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != "real.yaml" {
		t.Errorf("the link leads to %q, error %v", target, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		t.Fatal(err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode().Perm() != 0o644 || int(stat.Uid) != uid || int(stat.Gid) != gid {
		t.Errorf("mode %v, owner %d:%d; want 0644, %d:%d", info.Mode(), stat.Uid, stat.Gid, uid, gid)
	}
	backup := filepath.Join(backups, edit.BackupName())
	if data, err := os.ReadFile(backup); err != nil || string(data) != text {
		t.Errorf("backup %q, error %v", data, err)
	}
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("backup mode %v, error %v", info.Mode(), err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("left behind: %v, error %v", names, err)
	}
	file, err := Read(link)
	if err != nil {
		t.Fatal(err)
	}
	restored, err := file.Restore([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := restored.Apply(t.Context(), backups); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(real); err != nil || string(data) != text {
		t.Errorf("restored %q, error %v", data, err)
	}
	if _, err := file.Restore([]byte("a: [")); !errors.Is(err, ErrUnparsable) {
		t.Errorf("restoring something broken: %v", err)
	}
}
