package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hermes-sandbox/config"
	"hermes-sandbox/model"
	"hermes-sandbox/ui"
)

// TestReferenceNamesEveryValue holds docs/cli.md against the words that
// documents and settings are made of.
func TestReferenceNamesEveryValue(t *testing.T) {
	page := referenceWords(t)
	missing := func(what string, words []string) {
		t.Helper()
		if len(words) == 0 {
			t.Fatalf("no %s found in the source", what)
		}
		for _, word := range words {
			if !page[word] {
				t.Errorf("docs/cli.md lacks the %s %q", what, word)
			}
		}
	}
	missing("value", constantsOf(t, filepath.Join("..", "..", "model"), map[string]bool{
		"Level": true, "Evidence": true, "Severity": true, "ReuseVerdict": true, "ReapVerdict": true, "ReapReason": true, "Scope": true,
		"Generation": true, "SessionState": true, "Health": true, "State": true, "Action": true, "Decision": true, "Method": true,
		"Loss": true, "Outcome": true, "ReapClass": true, "Running": true, "Source": true, "Position": true, "WatchKind": true,
		"DiagnosisLevel": true, "EgressVerdict": true, "AuditPhase": true, "Grouping": true, "SortKey": true,
	}))
	missing("finding of doctor", argumentsOf(t, filepath.Join("..", "..", "model"), "doctor", "add", 1))
	missing("finding of doctor", argumentsOf(t, filepath.Join("..", "..", "config"), "policy", "note", 0))
	missing("finding", model.QueryValues("finding"))
	missing("filter", slices.Concat(model.QueryKeys(), model.QueryFlags()))
}

// TestReferenceNamesEveryKey holds docs/cli.md against the documents that the
// commands print for the demonstration.
func TestReferenceNamesEveryKey(t *testing.T) {
	page := referenceWords(t)
	b := newBench(t)
	seen := map[string]bool{}
	for _, line := range []string{
		"list", "show hermes-3fa1b20c", "profiles", "lockdown status", "doctor", "version",
		"remove hermes-91d07e44 --yes", "lockdown on --profile work --yes", "lockdown allowlist --profile work --allow pypi.org --dry-run", "audit",
	} {
		got := b.run(t, append(strings.Fields(line), "--output", "json")...)
		collectKeys(decode(t, got.stdout), seen)
	}
	if len(seen) < 150 {
		t.Errorf("only %d keys seen", len(seen))
	}
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		if !page[key] {
			t.Errorf("docs/cli.md lacks the key %q", key)
		}
	}
}

// collectKeys gathers the keys of a document, but for those that are data.
func collectKeys(value any, seen map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			seen[key] = true
			switch key {
			case "labels", "image_labels", "sources", "tmpfs":
			default:
				collectKeys(inner, seen)
			}
		}
	case []any:
		for _, inner := range value {
			collectKeys(inner, seen)
		}
	}
}

// TestReferenceShowsTheSettings loads the settings of docs/cli.md, which are the
// usual ones.
func TestReferenceShowsTheSettings(t *testing.T) {
	data, err := os.ReadFile(referenceFile())
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```yaml\nengines:")
	block, _, found := strings.Cut(block, "```")
	if !found {
		t.Fatal("docs/cli.md shows no settings")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("engines:"+block), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := config.LoadSettings(config.SettingsInput{File: file})
	if err != nil {
		t.Fatal(err)
	}
	want := config.DefaultSettings()
	if got.StatsInterval != want.StatsInterval || got.ResyncInterval != want.ResyncInterval || got.IdleAfter != want.IdleAfter ||
		got.ConfirmAbove != want.ConfirmAbove || !slices.Equal(got.Egress.Ports, want.Egress.Ports) {
		t.Errorf("the settings shown are not the usual ones: %+v", got)
	}
	if got.ReadOnly || got.ASCII || got.Mouse {
		t.Errorf("a switch shown is on: %+v", got)
	}
	if _, err := ui.New(ui.Options{Theme: got.Theme, Group: got.Group, Sort: got.Sort, Columns: got.Columns, ConfirmAbove: got.ConfirmAbove}); err != nil {
		t.Errorf("the dashboard refuses the settings shown: %v", err)
	}
	if len(got.Sources) < 20 {
		t.Errorf("only %d settings shown", len(got.Sources))
	}
}

// referenceWords are the words of docs/cli.md that stand in code.
func referenceWords(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(referenceFile())
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	word := regexp.MustCompile(`[A-Za-z0-9.][A-Za-z0-9_.-]*`)
	for _, code := range regexp.MustCompile("(?s)```.*?```|`[^`]+`").FindAllString(string(data), -1) {
		for _, found := range word.FindAllString(code, -1) {
			words[found] = true
		}
	}
	return words
}

// sources parses the files of a folder whose names begin with a word.
func sources(t *testing.T, folder, prefix string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, prefix+"*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// constantsOf are the texts of constants of the types.
func constantsOf(t *testing.T, folder string, types map[string]bool) []string {
	t.Helper()
	var found []string
	for _, file := range sources(t, folder, "") {
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if named, ok := spec.Type.(*ast.Ident); ok && types[named.Name] && len(spec.Values) == 1 {
				found = append(found, literal(spec.Values[0])...)
			}
			return true
		})
	}
	return found
}

// argumentsOf are the texts given as one argument of calls of a method.
func argumentsOf(t *testing.T, folder, prefix, method string, argument int) []string {
	t.Helper()
	var found []string
	for _, file := range sources(t, folder, prefix) {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) <= argument {
				return true
			}
			if selector, ok := call.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == method {
				found = append(found, literal(call.Args[argument])...)
			}
			return true
		})
	}
	return found
}

func literal(node ast.Expr) []string {
	text, ok := node.(*ast.BasicLit)
	if !ok || text.Kind != token.STRING {
		return nil
	}
	value, err := strconv.Unquote(text.Value)
	if err != nil || value == "" {
		return nil
	}
	return []string{value}
}
