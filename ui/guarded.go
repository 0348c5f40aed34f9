package ui

import (
	"reflect"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/rescue"
)

// Guarded returns a model that hands every panic of another, and of its
// commands, to crash, which has to end the program. Bubble Tea's own way would
// print the panic on the terminal, with whatever text from outside is in it.
func Guarded(inner tea.Model, crash func(*rescue.Panic)) tea.Model {
	return guardedModel{inner: inner, crash: crash}
}

type guardedModel struct {
	inner tea.Model
	crash func(*rescue.Panic)
}

// catch is deferred directly, so that recover works in it.
func (g guardedModel) catch() {
	if caught := rescue.Caught(recover()); caught != nil {
		g.crash(caught)
	}
}

// Init implements tea.Model.
func (g guardedModel) Init() tea.Cmd {
	defer g.catch()
	return g.command(g.inner.Init())
}

// Update implements tea.Model.
func (g guardedModel) Update(msg tea.Msg) (model tea.Model, command tea.Cmd) {
	model = g // after a panic as well
	defer g.catch()
	inner, command := g.inner.Update(msg)
	return guardedModel{inner: inner, crash: g.crash}, g.command(command)
}

// View implements tea.Model.
func (g guardedModel) View() (view tea.View) {
	defer g.catch()
	return g.inner.View()
}

// command guards a command, and those that come out of it.
func (g guardedModel) command(command tea.Cmd) tea.Cmd {
	if command == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.catch()
		return g.each(command())
	}
}

// each guards the commands of a batch or a sequence. Bubble Tea exports only
// the type of the one; both are lists of commands.
func (g guardedModel) each(msg tea.Msg) tea.Msg {
	list := reflect.ValueOf(msg)
	if list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return msg
	}
	for i := range list.Len() {
		command, _ := list.Index(i).Interface().(tea.Cmd)
		list.Index(i).Set(reflect.ValueOf(g.command(command)))
	}
	return msg
}
