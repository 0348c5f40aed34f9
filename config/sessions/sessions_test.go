package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/config/filetest"
	"hermes-sandbox/model"
)

func word(s string) model.Text { return model.NewText(s) }

func compare(t *testing.T, want, got model.SessionBook) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b model.Text) bool { return a == b })); diff != "" {
		t.Errorf("book differs (-want +got)\n%s", diff)
	}
}

func TestSchemas(t *testing.T) {
	full := model.SessionRecord{
		ID: word("20260610_161415_61bb69"), Key: word("telegram:42"), Parent: word("20260609_080000_000001"), Source: word("telegram"),
		Title: word("fix the parser"), DisplayName: word("Ada"), ProfileName: word("work"), EndReason: word("idle_timeout"),
		StartedAt: now().Add(-time.Hour), EndedAt: now().Add(-time.Minute), LastActivityAt: now().Add(-2 * time.Minute),
	}
	early := model.SessionRecord{
		ID: full.ID, Source: full.Source, StartedAt: full.StartedAt, EndedAt: full.EndedAt, EndReason: full.EndReason,
		LastActivityAt: full.StartedAt,
	}
	none := map[model.Text]time.Time{}
	row := func(columns, values string) string {
		return "INSERT INTO sessions (id, source, started_at, ended_at, end_reason" + columns +
			") VALUES ('20260610_161415_61bb69', 'telegram', " + ago(time.Hour) + ", " + ago(time.Minute) + ", 'idle_timeout'" + values + ")"
	}
	const plain = "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL, ended_at REAL, end_reason TEXT"
	cases := map[string]struct {
		statements []string
		want       model.SessionBook
	}{
		"current": {
			[]string{
				currentSessions, currentLeases, currentBackends,
				row(", session_key, parent_session_id, title, display_name, last_activity_at, profile_name",
					", 'telegram:42', '20260609_080000_000001', 'fix the parser', 'Ada', "+ago(2*time.Minute)+", 'work'"),
				"INSERT INTO session_turn_leases VALUES ('telegram:42', 'gateway', " + ago(time.Minute) + ", " + ago(-time.Minute) + ")",
				"INSERT INTO gateway_heartbeats VALUES ('b1', 4711, " + ago(time.Hour) + ", " + ago(time.Second) + ", 'work', 'laptop')",
			},
			model.SessionBook{
				Sessions: []model.SessionRecord{full},
				Leases:   map[model.Text]time.Time{word("telegram:42"): now().Add(time.Minute)},
				Backends: []model.BackendHeartbeat{
					{ID: word("b1"), Profile: word("work"), Host: word("laptop"), Pid: 4711, LastAt: now().Add(-time.Second)},
				},
			},
		},
		"without last activity": {
			[]string{plain + ")", currentLeases, row("", "")},
			model.SessionBook{Sessions: []model.SessionRecord{early}, Leases: none, ActivityUnknown: true, BackendsUnknown: true},
		},
		"without leases and heartbeats": {
			[]string{plain + ", last_activity_at REAL)", row("", "")},
			model.SessionBook{Sessions: []model.SessionRecord{early}, Leases: none, BackendsUnknown: true},
		},
		"ids alone": {
			[]string{"CREATE TABLE sessions (id TEXT)", "INSERT INTO sessions VALUES ('a')"},
			model.SessionBook{Sessions: []model.SessionRecord{{ID: word("a")}}, Leases: none, ActivityUnknown: true, BackendsUnknown: true},
		},
		"columns in capitals, no row ids": {
			[]string{"CREATE TABLE Sessions (ID TEXT PRIMARY KEY, TITLE TEXT) WITHOUT ROWID", "INSERT INTO sessions VALUES ('a', 'b')"},
			model.SessionBook{
				Sessions: []model.SessionRecord{{ID: word("a"), Title: word("b")}}, Leases: none, ActivityUnknown: true, BackendsUnknown: true,
			},
		},
		"columns of types that drivers convert": {
			[]string{
				"CREATE TABLE sessions (id DATE, title DATETIME, started_at TIMESTAMP, last_activity_at DATETIME)",
				"INSERT INTO sessions VALUES ('2026-06-10', '2026-06-10 16:00:00', " + ago(time.Hour) + ", " + ago(time.Minute) + ")",
			},
			model.SessionBook{Sessions: []model.SessionRecord{{
				ID: word("2026-06-10"), Title: word("2026-06-10 16:00:00"), StartedAt: now().Add(-time.Hour), LastActivityAt: now().Add(-time.Minute),
			}}, Leases: none, BackendsUnknown: true},
		},
		"leases and heartbeats without columns": {
			[]string{
				currentSessions, "CREATE TABLE session_turn_leases (other)", "INSERT INTO session_turn_leases VALUES (1)",
				"CREATE TABLE gateway_heartbeats (backend_id)", "INSERT INTO gateway_heartbeats VALUES ('b1')",
			},
			model.SessionBook{Leases: none, BackendsUnknown: true, Backends: []model.BackendHeartbeat{{ID: word("b1")}}},
		},
	}
	for name, c := range cases {
		for _, mode := range []string{"wal", "delete"} {
			t.Run(name+", "+mode, func(t *testing.T) {
				dir := home(t, mode, c.statements...)
				before := listing(t, dir)
				got := read(t, dir)
				c.want.Readable, c.want.ReadAt = true, now()
				compare(t, c.want, got)
				if after := listing(t, dir); after != before {
					t.Errorf("the folder changed from\n%s\nto\n%s", before, after)
				}
			})
		}
	}
}

