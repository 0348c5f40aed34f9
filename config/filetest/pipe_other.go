//go:build !unix

package filetest

import "testing"

// Pipe skips the test: pipes are no files of a folder here.
func Pipe(t testing.TB, _ string) {
	t.Helper()
	t.Skip("no named pipes in folders on this system")
}
