package ui

import (
	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// copyID copies the full ID. The next key may be n for the name or j for the
// JSON document instead.
func (m *Model) copyID() tea.Cmd {
	s := m.tree.sandbox()
	if s == nil {
		m.say(noteWarn, "there is no sandbox under the cursor to copy")
		return nil
	}
	m.copying = true
	m.say(noteCalm, "copied the id of "+m.nameCell(s)+"; n copies the name, j the JSON")
	return tea.SetClipboard(raw(string(s.ID)))
}

// copyMore handles the key after y.
func (m *Model) copyMore(key string) (tea.Cmd, bool) {
	s := m.tree.sandbox()
	if s == nil {
		return nil, false
	}
	switch key {
	case "n":
		m.say(noteCalm, "copied the name "+m.nameCell(s))
		return tea.SetClipboard(value(s.Name)), true
	case "j":
		one := []model.Sandbox{*s}
		data, err := model.MarshalJSON(model.ListDocument(m.fleet, one, true), true)
		if err != nil {
			m.say(noteAlarm, "not copied: "+safe(err.Error()))
			return nil, true
		}
		m.say(noteCalm, "copied the JSON of "+m.nameCell(s))
		return tea.SetClipboard(string(data)), true
	}
	return nil, false
}
