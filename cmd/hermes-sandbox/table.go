package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"hermes-sandbox/model"
)

// oddMark stands in front of a name that neither Hermes nor an engine writes: it
// may be meant to pass for another one.
const oddMark = "!!"

// identity shows what tells sandboxes and profiles from each other.
func identity(text model.Text) string {
	if model.OddLabel(text) {
		return oddMark + text.Display()
	}
	return text.Display()
}

// writeTable writes rows under a heading, columns two cells apart and aligned
// by display width. What is last on its line is neither padded nor does it widen
// its column. Cells are display-safe.
func writeTable(out io.Writer, heading []string, rows [][]string) error {
	all := append([][]string{heading}, rows...)
	widths := make([]int, len(heading))
	for i, row := range all {
		for len(row) > 0 && row[len(row)-1] == "" {
			row = row[:len(row)-1]
		}
		all[i] = row
		for j := range len(row) - 1 {
			widths[j] = max(widths[j], ansi.StringWidth(row[j]))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
			}
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(line.String(), " ")); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	return nil
}
