package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := writeTable(&out, []string{"NAME", "VALUE", "FROM"}, [][]string{
		{"a", "1", "file"},
		{"日本", "a longer one", "default"},
		{"note", "what is last on its line does not push the others apart", ""},
		{"gap", "", "x"},
	})
	want := `
NAME  VALUE         FROM
a     1             file
日本  a longer one  default
note  what is last on its line does not push the others apart
gap                 x
`
	if got := "\n" + out.String(); err != nil || got != want {
		t.Errorf("got%s, %v, want%s", got, err, want)
	}
}
