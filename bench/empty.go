//go:build unix

package main

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/ui"
)

// emptyProgram is the least that Bubble Tea can do at our frame rate: a screen
// that never changes.
type emptyProgram struct{}

func (emptyProgram) Init() tea.Cmd { return nil }

func (e emptyProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "q" {
		return e, tea.Quit
	}
	return e, nil
}

func (emptyProgram) View() tea.View {
	view := tea.NewView(strings.Repeat(strings.Repeat("x", 120)+"\n", 39) + "empty")
	view.AltScreen = true
	return view
}

// runEmpty runs it on this terminal.
func runEmpty() error {
	if _, err := tea.NewProgram(emptyProgram{}, ui.ProgramOptions()...).Run(); err != nil {
		return fmt.Errorf("empty program: %w", err)
	}
	return nil
}