func TestGarbageCells(t *testing.T) {
	cells := map[string]struct {
		cell string
		want time.Time
	}{
		"null":            {"NULL", time.Time{}},
		"text":            {"'yesterday'", time.Time{}},
		"blob":            {"x'00ff'", time.Time{}},
		"huge":            {"1e300", time.Time{}},
		"infinite":        {"9e999", time.Time{}},
		"negative":        {"-1", time.Time{}},
		"zero":            {"0", time.Time{}},
		"milliseconds":    {ago(0) + "000", time.Time{}},
		"largest integer": {"9223372036854775807", time.Time{}},
		"in a week":       {ago(-7 * 24 * time.Hour), time.Time{}},
		"in a minute":     {ago(-time.Minute), now().Add(time.Minute)},
		"with a fraction": {ago(time.Minute) + ".5", now().Add(-time.Minute + time.Second/2)},
	}
	for name, c := range cells {
		t.Run(name, func(t *testing.T) {
			// Columns without a type keep what is stored as it is.
			dir := home(t, "wal",
				"CREATE TABLE sessions (id, started_at, ended_at, last_activity_at)",
				"CREATE TABLE session_turn_leases (conversation_id, expires_at)",
				fmt.Sprintf("INSERT INTO sessions VALUES ('a', %s, %[1]s, NULL), (NULL, 1, 1, 1), ('', 1, 1, 1)", c.cell),
				fmt.Sprintf("INSERT INTO session_turn_leases VALUES ('a', %s), (NULL, %s)", c.cell, ago(-time.Minute)),
			)
			want := model.SessionBook{
				Readable: true, ReadAt: now(), Leases: map[model.Text]time.Time{}, BackendsUnknown: true,
				Sessions: []model.SessionRecord{{ID: word("a"), StartedAt: c.want, EndedAt: c.want, LastActivityAt: c.want}},
			}
			if !c.want.IsZero() {
				want.Leases[word("a")] = c.want
			}
			compare(t, want, read(t, dir))
		})
	}
}

func TestOddTexts(t *testing.T) {
	dir := home(t, "wal", "CREATE TABLE sessions (id, title, source)",
		"INSERT INTO sessions VALUES (4711, x'1b5d35323b', CAST(x'ff41' AS TEXT))",
		"INSERT INTO sessions VALUES ('long', printf('%.*c', 100000, 'x'), NULL)")
	book := read(t, dir)
	if len(book.Sessions) != 2 {
		t.Fatalf("read %d sessions: %+v", len(book.Sessions), book)
	}
	for _, session := range book.Sessions {
		switch session.ID.Raw() {
		case "4711":
			if session.Title.Raw() != "\x1b]52;" || session.Source.Raw() != "\xffA" {
				t.Errorf("title %q, source %q", session.Title.Raw(), session.Source.Raw())
			}
		case "long":
			if len(session.Title.Raw()) != maxText {
				t.Errorf("a long title has %d characters, want %d", len(session.Title.Raw()), maxText)
			}
		default:
			t.Errorf("session %q", session.ID.Raw())
		}
	}
}

