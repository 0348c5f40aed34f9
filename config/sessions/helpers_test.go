package sessions

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/model"
)

const (
	currentSessions = `CREATE TABLE sessions (
		id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, session_key TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
		ended_at REAL, end_reason TEXT, title TEXT, display_name TEXT, last_activity_at REAL, profile_name TEXT, cwd TEXT,
		archived INTEGER NOT NULL DEFAULT 0)`
	currentLeases = `CREATE TABLE session_turn_leases (
		conversation_id TEXT PRIMARY KEY, holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL)`
	currentBackends = `CREATE TABLE gateway_heartbeats (
		backend_id TEXT PRIMARY KEY, pid INTEGER, started_at REAL, last_heartbeat REAL, profile TEXT, host TEXT)`
)

// now is the clock of the tests.
func now() time.Time { return time.Date(2026, 6, 10, 16, 30, 0, 0, time.UTC) }

// ago is a cell with a time before now.
func ago(age time.Duration) string { return fmt.Sprint(now().Add(-age).Unix()) }

// newReader returns a reader that takes its time and does not wait.
func newReader(change ...func(*Options)) *Reader {
	options := Options{Clock: now, Pause: func(context.Context) error { return nil }, Limit: time.Minute}
	for _, c := range change {
		c(&options)
	}
	return NewReader(options)
}

// home makes a home whose database is in a journal mode and was made by the
// statements, and closed cleanly.
func home(t testing.TB, mode string, statements ...string) string {
	t.Helper()
	dir := t.TempDir()
	database := open(t, filepath.Join(dir, "state.db"), mode)
	execute(t, database, statements...)
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, path, mode string) *sql.DB {
	t.Helper()
	name := url.URL{
		Scheme: "file", Path: path,
		RawQuery: "_pragma=busy_timeout(10000)&_pragma=synchronous(0)&_pragma=journal_mode(" + mode + ")",
	}
	database, err := sql.Open("sqlite", name.String())
	if err != nil {
		t.Fatal(err)
	}
	database.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = database.Close() })
	return database
}

func execute(t testing.TB, database *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := database.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// listing is every name in a folder with what would show a change. The
// modification time of an index is left out: readers leave marks in it.
func listing(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint(entry.Name(), " ", info.Mode(), " ", info.Size())
		if !strings.HasSuffix(entry.Name(), "-shm") {
			line += fmt.Sprint(" ", info.ModTime().UnixNano())
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// settle makes a home's files look as if they had not changed for an hour.
func settle(t testing.TB, dir string) {
	t.Helper()
	for _, name := range []string{"state.db", "state.db-wal"} {
		err := os.Chtimes(filepath.Join(dir, name), now(), now().Add(-time.Hour))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

func read(t testing.TB, dir string) model.SessionBook {
	t.Helper()
	return newReader().Read(t.Context(), dir)
}

// writerMode is the variable that makes the test program a writer.
const writerMode = "HERMES_SANDBOX_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerMode); path != "" {
		os.Exit(write(path, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// commits is how much a writer writes: three seconds at 50 commits a second.
const commits = 150

// write is a Hermes at work: it commits every 20 ms, starts its log over now
// and then, and keeps the database open until its input ends.
func write(path string, input io.Reader, output io.Writer) int {
	failed := func(err error) int {
		_, _ = fmt.Fprintln(output, "failed:", err)
		return 1
	}
	database, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(1)")
	if err != nil {
		return failed(err)
	}
	database.SetMaxOpenConns(1)
	for _, statement := range []string{currentSessions, currentLeases} {
		if _, err := database.Exec(statement); err != nil {
			return failed(err)
		}
	}
	_, _ = fmt.Fprintln(output, "ready")
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := range commits {
		<-tick.C
		_, err := database.Exec("INSERT OR REPLACE INTO sessions (id, source, started_at, title) VALUES ('only', 'cli', ?, ?)",
			now().Unix(), fmt.Sprintf("%06d", n+1))
		if err != nil {
			return failed(err)
		}
		if n%40 == 39 {
			if _, err := database.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
				return failed(err)
			}
		}
	}
	_, _ = fmt.Fprintln(output, "done")
	_, _ = bufio.NewReader(input).ReadByte()
	if err := database.Close(); err != nil {
		return failed(err)
	}
	return 0
}
