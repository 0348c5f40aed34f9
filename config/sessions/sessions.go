// Package sessions reads the session databases of Hermes homes (contract 11). It
// only looks: a database is opened so that nothing beside it is made, changed or
// left behind, and a writer at work is never held up for longer than one short
// transaction. Whatever cannot be read makes the sessions unknown, with the
// reason.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

const (
	// tries is how often a database is tried: a read-only open can fail for
	// milliseconds while a writer starts its log over.
	tries = 3
	// pause lies between two tries.
	pause = 50 * time.Millisecond
	// defaultLimit bounds one transaction: a reader keeps the writer from
	// starting its log over.
	defaultLimit = 100 * time.Millisecond
	// unsettled is how old a change must be for a second change not to hide
	// behind the same modification time.
	unsettled = 100 * time.Millisecond
	// again is how long a failure stands before the same files are tried again.
	again = 10 * time.Second
)

// Options are what a reader needs besides the home. The zero value of a field
// takes its default.
type Options struct {
	// Clock is the time of reading; default [time.Now].
	Clock func() time.Time
	// Pause waits between two tries; default 50 ms. An error ends the tries.
	Pause func(ctx context.Context) error
	// Limit bounds one transaction; default 100 ms.
	Limit time.Duration
}

// Reader reads the session databases of homes and remembers them: files that
// did not change since are not opened again. It is safe for concurrent use.
type Reader struct {
	options Options

	mu    sync.Mutex
	known map[string]reading // by home
}

// reading is what the files of one home held.
type reading struct {
	files   files
	book    model.SessionBook
	settled bool // a later change cannot look the same
}

// NewReader returns a reader that knows nothing yet.
func NewReader(options Options) *Reader {
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.Pause == nil {
		options.Pause = wait
	}
	if options.Limit <= 0 {
		options.Limit = defaultLimit
	}
	return &Reader{options: options, known: map[string]reading{}}
}

func wait(ctx context.Context) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx) //nolint:wrapcheck // becomes part of a message
	case <-timer.C:
		return nil
	}
}

// Read returns the sessions of one home. A book that is not Readable says why.
func (r *Reader) Read(ctx context.Context, home string) model.SessionBook {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.options.Clock()
	current, err := look(home)
	if err == nil {
		if known, ok := r.known[home]; ok && known.stands(current, now) {
			return known.book
		}
		var found rows
		if found, current, err = r.load(ctx, home, current); err == nil {
			book := found.book(now)
			r.known[home] = reading{files: current, book: book, settled: now.Sub(current.changed()) > unsettled}
			return book
		}
	}
	book := model.SessionBook{Problem: problemOf(err), ReadAt: now, Absent: errors.Is(err, fs.ErrNotExist)}
	r.known[home] = reading{files: current, book: book, settled: true}
	return book
}

// stands reports whether what was read is still what the files hold.
func (k *reading) stands(current files, now time.Time) bool {
	if !k.settled || k.files != current {
		return false
	}
	return k.book.Readable || now.Sub(k.book.ReadAt).Abs() < again
}

// load reads a database, up to three times. It returns the files as they were
// before the read.
func (r *Reader) load(ctx context.Context, home string, before files) (rows, files, error) {
	var err error
	for try := range tries {
		if try > 0 {
			if r.options.Pause(ctx) != nil {
				break
			}
			looked, lost := look(home)
			if lost != nil {
				return rows{}, before, lost
			}
			before = looked
		}
		var found rows
		if found, err = r.attempt(ctx, home, before); err == nil {
			return found, before, nil
		}
	}
	return rows{}, before, err
}

// attempt reads a database once, in the way its files allow (contract 11).
func (r *Reader) attempt(ctx context.Context, home string, before files) (rows, error) {
	switch {
	case before.journal.size > 0:
		return rows{}, errJournal
	case before.wal.size > 0 && !before.shm.exists:
		return rows{}, errNoIndex
	case before.wal.size > 0:
		return query(ctx, before.writtenName(), r.options.Limit)
	}
	found, err := query(ctx, before.quietName(), r.options.Limit)
	if after, lost := look(home); lost != nil || after != before {
		return rows{}, errChanged
	}
	return found, err
}

// Reasons for not reading a database, besides those of the database itself.
var (
	errJournal = errors.New("a transaction on it is not finished")
	errNoIndex = errors.New("its write-ahead log has no index beside it; it can be read once Hermes has opened it again")
	errChanged = errors.New("it changed while it was read")
)

// problemOf says in one line why there are no sessions.
func problemOf(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no state.db"
	case errors.Is(err, fs.ErrPermission):
		return "state.db cannot be read: permission denied"
	case errors.Is(err, context.DeadlineExceeded):
		return "state.db cannot be read: it took too long"
	}
	return fmt.Sprintf("state.db cannot be read: %s", safefile.Display(err))
}
