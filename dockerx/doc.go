// Package dockerx is the only package that talks to a container engine. It
// finds the engine and says which rule chose it, reads everything known of the
// sandboxes into a [model.Snapshot], watches the engine for changes, and carries
// out plans.
//
// What an engine says is never trusted: bodies are capped and decoded row by
// row, so that one odd row becomes a row with a problem and never a failed
// list; every string enters as [model.Text]. Every request has a deadline.
// Nothing is global, so several engines can be read side by side.
package dockerx
