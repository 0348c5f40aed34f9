package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/ui/widget"
)

func (m *Model) openHelp() tea.Cmd {
	return m.show(&textDialog{title: "Help", lines: (*Model).helpLines})
}

// helpLines lists every key, made from the same table the keys work from. The
// part about the pane in focus comes first.
func (m *Model) helpLines(width int) []string {
	var lines []string
	styles := m.theme.Styles
	if m.options.ReadOnly {
		lines = append(lines, widget.Wrap("Read-only: the program was started so that nothing can be changed. Keys that would act are left out here; "+
			"they show their plan, which cannot be carried out.", width)...)
		for i := range lines {
			lines[i] = styles.Badge.Render(lines[i])
		}
		lines = append(lines, "")
	}
	order := sections()
	if m.focus == paneDetail {
		at := slices.Index(order, sectionDetail)
		order = append([]section{sectionDetail}, slices.Delete(order, at, at+1)...)
	}
	for _, s := range order {
		part := m.helpSection(s)
		if len(part) > 0 {
			lines = append(lines, styles.Bold.Render(sectionTitle(s)))
			lines = append(lines, part...)
			lines = append(lines, "")
		}
	}
	lines = append(lines, widget.Wrap("A filter is made of words, !words to leave out, and terms such as state:running posture:open "+
		"profile:work age>2h idle>2h orphan stranded idle violation.", width)...)
	return lines
}

func (m *Model) helpSection(s section) []string {
	var lines []string
	for _, a := range m.keys.actions {
		if a.section != s || len(a.keys) == 0 || (a.acts && m.options.ReadOnly) {
			continue
		}
		keys := safe(strings.Join(a.keys, " "))
		lines = append(lines, "  "+m.theme.Styles.Key.Render(widget.Fit(keys, 14, m.theme.Glyphs.Ellipsis))+" "+m.theme.Styles.Text.Render(a.help))
	}
	return lines
}

func sectionTitle(s section) string {
	switch s {
	case sectionMove:
		return "Moving"
	case sectionView:
		return "What is shown"
	case sectionMark:
		return "Marks: actions take the marked ones, else the row, else its group"
	case sectionAct:
		return "Actions"
	case sectionDetail:
		return "One sandbox"
	default:
		return "Otherwise"
	}
}
