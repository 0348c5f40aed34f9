package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hermes-sandbox/config/edit"
	"hermes-sandbox/model"
)

// rowsByFile returns the edits still to be made, those of one file together, in
// the order in which the files come first.
func rowsByFile(edits []model.ConfigEdit) [][]*model.ConfigEdit {
	var files []string
	rows := map[string][]*model.ConfigEdit{}
	for i := range edits {
		row := &edits[i]
		if row.Outcome != model.OutcomePlanned {
			continue
		}
		if rows[row.File] == nil {
			files = append(files, row.File)
		}
		rows[row.File] = append(rows[row.File], row)
	}
	grouped := make([][]*model.ConfigEdit, 0, len(files))
	for _, file := range files {
		grouped = append(grouped, rows[file])
	}
	return grouped
}

// folded are the edits of one file as one change of its contents.
type folded struct {
	edit.Edit
	froms   []string // what the file says now, per row
	changes []bool   // whether a row changes anything
}

// fold makes the edits of one file, from the file as it is now. They are made
// together or not at all.
func fold(rows []*model.ConfigEdit, backups string) (folded, error) {
	file, err := edit.Read(rows[0].File)
	if err != nil {
		return folded{}, err
	}
	if rows[0].Undo {
		for _, row := range rows {
			if err := stillOurs(file, row); err != nil {
				return folded{}, err
			}
		}
		if whole, ok := restoreAll(file, rows, backups); ok {
			return whole, nil
		}
	}
	return foldOnto(file, rows)
}

// foldOnto makes edits one on top of the other.
func foldOnto(file *edit.File, rows []*model.ConfigEdit) (folded, error) {
	var whole folded
	for i, row := range rows {
		before := whole.After
		change, err := changeRow(file, row.Key, row.From, row.To)
		if err != nil {
			return folded{}, err
		}
		if i == 0 {
			before = change.Before
		}
		whole.Edit = change
		whole.froms = append(whole.froms, change.From)
		whole.changes = append(whole.changes, !bytes.Equal(before, change.After))
		if file, err = file.Then(change); err != nil {
			return folded{}, err
		}
	}
	return whole, nil
}

// stillOurs returns an error when a file no longer says what an edit of ours
// made it say.
func stillOurs(file *edit.File, row *model.ConfigEdit) error {
	if standsIn(file, row.Key, row.To, row.From) {
		return nil
	}
	written, _ := file.Written(strings.Split(row.Key, "."))
	if row.Key == model.ExtraArgsKey {
		written = "another list"
	}
	return fmt.Errorf("%s was changed since and is %s now, not %s; it is left as it is", row.Key, orAbsent(written), orAbsent(row.From))
}

// standsIn reports whether a file says what an edit from one value to another
// made it say. Of docker_extra_args an edit concerns a single entry.
func standsIn(file *edit.File, key, from, to string) bool {
	path := strings.Split(key, ".")
	if key == model.ExtraArgsKey {
		entries := file.Texts(path)
		return (to == "" || slices.Contains(entries, unquote(to))) &&
			(from == "" || from == to || !slices.Contains(entries, unquote(from)))
	}
	if key == model.ContainerAllowlistKey {
		return to == "" || slices.Equal(file.Texts(path), listOf(to))
	}
	written, _ := file.Written(path)
	return written == to
}

// restoreAll goes back to the file from before edits of ours, byte for byte. It
// is not ok when the backup is gone or when something else has changed since.
func restoreAll(file *edit.File, rows []*model.ConfigEdit, backups string) (folded, bool) {
	name := rows[0].Restore
	differs := func(row *model.ConfigEdit) bool { return row.Restore != name }
	if name == "" || filepath.Base(name) != name || slices.ContainsFunc(rows, differs) {
		return folded{}, false
	}
	backup, err := edit.Read(filepath.Join(backups, name))
	if err != nil {
		return folded{}, false
	}
	forth := make([]*model.ConfigEdit, len(rows))
	var whole folded
	for i, row := range rows {
		forth[i] = &model.ConfigEdit{Key: row.Key, From: row.To, To: row.From}
		whole.froms, whole.changes = append(whole.froms, row.From), append(whole.changes, true)
	}
	ours, err := foldOnto(backup, forth)
	if err != nil || len(ours.Before) == 0 {
		return folded{}, false
	}
	whole.Edit, err = file.Restore(ours.Before)
	if err != nil || !bytes.Equal(whole.Before, ours.After) {
		return folded{}, false
	}
	return whole, true
}

// changeRow plans one edit. From is looked at for entries of a list only.
func changeRow(file *edit.File, key, from, to string) (edit.Edit, error) {
	path := strings.Split(key, ".")
	switch {
	case key == model.ExtraArgsKey:
		return replaceEntry(file, path, unquote(from), unquote(to))
	case to == "" && strings.HasPrefix(key, model.DockerEnvKey+"."):
		return unsetVariable(file, path)
	case to == "":
		return file.Unset(path)
	case key == model.ContainerAllowlistKey:
		return file.SetList(path, listOf(to))
	case key == model.ContainerNetworkKey, strings.HasPrefix(key, model.DockerEnvKey+"."):
		return file.SetString(path, unquote(to))
	case strings.EqualFold(to, "true"), strings.EqualFold(to, "false"):
		return file.SetBool(path, strings.EqualFold(to, "true"))
	}
	return edit.Edit{}, fmt.Errorf("%s was written as %s, which is not put back by itself; edit the file by hand", key, to)
}

// unsetVariable takes a variable out, and with the last one the block they stood
// in.
func unsetVariable(file *edit.File, path []string) (edit.Edit, error) {
	change, err := file.Unset(path)
	if err != nil {
		return edit.Edit{}, err
	}
	without, err := file.Then(change)
	if err != nil || !without.Empty(path[:len(path)-1]) {
		return change, err
	}
	whole, err := without.Unset(path[:len(path)-1])
	whole.From = change.From
	return whole, err
}

// replaceEntry takes one entry out of a list and puts another in; empty: none.
func replaceEntry(file *edit.File, path []string, from, to string) (edit.Edit, error) {
	var gone []string
	if from != "" {
		gone = []string{from}
	}
	change, err := file.RemoveFromList(path, gone...)
	if err != nil || to == "" {
		return change, err
	}
	without, err := file.Then(change)
	if err != nil {
		return edit.Edit{}, err
	}
	if slices.Contains(without.Texts(path), to) {
		return change, nil
	}
	return without.AddToList(path, to)
}

// unquote reads a text as this program writes it.
func unquote(written string) string {
	if text, err := strconv.Unquote(written); err == nil {
		return text
	}
	return written
}

// listOf reads a list of texts as this program writes it.
func listOf(written string) []string {
	var entries []string
	for part := range strings.SplitSeq(strings.Trim(written, "[]"), ", ") {
		if part != "" {
			entries = append(entries, unquote(part))
		}
	}
	return entries
}
