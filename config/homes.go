package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// HomesInput is what [LoadProfiles] reads from.
type HomesInput struct {
	// Homes are homes named by flags. When there are any, HERMES_HOME and the
	// native home are not looked at.
	Homes []string
	// Added are homes named in the settings, read besides HERMES_HOME or the
	// native home.
	Added []string
	// Environ is the process environment as NAME=value.
	Environ []string
	// UserHome is the user's home folder; "" when there is none.
	UserHome string
	// Elsewhere says that Hermes runs on another machine: the managed scope of
	// this one does not count.
	Elsewhere bool
}

// profileName is what Hermes takes as the name of a profile (contract 5.4).
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// defaultProfile is the name of the profile whose home is the root.
const defaultProfile = "default"

// customProfile is the name, and the label, of a home that is neither a root
// nor a valid profile of one.
const customProfile = "custom"

// home is one home of an installation.
type home struct {
	name     string
	dir      string
	problems []string
}

// installation is a root with its homes, the default one first.
type installation struct {
	root  string
	homes []home
	// active is the index of the home a new Hermes command would use.
	active int
	// decides is true for the installation of the home that was named first:
	// only its active profile is the one a new Hermes command would use.
	decides bool
}

// homeFinder resolves homes by contract 5.4.
type homeFinder struct {
	env      environment
	userHome string
}

// nativeRoot returns ~/.hermes with the suffix of HERMES_DATA_DIR_SUFFIX, ""
// without a home folder.
func (f homeFinder) nativeRoot() string {
	if f.userHome == "" {
		return ""
	}
	return filepath.Join(f.userHome, ".hermes"+strings.TrimSpace(f.env["HERMES_DATA_DIR_SUFFIX"]))
}

// candidates returns the homes to look at, the one that decides the active
// profile first, each once.
func (f homeFinder) candidates(in HomesInput) []string {
	var list []string
	switch fromEnv := strings.TrimSpace(f.env["HERMES_HOME"]); {
	case len(in.Homes) > 0:
		list = append(list, in.Homes...)
	case fromEnv != "":
		list = append(list, fromEnv)
	case len(in.Added) == 0 || isDir(f.nativeRoot()):
		list = append(list, f.nativeRoot())
	}
	if len(in.Homes) == 0 {
		list = append(list, in.Added...)
	}
	var out []string
	for _, dir := range list {
		if dir = f.absolute(dir); dir != "" && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

func (f homeFinder) absolute(dir string) string {
	if dir = strings.TrimSpace(dir); dir == "" {
		return ""
	}
	absolute, err := filepath.Abs(expandHome(dir, f.userHome))
	if err != nil {
		return filepath.Clean(dir)
	}
	return absolute
}

// rootOf returns the installation root of a home: the native root for homes
// inside it; else the folder above profiles/; else the home itself.
func (f homeFinder) rootOf(dir string) string {
	if native := f.nativeRoot(); native != "" && within(dir, native) {
		return native
	}
	if parent := filepath.Dir(dir); filepath.Base(parent) == "profiles" {
		return filepath.Dir(parent)
	}
	return dir
}

// within reports whether dir is root or below it, by the paths as written or
// with symbolic links resolved.
func within(dir, root string) bool {
	return below(dir, root) || below(realPath(dir), realPath(root))
}

func below(dir, root string) bool {
	relative, err := filepath.Rel(root, dir)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func sameDir(a, b string) bool { return a == b || realPath(a) == realPath(b) }

// find returns the installations of all candidates. Homes of the same root
// make one installation; the first candidate decides its active profile.
func (f homeFinder) find(in HomesInput) ([]installation, []model.Problem) {
	var (
		list     []installation
		problems []model.Problem
	)
	report := func(dir, text string) {
		problems = append(problems, model.Problem{Part: "home " + model.NewText(dir).Display(), Error: text})
	}
	candidates := f.candidates(in)
	if len(candidates) == 0 {
		return nil, []model.Problem{{Part: "homes", Error: "no hermes home is known: neither HOME nor HERMES_HOME is set; " +
			"name one with --hermes-home"}}
	}
	for i, dir := range candidates {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			report(dir, "there is no such folder; name the home with --hermes-home or HERMES_HOME")
			continue
		case err != nil:
			report(dir, "cannot be looked at: "+displayError(err).Error())
			continue
		case !info.IsDir():
			report(dir, "is not a folder")
			continue
		}
		root := f.rootOf(dir)
		known := slices.IndexFunc(list, func(i installation) bool { return sameDir(i.root, root) })
		if known < 0 {
			found, problem := openInstallation(root, dir)
			if problem != "" {
				report(root, problem)
			}
			found.decides = i == 0
			list = append(list, found)
			continue
		}
		list[known].addNamed(dir)
	}
	return list, problems
}

// openInstallation lists a root's profiles. A profiles folder that cannot be
// listed is a problem; the default profile is there all the same.
func openInstallation(root, named string) (installation, string) {
	found := installation{root: root, homes: []home{{name: defaultProfile, dir: root}}}
	problem := ""
	names, err := profileNames(root)
	if err != nil {
		problem = "the profiles cannot be listed: " + displayError(err).Error()
	}
	for _, name := range names {
		found.homes = append(found.homes, home{name: name, dir: filepath.Join(root, "profiles", name)})
	}
	found.active = found.addNamed(named)
	if filepath.Base(filepath.Dir(named)) != "profiles" {
		found.chooseSticky()
	}
	return found, problem
}

// addNamed returns the index of a home that was named, adding it when the list
// of profiles does not hold it.
func (i *installation) addNamed(dir string) int {
	for n := range i.homes {
		if sameDir(i.homes[n].dir, dir) {
			return n
		}
	}
	added := home{name: customProfile, dir: dir}
	if base := filepath.Base(dir); sameDir(filepath.Dir(dir), filepath.Join(i.root, "profiles")) &&
		profileName.MatchString(base) {
		added.name = base
		added.problems = []string{"the profile is marked as deleted in profiles/.deleted, but its home was named"}
		if base == defaultProfile {
			added.problems = []string{"profiles/default is no profile of its own, and its sandboxes are labelled like those of the root"}
		}
	}
	i.homes = append(i.homes, added)
	return len(i.homes) - 1
}

// profileNames lists the named profiles of a root in order: folders of
// profiles/ with a valid name and no tombstone.
func profileNames(root string) ([]string, error) {
	dir := filepath.Join(root, "profiles")
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list profiles: %w", err)
	}
	var names []string
	for _, item := range list {
		name := item.Name()
		if !profileName.MatchString(name) || name == defaultProfile {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, ".deleted", name)); err == nil {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

// maxSticky is more than any active_profile file holds, in bytes.
const maxSticky = 4096

// chooseSticky makes the profile in the root's active_profile file the active
// one. Absent, empty or unreadable means default (contract 5.4).
func (i *installation) chooseSticky() {
	data, err := safefile.Read(filepath.Join(i.root, "active_profile"), maxSticky)
	if err != nil {
		return
	}
	name := strings.ToLower(strings.TrimSpace(string(data)))
	if name == "" || name == defaultProfile {
		return
	}
	for n := range i.homes {
		if i.homes[n].name == name {
			i.active = n
			return
		}
	}
	i.homes[0].problems = append(i.homes[0].problems, fmt.Sprintf(
		"active_profile names %s, which is not a profile here; this one counts as active", quote(name)))
}
