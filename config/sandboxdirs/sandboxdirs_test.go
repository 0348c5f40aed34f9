package sandboxdirs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sandbox/config/filetest"
	"hermes-sandbox/model"
)

// home is a Hermes home with a profile.
func home(t *testing.T) model.Profile {
	t.Helper()
	return model.Profile{Name: model.NewText("default"), Home: t.TempDir(), Policy: &model.Policy{}}
}

// write puts a file of a length below the home's sandboxes.
func write(t *testing.T, profile model.Profile, name string, length int) {
	t.Helper()
	path := filepath.Join(model.SandboxRoot(&profile), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, length), 0o600); err != nil {
		t.Fatal(err)
	}
}

// scan returns the folders by name.
func scan(t *testing.T, limits Limits, profiles ...model.Profile) map[string]model.SandboxFolder {
	t.Helper()
	folders, problems := Scan(context.Background(), profiles, limits)
	for _, problem := range problems {
		t.Errorf("problem: %+v", problem)
	}
	found := map[string]model.SandboxFolder{}
	for _, folder := range folders {
		found[folder.Name.Raw()] = folder
	}
	if len(found) != len(folders) {
		t.Errorf("a folder is listed twice: %+v", folders)
	}
	return found
}

func TestScanMeasures(t *testing.T) {
	profile := home(t)
	write(t, profile, "default/home/.bashrc", 100)
	write(t, profile, "default/workspace/deep/er/file", 23)
	write(t, profile, "profile_work-ccca98e57b69/home/notes", 7)
	write(t, profile, "hostile\x1b[31m/x", 1)
	write(t, profile, "stray file", 5)
	found := scan(t, Limits{}, profile)
	for name, want := range map[string]int64{"default": 123, "profile_work-ccca98e57b69": 7, "hostile\x1b[31m": 1} {
		if folder := found[name]; !folder.SizeKnown || folder.Size != want || folder.Home != profile.Home {
			t.Errorf("%q is %+v, want %d bytes", name, folder, want)
		}
	}
	if len(found) != 3 {
		t.Errorf("found %d folders: a file is none", len(found))
	}
}

func TestScanFollowsNoLinks(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "big"), make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	profile := home(t)
	write(t, profile, "default/home/file", 10)
	root := model.SandboxRoot(&profile)
	for _, link := range []string{"linked", "default/home/out", "default/loop"} {
		target := outside
		if strings.HasSuffix(link, "loop") {
			target = root
		}
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Pipe(t, filepath.Join(root, "default", "pipe"))
	found := scan(t, Limits{}, profile)
	if folder := found["default"]; !folder.SizeKnown || folder.Size != 10 {
		t.Errorf("the links were followed: %+v", folder)
	}
	if folder := found["linked"]; !folder.Link || folder.SizeKnown {
		t.Errorf("a link in the place of a folder is %+v", folder)
	}
}

func TestScanGivesUpOnHugeFolders(t *testing.T) {
	profile := home(t)
	for i := range 30 {
		write(t, profile, fmt.Sprintf("huge/%d", i), 1)
	}
	write(t, profile, "small/file", 1)
	deep := "deep" + strings.Repeat("/d", maxDepth+1)
	write(t, profile, deep+"/file", 1)
	found := scan(t, Limits{Entries: 20}, profile)
	if folder := found["huge"]; folder.SizeKnown || !strings.Contains(folder.SizeProblem, "20") {
		t.Errorf("a folder beyond the limit is %+v", folder)
	}
	if folder := found["small"]; !folder.SizeKnown {
		t.Errorf("the limit of one folder reached another: %+v", folder)
	}
	if folder := scan(t, Limits{}, profile)["deep"]; folder.SizeKnown || !strings.Contains(folder.SizeProblem, "deep") {
		t.Errorf("a folder too deep is %+v", folder)
	}
}

func TestScanListsABoundedNumber(t *testing.T) {
	profile := home(t)
	for i := range 5 {
		write(t, profile, fmt.Sprintf("task-%d/file", i), 1)
	}
	folders, problems := Scan(context.Background(), []model.Profile{profile}, Limits{Folders: 3})
	if len(folders) != 3 || len(problems) != 1 || !strings.Contains(problems[0].Error, "3") {
		t.Errorf("%d folders, problems %+v", len(folders), problems)
	}
}

func TestScanEndsWithItsContext(t *testing.T) {
	profile := home(t)
	write(t, profile, "default/file", 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	folders, _ := Scan(ctx, []model.Profile{profile}, Limits{})
	if len(folders) != 1 || folders[0].SizeKnown || folders[0].SizeProblem == "" {
		t.Errorf("after its end it found %+v", folders)
	}
}

func TestScanPlaces(t *testing.T) {
	t.Run("sandbox_dir", func(t *testing.T) {
		profile := home(t)
		profile.Policy.SandboxDir = t.TempDir()
		write(t, profile, "default/file", 4)
		if folder := scan(t, Limits{}, profile)["default"]; !strings.HasPrefix(folder.Path, profile.Policy.SandboxDir) {
			t.Errorf("the folder is %+v", folder)
		}
	})
	t.Run("two profiles of one place", func(t *testing.T) {
		first, second := home(t), home(t)
		first.Policy.SandboxDir = t.TempDir()
		second.Policy.SandboxDir = first.Policy.SandboxDir
		write(t, first, "default/file", 4)
		scan(t, Limits{}, first, second)
	})
	t.Run("home through a link", func(t *testing.T) {
		profile := home(t)
		write(t, profile, "default/file", 4)
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(profile.Home, link); err != nil {
			t.Fatal(err)
		}
		real := profile.Home
		profile.Home = link
		folder := scan(t, Limits{}, profile)["default"]
		if !strings.HasPrefix(folder.Path, link) || !strings.HasSuffix(folder.RealPath, "sandboxes/docker/default") || strings.HasPrefix(folder.RealPath, link) {
			t.Errorf("the folder is %+v, the home really is %s", folder, real)
		}
	})
	t.Run("no sandboxes", func(t *testing.T) {
		if found := scan(t, Limits{}, home(t), model.Profile{Name: model.NewText("label only")}); len(found) != 0 {
			t.Errorf("found %+v", found)
		}
	})
	t.Run("place that is a file", func(t *testing.T) {
		profile := home(t)
		place := model.SandboxRoot(&profile)
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if folders, problems := Scan(context.Background(), []model.Profile{profile}, Limits{}); len(folders) != 0 || len(problems) != 1 {
			t.Errorf("found %+v, problems %+v", folders, problems)
		}
	})
}
