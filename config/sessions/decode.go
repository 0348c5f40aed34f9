package sessions

import (
	"math"
	"time"

	"hermes-sandbox/model"
)

// earliest is before Hermes was there; a time before it is garbage. So is one
// further ahead of the clock than ahead.
const (
	earliest = 1_577_836_800 // 2020-01-01, seconds of Unix time
	ahead    = 48 * time.Hour
)

// book makes a session book of what was read.
func (r *rows) book(now time.Time) model.SessionBook {
	book := model.SessionBook{
		Readable: true, ReadAt: now, ActivityUnknown: !r.activity, BackendsUnknown: !r.heartbeats,
		Leases: map[model.Text]time.Time{},
	}
	for _, row := range r.sessions {
		if record, ok := sessionOf(row, now); ok {
			book.Sessions = append(book.Sessions, record)
		}
	}
	for _, row := range r.leases {
		conversation, ends := text(row, 0), moment(row, 1, now)
		if !conversation.Empty() && ends.After(book.Leases[conversation]) {
			book.Leases[conversation] = ends
		}
	}
	for _, row := range r.backends {
		heartbeat := model.BackendHeartbeat{
			ID: text(row, 0), Profile: text(row, 1), Host: text(row, 2), LastAt: moment(row, 3, now), Pid: whole(row, 4),
		}
		if !heartbeat.ID.Empty() {
			book.Backends = append(book.Backends, heartbeat)
		}
	}
	return book
}

// sessionOf decodes a row of the sessions table; one without an id is none.
func sessionOf(row []any, now time.Time) (record model.SessionRecord, ok bool) {
	record = model.SessionRecord{
		ID: text(row, 0), Key: text(row, 1), Parent: text(row, 2), Source: text(row, 3), Title: text(row, 4),
		DisplayName: text(row, 5), ProfileName: text(row, 6), EndReason: text(row, 7),
		StartedAt: moment(row, 8, now), EndedAt: moment(row, 9, now), LastActivityAt: moment(row, 10, now),
	}
	if record.LastActivityAt.IsZero() {
		record.LastActivityAt = record.StartedAt
	}
	return record, !record.ID.Empty()
}

// text returns a cell that is text, else the empty text.
func text(row []any, i int) model.Text {
	if i >= len(row) {
		return model.Text{}
	}
	switch cell := row[i].(type) {
	case string:
		return model.NewText(cell)
	case []byte:
		return model.NewText(string(cell))
	}
	return model.Text{}
}

// number returns a cell that is a finite number.
func number(row []any, i int) (value float64, ok bool) {
	if i >= len(row) {
		return 0, false
	}
	switch cell := row[i].(type) {
	case int64:
		return float64(cell), true
	case float64:
		return cell, !math.IsNaN(cell) && !math.IsInf(cell, 0)
	}
	return 0, false
}

// moment returns a time that is plausible at now, else the zero time.
func moment(row []any, i int, now time.Time) time.Time {
	seconds, ok := number(row, i)
	if !ok || seconds < earliest || seconds > float64(now.Add(ahead).Unix()) {
		return time.Time{}
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*float64(time.Second))).UTC()
}

// whole returns a positive whole number below 2^31, such as a process id, else 0.
func whole(row []any, i int) int64 {
	value, ok := number(row, i)
	if !ok || value < 0 || value > math.MaxInt32 || value != math.Trunc(value) {
		return 0
	}
	return int64(value)
}
