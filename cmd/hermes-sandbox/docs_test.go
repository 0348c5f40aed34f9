package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"hermes-sandbox/config"
	"hermes-sandbox/model"
)

// page is one page of the documentation, taken apart.
type page struct {
	path   string // from the root of the repository
	blocks []docBlock
	spans  []string // inline code
	links  []string // targets of links and pictures
	slugs  map[string]int
}

// docBlock is a block of code with the language it says it is in.
type docBlock struct{ language, text string }

// pages reads every Markdown file of the repository.
func pages(t *testing.T) []page {
	t.Helper()
	var found []page
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "dist" || entry.Name() == "testdata"):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		found = append(found, takeApart(filepath.ToSlash(name), data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 12 {
		t.Fatalf("only %d pages found", len(found))
	}
	return found
}

func takeApart(path string, source []byte) page {
	p := page{path: path, slugs: map[string]int{}}
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	_ = ast.Walk(parser.Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.FencedCodeBlock:
			p.blocks = append(p.blocks, docBlock{string(node.Language(source)), string(node.Lines().Value(source))})
		case *ast.CodeBlock:
			p.blocks = append(p.blocks, docBlock{"", string(node.Lines().Value(source))})
		case *ast.CodeSpan:
			p.spans = append(p.spans, strings.ReplaceAll(plain(node, source), "\n", " "))
		case *ast.Link:
			p.links = append(p.links, string(node.Destination))
		case *ast.Image:
			p.links = append(p.links, string(node.Destination))
		case *ast.AutoLink:
			p.links = append(p.links, string(node.URL(source)))
		case *ast.Heading:
			p.slugs[slug(plain(node, source))]++
		}
		return ast.WalkContinue, nil
	})
	return p
}

// plain is the text below a node.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(below ast.Node, entering bool) (ast.WalkStatus, error) {
		if piece, ok := below.(*ast.Text); ok && entering {
			out.Write(piece.Value(source))
			if piece.SoftLineBreak() {
				out.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// slug is the anchor that a heading gets on GitHub.
func slug(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N}\-_ ]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// TestDocumentationLinks follows every link inside the repository; of one that
// leads out only its form is looked at.
func TestDocumentationLinks(t *testing.T) {
	all := map[string]page{}
	for _, p := range pages(t) {
		all[p.path] = p
	}
	inside := 0
	for _, p := range all {
		for _, link := range p.links {
			target, err := url.Parse(link)
			switch {
			case err != nil:
				t.Errorf("%s: link %q: %v", p.path, link, err)
			case target.Scheme != "":
				if target.Scheme != "https" || target.Host == "" {
					t.Errorf("%s: link %q is no https address", p.path, link)
				}
			default:
				inside++
				followLink(t, all, p, target)
			}
		}
	}
	if inside < 30 {
		t.Errorf("only %d links inside the repository", inside)
	}
}

func followLink(t *testing.T, all map[string]page, from page, target *url.URL) {
	t.Helper()
	path := from.path
	if target.Path != "" {
		path = filepath.ToSlash(filepath.Join(filepath.Dir(from.path), target.Path))
	}
	if _, err := os.Stat(filepath.Join("..", "..", path)); err != nil {
		t.Errorf("%s: link %s leads nowhere: %v", from.path, target, err)
		return
	}
	if target.Fragment == "" {
		return
	}
	if n := all[path].slugs[target.Fragment]; n != 1 {
		t.Errorf("%s: link %s: %d headings of %s have that anchor", from.path, target, n, path)
	}
}

// TestDocumentationBlocks checks what each block of code is said to be.
// Examples for a shell are run elsewhere; plain text is left alone.
func TestDocumentationBlocks(t *testing.T) {
	seen := map[string]int{}
	for _, p := range pages(t) {
		for _, block := range p.blocks {
			seen[block.language]++
			if err := checkBlock(t, block); err != nil {
				t.Errorf("%s: %v in this %s block:\n%s", p.path, err, block.language, block.text)
			}
		}
	}
	for _, language := range []string{"sh", "yaml", "json", "ini", "crontab", "filter", "text"} {
		if seen[language] == 0 {
			t.Errorf("no block in %s was found", language)
		}
	}
}

func checkBlock(t *testing.T, block docBlock) error {
	t.Helper()
	switch block.language {
	case "text":
		return nil
	case "sh":
		return checkShell(block.text)
	case "yaml":
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(block.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := config.LoadSettings(config.SettingsInput{File: file})
		return err
	case "json":
		return checkJSON(block.text)
	case "ini":
		return checkUnits(block.text)
	case "crontab":
		return checkCrontab(block.text)
	case "filter":
		for line := range strings.Lines(block.text) {
			if _, err := model.ParseQuery(strings.TrimSpace(line)); err != nil {
				return err
			}
		}
		return nil
	case "":
		return errors.New("no language is named (indented, or a bare fence)")
	}
	return errors.New("nothing checks this language")
}

// checkJSON reads one document after the other.
func checkJSON(sample string) error {
	decoder := json.NewDecoder(strings.NewReader(sample))
	for {
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
