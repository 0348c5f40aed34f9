package edit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func network() []string { return []string{"terminal", "docker_network"} }

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, text string) *File {
	t.Helper()
	file, err := Read(write(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestCorpus locks the network in files that each have one peculiarity. The
// whole result is compared, so every byte outside the value is.
func TestCorpus(t *testing.T) {
	cases := map[string]struct{ before, after string }{
		"plain value":                     {"terminal:\n  docker_network: true\n", "terminal:\n  docker_network: false\n"},
		"between other keys":              {"a: 1\nterminal:\n  backend: docker\n  docker_network: true\n  timeout: 5\nz: 2\n", "a: 1\nterminal:\n  backend: docker\n  docker_network: false\n  timeout: 5\nz: 2\n"},
		"comment behind the value":        {"terminal:\n  docker_network: true   # keep me\n", "terminal:\n  docker_network: false   # keep me\n"},
		"comment with a tab":              {"terminal:\n  docker_network: true\t# keep\tme\n", "terminal:\n  docker_network: false\t# keep\tme\n"},
		"comments all around":             {"# top\n\nterminal: # of it\n  # above\n  docker_network: true\n  # below\n\n# end\n", "# top\n\nterminal: # of it\n  # above\n  docker_network: false\n  # below\n\n# end\n"},
		"comment that looks like the key": {"terminal:\n  # docker_network: true\n  docker_network: true\n", "terminal:\n  # docker_network: true\n  docker_network: false\n"},
		"text that looks like the key":    {"note: |\n  terminal:\n    docker_network: true\nterminal:\n  docker_network: true\n", "note: |\n  terminal:\n    docker_network: true\nterminal:\n  docker_network: false\n"},
		"the key elsewhere":               {"docker_network: true\nother:\n  docker_network: true\nterminal:\n  docker_network: true\n", "docker_network: true\nother:\n  docker_network: true\nterminal:\n  docker_network: false\n"},
		"double quotes":                   {"terminal:\n  docker_network: \"on\"  # really\n", "terminal:\n  docker_network: false  # really\n"},
		"single quotes with a quote":      {"terminal:\n  docker_network: 'it''s on' # x\n", "terminal:\n  docker_network: false # x\n"},
		"double quotes with escapes":      {"terminal:\n  docker_network: \"a\\\"b # c\"\n", "terminal:\n  docker_network: false\n"},
		"quotes over two lines":           {"terminal:\n  docker_network: \"tr\n    ue\" # x\n  b: 1\n", "terminal:\n  docker_network: false # x\n  b: 1\n"},
		"plain text over two lines":       {"terminal:\n  docker_network: tr\n    ue\n  b: 1\n", "terminal:\n  docker_network: false\n  b: 1\n"},
		"literal block":                   {"terminal:\n  docker_network: |\n    true\n\n  b: 1\n", "terminal:\n  docker_network: false\n\n  b: 1\n"},
		"folded block at the end":         {"terminal:\n  docker_network: >-\n    true", "terminal:\n  docker_network: false"},
		"YAML 1.1 word":                   {"terminal:\n  docker_network: yes\n", "terminal:\n  docker_network: false\n"},
		"number":                          {"terminal:\n  docker_network: 1\n", "terminal:\n  docker_network: false\n"},
		"quoted key":                      {"\"terminal\":\n  'docker_network': true\n", "\"terminal\":\n  'docker_network': false\n"},
		"space before the colon":          {"terminal :\n  docker_network : true\n", "terminal :\n  docker_network : false\n"},
		"wide gap behind the colon":       {"terminal:\n  docker_network:      true\n", "terminal:\n  docker_network:      false\n"},
		"tab behind the colon":            {"terminal:\n  docker_network:\ttrue\n", "terminal:\n  docker_network:\tfalse\n"},
		"deep indentation":                {"terminal:\n        backend: docker\n        docker_network: true\n", "terminal:\n        backend: docker\n        docker_network: false\n"},
		"blanks at line ends":             {"terminal:  \n  docker_network: true  \n  b: 1 \n", "terminal:  \n  docker_network: false  \n  b: 1 \n"},
		"carriage returns":                {"a: 1\r\nterminal:\r\n  docker_network: true\r\n", "a: 1\r\nterminal:\r\n  docker_network: false\r\n"},
		"carriage returns, key missing":   {"terminal:\r\n  backend: docker\r\n", "terminal:\r\n  docker_network: false\r\n  backend: docker\r\n"},
		"mixed line ends":                 {"a: 1\r\nterminal:\n  docker_network: true\nb: 1\r\n", "a: 1\r\nterminal:\n  docker_network: false\nb: 1\r\n"},
		"old line ends":                   {"terminal:\r  docker_network: true\r", "terminal:\r  docker_network: false\r"},
		"byte order mark":                 {"\ufeffterminal: {docker_network: true}\n", "\ufeffterminal: {docker_network: false}\n"},
		"byte order mark, empty section":  {"\ufeffterminal:\n", "\ufeffterminal:\n  docker_network: false\n"},
		"no final line end":               {"terminal:\n  docker_network: true", "terminal:\n  docker_network: false"},
		"no final line end, key missing":  {"terminal:\n  backend: docker", "terminal:\n  docker_network: false\n  backend: docker"},
		"empty file":                      {"", "terminal:\n  docker_network: false\n"},
		"only a byte order mark":          {"\ufeff", "\ufeffterminal:\n  docker_network: false\n"},
		"comments only":                   {"# nothing\n# here", "# nothing\n# here\nterminal:\n  docker_network: false\n"},
		"document mark only":              {"---\n", "---\nterminal:\n  docker_network: false\n"},
		"section missing":                 {"a: 1\n", "a: 1\nterminal:\n  docker_network: false\n"},
		"section missing, no final end":   {"a: 1", "a: 1\nterminal:\n  docker_network: false\n"},
		"section missing, ended document": {"a: 1\n...\n", "terminal:\n  docker_network: false\na: 1\n...\n"},
		"section missing, open literal":   {"a: |\n  x", "terminal:\n  docker_network: false\na: |\n  x"},
		"section missing, kept line ends": {"a: |+\n  x\n\n", "a: |+\n  x\n\nterminal:\n  docker_network: false\n"},
		"key missing":                     {"terminal:\n  # the backend\n  backend: docker\n", "terminal:\n  docker_network: false\n  # the backend\n  backend: docker\n"},
		"key missing, own indentation":    {"terminal:\n    backend: docker\n", "terminal:\n    docker_network: false\n    backend: docker\n"},
		"value missing":                   {"terminal:\n  docker_network:\n  b: 1\n", "terminal:\n  docker_network: false\n  b: 1\n"},
		"value missing before a comment":  {"terminal:\n  docker_network:  # unset\n", "terminal:\n  docker_network: false  # unset\n"},
		"value missing at the end":        {"terminal:\n  docker_network:", "terminal:\n  docker_network: false"},
		"value is null":                   {"terminal:\n  docker_network: ~\n", "terminal:\n  docker_network: false\n"},
		"section is null":                 {"terminal:\nb: 1\n", "terminal:\n  docker_network: false\nb: 1\n"},
		"section is the word null":        {"terminal: null  # none\nb: 1\n", "terminal:   # none\n  docker_network: false\nb: 1\n"},
		"section is a tilde":              {"terminal: ~\nb: 1\n", "terminal:\n  docker_network: false\nb: 1\n"},
		"section is null at the end":      {"a: 1\nterminal:", "a: 1\nterminal:\n  docker_network: false\n"},
		"section is empty braces":         {"terminal: {}\nb: 1\n", "terminal:\n  docker_network: false\nb: 1\n"},
		"empty braces with a comment":     {"terminal: { } # none\n", "terminal:  # none\n  docker_network: false\n"},
		"flow section":                    {"terminal: {backend: docker, docker_network: true, b: [1, 2]}\n", "terminal: {backend: docker, docker_network: false, b: [1, 2]}\n"},
		"flow section, key missing":       {"terminal: {backend: docker}\n", "terminal: {docker_network: false, backend: docker}\n"},
		"flow section over lines":         {"terminal: {\n  backend: docker, # x\n  docker_network: true,\n}\n", "terminal: {\n  backend: docker, # x\n  docker_network: false,\n}\n"},
		"flow file":                       {"{a: 1, terminal: {docker_network: true}}\n", "{a: 1, terminal: {docker_network: false}}\n"},
		"flow file, section missing":      {"{a: 1}\n", "{terminal: {docker_network: false}, a: 1}\n"},
		"flow file, section empty":        {"{terminal: {}, a: 1}\n", "{terminal: {docker_network: false}, a: 1}\n"},
		"flow file, section null":         {"{terminal: ~, a: 1}\n", "{terminal:  {docker_network: false}, a: 1}\n"},
		"empty flow file":                 {"{}\n", "{terminal: {docker_network: false}}\n"},
		"JSON":                            {"{\"terminal\": {\"docker_network\": true}}", "{\"terminal\": {\"docker_network\": false}}"},
		"value is a flow list":            {"terminal:\n  docker_network: [a, \"]\", 'b] #'] # x\n", "terminal:\n  docker_network: false # x\n"},
		"value is an alias":               {"x: &on true\nterminal:\n  docker_network: *on # shared\n", "x: &on true\nterminal:\n  docker_network: false # shared\n"},
		"value has an unused anchor":      {"terminal:\n  docker_network: &n true\n", "terminal:\n  docker_network: false\n"},
		"value has a tag":                 {"terminal:\n  docker_network: !!str on\n", "terminal:\n  docker_network: false\n"},
		"value comes through a merge":     {"x: &d {docker_network: true, b: 1}\nterminal:\n  <<: *d\n  c: 1\n", "x: &d {docker_network: true, b: 1}\nterminal:\n  docker_network: false\n  <<: *d\n  c: 1\n"},
		"section is an alias":             {"x: &d\n  docker_network: true\nterminal: *d # shared\nb: 1\n", "x: &d\n  docker_network: true\nterminal:  # shared\n  <<: *d\n  docker_network: false\nb: 1\n"},
		"section is an alias at the end":  {"x: &d {b: 1}\nterminal: *d", "x: &d {b: 1}\nterminal:\n  <<: *d\n  docker_network: false\n"},
		"section is an alias in a flow":   {"{x: &d {b: 1}, terminal: *d }\n", "{x: &d {b: 1}, terminal:  {<<: *d, docker_network: false} }\n"},
		"section has an unused anchor":    {"terminal: &t\n  docker_network: true\n", "terminal: &t\n  docker_network: false\n"},
		"key twice, last counts":          {"terminal:\n  docker_network: true\n  b: 1\n  docker_network: true # second\n", "terminal:\n  docker_network: true\n  b: 1\n  docker_network: false # second\n"},
		"section twice, last counts":      {"terminal:\n  docker_network: true\nterminal:\n  b: 1\n", "terminal:\n  docker_network: true\nterminal:\n  docker_network: false\n  b: 1\n"},
		"key before a merge":              {"x: &d {docker_network: true}\nterminal:\n  docker_network: true\n  <<: *d\n", "x: &d {docker_network: true}\nterminal:\n  docker_network: false\n  <<: *d\n"},
		"other anchors and aliases":       {"a: &a [1, 2]\nb: *a\nterminal:\n  docker_network: true\n  v: *a\n", "a: &a [1, 2]\nb: *a\nterminal:\n  docker_network: false\n  v: *a\n"},
		"wide letters before the value":   {"terminal: {名前: 値, docker_network: true, é: \"ü\"}\n", "terminal: {名前: 値, docker_network: false, é: \"ü\"}\n"},
		"unusual line break in a comment": {"# a\u2028# b\u0085# c\nterminal:\n  docker_network: true\n", "# a\u2028# b\u0085# c\nterminal:\n  docker_network: false\n"},
		"emoji and combining marks":       {"e: \"👩\u200d🚀e\u0301\"\nterminal: {e: 👍, docker_network: true}\n", "e: \"👩\u200d🚀e\u0301\"\nterminal: {e: 👍, docker_network: false}\n"},
		"document marks":                  {"%YAML 1.1\n---\nterminal:\n  docker_network: true\n...\n", "%YAML 1.1\n---\nterminal:\n  docker_network: false\n...\n"},
		"many blank lines":                {"\n\n\nterminal:\n\n\n  docker_network: true\n\n\n\n", "\n\n\nterminal:\n\n\n  docker_network: false\n\n\n\n"},
		"section key in the long form":    {"? terminal\n: docker_network: true\n", "? terminal\n: docker_network: false\n"},
		"prefix of the key":               {"terminal:\n  docker_network_x: true\n  docker_network: true\n", "terminal:\n  docker_network_x: true\n  docker_network: false\n"},
		"references":                      {"terminal:\n  docker_network: ${NET}\n", "terminal:\n  docker_network: false\n"},
		"a list of blocks before it":      {"a:\n- b: 1\n  c: 2\n-\n  d: 3\nterminal:\n  docker_network: true\n", "a:\n- b: 1\n  c: 2\n-\n  d: 3\nterminal:\n  docker_network: false\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			file := read(t, c.before)
			edit, err := file.SetBool(network(), false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(edit.After)); diff != "" {
				t.Fatalf("contents differ (-want +got):\n%s", diff)
			}
			if err := edit.Apply(t.Context(), t.TempDir()); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(file.path); err != nil || string(data) != c.after {
				t.Errorf("the file holds %q, error %v", data, err)
			}
			again, err := Read(file.path)
			if err != nil {
				t.Fatal(err)
			}
			if same, err := again.SetBool(network(), false); err != nil || same.Changed() || same.Diff != "" {
				t.Errorf("the same value again changes %v, error %v", same.Diff, err)
			}
			if err := edit.Reverse().Apply(t.Context(), t.TempDir()); err != nil {
				t.Fatal(err)
			}
			if data, err := os.ReadFile(file.path); err != nil || string(data) != c.before {
				t.Errorf("taken back, the file holds %q, error %v", data, err)
			}
		})
	}
	if len(cases) < 40 {
		t.Errorf("only %d files", len(cases))
	}
}

func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		text string
		want string
		err  error
	}{
		"anchor used elsewhere":          {"terminal:\n  docker_network: &n true\nx: *n\n", "line 3", ErrShape},
		"section used elsewhere":         {"terminal: &t\n  docker_network: true\nx: *t\n", "line 3", ErrShape},
		"section merged elsewhere":       {"terminal: &t {docker_network: true}\nx: {<<: *t}\n", "line 2", ErrShape},
		"section is a list":              {"terminal: [a]\n", "not a block", ErrShape},
		"section is a text":              {"terminal: hello\n", "not a block", ErrShape},
		"section is an alias of a text":  {"x: &x hello\nterminal: *x\n", "not a block", ErrShape},
		"value is a block":               {"terminal:\n  docker_network:\n    a: 1\n", "block of keys", ErrShape},
		"value is a block list":          {"terminal:\n  docker_network:\n  - a\n", "a line per entry", ErrShape},
		"section comes through a merge":  {"x: &x {terminal: {a: 1}}\n<<: *x\n", "", ErrShape},
		"section merges itself":          {"terminal: &t\n  <<: *t\n  docker_network: true\n", "line 2", ErrShape},
		"long form without value":        {"terminal:\n  ? docker_network\n", "", ErrShape},
		"flow key without value":         {"terminal: {docker_network}\n", "", ErrShape},
		"broken":                         {"terminal: [\n", "", ErrUnparsable},
		"two documents":                  {"a: 1\n---\nb: 1\n", "more than one", ErrUnparsable},
		"a list at the top":              {"- a\n", "top level", ErrUnparsable},
		"a tag the loader does not know": {"a: !secret x\n", "line 1", ErrUnparsable},
		"no UTF-8":                       {"a: \xff\n", "UTF-8", ErrUnparsable},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := write(t, c.text)
			file, err := Read(path)
			if err == nil {
				_, err = file.SetBool(network(), false)
			}
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %q should say %q and name the file", err, c.want)
			}
		})
	}
}
