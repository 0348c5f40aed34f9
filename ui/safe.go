package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hermes-sandbox/model"
)

// cellBytes is how much of a text a table cell looks at; no cell is as wide.
const cellBytes = 600

// valueBytes is how much of a text the detail pane shows.
const valueBytes = 4096

// safe passes a string that is display-safe by construction through a last
// check: one that is not after all is escaped, nothing is escaped twice.
func safe(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !model.Printable(r) }) {
		return model.NewText(s).Display()
	}
	return s
}

// raw shows a string that comes from outside and is no model.Text, such as a
// path or an identifier.
func raw(s string) string { return value(model.NewText(s)) }

// cell shows a text in a table. Only its start is looked at, so that a label of
// 100 kB costs a frame no more than a short one.
func cell(t model.Text) string {
	return head(t, cellBytes).Display()
}

// identity shows a text that tells one sandbox from another. One that had to
// be escaped carries a mark, since it may pretend to be another.
func identity(t model.Text, mark string) string {
	start := head(t, cellBytes)
	text := start.Display()
	if text != start.Raw() {
		return mark + text
	}
	return text
}

// label is identity for what Hermes or the engine writes: names, profiles and
// tasks. One that they cannot have written carries the mark as well.
func label(t model.Text, mark string) string {
	if start := head(t, cellBytes); model.OddLabel(start) {
		return mark + start.Display()
	}
	return identity(t, mark)
}

// value shows a text in the detail pane. What is left out is counted.
func value(t model.Text) string {
	start := head(t, valueBytes)
	if rest := len(t.Raw()) - len(start.Raw()); rest > 0 {
		return fmt.Sprintf("%s (+%d B)", start.Display(), rest)
	}
	return start.Display()
}

// head returns the first bytes of a text, cut between characters.
func head(t model.Text, limit int) model.Text {
	s := t.Raw()
	if len(s) <= limit {
		return t
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return model.NewText(s[:limit])
}

// plural writes a count with its noun.
func plural(count int, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, many)
}

// homePath shows a path, with ~ for the user's home folder.
func (m *Model) homePath(path string) string {
	home := strings.TrimRight(m.options.UserHome, `/\`)
	if rest, below := strings.CutPrefix(path, home); below && home != "" && (rest == "" || rest[0] == '/' || rest[0] == '\\') {
		path = "~" + rest
	}
	return raw(path)
}

// homePaths shows a sentence of ours, with ~ for the user's home folder in the
// paths that stand in it.
func (m *Model) homePaths(text string) string {
	home := strings.TrimRight(m.options.UserHome, `/\`)
	if home == "" {
		return text
	}
	return strings.NewReplacer(" "+home+"/", " ~/", " "+home+`\`, ` ~\`).Replace(text)
}
