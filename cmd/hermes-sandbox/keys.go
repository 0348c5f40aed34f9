package main

import (
	"fmt"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// specialKeys are the names of keys that are not characters.
func specialKeys() map[string]rune {
	return map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	}
}

// parseKeys reads keys as typed: characters stand for themselves, <name> for a
// special key, with ctrl+, alt+ and shift+ in front, and <lt> for "<".
func parseKeys(text string) ([]tea.KeyPressMsg, error) {
	var keys []tea.KeyPressMsg
	for rest := text; rest != ""; {
		if name, after, ok := strings.Cut(strings.TrimPrefix(rest, "<"), ">"); ok && strings.HasPrefix(rest, "<") {
			key, err := namedKey(name)
			if err != nil {
				return nil, err
			}
			keys, rest = append(keys, key), after
			continue
		}
		r := []rune(rest)[0]
		keys, rest = append(keys, characterKey(r)), rest[len(string(r)):]
	}
	return keys, nil
}

func characterKey(r rune) tea.KeyPressMsg {
	if r == ' ' {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	key := tea.KeyPressMsg{Code: r, Text: string(r)}
	if unicode.IsUpper(r) {
		key.Code, key.ShiftedCode, key.Mod = unicode.ToLower(r), r, tea.ModShift
	}
	return key
}

func namedKey(name string) (tea.KeyPressMsg, error) {
	var mod tea.KeyMod
	base := strings.ToLower(name)
	for {
		prefix, rest, ok := strings.Cut(base, "+")
		modifier, known := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[prefix]
		if !ok || !known {
			break
		}
		mod, base = mod|modifier, rest
	}
	if base == "lt" {
		return characterKey('<'), nil
	}
	if code, ok := specialKeys()[base]; ok {
		key := tea.KeyPressMsg{Code: code, Mod: mod}
		if code == tea.KeySpace {
			key.Text = " "
		}
		return key, nil
	}
	if runes := []rune(base); len(runes) == 1 && mod != 0 {
		return tea.KeyPressMsg{Code: runes[0], Mod: mod}, nil
	}
	return tea.KeyPressMsg{}, fmt.Errorf("no key is called %q", "<"+name+">")
}
