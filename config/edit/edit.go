// Package edit changes single values of Hermes' config.yaml without touching
// any other byte: comments, order, quoting, anchors and line ends stay.
//
// A [File] is read once. Its methods plan an [Edit]: the parser gives the
// positions, the bytes are spliced, and the result is parsed again to prove
// that exactly the wanted value changed, merges and aliases included. Nothing
// is written before [Edit.Apply], which refuses when the file has changed
// since.
package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"hermes-sandbox/config/hermesyaml"
	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// Errors of this package. Each comes with the file and the reason.
var (
	// ErrUnparsable means that the file is not YAML as Hermes reads it.
	ErrUnparsable = errors.New("the file does not parse; repair it first")
	// ErrShape means that the value cannot be changed safely where it stands.
	ErrShape = errors.New("cannot be changed by this program; edit the file by hand")
	// ErrChanged means that the file is no longer what the edit was made for.
	ErrChanged = errors.New("the file has changed meanwhile; look again")
)

// maxFile is the largest file edited, in bytes.
const maxFile = 4 << 20

// File is a config.yaml as read at one time. A file that does not exist is an
// empty one, which an edit creates.
type File struct {
	path   string // as asked for, for people
	target string // with symbolic links resolved
	info   fs.FileInfo
	data   []byte
	root   *yaml.Node // nil: nothing in it
	// read holds the contents on disk where data has edits on top.
	read *[]byte
}

// Read reads and parses a file. The path may be a symbolic link; the file it
// leads to is the one edited.
func Read(path string) (*File, error) {
	file := &File{path: path, target: path}
	target, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		file.target = target
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read configuration: %w", safefile.Display(err))
	case isLink(path):
		return nil, file.errorf("is a link to a file that does not exist: %w", ErrShape)
	}
	file.data, err = safefile.Read(file.target, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", safefile.Display(err))
	}
	if file.info, err = os.Stat(file.target); err != nil {
		return nil, fmt.Errorf("read configuration: %w", safefile.Display(err))
	}
	if file.root, err = hermesyaml.Parse(file.data); err != nil {
		return nil, file.errorf("%w (%w)", ErrUnparsable, safefile.Display(err))
	}
	return file, nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func (f *File) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", model.NewText(f.path).Display(), fmt.Errorf(format, args...))
}

// refuse says that a key cannot be changed, and why.
func (f *File) refuse(path []string, reason string) error {
	return f.errorf("%s %s: %w", model.NewText(strings.Join(path, ".")).Display(), reason, ErrShape)
}

// Edit is a planned change of one file.
type Edit struct {
	// Path is the file, as it was asked for.
	Path string
	// Before and After are the whole contents.
	Before, After []byte
	// From and To are the value as written, safe to show; "" when the key is
	// absent.
	From, To string
	// Diff is the change as a unified diff, safe to show; values of other keys
	// that look like secrets are masked. It is "" when nothing changes.
	Diff string

	target string
	// info is nil when the file did not exist.
	info fs.FileInfo
}

// Changed reports whether the edit changes anything.
func (e Edit) Changed() bool { return string(e.Before) != string(e.After) }

// Reverse returns the edit that brings the file back to what it was, for as
// long as nothing else changes it. A file that the edit created is emptied.
func (e Edit) Reverse() Edit {
	back := e
	back.Before, back.After = e.After, e.Before
	back.From, back.To = e.To, e.From
	back.Diff = unifiedDiff(e.Path, back.Before, back.After)
	return back
}

// SetBool plans setting a key to true or false. Missing sections are made.
func (f *File) SetBool(path []string, value bool) (Edit, error) {
	text := strconv.FormatBool(value)
	return f.set(path, text, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: text})
}

// SetString plans setting a key to a text, which is written in double quotes.
func (f *File) SetString(path []string, value string) (Edit, error) {
	text, err := quoted(value)
	if err != nil {
		return Edit{}, f.refuse(path, err.Error())
	}
	return f.set(path, text, stringNode(value))
}

// Restore plans replacing the whole contents, by a backup for example, which
// must parse.
func (f *File) Restore(contents []byte) (Edit, error) {
	if _, err := hermesyaml.Parse(contents); err != nil {
		return Edit{}, f.errorf("the contents to restore: %w (%w)", ErrUnparsable, safefile.Display(err))
	}
	return f.edit(contents, "", ""), nil
}

// Empty reports whether there is a block at a path that holds no keys.
func (f *File) Empty(path []string) bool {
	node := f.root
	for _, name := range path {
		if node = valueOf(node, name); node == nil {
			return false
		}
	}
	node = hermesyaml.Resolve(node)
	return node.Kind == yaml.MappingNode && len(node.Content) == 0
}

// Then returns the file as it will be once an edit of it is made, so that more
// can be planned. An edit of the result holds all that came before: one call of
// Apply makes them together.
func (f *File) Then(e Edit) (*File, error) {
	root, err := hermesyaml.Parse(e.After)
	if err != nil {
		return nil, f.errorf("%w (%w)", ErrUnparsable, safefile.Display(err))
	}
	next := *f
	if next.read == nil {
		next.read = &f.data
	}
	next.data, next.root = e.After, root
	return &next, nil
}

func (f *File) edit(after []byte, from, to string) Edit {
	before := f.data
	if f.read != nil {
		before = *f.read
	}
	return Edit{
		Path: f.path, Before: before, After: after, From: from, To: to,
		Diff:   unifiedDiff(f.path, before, after),
		target: f.target, info: f.info,
	}
}

func stringNode(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Tag: "!!str", Value: value}
}

// quoted writes a text as a YAML scalar in double quotes. Only printable texts
// are taken, since nothing else belongs into the keys this program writes.
func quoted(value string) (string, error) {
	for _, r := range value {
		if !model.Printable(r) || r == '\uFFFD' {
			return "", errors.New("would get a value with characters that cannot be seen")
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`, nil
}
