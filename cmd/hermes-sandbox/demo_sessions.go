package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the database driver
)

// demoSchema has the tables and columns of Hermes' database that matter here
// (contract 11).
const demoSchema = `
CREATE TABLE sessions (
	id TEXT PRIMARY KEY, source TEXT NOT NULL, session_key TEXT, parent_session_id TEXT, started_at REAL NOT NULL,
	ended_at REAL, end_reason TEXT, title TEXT, display_name TEXT, last_activity_at REAL, profile_name TEXT, cwd TEXT,
	archived INTEGER NOT NULL DEFAULT 0);
CREATE TABLE session_turn_leases (conversation_id TEXT PRIMARY KEY, holder TEXT, acquired_at REAL, expires_at REAL);
CREATE TABLE gateway_heartbeats (
	backend_id TEXT PRIMARY KEY, pid INTEGER, started_at REAL, last_heartbeat REAL, profile TEXT, host TEXT);`

// demoSession is a session of the demonstration. Times are ages at its start.
type demoSession struct {
	id, source, title string
	started, active   time.Duration
	ended             time.Duration // 0 while it goes on
	endReason         string
	turn              bool // a turn of the agent is running
}

// writeDemoSessions gives the demonstration's homes the sessions that its
// sandboxes serve: one at work, one silent, and one that is over although its
// sandbox still runs.
func writeDemoSessions(root string, now time.Time) error {
	for home, sessions := range map[string][]demoSession{
		root: {
			{
				id: "20261128_091512_61bb69", source: "telegram", title: "Migrate the invoice importer",
				started: 31 * time.Hour, active: 21 * time.Hour, ended: 20 * time.Hour, endReason: "session_reset",
			},
			{
				id: "20261130_074401_a91f03", source: "cli", title: "Fetch the model cards",
				started: 41 * time.Minute, active: 12 * time.Second, turn: true,
			},
		},
		filepath.Join(root, "profiles", "work"): {{
			id: "20261129_163302_5d20ee", source: "cli", title: "Reconcile the quarter", started: 15 * time.Hour, active: 9 * time.Hour,
		}},
	} {
		if err := writeDemoDatabase(filepath.Join(home, "state.db"), sessions, now); err != nil {
			return fmt.Errorf("write the demo's sessions: %w", err)
		}
	}
	return nil
}

func writeDemoDatabase(path string, sessions []demoSession, now time.Time) (err error) {
	name := url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=synchronous(0)&_pragma=journal_mode(wal)"}
	database, err := sql.Open("sqlite", name.String())
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() {
		if closing := database.Close(); err == nil && closing != nil {
			err = fmt.Errorf("close database: %w", closing)
		}
	}()
	ctx := context.Background()
	run := func(statement string, values ...any) {
		if err != nil {
			return
		}
		if _, failed := database.ExecContext(ctx, statement, values...); failed != nil {
			err = fmt.Errorf("fill database: %w", failed)
		}
	}
	ago := func(age time.Duration) any { return float64(now.Add(-age).UnixMilli()) / 1000 }
	run(demoSchema)
	for _, s := range sessions {
		run(`INSERT INTO sessions (id, source, title, started_at, last_activity_at) VALUES (?, ?, ?, ?, ?)`,
			s.id, s.source, s.title, ago(s.started), ago(s.active))
		if s.ended > 0 {
			run(`UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ?`, ago(s.ended), s.endReason, s.id)
		}
		if s.turn {
			// A Hermes at work renews its lease; nobody does here.
			run(`INSERT INTO session_turn_leases VALUES (?, 'cli', ?, ?)`, s.id, ago(s.active), ago(-24*time.Hour))
		}
	}
	return err
}
