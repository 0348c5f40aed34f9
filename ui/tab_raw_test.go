package ui

import (
	"errors"
	"strings"
	"testing"
)

func TestRawShowsTheEnginesOwnAnswer(t *testing.T) {
	t.Parallel()
	l := watching(t, 120, 40, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("9").until(l.sees("OnlyTheEngineSaysThis"))
	l.reads([]string{`"API_KEY=***"`}, []string{`"PLAIN=***"`}, []string{"masked; e shows them"})
	l.readsNot("hunter2")
	if text := strings.Join(l.plain(), "\n"); strings.Contains(text, "\x1b[2J") || strings.ContainsAny(text, "\u009b\u202e") {
		t.Errorf("it acts on the terminal: %q", text)
	}
	l.press("e")
	l.reads([]string{`"API_KEY=hunter2"`}, []string{"shown; e masks them"})
	l.goTo("hermes-77aa10ce")
	l.start().until(l.sees("masked; e shows them"))
	l.readsNot("hunter2")
}

func TestRawIsFoundByItsKeyAndSearched(t *testing.T) {
	t.Parallel()
	l := watching(t, 120, 12, nil)
	l.goTo("hermes-aa55e0f1")
	l.press("i").until(l.sees(`"Args"`))
	l.readsNot("OnlyTheEngineSaysThis")
	l.press("/onlythe<enter>")
	l.reads([]string{"OnlyTheEngineSaysThis"})
}

func TestRawSaysWhyThereIsNone(t *testing.T) {
	t.Parallel()
	l := watching(t, 120, 40, nil)
	l.insight.inspectErr = errors.New("the engine said no")
	l.goTo("hermes-aa55e0f1")
	l.press("9").until(l.sees("the engine said no"))
}
