package hermesyaml

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlainScalars holds what Python's str() gave for each, read by PyYAML's
// safe loader.
func TestPlainScalars(t *testing.T) {
	cases := map[string]Scalar{
		"yes": {Kind: Bool, Text: "True"}, "No": {Kind: Bool, Text: "False"}, "ON": {Kind: Bool, Text: "True"},
		"y": {Text: "y"}, "tRUE": {Text: "tRUE"}, "oN": {Text: "oN"},
		"": {Kind: Null, Text: "None"}, "~": {Kind: Null, Text: "None"}, "nULL": {Text: "nULL"},
		"0": {Kind: Int, Text: "0"}, "-0": {Kind: Int, Text: "0"}, "010": {Kind: Int, Text: "8"}, "08": {Text: "08"},
		"0o10": {Text: "0o10"}, "0x1F": {Kind: Int, Text: "31"}, "0b11": {Kind: Int, Text: "3"}, "1_000": {Kind: Int, Text: "1000"},
		"1:30": {Kind: Int, Text: "90"}, "-1:30": {Kind: Int, Text: "-90"}, "190:20:30": {Kind: Int, Text: "685230"}, "1:60": {Text: "1:60"},
		"1.": {Kind: Float, Text: "1.0"}, ".5": {Kind: Float, Text: "0.5"}, "+.5": {Text: "+.5"}, "1e3": {Text: "1e3"},
		"1.0e+3": {Kind: Float, Text: "1000.0"}, "1.0e-5": {Kind: Float, Text: "1e-05"}, "1.0e+20": {Kind: Float, Text: "1e+20"},
		".inf": {Kind: Float, Text: "inf"}, "-.INF": {Kind: Float, Text: "-inf"}, ".NaN": {Kind: Float, Text: "nan"},
		"2024-01-01": {Text: "2024-01-01"}, "a b": {Text: "a b"}, "1.5.0": {Text: "1.5.0"},
	}
	for text, want := range cases {
		if diff := cmp.Diff(want, PlainScalar(text)); diff != "" {
			t.Errorf("%q differs (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseRefusesWhatTheLoaderRefuses(t *testing.T) {
	bad := map[string]string{
		"a list": "- a\n", "a text": "hello\n", "two documents": "a: 1\n---\nb: 1\n", "an unknown tag": "a: !x 1\n",
		"a foreign tag": "a: !!python/name:os.system x\n", "a list as key": "? [a]\n: 1\n", "broken": "a: [\n",
		"a lone equals sign": "a: =\n", "an anchor twice": "a: &x 1\nb: &x 2\n", "a merge of a text": "a: {<<: b}\n",
		"a merge of a list of texts": "a: {<<: [b]}\n", "a merge sign as value": "a: <<\n",
		"a byte order mark on a key": "a: 1\n\ufeffb: 1\n", "an escaped apostrophe": `a: "\'"`,
		"a number tagged as boolean": "a: !!bool 1\n", "a text tagged as number": "a: !!int x\n", "a list tagged as text": "a: !!str [b]\n",
		"a byte order mark too many": "\ufeff\ufeff\na: 1\n", "a byte order mark alone on a line": "a: 1\n\ufeff\n",
		"UTF-16": "\xff\xfea\x00:\x00", "deep": "a: " + strings.Repeat("[", 300) + strings.Repeat("]", 300),
	}
	for name, text := range bad {
		if root, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: parsed to %v", name, root)
		}
	}
	good := map[string]string{
		"nothing": "", "comments": "# a\n", "null": "~\n", "an empty list": "[]\n", "false": "no\n", "marks": "---\n...\n",
	}
	for name, text := range good {
		if root, err := Parse([]byte(text)); err != nil || root != nil {
			t.Errorf("%s: root %v, error %v", name, root, err)
		}
	}
}

func TestEntriesMerge(t *testing.T) {
	cases := map[string]struct {
		text string
		want string
	}{
		"plain":               {"x: {a: 1, b: 2}", "a=1 b=2"},
		"copies, last wins":   {"x: {a: 1, a: 2}", "a=2"},
		"merge":               {"m: &m {a: 1, b: 2}\nx: {<<: *m, b: 3}", "a=1 b=3"},
		"merge after the key": {"m: &m {a: 1}\nx: {a: 3, <<: *m}", "a=3"},
		"list, first wins":    {"m: &m {a: 1}\nn: &n {a: 2, b: 2}\nx: {<<: [*m, *n]}", "a=1 b=2"},
		"two merges":          {"m: &m {a: 1}\nn: &n {a: 2}\nx: {<<: *m, <<: *n}", "a=2"},
		"nested":              {"m: &m {a: 1}\nn: &n {<<: *m, b: 2}\nx: {<<: *n}", "a=1 b=2"},
		"itself":              {"x: &x {a: 1, <<: *x}", "a=1"},
		"itself, many times":  {"x: &x {a: 1, <<: [*x, *x, *x, {<<: [*x, *x]}]}", "a=1"},
		"quoted is a key":     {"m: &m {a: 1}\nx: {\"<<\": 1}", "<<=1"},
		"alias":               {"m: &m {a: 1}\nx: *m", "a=1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root, err := Parse([]byte(c.text + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			value, _ := Lookup(root, "x")
			var got []string
			for _, e := range Entries(value) {
				got = append(got, e.Key+"="+ScalarOf(e.Value).Text)
			}
			slices.Sort(got)
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}