func TestNewestSessionsOfMany(t *testing.T) {
	dir := home(t, "wal", currentSessions, fmt.Sprintf(
		`INSERT INTO sessions (id, source, started_at, last_activity_at)
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < %d)
		SELECT 's' || i, 'cli', %s - i, NULL FROM n`, maxSessions+10, ago(0)),
		"UPDATE sessions SET last_activity_at = "+ago(-time.Second)+" WHERE id = 's"+fmt.Sprint(maxSessions+10)+"'")
	book := read(t, dir)
	if len(book.Sessions) != maxSessions {
		t.Fatalf("read %d sessions, want %d; %s", len(book.Sessions), maxSessions, book.Problem)
	}
	if first := book.Sessions[0].ID.Raw(); first != fmt.Sprintf("s%d", maxSessions+10) {
		t.Errorf("the session active last is not first, but %s", first)
	}
}

func TestUnreadable(t *testing.T) {
	put := func(name, contents string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(contents), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	pipe := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, name))
			filetest.Pipe(t, filepath.Join(dir, name))
		}
	}
	link := func(target string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, "state.db"))
			if err := os.Symlink(target, filepath.Join(dir, "state.db")); err != nil {
				t.Fatal(err)
			}
		}
	}
	damage := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			contents, err := os.ReadFile(filepath.Join(dir, "state.db"))
			if err != nil {
				t.Fatal(err)
			}
			put("state.db", string(change(contents)))(t, dir)
		}
	}
	cases := map[string]struct {
		spoil func(*testing.T, string)
		want  string
	}{
		"missing":          {func(_ *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "state.db")) }, "there is no state.db"},
		"link to nothing":  {link("gone"), "there is no state.db"},
		"link to itself":   {link("state.db"), "too many links"},
		"link to a device": {link("/dev/zero"), "not a regular file"},
		"link to a folder": {link("."), "not a regular file"},
		"pipe":             {pipe("state.db"), "not a regular file"},
		"log is a pipe":    {pipe("state.db-wal"), "not a regular file"},
		"index is a pipe":  {pipe("state.db-shm"), "not a regular file"},
		"empty":            {put("state.db", ""), "no sessions table"},
		"not a database":   {put("state.db", strings.Repeat("no database\n", 1000)), "not a database"},
		"shorter than its header": {
			damage(func(contents []byte) []byte { return contents[:50] }), "malformed",
		},
		"cut off":             {damage(func(contents []byte) []byte { return contents[:5000] }), "malformed"},
		"zeros in the middle": {damage(func(contents []byte) []byte { clear(contents[100:8000]); return contents }), "malformed"},
		"log without index":   {put("state.db-wal", "something"), "no index"},
		"transaction cut off": {put("state.db-journal", "something"), "not finished"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := home(t, "wal", currentSessions, currentLeases, currentBackends)
			c.spoil(t, dir)
			before := listing(t, dir)
			book := read(t, dir)
			if book.Readable || !strings.Contains(book.Problem, c.want) || len(book.Sessions) > 0 {
				t.Errorf("book %+v, want a problem with %q", book, c.want)
			}
			if after := listing(t, dir); after != before {
				t.Errorf("the folder changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

func TestTakenTables(t *testing.T) {
	cases := map[string][]string{
		"no sessions table":       {currentLeases},
		"sessions without an id":  {"CREATE TABLE sessions (title TEXT)"},
		"view that never ends":    {"CREATE VIEW sessions AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id+1 FROM n) SELECT id FROM n"},
		"view of a missing table": {"CREATE VIEW sessions AS SELECT id FROM gone"},
	}
	for name, statements := range cases {
		t.Run(name, func(t *testing.T) {
			dir := home(t, "wal", statements...)
			reader := newReader(func(o *Options) { o.Limit = 200 * time.Millisecond })
			if book := reader.Read(t.Context(), dir); book.Readable || book.Problem == "" {
				t.Errorf("book %+v, want a problem", book)
			}
		})
	}
}

func TestLinkedDatabase(t *testing.T) {
	target := home(t, "wal", currentSessions, "INSERT INTO sessions (id, source, started_at) VALUES ('a', 'cli', 1)")
	parent := filepath.Join(t.TempDir(), "a ?#%41 home\n")
	if err := os.Mkdir(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(target, "state.db"), filepath.Join(parent, "state.db")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, target) + listing(t, parent)
	if book := read(t, parent); !book.Readable || len(book.Sessions) != 1 {
		t.Errorf("book %+v", book)
	}
	if after := listing(t, target) + listing(t, parent); after != before {
		t.Errorf("the folders changed from\n%s\nto\n%s", before, after)
	}
}

func TestHomeWithAnOddName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "?mode=rwc&#%41 \xff\n")
	if err := os.Rename(home(t, "wal", currentSessions), dir); err != nil {
		t.Fatal(err)
	}
	if book := read(t, dir); !book.Readable {
		t.Errorf("book %+v", book)
	}
}

func TestUnchangedFilesAreNotReadAgain(t *testing.T) {
	dir := home(t, "wal", currentSessions, "INSERT INTO sessions (id, source, started_at) VALUES ('a', 'cli', 1)")
	settle(t, dir)
	clock := now()
	reader := newReader(func(o *Options) { o.Clock = func() time.Time { return clock } })
	first := reader.Read(t.Context(), dir)
	clock = clock.Add(time.Hour)
	if again := reader.Read(t.Context(), dir); !first.Readable || !again.ReadAt.Equal(first.ReadAt) {
		t.Errorf("unchanged files were read again: %+v, then %+v", first, again)
	}
	database := open(t, filepath.Join(dir, "state.db"), "wal")
	execute(t, database, "INSERT INTO sessions (id, source, started_at) VALUES ('b', 'cli', 1)")
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	if changed := reader.Read(t.Context(), dir); len(changed.Sessions) != 2 || !changed.ReadAt.Equal(clock) {
		t.Errorf("changed files were not read again: %+v", changed)
	}
}

func TestFreshFilesAreReadAgain(t *testing.T) {
	dir := home(t, "wal", currentSessions)
	clock := now()
	reader := newReader(func(o *Options) { o.Clock = func() time.Time { return clock } })
	if err := os.Chtimes(filepath.Join(dir, "state.db"), now(), now()); err != nil {
		t.Fatal(err)
	}
	reader.Read(t.Context(), dir)
	clock = clock.Add(time.Second)
	if book := reader.Read(t.Context(), dir); !book.ReadAt.Equal(clock) {
		t.Error("a change in the same instant as the last read would go unseen")
	}
	clock = clock.Add(time.Second)
	if book := reader.Read(t.Context(), dir); book.ReadAt.Equal(clock) {
		t.Error("files that have been quiet for a while were read again")
	}
}

func TestFailureIsRemembered(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "state.db"), []byte(strings.Repeat("x", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	clock, pauses := now(), 0
	reader := newReader(func(o *Options) {
		o.Clock = func() time.Time { return clock }
		o.Pause = func(context.Context) error { pauses++; return nil }
	})
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 2}, {again - time.Second, 2}, {time.Second, 4}} {
		clock = clock.Add(step.after)
		if book := reader.Read(t.Context(), dir); book.Readable || pauses != step.want {
			t.Errorf("after %v more: %d pauses, want %d (%+v)", step.after, pauses, step.want, book)
		}
	}
}

