package sessions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the database driver
)

// How many rows matter: the newest, since what serves a sandbox was active
// while the sandbox was there.
const (
	maxSessions = 5_000
	maxLeases   = 1_000
	maxBackends = 200
)

// maxText bounds a cell, in characters. Labels hold far less of an id.
const maxText = 512

// errNoSessions means that the schema has no sessions to read.
var errNoSessions = errors.New("it holds no sessions table with ids")

// table is what is read of one table. A cell whose column the schema at hand
// does not have is NULL.
type table struct {
	name  string
	texts []string // columns of text, in the order of the cells
	times []string // columns of numbers, which follow
	order []string // the first of these that is a number decides, newest first
	limit int
}

func sessionsTable() table {
	return table{
		name: "sessions",
		texts: []string{
			"id", "session_key", "parent_session_id", "source", "title", "display_name", "profile_name", "end_reason",
		},
		times: []string{"started_at", "ended_at", "last_activity_at"},
		order: []string{"last_activity_at", "started_at"}, limit: maxSessions,
	}
}

func leasesTable() table {
	return table{
		name: "session_turn_leases", texts: []string{"conversation_id"}, times: []string{"expires_at"},
		order: []string{"expires_at"}, limit: maxLeases,
	}
}

func backendsTable() table {
	return table{
		name: "gateway_heartbeats", texts: []string{"backend_id", "profile", "host"}, times: []string{"last_heartbeat", "pid"},
		order: []string{"last_heartbeat"}, limit: maxBackends,
	}
}

// rows are the cells of a database as they were read.
type rows struct {
	sessions, leases, backends [][]any
	// activity is whether the schema keeps the last activity of a session.
	activity bool
	// heartbeats is whether it keeps those of backends.
	heartbeats bool
}

// query reads a database in one transaction and closes it.
func query(ctx context.Context, name string, limit time.Duration) (found rows, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	database, err := sql.Open("sqlite", name)
	if err != nil {
		return rows{}, fmt.Errorf("open database: %w", err)
	}
	defer func() { _ = database.Close() }() // nothing was written
	transaction, err := database.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return rows{}, fmt.Errorf("open database: %w", err)
	}
	defer func() { _ = transaction.Rollback() }()
	for _, part := range []struct {
		table table
		into  *[][]any
	}{{sessionsTable(), &found.sessions}, {leasesTable(), &found.leases}, {backendsTable(), &found.backends}} {
		columns, err := columnsOf(ctx, transaction, part.table.name)
		if err != nil {
			return rows{}, err
		}
		if part.table.name == "sessions" {
			if !columns["id"] {
				return rows{}, errNoSessions
			}
			found.activity = columns["last_activity_at"]
		}
		if part.table.name == "gateway_heartbeats" {
			found.heartbeats = columns["backend_id"] && columns["last_heartbeat"]
		}
		if len(columns) == 0 {
			continue // the schema is older than the table
		}
		if *part.into, err = cells(ctx, transaction, part.table.statement(columns)); err != nil {
			return rows{}, fmt.Errorf("read %s: %w", part.table.name, err)
		}
	}
	return found, nil
}

// columnsOf returns the columns of a table, in lower case; none when there is
// no such table.
func columnsOf(ctx context.Context, transaction *sql.Tx, name string) (map[string]bool, error) {
	found, err := cells(ctx, transaction, "SELECT name FROM pragma_table_info('"+name+"')")
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	columns := map[string]bool{}
	for _, row := range found {
		if column, ok := row[0].(string); ok {
			columns[strings.ToLower(column)] = true
		}
	}
	return columns, nil
}

// statement selects the cells of the table, with types that do not depend on
// what was stored: text is cut, and numbers that are none are NULL.
func (t table) statement(columns map[string]bool) string {
	number := func(column string) string {
		if !columns[column] {
			return "NULL"
		}
		return fmt.Sprintf("CASE WHEN typeof(%[1]s) IN ('integer', 'real') THEN %[1]s END", column)
	}
	var selected, order []string
	for _, column := range t.texts {
		if columns[column] {
			selected = append(selected, fmt.Sprintf("substr(CAST(%s AS TEXT), 1, %d)", column, maxText))
		} else {
			selected = append(selected, "NULL")
		}
	}
	for _, column := range t.times {
		selected = append(selected, number(column))
	}
	for _, column := range t.order {
		order = append(order, number(column))
	}
	// coalesce takes two values or more.
	return fmt.Sprintf("SELECT %s FROM %s ORDER BY coalesce(%s, NULL) DESC LIMIT %d",
		strings.Join(selected, ", "), t.name, strings.Join(order, ", "), t.limit)
}

// cells runs a statement and returns its rows.
func cells(ctx context.Context, transaction *sql.Tx, statement string) (found [][]any, err error) {
	result, err := transaction.QueryContext(ctx, statement)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	columns, err := result.Columns()
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	for result.Next() {
		row := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, fmt.Errorf("query: %w", err)
		}
		found = append(found, row)
	}
	if err := result.Err(); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return found, nil
}
