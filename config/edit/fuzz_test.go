package edit

import (
	"bytes"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
)

func parsed(data []byte) (*File, bool) {
	root, err := hermesyaml.Parse(data)
	return &File{path: "config.yaml", data: data, root: root}, err == nil
}

// without decodes a file by the parser's own rules, leaving the edited key
// out. It is a second opinion on what changed; ok is false where the parser
// refuses what Hermes accepts, such as a key given twice, or reads it otherwise.
func without(data []byte) (values map[string]any, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if yaml.Unmarshal(data, &values) != nil || !textKeys(values) {
		return nil, false
	}
	if section, ok := values["terminal"].(map[string]any); ok {
		delete(section, "docker_network")
		if len(section) == 0 {
			delete(values, "terminal")
		}
	}
	if values["terminal"] == nil {
		delete(values, "terminal")
	}
	if values == nil {
		values = map[string]any{}
	}
	return values, true
}

// textKeys reports whether every key is text. Where one is none, the parser
// changes or drops it when it is merged into a map of others.
func textKeys(value any) bool {
	switch value := value.(type) {
	case map[any]any:
		return false
	case map[string]any:
		for _, element := range value {
			if !textKeys(element) {
				return false
			}
		}
	case []any:
		for _, element := range value {
			if !textKeys(element) {
				return false
			}
		}
	}
	return true
}

// FuzzSetBool edits arbitrary files. An edit either is refused or gives a file
// in which the key has the value, everything else is what it was, and setting
// it back and forth changes no other byte.
func FuzzSetBool(f *testing.F) {
	for _, seed := range []string{
		"", "terminal:\n  docker_network: true # c\n", "terminal: {docker_network: 'no', a: [1, {b: c}]}\n",
		"x: &x {docker_network: yes}\nterminal:\n  <<: *x\n", "x: &x {a: 1}\r\nterminal: *x # c\r\n", "\ufeffterminal:\n",
		"terminal: &t\n  docker_network: &n on\n  b: *n\n", "a: |+\n  x\n\n", "a: >\n x", "{a: 1}", "? terminal\n: ? docker_network\n  : |\n   x\n",
		"terminal:\n  docker_network: !!str >-\n    a\n    b\n  # c\n  d: \"e\n   f\"\n", "# c\u2028x: y\nterminal:\n\n  'docker_network' : \"tr\\\n   ue\"",
		"terminal:\n  docker_network: true\n  docker_network: [a, # ]\n  ]\n...\n", "0: &x {0}\nterminal:\n  <<: *x\n", "x: &x {~: 1}\nterminal: # c\n  <<: *x\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, ok := parsed(bytes.Clone(data))
		if !ok {
			return
		}
		locked, err := file.SetBool(network(), false)
		if err != nil {
			return
		}
		after, ok := parsed(locked.After)
		if !ok {
			t.Fatalf("the result does not parse: %q", locked.After)
		}
		value := valueOf(valueOf(after.root, "terminal"), "docker_network")
		if value == nil || hermesyaml.ScalarOf(value).Text != "False" {
			t.Fatalf("docker_network is not false in %q", locked.After)
		}
		if old, ok := without(data); ok {
			if young, ok := without(locked.After); ok && !reflect.DeepEqual(old, young) {
				t.Fatalf("something else changed: %v became %v in %q", old, young, locked.After)
			}
		}
		opened, err := after.SetBool(network(), true)
		if err != nil {
			t.Fatalf("cannot be set back: %v in %q", err, locked.After)
		}
		middle, ok := parsed(opened.After)
		if !ok {
			t.Fatalf("set back, it does not parse: %q", opened.After)
		}
		again, err := middle.SetBool(network(), false)
		if err != nil || !bytes.Equal(again.After, locked.After) {
			t.Fatalf("back and forth gave %q, error %v, not %q", again.After, err, locked.After)
		}
		checkBytes(t, file, locked)
	})
}

// checkBytes checks that nothing but the value itself was taken away: nothing
// at all where the key was missing in a section with others, and where it was
// one token, no byte outside that token.
func checkBytes(t *testing.T, file *File, e Edit) {
	t.Helper()
	before := file.data
	head := 0
	for head < len(before) && head < len(e.After) && before[head] == e.After[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(e.After)-head && before[len(before)-1-tail] == e.After[len(e.After)-1-tail] {
		tail++
	}
	at := locate(file.root, network())
	switch {
	case at.found() == 0, at.found() == 1 && at.values[0].Kind == yaml.MappingNode && len(at.values[0].Content) > 0:
		if head+tail < len(before) {
			t.Errorf("%q was taken away", before[head:len(before)-tail])
		}
	case at.found() == len(network()):
		text := newText(before)
		start, end := text.Offset(at.values[1]), text.ScalarEnd(at.values[1])
		if end <= start {
			return
		}
		// A byte more on either side can be equal by chance, so the changed
		// region may be smaller than the token but not reach beyond it.
		if len(before)-tail > end && head < end || head < start && len(before)-tail > start {
			t.Errorf("%q was changed, but the value is %q", before[head:len(before)-tail], before[start:end])
		}
	}
}

// FuzzLists adds to and removes from a list in arbitrary files: what was added
// is there, and taking it out again leaves the values as they were.
func FuzzLists(f *testing.F) {
	for _, seed := range []string{
		"", "terminal:\n  docker_extra_args:\n  - a # c\n  - 'b'\n", "terminal: {docker_extra_args: [a, \"b\", ]}\n",
		"x: &x [a]\nterminal:\n  docker_extra_args: *x\n", "terminal:\n  docker_extra_args: [ # c\n  a, 'b' , c # d\n  ]\n",
		"terminal:\n  docker_extra_args:\n  - - a\n  -\n  - {b: c}\n", "terminal:\r\n  docker_extra_args: []\r\n",
	} {
		f.Add([]byte(seed), "--network=x")
	}
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		file, ok := parsed(data)
		if !ok {
			return
		}
		old, err := file.listAt(args())
		if err != nil {
			return
		}
		added, err := file.AddToList(args(), value)
		if err != nil {
			return
		}
		after, ok := parsed(added.After)
		if !ok {
			t.Fatalf("the result does not parse: %q", added.After)
		}
		list, err := after.listAt(args())
		if err != nil || len(list) != len(old)+1 || !isText(list[0], value) {
			t.Fatalf("%q is not in front of the list in %q", value, added.After)
		}
		removed, err := after.RemoveFromList(args(), value)
		if err != nil {
			return
		}
		back, ok := parsed(removed.After)
		if !ok {
			t.Fatalf("taken out again, it does not parse: %q", removed.After)
		}
		list, err = back.listAt(args())
		if err != nil || len(list) != len(old) {
			t.Fatalf("%d entries, not %d, in %q", len(list), len(old), removed.After)
		}
		for i := range old {
			if !(comparison{}).equal(old[i], list[i]) {
				t.Fatalf("entry %d changed in %q", i, removed.After)
			}
		}
	})
}
