package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// ErrOption is wrapped by every error about an option that cannot be used.
var ErrOption = errors.New("option refused")

// column is one column of the tree.
type column struct {
	name  string // in settings
	title string
	sort  string // sort key shown in the header; empty: none
	min   int    // narrowest useful width
	want  int    // width it takes when there is room
	// grow shares what is left over, in proportion.
	grow int
	// keep ranks the columns: the lowest goes first when there is no room.
	keep  int
	right bool
	usual bool // shown without being asked for
	wide  bool // shown in wide mode
	usage bool // there only when the backend tells what sandboxes use
	text  func(*Model, *model.Sandbox) string
	tone  func(*model.Sandbox) tone
}

// tone is how much a cell asks for attention.
type tone int

const (
	toneText tone = iota
	toneDim
	toneCalm
	toneWarn
	toneAlarm
)

// columnTable returns every column, in the order of the screen.
func columnTable() []column {
	return []column{
		{name: "name", title: "NAME", sort: "name", min: 17, want: 19, grow: 3, keep: 100, usual: true, text: (*Model).nameCell},
		{name: "task", title: "TASK/SESSION", sort: "task", min: 5, want: 12, grow: 3, keep: 60, usual: true, text: (*Model).taskCell, tone: dimTone},
		{name: "state", title: "STATE", sort: "state", min: 8, want: 8, grow: 1, keep: 70, usual: true, text: stateCell, tone: stateTone},
		{name: "age", title: "AGE", sort: "age", min: 4, want: 4, keep: 40, right: true, usual: true, text: (*Model).ageCell, tone: dimTone},
		{name: "network", title: "NETWORK", sort: "network", min: 7, want: 11, grow: 1, keep: 30, usual: true, text: networkCell, tone: dimTone},
		{name: "posture", title: "POSTURE", sort: "posture", min: 14, want: 14, keep: 90, usual: true, text: (*Model).postureCell, tone: postureTone},
		{name: "cpu", title: "CPU%", sort: "cpu", min: 6, want: 6, keep: 27, right: true, wide: true, usage: true, text: (*Model).cpuCell, tone: dimTone},
		{name: "memory", title: "MEMORY", sort: "memory", min: 9, want: 9, keep: 26, right: true, wide: true, usage: true, text: (*Model).memoryCell, tone: dimTone},
		{name: "connections", title: "CONNS", min: 5, want: 5, keep: 23, right: true, wide: true, usage: true, text: (*Model).connectionsCell, tone: dimTone},
		{name: "idle", title: "IDLE", sort: "idle", min: 5, want: 5, keep: 28, right: true, wide: true, text: (*Model).idleCell, tone: idleTone},
		{name: "reap", title: "REAPER", sort: "reap", min: 11, want: 11, keep: 25, wide: true, text: reapCell, tone: reapTone},
		{name: "reuse", title: "NEXT START", sort: "reuse", min: 12, want: 15, keep: 24, wide: true, text: reuseCell, tone: dimTone},
		{name: "findings", title: "FINDINGS", sort: "", min: 8, want: 9, keep: 22, right: true, wide: true, text: findingsCell, tone: findingsTone},
		{name: "image", title: "IMAGE", sort: "image", min: 12, want: 20, grow: 1, keep: 20, wide: true, text: imageCell, tone: dimTone},
		{name: "engine", title: "ENGINE", sort: "engine", min: 8, want: 10, keep: 18, wide: true, text: engineCell, tone: dimTone},
		{name: "id", title: "ID", sort: "", min: 12, want: 12, keep: 16, wide: true, text: idCell, tone: dimTone},
	}
}

// chosenColumns picks the columns of a list of names; none means the usual
// ones. The name is always there.
func chosenColumns(names []string, wide bool) ([]column, error) {
	table := columnTable()
	for _, name := range names {
		if !slices.ContainsFunc(table, func(c column) bool { return c.name == name }) {
			return nil, fmt.Errorf("%w: there is no column %q; there are %s", ErrOption, name, columnNames(table))
		}
	}
	var out []column
	for _, c := range table {
		listed := c.usual
		if len(names) > 0 {
			listed = slices.Contains(names, c.name)
		}
		if listed || c.name == "name" || wide && (c.wide || c.usual) {
			out = append(out, c)
		}
	}
	return out, nil
}

// showColumns picks the columns for the screen: those asked for, else the usual
// ones, with the engine where there are several.
func (m *Model) showColumns() {
	names := m.options.Columns
	if len(names) == 0 && m.severalEngines() {
		for _, c := range columnTable() {
			if c.usual || c.name == "engine" {
				names = append(names, c.name)
			}
		}
	}
	if columns, err := chosenColumns(names, m.view.wide); err == nil { // checked at the start
		m.view.columns = slices.DeleteFunc(columns, func(c column) bool { return c.usage && !canRead[UsageSource](m.options.Backend) })
	}
}

// showsColumn reports whether a column is on the screen, if there is room.
func (m *Model) showsColumn(name string) bool {
	return slices.ContainsFunc(m.view.columns, func(c column) bool { return c.name == name })
}

func columnNames(table []column) string {
	names := make([]string, len(table))
	for i, c := range table {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// placed is a column with the width it got.
type placed struct {
	column
	width int
}

// place gives every column a width so that all, with one space between, take
// exactly width. Columns that find no room go, the least important first.
func place(columns []column, width int) []placed {
	columns = slices.Clone(columns)
	for len(columns) > 1 && minimum(columns) > width {
		least := 0
		for i, c := range columns {
			if c.keep < columns[least].keep {
				least = i
			}
		}
		columns = slices.Delete(columns, least, least+1)
	}
	out := make([]placed, len(columns))
	room := width - minimum(columns)
	for i, c := range columns {
		out[i] = placed{column: c, width: c.min}
	}
	for i := range out { // up to what each wants
		extra := widget.Clamp(out[i].want-out[i].min, 0, max(0, room))
		out[i].width += extra
		room -= extra
	}
	growInto(out, room)
	if len(out) == 1 {
		out[0].width = max(0, width)
	}
	return out
}

// growInto shares what is left over among the columns that grow.
func growInto(out []placed, room int) {
	weight := 0
	for _, c := range out {
		weight += c.grow
	}
	for i := range out {
		if out[i].grow > 0 && room > 0 {
			extra := room * out[i].grow / weight
			out[i].width += extra
			room -= extra
			weight -= out[i].grow
		}
	}
}

func minimum(columns []column) int {
	total := len(columns) - 1
	for _, c := range columns {
		total += c.min
	}
	return total
}
