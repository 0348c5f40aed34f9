package screenshots

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Beat is a moment of a recording: what the whole screen shows from then on,
// with its escape sequences, and the keys typed for it.
type Beat struct {
	Text  string
	Typed string
	Stays time.Duration
}

// Cast writes a recording in asciinema's format, version 2.
func Cast(beats []Beat, width, height int, title string) ([]byte, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	head := struct {
		Version int    `json:"version"`
		Width   int    `json:"width"`
		Height  int    `json:"height"`
		Title   string `json:"title"`
	}{2, width, height, title}
	if err := encoder.Encode(head); err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	var at time.Duration
	write := func(kind, data string) error {
		if err := encoder.Encode([]any{json.Number(fmt.Sprintf("%.3f", at.Seconds())), kind, data}); err != nil {
			return fmt.Errorf("write recording: %w", err)
		}
		return nil
	}
	for i, beat := range beats {
		if beat.Typed != "" {
			if err := write("i", beat.Typed); err != nil {
				return nil, err
			}
		}
		screen := "\x1b[H" + strings.ReplaceAll(beat.Text, "\n", "\r\n")
		if i == 0 {
			screen = "\x1b[?25l\x1b[2J" + screen
		}
		if err := write("o", screen); err != nil {
			return nil, err
		}
		at += beat.Stays
	}
	if err := write("o", "\x1b[?25h"); err != nil {
		return nil, err
	}
	return []byte(out.String()), nil
}
