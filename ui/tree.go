package ui

import (
	"slices"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// rowKey tells a row apart from every other over refreshes, sorting and
// grouping: a sandbox by its key, a group by its path.
type rowKey struct {
	sandbox model.Key
	group   string
}

// row is one line of the tree: a sandbox or the head of a group.
type row struct {
	key   rowKey
	at    int // index of the sandbox in tree.shown; -1 for a group
	depth int
	head  *groupHead // nil for a sandbox
	// titled: the head of the group says the session's title.
	titled bool
}

// groupHead is what a group's line says.
type groupHead struct {
	*model.Group
	members []int // indexes in tree.shown, subgroups included
	folded  bool
}

// tree is the list of sandboxes: what is shown of it, where the cursor is,
// what is folded and marked.
type tree struct {
	width, height int              // of the rows, without frame and titles
	shown         []*model.Sandbox // of the fleet
	rows          []row
	cursor        int
	offset        int
	folded        map[string]bool
	marks         map[model.Key]bool
	anchor        model.Key // where the last mark was set
	// cursorName finds the successor of a replaced sandbox.
	cursorName model.Text
}

func newTree() tree {
	return tree{folded: make(map[string]bool), marks: make(map[model.Key]bool)}
}

func (t *tree) setSize(width, height int) {
	t.width, t.height = max(0, width), max(0, height)
	t.follow()
}

func (t *tree) follow() {
	t.offset = widget.Follow(t.cursor, t.offset, t.height, len(t.rows))
}

// current returns the row under the cursor.
func (t *tree) current() (row, bool) {
	if t.cursor < 0 || t.cursor >= len(t.rows) {
		return row{}, false
	}
	return t.rows[t.cursor], true
}

// sandbox returns the sandbox under the cursor, nil on a group.
func (t *tree) sandbox() *model.Sandbox {
	r, ok := t.current()
	if !ok || r.at < 0 {
		return nil
	}
	return t.shown[r.at]
}

// moveTo puts the cursor on a row.
func (t *tree) moveTo(at int) {
	t.cursor = widget.Clamp(at, 0, max(0, len(t.rows)-1))
	t.remember()
	t.follow()
}

func (t *tree) remember() {
	t.cursorName = model.Text{}
	if s := t.sandbox(); s != nil {
		t.cursorName = s.Name
	}
}

// order returns the sandboxes in the order of the rows, folded ones where
// their group stands.
func (t *tree) order() []model.Key {
	var keys []model.Key
	for _, r := range t.rows {
		if r.head == nil || r.head.folded {
			for _, at := range membersOf(r) {
				keys = append(keys, t.shown[at].Key())
			}
		}
	}
	return keys
}

// setRows replaces the rows. The cursor stays on the row it was on: by key,
// else on the sandbox that took its name, else at the same place.
func (t *tree) setRows(shown []*model.Sandbox, rows []row) {
	before, had := t.current()
	t.shown, t.rows = shown, rows
	if had {
		if at := slices.IndexFunc(rows, func(r row) bool { return r.key == before.key }); at >= 0 {
			t.cursor = at
		} else if at := t.successor(before); at >= 0 {
			t.cursor = at
		}
	}
	t.moveTo(t.cursor)
}

func (t *tree) successor(before row) int {
	if before.head != nil || t.cursorName.Empty() {
		return -1
	}
	return slices.IndexFunc(t.rows, func(r row) bool {
		return r.at >= 0 && t.shown[r.at].Name == t.cursorName && t.shown[r.at].Engine == before.key.sandbox.Engine
	})
}

// firstSandbox puts the cursor on the first sandbox, where a person looks
// first.
func (t *tree) firstSandbox() {
	if at := slices.IndexFunc(t.rows, func(r row) bool { return r.at >= 0 }); at >= 0 {
		t.moveTo(at)
	}
}

// visible returns the rows inside the window with the index of the first.
func (t *tree) visible() ([]row, int) {
	end := min(len(t.rows), t.offset+t.height)
	if t.offset >= end {
		return nil, t.offset
	}
	return t.rows[t.offset:end], t.offset
}

// parent returns the row of the group a row stands in, -1 at the top.
func (t *tree) parent(at int) int {
	for i := at - 1; i >= 0; i-- {
		if t.rows[i].head != nil && t.rows[i].depth < t.rows[at].depth {
			return i
		}
	}
	return -1
}

// toggle marks or unmarks sandboxes: when all are marked they are unmarked.
func (t *tree) toggle(members []int) {
	all := len(members) > 0
	for _, at := range members {
		all = all && t.marks[t.shown[at].Key()]
	}
	for _, at := range members {
		key := t.shown[at].Key()
		if all {
			delete(t.marks, key)
		} else {
			t.marks[key] = true
		}
		t.anchor = key
	}
}

// membersOf returns the sandboxes a row stands for.
func membersOf(r row) []int {
	if r.head != nil {
		return r.head.members
	}
	return []int{r.at}
}

// prune drops marks whose sandbox is gone.
func (t *tree) prune(alive map[model.Key]int) {
	for key := range t.marks {
		if _, ok := alive[key]; !ok {
			delete(t.marks, key)
		}
	}
}
