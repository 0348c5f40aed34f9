// Package sandboxdirs lists the folders that Hermes keeps for its sandboxes and
// measures them. What lies in them was written by sandboxed programs, some of
// them perhaps at this moment: no symbolic link is followed, nothing is opened
// but folders, and the walk is bounded.
package sandboxdirs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// Limits bound a scan. The zero value of a field takes the default.
type Limits struct {
	// Folders is how many sandbox folders of one home are listed; default 2000.
	Folders int
	// Entries is how many files and folders in one sandbox folder are looked
	// at before its size counts as unknown; default 100,000.
	Entries int
}

const (
	defaultFolders = 2_000
	defaultEntries = 100_000
	// batch is how many entries of a folder are read at a time, so that a huge
	// one is not held in memory.
	batch = 512
)

// errTooMany ends a walk at its limit.
var errTooMany = errors.New("too many files")

// Scan lists the sandbox folders of the profiles' homes and measures each. A
// home without sandboxes has none; one that cannot be listed is a problem. Homes
// that share a place are listed once. When ctx ends, sizes not known yet stay
// unknown.
func Scan(ctx context.Context, profiles []model.Profile, limits Limits) ([]model.SandboxFolder, []model.Problem) {
	if limits.Folders <= 0 {
		limits.Folders = defaultFolders
	}
	if limits.Entries <= 0 {
		limits.Entries = defaultEntries
	}
	var (
		folders  []model.SandboxFolder
		problems []model.Problem
	)
	seen := map[string]bool{}
	for _, profile := range profiles {
		root := model.SandboxRoot(&profile)
		if root == "" || seen[realPath(root)] {
			continue
		}
		seen[realPath(root)] = true
		found, err := list(root, limits.Folders)
		if err != nil {
			problems = append(problems, model.Problem{
				Part: "sandbox folders in " + model.NewText(root).Display(), Error: safefile.Display(err).Error(),
			})
		}
		for n := range found {
			found[n].Home = profile.Home
			measure(ctx, &found[n], limits.Entries)
		}
		folders = append(folders, found...)
	}
	return folders, problems
}

func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// list returns the folders in a place, by name; files are none.
func list(root string, limit int) ([]model.SandboxFolder, error) {
	directory, err := os.Open(root) //nolint:gosec // the path is the configuration's choice; a folder is all that is read
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list folders: %w", err)
	}
	defer func() { _ = directory.Close() }()
	entries, err := directory.ReadDir(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("list folders: %w", err)
	}
	if len(entries) > limit {
		entries, err = entries[:limit], fmt.Errorf("there are more than %d; the rest was not looked at", limit)
	} else {
		err = nil
	}
	var folders []model.SandboxFolder
	resolved := realPath(root)
	for _, entry := range entries {
		link := entry.Type()&fs.ModeSymlink != 0
		if !entry.IsDir() && !link {
			continue
		}
		folders = append(folders, model.SandboxFolder{
			Name: model.NewText(entry.Name()), Link: link,
			Path: filepath.Join(root, entry.Name()), RealPath: filepath.Join(resolved, entry.Name()),
		})
	}
	return folders, err
}

// measure fills in a folder's size.
func measure(ctx context.Context, folder *model.SandboxFolder, limit int) {
	if folder.Link {
		folder.SizeProblem = "it is a symbolic link"
		return
	}
	parent, err := os.OpenRoot(filepath.Dir(folder.Path))
	if err != nil {
		folder.SizeProblem = safefile.Display(err).Error()
		return
	}
	defer func() { _ = parent.Close() }()
	w := walk{ctx: ctx, left: limit}
	err = w.folder(parent, filepath.Base(folder.Path))
	switch {
	case errors.Is(err, errTooMany):
		folder.SizeProblem = fmt.Sprintf("it holds more than %d files", limit)
	case ctx.Err() != nil:
		folder.SizeProblem = "measuring it took too long"
	case err != nil:
		folder.SizeProblem = safefile.Display(err).Error()
	default:
		folder.Size, folder.SizeKnown = w.size, true
	}
}