func TestTriesEndWithTheContext(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "state.db"), []byte(strings.Repeat("x", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	reader := NewReader(Options{Clock: now}) // with the real pause
	if book := reader.Read(ctx, dir); book.Readable || book.Problem == "" {
		t.Errorf("book %+v", book)
	}
}

func TestPassingFailureIsTriedAgain(t *testing.T) {
	dir := home(t, "wal", currentSessions)
	log := filepath.Join(dir, "state.db-wal")
	if err := os.WriteFile(log, []byte("something"), 0o600); err != nil {
		t.Fatal(err)
	}
	pauses := 0
	reader := newReader(func(o *Options) {
		o.Pause = func(context.Context) error {
			if pauses++; pauses == 2 {
				return os.Remove(log)
			}
			return nil
		}
	})
	if book := reader.Read(t.Context(), dir); !book.Readable || pauses != 2 {
		t.Errorf("after %d pauses: %+v", pauses, book)
	}
}

func TestReadAcrossAChangeIsDiscarded(t *testing.T) {
	dir := home(t, "wal", currentSessions)
	before, err := look(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "state.db"), now(), now()); err != nil {
		t.Fatal(err)
	}
	if found, err := newReader().attempt(t.Context(), dir, before); !errors.Is(err, errChanged) {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestLogOfAWriterThatDied(t *testing.T) {
	dir := t.TempDir()
	database := open(t, filepath.Join(dir, "state.db"), "wal")
	execute(t, database, currentSessions, "INSERT INTO sessions (id, source, started_at) VALUES ('a', 'cli', 1)")
	// A copy of the open files is what a killed writer leaves.
	left := t.TempDir()
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	before := listing(t, left)
	if book := read(t, left); !book.Readable || len(book.Sessions) != 1 {
		t.Errorf("book %+v", book)
	}
	if after := listing(t, left); after != before {
		t.Errorf("the folder changed from\n%s\nto\n%s", before, after)
	}
}

func TestBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), writerMode+"="+filepath.Join(dir, "state.db"))
	input, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	if line := <-lines; line != "ready" {
		t.Fatalf("writer: %s", line)
	}
	reader := NewReader(Options{Clock: now, Limit: time.Minute})
	reads, seen := 0, map[string]bool{}
	last := func() string {
		reads++
		book := reader.Read(t.Context(), dir)
		if !book.Readable {
			t.Errorf("read %d failed: %s", reads, book.Problem)
		}
		if len(book.Sessions) == 0 {
			return ""
		}
		return book.Sessions[0].Title.Raw()
	}
	newest := ""
	for line := ""; line == ""; {
		select {
		case line = <-lines:
			if line != "done" {
				t.Fatalf("writer: %s", line)
			}
		default:
			title := last()
			if title < newest {
				t.Errorf("commit %s was read after %s", title, newest)
			}
			newest = title
			seen[title] = true
		}
	}
	before := listing(t, dir)
	if title := last(); title != fmt.Sprintf("%06d", commits) {
		t.Errorf("the last commit is not seen, but %s", title)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the folder changed from\n%s\nto\n%s", before, after)
	}
	if len(seen) < 3 {
		t.Errorf("%d reads saw %d commits only", reads, len(seen))
	}
	_ = input.Close()
	for line := range lines {
		t.Errorf("writer: %s", line)
	}
	if err := writer.Wait(); err != nil {
		t.Errorf("writer: %v", err)
	}
}

