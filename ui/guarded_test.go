package ui

import (
	"io"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/rescue"
)

// broken is a model that panics at a chosen place.
type broken struct{ at string }

type poke struct{}

func (b broken) trip(place string) {
	if b.at == place {
		panic(place)
	}
}

func (b broken) command(place string) tea.Cmd {
	return func() tea.Msg { b.trip(place); return nil }
}

func (b broken) Init() tea.Cmd {
	b.trip("init")
	return tea.Batch(
		func() tea.Msg { return poke{} }, b.command("batch"),
		tea.Sequence(b.command("first of a sequence"), tea.Batch(b.command("batch in a sequence"), nil), b.command("last of a sequence")),
	)
}

func (b broken) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(poke); ok {
		b.trip("update")
		return b, b.command("command")
	}
	return b, nil
}

func (b broken) View() tea.View {
	b.trip("view")
	return tea.NewView("fine")
}

// Wherever a panic happens, it is handed over, and the program goes on until it
// is told to end.
func TestGuardedHandsPanicsOver(t *testing.T) {
	t.Parallel()
	places := []string{
		"init", "update", "view", "command", "batch", "first of a sequence", "batch in a sequence", "last of a sequence",
	}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			crashed := make(chan *rescue.Panic, 100)
			var program *tea.Program
			model := Guarded(broken{at: place}, func(caught *rescue.Panic) {
				select {
				case crashed <- caught:
				default:
				}
				program.Kill()
			})
			program = tea.NewProgram(model, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(80, 24),
				tea.WithoutSignals(), tea.WithoutCatchPanics())
			if _, err := program.Run(); err == nil {
				t.Error("the program was not ended")
			}
			if caught := <-crashed; caught.Cause != any(place) || len(caught.Stack) == 0 {
				t.Errorf("caught %v", caught)
			}
		})
	}
}
