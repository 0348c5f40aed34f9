package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

// Bounds of an exported log.
const (
	exportLines = 5000
	exportBytes = 8 << 20
)

// errExportFull ends a log that is larger than an export takes.
var errExportFull = errors.New("the rest of the log is left out")

// export writes everything known of sandboxes into a tar archive of its own.
// A file that is there is kept, unless it may be replaced.
func (w *workspace) export(ctx context.Context, fleet *model.Fleet, found []*model.Sandbox, path string, replace bool) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return refusedError(fmt.Errorf("%s is there already; name another file, or add --overwrite", model.NewText(path)))
	}
	bundle, err := w.pack(ctx, fleet, found, path, replace)
	if err != nil {
		return &exitError{code: exitFailed, err: err}
	}
	w.app.note("wrote %s: %d files, secrets masked where they look like some", model.NewText(path), bundle.files)
	for _, problem := range bundle.problems {
		w.app.note("not in it: %s", problem)
	}
	return nil
}

// pack collects everything and writes the archive.
func (w *workspace) pack(ctx context.Context, fleet *model.Fleet, found []*model.Sandbox, path string, replace bool) (*bundle, error) {
	bundle := newBundle(w.app.now(), w.mask)
	for _, s := range found {
		w.collect(ctx, bundle, fleet, s)
	}
	data, err := bundle.close()
	if err == nil {
		err = writeExport(path, data, replace)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", model.NewText(path), err)
	}
	return bundle, nil
}

// writeExport writes the archive for its owner alone.
func writeExport(path string, data []byte, replace bool) error {
	if replace {
		return safefile.Replace(path, data, 0o600)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the person names the file
	if err != nil {
		return err //nolint:wrapcheck // the caller says what was written
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path) // half an archive is none
	}
	return err
}

// bundle is a tar archive in the making. What cannot be read is noted and left
// out.
type bundle struct {
	out      bytes.Buffer
	tar      *tar.Writer
	at       time.Time
	mask     model.Masker
	files    int
	problems []string
	err      error
}

func newBundle(at time.Time, mask model.Masker) *bundle {
	b := &bundle{at: at, mask: mask}
	b.tar = tar.NewWriter(&b.out)
	return b
}

// add puts a file into the archive, unless reading it failed.
func (b *bundle) add(name string, data []byte, err error) {
	if err != nil {
		b.problems = append(b.problems, name+": "+errorLine(err))
	}
	if data == nil || b.err != nil {
		return
	}
	b.err = b.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: b.at, Typeflag: tar.TypeReg})
	if b.err == nil {
		_, b.err = b.tar.Write(data)
	}
	b.files++
}

// document adds a value as JSON with its secrets masked.
func (b *bundle) document(name string, value any, err error) {
	if err != nil {
		b.add(name, nil, err)
		return
	}
	data, err := maskedJSON(value, b.mask)
	b.add(name, data, err)
}

func (b *bundle) close() ([]byte, error) {
	if len(b.problems) > 0 {
		b.add("problems.txt", []byte(strings.Join(b.problems, "\n")+"\n"), nil)
	}
	return b.out.Bytes(), errors.Join(b.err, b.tar.Close())
}

// maskedJSON encodes a value and masks what looks like a secret in it.
func maskedJSON(value any, mask model.Masker) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, err //nolint:wrapcheck // the caller names the file
	}
	out, err := model.MarshalJSON(mask.Values(document), true)
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

// collect reads everything about one sandbox. File names are made of its ID, of
// nothing that a sandbox could choose.
func (w *workspace) collect(ctx context.Context, b *bundle, fleet *model.Fleet, s *model.Sandbox) {
	folder := s.ID.Short() + "/"
	b.document(folder+"sandbox.json", model.ListDocument(fleet, []model.Sandbox{*s}, true), nil)
	client, err := w.client(s.Engine)
	if err != nil {
		b.add(folder+"inspect.json", nil, err)
		return
	}
	inspect, err := client.RawInspect(ctx, s.ID)
	b.document(folder+"inspect.json", inspect, err)
	if s.State == model.StateRunning {
		processes, err := client.Processes(ctx, s.ID)
		b.document(folder+"processes.json", processes, err)
		connections, err := client.Connections(ctx, s.ID)
		if err == nil && connections.Problem != "" {
			err = errors.New(connections.Problem)
		}
		b.document(folder+"connections.json", connections, err)
	}
	commands := dockerx.NewActivityBook()
	_, err = client.PastEvents(ctx, func(event dockerx.Event) { commands.Note(s.Engine, event) })
	b.document(folder+"commands.json", commands.Of(s.Key()), err)
	log, err := exportLog(ctx, client, s.ID, w.mask)
	b.add(folder+"log.txt", log, err)
	changes, err := client.Changes(ctx, s.ID)
	b.add(folder+"diff.txt", changeLines(changes), err)
	audit, err := w.auditOf(s.ID)
	b.add(folder+"audit.jsonl", audit, err)
}

// exportLog is the end of a container's log, a line each, safe to print.
func exportLog(ctx context.Context, client *dockerx.Client, id model.ID, mask model.Masker) ([]byte, error) {
	out := []byte{}
	err := client.Logs(ctx, id, dockerx.LogOptions{Tail: exportLines}, func(line model.LogLine) error {
		line.Text = mask.Text(line.Text)
		out = fmt.Appendf(out, "%s %s %s\n", line.At.Format(time.RFC3339Nano), line.Stream, ansi.Strip(line.Display()))
		if len(out) > exportBytes {
			return errExportFull
		}
		return nil
	})
	return out, err
}

func changeLines(changes []model.Change) []byte {
	out := []byte{}
	for _, change := range changes {
		out = fmt.Appendf(out, "%s %s\n", change.Kind, change.Path)
	}
	return out
}

// auditOf returns the lines of the audit that name a container.
func (w *workspace) auditOf(id model.ID) ([]byte, error) {
	out := []byte{}
	if _, err := os.Stat(w.stateDir); errors.Is(err, os.ErrNotExist) {
		return out, nil // nothing was done yet, and reading makes no folder
	}
	audit, err := w.audit()
	if err != nil {
		return nil, err
	}
	entries, err := audit.Read()
	for i := range entries {
		if !namesContainer(&entries[i], id) {
			continue
		}
		line, lineErr := model.MarshalJSON(entries[i], false)
		if lineErr != nil {
			return out, lineErr
		}
		out = append(append(out, line...), '\n')
	}
	return out, err
}

func namesContainer(entry *model.AuditEntry, id model.ID) bool {
	if entry.Target != nil && entry.Target.ID == id {
		return true
	}
	if entry.Plan == nil {
		return false
	}
	for i := range entry.Plan.Targets {
		if target := &entry.Plan.Targets[i]; target.ID == id {
			return true
		}
	}
	return false
}
