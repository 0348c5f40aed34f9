package rescue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bare are the places that start a goroutine by themselves, and why a panic
// there is taken care of.
var bare = map[string]string{ //nolint:gochecknoglobals // a table
	"cmd/hermes-sandbox/crash.go":   "app.spawn, which catches",
	"cmd/hermes-sandbox/frame.go":   "attempt, which makes a panic the answer",
	"cmd/hermes-sandbox/main.go":    "waits for a signal, calls nothing that could panic",
	"cmd/hermes-sandbox/plan.go":    "reads one line of stdin",
	"cmd/hermes-sandbox/metrics.go": "net/http catches panics of handlers",
	"dockerx/simengine/engine.go":   "net/http catches panics of handlers",
	"dockerx/simengine/exec.go":     "closes a connection",
	"dockerx/enginetest":            "for tests",
	"egress":                        "a server without a terminal; it ends loudly and is started again",
	"screenshots":                   "no part of the program",
	"bench":                         "no part of the program",
	"rescue/rescue.go":              "the package itself",
}

// Every goroutine of the program has to be one whose panic is taken care of:
// the runtime would end the program and leave the terminal as it is.
func TestNoGoroutineIsUnguarded(t *testing.T) {
	t.Parallel()
	root := os.DirFS("..")
	seen := 0
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			return err
		}
		seen++
		if bare[path] != "" || bare[filepath.Dir(path)] != "" {
			return nil
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine by itself: use rescue.Group", path)
			case *ast.SelectorExpr:
				name, _ := node.X.(*ast.Ident)
				if name != nil && (name.Name == "sync" && node.Sel.Name == "WaitGroup" || name.Name == "errgroup") {
					t.Errorf("%s uses %s.%s, whose goroutines are not caught: use rescue.Group", path, name.Name, node.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 100 {
		t.Errorf("only %d files were read", seen)
	}
}
