package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrKeys is wrapped by every error about remapped keys.
var ErrKeys = errors.New("key binding refused")

// keymap finds actions by key and by name.
type keymap struct {
	actions []action
	byKey   map[string]int
}

// DefaultKeys returns every action with the keys it has when nothing binds it
// otherwise, in the order of the help. An action without a key is in the palette
// only.
func DefaultKeys() []KeyBinding {
	var all []KeyBinding
	for _, a := range allActions() {
		all = append(all, KeyBinding{Action: a.name, Keys: a.keys})
	}
	return all
}

// newKeymap applies the person's bindings to the usual ones. Two actions on
// one key, an unknown action and an action bound twice are refused.
func newKeymap(bindings []KeyBinding) (keymap, error) {
	all := allActions()
	if err := rebind(all, bindings); err != nil {
		return keymap{}, err
	}
	owner := make(map[string]string)
	for _, a := range all {
		for _, key := range a.keys {
			if other, taken := owner[key]; taken {
				return keymap{}, fmt.Errorf("%w: %q is bound to %s and to %s; give one of them another key", ErrKeys, key, other, a.name)
			}
			owner[key] = a.name
		}
	}
	k := keymap{actions: all, byKey: make(map[string]int)}
	for i, a := range all {
		for _, key := range a.keys {
			k.byKey[key] = i
		}
	}
	return k, nil
}

func rebind(all []action, bindings []KeyBinding) error {
	seen := make(map[string]bool)
	for _, b := range bindings {
		at := slices.IndexFunc(all, func(a action) bool { return a.name == b.Action })
		if at < 0 {
			return fmt.Errorf("%w: there is no action %q; the palette lists them all", ErrKeys, b.Action)
		}
		if seen[b.Action] {
			return fmt.Errorf("%w: action %q is bound twice", ErrKeys, b.Action)
		}
		seen[b.Action] = true
		if b.Action == "quit-now" {
			return fmt.Errorf("%w: quit-now stays on its key, so that there is always a way out", ErrKeys)
		}
		for _, key := range b.Keys {
			if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
				return fmt.Errorf("%w: %q is no key for %s", ErrKeys, key, b.Action)
			}
		}
		all[at].keys = b.Keys
	}
	return nil
}

// find returns the action of a key.
func (k *keymap) find(key string) (action, bool) {
	at, ok := k.byKey[key]
	if !ok {
		return action{}, false
	}
	return k.actions[at], true
}

// named returns the action of a name.
func (k *keymap) named(name string) (action, bool) {
	for _, a := range k.actions {
		if a.name == name {
			return a, true
		}
	}
	return action{}, false
}

// keyOf returns the first key of an action, empty when it has none.
func (k *keymap) keyOf(name string) string {
	if a, ok := k.named(name); ok && len(a.keys) > 0 {
		return a.keys[0]
	}
	return ""
}

// short returns the footer's actions in order, as key and word; in read-only
// mode without those that act, and without a sandbox only what is of use then.
func (k *keymap) short(readOnly, empty bool) [][2]string {
	order := []string{"filter", "mark", "remove", "reap", "lockdown", "profiles", "open", "help", "quit"}
	if empty {
		order = []string{"refresh", "help", "quit"}
	}
	var out [][2]string
	for _, name := range order {
		if a, ok := k.named(name); ok && len(a.keys) > 0 && a.short != "" && (!a.acts || !readOnly) {
			out = append(out, [2]string{a.keys[0], a.short})
		}
	}
	return out
}
