// Package ui is the dashboard: one Bubble Tea program over a [model.Fleet].
//
// There is one tea.Model, [Model]. The panes (tree, detail) and the dialogs
// are plain structs it owns; they draw themselves and answer keys, and know
// nothing of each other. Facts arrive as a [FleetMsg], which the owner of the
// program sends; what the person does leaves through the [Backend].
//
// Neither Update nor View reads a clock or does any work outside the process.
// The time is part of the model: it comes with the messages, and one timer is
// set for the moment at which the next shown age reads differently. With
// nothing to say the program sleeps.
//
// Text from outside is a model.Text and is shown through Display alone. The
// window title and the terminal's clipboard never carry it, but for a copy
// that the person asks for, which is display text as well.
package ui
