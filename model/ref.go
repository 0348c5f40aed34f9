package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoSuchSandbox is wrapped by the error of a reference that names no
// sandbox; see [NoSuchSandboxError].
var ErrNoSuchSandbox = errors.New("no such sandbox")

// NoSuchSandboxError says that a reference names no sandbox. It wraps
// [ErrNoSuchSandbox].
type NoSuchSandboxError struct {
	Ref Text
	// Candidates are sandboxes whose name or ID holds the reference, a few at
	// most.
	Candidates []*Sandbox
}

// Error implements error.
func (e *NoSuchSandboxError) Error() string {
	if len(e.Candidates) == 0 {
		return fmt.Sprintf("%v: \"%s\"", ErrNoSuchSandbox, e.Ref.Display())
	}
	return fmt.Sprintf("%v: \"%s\"; meant one of these? %s", ErrNoSuchSandbox, e.Ref.Display(), candidates(e.Candidates))
}

// Unwrap returns [ErrNoSuchSandbox].
func (e *NoSuchSandboxError) Unwrap() error { return ErrNoSuchSandbox }

// AmbiguousRefError says that a reference names several sandboxes.
type AmbiguousRefError struct {
	Ref        Text
	Candidates []*Sandbox
}

// Error implements error.
func (e *AmbiguousRefError) Error() string {
	return fmt.Sprintf("\"%s\" names %d sandboxes: %s; use the full ID", e.Ref.Display(), len(e.Candidates), candidates(e.Candidates))
}

// candidates lists sandboxes by name, ID and engine.
func candidates(list []*Sandbox) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = fmt.Sprintf("%s (%s on %s)", s.Name, s.ID.Short(), NewText(s.Engine))
	}
	return strings.Join(parts, ", ")
}

// minPrefix is the shortest ID prefix a reference may be, in hex digits.
const minPrefix = 4

// maxCandidates bounds the suggestions for a reference that names nothing.
const maxCandidates = 5

// ResolveRef finds the sandbox a person named, over all engines: by exact ID,
// by exact name, or by an ID prefix of at least 4 hex digits. A name that is
// also the ID prefix of another sandbox is ambiguous, since the engine would
// silently prefer the name. Errors are [*NoSuchSandboxError] and
// [*AmbiguousRefError].
func ResolveRef(fleet *Fleet, ref string) (*Sandbox, error) {
	name := strings.TrimPrefix(ref, "/")
	var exact, found, near []*Sandbox
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		switch {
		case ref != "" && string(s.ID) == ref:
			exact = append(exact, s)
		case name != "" && s.Name.Raw() == name, isPrefix(ref, s.ID):
			found = append(found, s)
		case ref != "" && (holds(strings.ToLower(ref), s.Name) || strings.HasPrefix(string(s.ID), strings.ToLower(ref))):
			near = append(near, s)
		}
	}
	if len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		return nil, &NoSuchSandboxError{Ref: NewText(ref), Candidates: near[:min(len(near), maxCandidates)]}
	case 1:
		return found[0], nil
	default:
		return nil, &AmbiguousRefError{Ref: NewText(ref), Candidates: found}
	}
}

// isPrefix reports whether a reference is a long enough prefix of a valid ID.
func isPrefix(ref string, id ID) bool {
	return len(ref) >= minPrefix && id.Valid() && strings.HasPrefix(string(id), ref)
}

// Find returns the sandbox with a key, nil when there is none.
func (f *Fleet) Find(key Key) *Sandbox {
	for i := range f.Sandboxes {
		if f.Sandboxes[i].Key() == key {
			return &f.Sandboxes[i]
		}
	}
	return nil
}

// Engine returns the engine with a name, nil when there is none.
func (f *Fleet) Engine(name string) *Engine {
	for i := range f.Engines {
		if f.Engines[i].Name == name {
			return &f.Engines[i]
		}
	}
	return nil
}

// WithoutEngines returns the fleet without some engines and what is on them.
func (f Fleet) WithoutEngines(names []string) Fleet {
	out := func(engine string) bool { return slices.Contains(names, engine) }
	f.Engines = slices.DeleteFunc(slices.Clone(f.Engines), func(e Engine) bool { return out(e.Name) })
	f.Sandboxes = slices.DeleteFunc(slices.Clone(f.Sandboxes), func(s Sandbox) bool { return out(s.Engine) })
	f.Egress = slices.DeleteFunc(slices.Clone(f.Egress), func(e EgressPair) bool { return out(e.Engine) })
	return f
}