func FuzzRow(f *testing.F) {
	f.Add("20260610_161415_61bb69", []byte("title"), 1.7e9, int64(1_700_000_000), uint8(11))
	f.Add("", []byte(nil), 1e300, int64(-1), uint8(3))
	f.Add("\x1b\xff", []byte{0}, -0.5, int64(1)<<62, uint8(0))
	f.Fuzz(func(t *testing.T, name string, blob []byte, real float64, integer int64, length uint8) {
		cells := []any{nil, name, blob, real, integer, true, now()}
		row := make([]any, length%14)
		for shift := range cells {
			for i := range row {
				row[i] = cells[(i+shift)%len(cells)]
			}
			found := rows{sessions: [][]any{row}, leases: [][]any{row}, backends: [][]any{row}}
			book := found.book(now())
			for _, s := range book.Sessions {
				if s.ID.Empty() {
					t.Error("a session without an id")
				}
				plausible(t, s.StartedAt, s.EndedAt, s.LastActivityAt)
			}
			for conversation, ends := range book.Leases {
				if conversation.Empty() || ends.IsZero() {
					t.Errorf("lease of %q until %v", conversation.Raw(), ends)
				}
				plausible(t, ends)
			}
			for _, b := range book.Backends {
				if b.ID.Empty() || b.Pid < 0 {
					t.Errorf("backend %q, process %d", b.ID.Raw(), b.Pid)
				}
				plausible(t, b.LastAt)
			}
		}
	})
}

func plausible(t *testing.T, times ...time.Time) {
	t.Helper()
	for _, at := range times {
		if !at.IsZero() && (at.Year() < 2020 || at.After(now().Add(ahead).Add(time.Second))) {
			t.Errorf("time %v passed", at)
		}
	}
}
