package main

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/testing.md names is there.
func TestTheTestsOfThePageExist(t *testing.T) {
	t.Parallel()
	root := os.DirFS("../..")
	there := map[string]bool{}
	defined := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, path)
		for _, found := range defined.FindAllSubmatch(source, -1) {
			there[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := fs.ReadFile(root, "docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(page, -1)
	for _, name := range named {
		if !there[string(name[1])] {
			t.Errorf("docs/testing.md names %s, which is not there", name[1])
		}
	}
	if len(named) < 100 {
		t.Errorf("%d tests are named", len(named))
	}
}
