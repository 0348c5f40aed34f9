package state

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

const (
	auditName     = "audit.jsonl"
	auditLockName = "audit.lock"
	// auditLimit is the size at which the audit is rotated, in bytes, and
	// auditKept how many old files stay.
	auditLimit = 10 << 20
	auditKept  = 5
	// auditPatience bounds the wait for other instances writing their lines.
	auditPatience = 5 * time.Second
	// maxNumber is more than any audit counts to; a larger number is damage
	// and must not use up the rest.
	maxNumber = 1 << 53
)

// Audit is the record of actions: one JSON object per line, an intent before
// the engine is called and a result per target after. Without its intent on
// disk no action may run.
type Audit struct {
	state *State
	limit int64
}

// Audit returns the folder's audit.
func (s *State) Audit() *Audit { return &Audit{state: s, limit: auditLimit} }

// Intent records a plan before it is carried out and returns its number, which
// no other action of any instance has. The line is on disk when Intent
// returns; on an error the action must not run.
func (a *Audit) Intent(plan model.Plan) (n int64, err error) {
	unlock, err := a.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	last, err := a.lastNumber()
	if err != nil {
		return 0, err
	}
	n = last + 1
	return n, a.append(model.AuditEntry{
		N: n, Time: a.state.now().UTC(), User: a.state.user,
		Action: plan.Action, Phase: model.PhaseIntent, Plan: &plan,
		Outcome: model.OutcomePlanned, Undo: planUndoable(plan),
	}, true)
}

// Result records what became of one target of action n.
func (a *Audit) Result(n int64, action model.Action, target model.Target) error {
	unlock, err := a.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return a.append(model.AuditEntry{
		N: n, Time: a.state.now().UTC(), User: a.state.user,
		Action: action, Phase: model.PhaseResult, Target: &target,
		Outcome: target.Outcome,
		Undo:    target.Outcome == model.OutcomeDone && methodUndoable(target.Method),
	}, false)
}

// ConfigResult records what became of the parts of action n that come before
// its sandboxes, which are configuration edits and allowlist networks: a result
// with a plan that has nothing but them.
func (a *Audit) ConfigResult(n int64, done model.Plan) error {
	unlock, err := a.lock()
	if err != nil {
		return err
	}
	defer unlock()
	plan := model.Plan{Schema: model.Schema, Action: done.Action, Config: done.Config, Egress: done.Egress}
	outcome := model.OutcomeDone
	for _, edit := range plan.Config {
		if edit.Outcome != model.OutcomeDone && edit.Outcome != model.OutcomeSkipped {
			outcome = edit.Outcome
		}
	}
	for _, step := range plan.Egress {
		if step.Outcome != model.OutcomeDone {
			outcome = step.Outcome
		}
	}
	return a.append(model.AuditEntry{
		N: n, Time: a.state.now().UTC(), User: a.state.user,
		Action: plan.Action, Phase: model.PhaseResult, Plan: &plan, Outcome: outcome, Undo: planUndoable(plan),
	}, false)
}

// planUndoable reports whether some part of the plan can be taken back: a cut,
// a change of the policy, a pause, a stop.
func planUndoable(plan model.Plan) bool {
	return slices.ContainsFunc(plan.Config, func(edit model.ConfigEdit) bool {
		return edit.Outcome == model.OutcomePlanned || edit.Outcome == model.OutcomeDone
	}) || slices.ContainsFunc(plan.Targets, func(t model.Target) bool {
		return t.Decision == model.DecisionAct && methodUndoable(t.Method)
	})
}

func methodUndoable(method model.Method) bool {
	switch method {
	case model.MethodCut, model.MethodMove, model.MethodPause, model.MethodStop:
		return true
	default:
		return false
	}
}

func (a *Audit) lock() (func(), error) {
	ctx, cancel := context.WithTimeout(context.Background(), auditPatience)
	defer cancel()
	unlock, err := a.state.lock(ctx, auditLockName)
	if err != nil {
		return nil, fmt.Errorf("write audit: %w", safefile.Display(err))
	}
	return unlock, nil
}

