package ui

import (
	"slices"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
)

// Look is what a person chose by keys of the way the list is shown: the zero
// value is nothing, the usual look.
type Look struct {
	Group string `json:"group,omitempty"` // a [model.Grouping]
	Sort  string `json:"sort,omitempty"`  // a [model.SortKey] with an optional leading "-"
	Theme string `json:"theme,omitempty"` // one of theme.Names
	Wide  bool   `json:"wide,omitempty"`  // more columns
	// Greeted says that a dashboard was seen before.
	Greeted bool `json:"greeted,omitempty"`
}

// recall takes from a remembered look what the options leave open. What this
// program does not know, as of another version, is left out.
func (o *Options) recall() {
	look := &o.Remembered
	key := model.SortKey(strings.TrimPrefix(look.Sort, "-"))
	if !slices.Contains(model.SortKeys(), key) && !usageSort(key) {
		look.Sort = ""
	}
	if !slices.Contains(model.Groupings(), model.Grouping(look.Group)) {
		look.Group = ""
	}
	if !theme.Known(look.Theme) {
		look.Theme = ""
	}
	for _, choice := range []struct {
		set        *string
		remembered string
	}{{&o.Sort, look.Sort}, {&o.Group, look.Group}, {&o.Theme, look.Theme}} {
		if *choice.set == "" {
			*choice.set = choice.remembered
		}
	}
}

// look is how the list is shown now.
func (m *Model) look() Look {
	look := Look{Group: string(m.view.grouping), Sort: string(m.view.sort), Theme: m.options.Theme, Wide: m.view.wide}
	if m.view.descending {
		look.Sort = "-" + look.Sort
	}
	return look
}

// Look returns what is to be remembered: the look that was remembered with what
// keys changed since the start. It is for after the program has ended.
func (m *Model) Look() Look {
	look, now := m.options.Remembered, m.look()
	look.Greeted = look.Greeted || m.options.Greeting != ""
	if now.Group != m.started.Group {
		look.Group = now.Group
	}
	if now.Sort != m.started.Sort {
		look.Sort = now.Sort
	}
	if now.Theme != m.started.Theme {
		look.Theme = now.Theme
	}
	if now.Wide != m.started.Wide {
		look.Wide = now.Wide
	}
	return look
}
