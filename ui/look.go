package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
)

// nextSort steps through the columns on the screen, so that the order can be
// seen in a title.
func (m *Model) nextSort() tea.Cmd {
	var keys []model.SortKey
	for _, c := range m.view.columns {
		if c.sort != "" {
			keys = append(keys, model.SortKey(c.sort))
		}
	}
	m.view.sort = keys[(slices.Index(keys, m.view.sort)+1)%len(keys)]
	m.rebuild()
	m.say(noteCalm, "sorted by "+string(m.view.sort))
	return nil
}

func (m *Model) reverseSort() tea.Cmd {
	m.view.descending = !m.view.descending
	m.rebuild()
	return nil
}

func (m *Model) nextGrouping() tea.Cmd {
	all := model.Groupings()
	m.view.grouping = all[(slices.Index(all, m.view.grouping)+1)%len(all)]
	m.rebuild()
	return nil
}

func (m *Model) allProfiles() tea.Cmd {
	clear(m.view.profiles)
	m.rebuild()
	return nil
}

func (m *Model) toggleWide() tea.Cmd {
	m.view.wide = !m.view.wide
	m.showColumns()
	return nil
}

func (m *Model) nextTheme() tea.Cmd {
	if m.options.NoColor {
		m.say(noteWarn, "colour is switched off, so there is one theme")
		return nil
	}
	all := theme.Names()
	m.options.Theme = all[(slices.Index(all, m.options.Theme)+1)%len(all)]
	m.setTheme()
	m.say(noteCalm, "theme "+m.options.Theme)
	return nil
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.say(noteCalm, "mouse on: the terminal's own text selection needs shift now")
	} else {
		m.say(noteCalm, "mouse off")
	}
	return nil
}

func (m *Model) refresh() tea.Cmd {
	m.say(noteCalm, "looking at the engines")
	m.looking.again++
	return m.tell(Backend.Refresh)
}
