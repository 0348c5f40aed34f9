//go:build unix

package filetest

import (
	"syscall"
	"testing"
)

// Pipe makes a named pipe, which nobody writes to: whoever opens it as a file
// waits for ever.
func Pipe(t testing.TB, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatalf("make a pipe: %v", err)
	}
}