// append adds one line. A line that a crash tore off is ended first, so that
// it spoils no other.
func (a *Audit) append(entry model.AuditEntry, sync bool) error {
	line, err := model.MarshalJSON(entry, false)
	if err != nil {
		return fmt.Errorf("write audit: %w", safefile.Display(err))
	}
	line = append(line, '\n')
	if err := a.rotate(); err != nil {
		return err
	}
	path, err := a.state.file(auditName)
	if err != nil {
		return err
	}
	file, err := safefile.OpenNoFollow(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, fileMode)
	if err != nil {
		return fmt.Errorf("write audit: %w", safefile.Display(err))
	}
	if torn(file) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = file.Write(line)
	if err == nil && sync {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write audit: %w", safefile.Display(err))
	}
	return nil
}

// torn reports whether the file's last line has no end.
func torn(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// rotate moves a full audit aside and drops the oldest of the old ones.
func (a *Audit) rotate() error {
	current, err := a.state.file(auditName)
	if err != nil {
		return err
	}
	info, err := os.Lstat(current) //nolint:gosec // a fixed name in our own folder
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() < a.limit {
		return nil
	}
	if err != nil {
		return fmt.Errorf("rotate audit: %w", safefile.Display(err))
	}
	for n := auditKept; n > 0; n-- {
		older := current + "." + strconv.Itoa(n)
		newer := current
		if n > 1 {
			newer = current + "." + strconv.Itoa(n-1)
		}
		if err := os.Rename(newer, older); err != nil && !errors.Is(err, fs.ErrNotExist) { //nolint:gosec // fixed names in our own folder
			return fmt.Errorf("rotate audit: %w", safefile.Display(err))
		}
	}
	return nil
}

// files lists the audit's files, oldest first.
func (a *Audit) files() []string {
	var names []string
	for n := auditKept; n > 0; n-- {
		names = append(names, auditName+"."+strconv.Itoa(n))
	}
	return append(names, auditName)
}

// Read returns all entries, oldest first. Lines that are torn or damaged are
// left out; a missing audit is an empty one.
func (a *Audit) Read() ([]model.AuditEntry, error) {
	var entries []model.AuditEntry
	for _, name := range a.files() {
		err := a.lines(name, func(line []byte) {
			var entry model.AuditEntry
			if json.Unmarshal(line, &entry) == nil && entry.N > 0 && entry.N <= maxNumber {
				entries = append(entries, entry)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// lastNumber returns the highest number given so far, 0 when there is none.
// Numbers only grow, so the newest file that has any decides.
func (a *Audit) lastNumber() (int64, error) {
	files := a.files()
	slices.Reverse(files)
	var last int64
	for _, name := range files {
		err := a.lines(name, func(line []byte) { last = max(last, numberOf(line)) })
		if err != nil {
			return 0, err
		}
		if last > 0 {
			return last, nil
		}
	}
	return 0, nil
}

// numberOf returns the number of a line as [Audit.Read] reads it. Of a torn line
// the digits at its start count, so that it keeps its number taken.
func numberOf(line []byte) int64 {
	var entry struct {
		N int64 `json:"n"`
	}
	if json.Unmarshal(line, &entry) != nil {
		digits, _ := bytes.CutPrefix(line, []byte(`{"n":`))
		if end := bytes.IndexByte(digits, ','); end >= 0 {
			entry.N, _ = strconv.ParseInt(string(digits[:end]), 10, 64)
		}
	}
	if entry.N < 0 || entry.N > maxNumber {
		return 0
	}
	return entry.N
}

// lines calls visit for every line of a file; a missing file has none.
func (a *Audit) lines(name string, visit func(line []byte)) error {
	path, err := a.state.file(name)
	if err != nil {
		return err
	}
	file, err := safefile.OpenNoFollow(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read audit: %w", safefile.Display(err))
	}
	defer func() { _ = file.Close() }()
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			visit(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read audit: %w", safefile.Display(err))
		}
	}
}
