package dockerx

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"hermes-sandbox/model"
)

// Bounds of what is remembered of commands.
const (
	activityKept  = 256  // commands of one sandbox
	activityLine  = 1024 // bytes of one command line
	activityBoxes = 512  // sandboxes with commands
)

// ActivityBook remembers the commands that were run in sandboxes, from the
// events of their engines. It is safe for concurrent use.
type ActivityBook struct {
	mu       sync.Mutex
	boxes    map[model.Key]*activityBox
	from     map[string]time.Time // by engine: since when nothing went unseen
	revision uint64
	changed  chan struct{} // closed and replaced at every change
}

// activityBox holds the commands of one sandbox, oldest first.
type activityBox struct {
	commands []*model.Command
	byExec   map[string]*model.Command
	dropped  int
	revision uint64
}

// NewActivityBook returns an empty book.
func NewActivityBook() *ActivityBook {
	return &ActivityBook{boxes: make(map[model.Key]*activityBox), from: make(map[string]time.Time), changed: make(chan struct{})}
}

// Note takes an event of an engine. Only events of containers with the hermes
// label count. An event that comes twice changes nothing, so the past can be
// read again after a gap. It never blocks on anybody.
func (b *ActivityBook) Note(engine string, event Event) {
	if event.Type != "container" || event.Attributes["hermes-agent"].Raw() != "1" {
		return
	}
	key := model.Key{Engine: engine, ID: model.ID(event.ID)}
	b.mu.Lock()
	defer b.mu.Unlock()
	box := b.boxes[key]
	changed := false
	switch event.Action {
	case "exec_create", "exec_start", "exec_die", "exec_detach":
		if box == nil {
			box = b.newBox(key)
		}
		changed = box.note(event)
	case "die":
		changed = box.stopped(event.At)
	case "destroy":
		changed = box != nil
		delete(b.boxes, key)
	}
	if !changed {
		return
	}
	b.revision++
	if box != nil {
		box.revision = b.revision
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// newBox makes room for a sandbox; the one that was quiet for longest goes when
// there are too many.
func (b *ActivityBook) newBox(key model.Key) *activityBox {
	if len(b.boxes) >= activityBoxes {
		var quiet model.Key
		var least *activityBox
		for key, box := range b.boxes {
			if least == nil || box.revision < least.revision {
				quiet, least = key, box
			}
		}
		// What is not remembered of it must not read as if it had been idle.
		if last := least.last(); last.After(b.from[quiet.Engine]) && !b.from[quiet.Engine].IsZero() {
			b.from[quiet.Engine] = last
		}
		delete(b.boxes, quiet)
	}
	box := &activityBox{byExec: make(map[string]*model.Command)}
	b.boxes[key] = box
	return box
}

// note takes an event of a command and reports whether it says anything new.
func (b *activityBox) note(event Event) bool {
	exec := event.Attributes["execID"].Raw()
	if exec == "" {
		return false
	}
	command := b.byExec[exec]
	if command == nil {
		command = &model.Command{ExecID: exec}
	}
	before := *command
	if command.Line.Empty() && !event.Detail.Empty() {
		command.Line, command.Cut = cutLine(event.Detail)
	}
	switch event.Action {
	case "exec_create":
		command.CreatedAt = event.At
	case "exec_start":
		command.StartedAt = event.At
	case "exec_die":
		command.EndedAt, command.Over = event.At, true
		if code, err := strconv.Atoi(event.Attributes["exitCode"].Raw()); err == nil {
			if before.ExitCode != nil && *before.ExitCode == code {
				command.ExitCode = before.ExitCode
			} else {
				command.ExitCode = &code
			}
		}
	}
	if *command == before {
		return false
	}
	if b.byExec[exec] == nil {
		return b.insert(command)
	}
	return true
}

// insert puts a command in its place by time. One that is older than all that
// are kept, when the box is full, was here before and is not taken again.
func (b *activityBox) insert(command *model.Command) bool {
	at := len(b.commands)
	for at > 0 && b.commands[at-1].Begun().After(command.Begun()) {
		at--
	}
	if at == 0 && len(b.commands) >= activityKept {
		return false
	}
	b.commands = slices.Insert(b.commands, at, command)
	b.byExec[command.ExecID] = command
	if len(b.commands) > activityKept {
		delete(b.byExec, b.commands[0].ExecID)
		b.commands = slices.Delete(b.commands, 0, 1)
		b.dropped++
	}
	return true
}

// stopped ends what ran when the sandbox stopped: the engine does not always
// say so of each command.
func (b *activityBox) stopped(at time.Time) bool {
	if b == nil {
		return false
	}
	changed := false
	for _, command := range b.commands {
		if !command.Over && !command.Begun().After(at) {
			command.Over, changed = true, true
		}
	}
	return changed
}

// cutLine keeps the beginning of a command line.
func cutLine(line model.Text) (model.Text, int) {
	raw := line.Raw()
	if len(raw) <= activityLine {
		return line, 0
	}
	return model.NewText(raw[:activityLine]), len(raw) - activityLine
}

// Of returns what is known of a sandbox's commands.
func (b *ActivityBook) Of(key model.Key) model.Activity {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of(key)
}

func (b *ActivityBook) of(key model.Key) model.Activity {
	box := b.boxes[key]
	if box == nil {
		return model.Activity{}
	}
	out := model.Activity{Dropped: box.dropped, Revision: box.revision, Commands: make([]model.Command, 0, len(box.commands))}
	for _, command := range slices.Backward(box.commands) {
		out.Commands = append(out.Commands, *command)
	}
	return out
}

// Wait returns the activity of a sandbox as soon as its revision is another
// than the one that was seen.
func (b *ActivityBook) Wait(ctx context.Context, key model.Key, seen uint64) (model.Activity, error) {
	for {
		b.mu.Lock()
		activity, changed := b.of(key), b.changed
		b.mu.Unlock()
		if activity.Revision != seen {
			return activity, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return activity, fmt.Errorf("wait for commands: %w", ctx.Err())
		}
	}
}
