package model

import "time"

// Command is one command that was run in a sandbox, as the engine told of it.
// All times are the engine's; a zero one is not known.
type Command struct {
	ExecID string
	// Line is the command line, as far as it was kept.
	Line Text
	// Cut is how many bytes of the line were dropped behind Line.
	Cut int
	// CreatedAt is when the command was asked for, StartedAt when it began.
	CreatedAt, StartedAt time.Time
	// Over means that it has ended; EndedAt and ExitCode can be unknown even
	// then, when the sandbox stopped under it.
	Over     bool
	EndedAt  time.Time
	ExitCode *int
}

// Begun returns the first time that is known of the command.
func (c *Command) Begun() time.Time {
	if !c.CreatedAt.IsZero() {
		return c.CreatedAt
	}
	if !c.StartedAt.IsZero() {
		return c.StartedAt
	}
	return c.EndedAt
}

// Took returns how long the command ran, and whether that is known.
func (c *Command) Took() (time.Duration, bool) {
	from := c.StartedAt
	if from.IsZero() {
		from = c.CreatedAt
	}
	if from.IsZero() || c.EndedAt.Before(from) {
		return 0, false
	}
	return c.EndedAt.Sub(from), true
}

// Activity is what is known of the commands in one sandbox.
type Activity struct {
	// Commands are the newest ones, newest first.
	Commands []Command
	// Dropped is how many older ones were seen and are no longer kept.
	Dropped int
	// Revision differs whenever the activity does; 0: nothing is known.
	Revision uint64
}

// Running counts the commands that have not ended.
func (a *Activity) Running() int {
	count := 0
	for i := range a.Commands {
		if !a.Commands[i].Over {
			count++
		}
	}
	return count
}

// IdleSince returns since when no command runs. It is zero while one does, and
// when nothing is known.
func (a *Activity) IdleSince() time.Time {
	var last time.Time
	for i := range a.Commands {
		c := &a.Commands[i]
		if !c.Over {
			return time.Time{}
		}
		for _, at := range []time.Time{c.EndedAt, c.StartedAt, c.CreatedAt} {
			if at.After(last) {
				last = at
			}
		}
	}
	return last
}
