package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/model"
)

// found is what matters of a profile here: name, label, home below the user's
// folder, active.
type found struct {
	name, label, home string
	active            bool
}

func TestHomesAndProfiles(t *testing.T) {
	long := strings.Repeat("a", 64)
	cases := map[string]struct {
		folders  []string
		files    map[string]string
		environ  []string // $U is the user's home
		homes    []string
		added    []string
		noHome   bool
		want     []found
		problems int
	}{
		"the native home": {
			folders: []string{".hermes"},
			want:    []found{{"default", "default", ".hermes", true}},
		},
		"a suffix of the native home": {
			folders: []string{".hermes", ".hermes-dev"}, environ: []string{"HERMES_DATA_DIR_SUFFIX=-dev"},
			want: []found{{"default", "default", ".hermes-dev", true}},
		},
		"named profiles": {
			folders: []string{".hermes/profiles/work", ".hermes/profiles/a_b-1"},
			want: []found{
				{"default", "default", ".hermes", true},
				{"a_b-1", "a_b-1", ".hermes/profiles/a_b-1", false},
				{"work", "work", ".hermes/profiles/work", false},
			},
		},
		"a name of 64 characters has a label of 63": {
			folders: []string{".hermes/profiles/" + long},
			want: []found{
				{"default", "default", ".hermes", true},
				{long, long[:63], ".hermes/profiles/" + long, false},
			},
		},
		"what is no profile": {
			folders: []string{
				".hermes/profiles/default", ".hermes/profiles/Upper", ".hermes/profiles/-x", ".hermes/profiles/a b",
				".hermes/profiles/" + long + "a", ".hermes/profiles/.deleted",
			},
			files: map[string]string{".hermes/profiles/file": ""},
			want:  []found{{"default", "default", ".hermes", true}},
		},
		"a reserved name that exists": {
			folders: []string{".hermes/profiles/hermes"},
			want: []found{
				{"default", "default", ".hermes", true},
				{"hermes", "hermes", ".hermes/profiles/hermes", false},
			},
		},
		"a tombstone hides a profile": {
			folders: []string{".hermes/profiles/gone", ".hermes/profiles/here"},
			files:   map[string]string{".hermes/profiles/.deleted/gone": ""},
			want: []found{
				{"default", "default", ".hermes", true},
				{"here", "here", ".hermes/profiles/here", false},
			},
		},
		"the sticky profile": {
			folders: []string{".hermes/profiles/work"},
			files:   map[string]string{".hermes/active_profile": " WORK \n"},
			want: []found{
				{"default", "default", ".hermes", false},
				{"work", "work", ".hermes/profiles/work", true},
			},
		},
		"an empty sticky file": {
			folders: []string{".hermes/profiles/work"},
			files:   map[string]string{".hermes/active_profile": "\n"},
			want: []found{
				{"default", "default", ".hermes", true},
				{"work", "work", ".hermes/profiles/work", false},
			},
		},
		"a sticky profile that does not exist": {
			folders: []string{".hermes"},
			files:   map[string]string{".hermes/active_profile": "gone"},
			want:    []found{{"default", "default", ".hermes", true}},
		},
		"HERMES_HOME under profiles beats the sticky file": {
			folders: []string{".hermes/profiles/a", ".hermes/profiles/b"},
			files:   map[string]string{".hermes/active_profile": "a"},
			environ: []string{"HERMES_HOME=$U/.hermes/profiles/b"},
			want: []found{
				{"default", "default", ".hermes", false},
				{"a", "a", ".hermes/profiles/a", false},
				{"b", "b", ".hermes/profiles/b", true},
			},
		},
		"HERMES_HOME at the root leaves the sticky file its say": {
			folders: []string{".hermes/profiles/a"},
			files:   map[string]string{".hermes/active_profile": "a"},
			environ: []string{"HERMES_HOME=$U/.hermes"},
			want: []found{
				{"default", "default", ".hermes", false},
				{"a", "a", ".hermes/profiles/a", true},
			},
		},
		"HERMES_HOME elsewhere is a root of its own": {
			folders: []string{".hermes", "srv/bot"}, environ: []string{"HERMES_HOME=$U/srv/bot"},
			want: []found{{"default", "default", "srv/bot", true}},
		},
		"HERMES_HOME under profiles elsewhere": {
			folders: []string{"srv/bot/profiles/x", "srv/bot/profiles/y"}, environ: []string{"HERMES_HOME=$U/srv/bot/profiles/x"},
			want: []found{
				{"default", "default", "srv/bot", false},
				{"x", "x", "srv/bot/profiles/x", true},
				{"y", "y", "srv/bot/profiles/y", false},
			},
		},
		"HERMES_HOME inside the native home but no profile": {
			folders: []string{".hermes/other"}, environ: []string{"HERMES_HOME=$U/.hermes/other"},
			want: []found{
				{"default", "default", ".hermes", false},
				{"custom", "custom", ".hermes/other", true},
			},
		},
		"HERMES_HOME with a name that is not valid": {
			folders: []string{"srv/profiles/Bad"}, environ: []string{"HERMES_HOME=$U/srv/profiles/Bad"},
			want: []found{
				{"default", "default", "srv", false},
				{"custom", "custom", "srv/profiles/Bad", true},
			},
		},
		"HERMES_HOME naming a deleted profile": {
			folders: []string{".hermes/profiles/gone"},
			files:   map[string]string{".hermes/profiles/.deleted/gone": ""},
			environ: []string{"HERMES_HOME=$U/.hermes/profiles/gone"},
			want: []found{
				{"default", "default", ".hermes", false},
				{"gone", "gone", ".hermes/profiles/gone", true},
			},
		},
		"HERMES_HOME naming profiles/default": {
			folders: []string{".hermes/profiles/default"}, environ: []string{"HERMES_HOME=$U/.hermes/profiles/default"},
			want: []found{
				{"default", "default", ".hermes", false},
				{"default", "default", ".hermes/profiles/default", true},
			},
		},
		"a tilde and blanks in HERMES_HOME": {
			folders: []string{"bot"}, environ: []string{"HERMES_HOME= ~/bot "},
			want: []found{{"default", "default", "bot", true}},
		},
		"an empty HERMES_HOME is none": {
			folders: []string{".hermes"}, environ: []string{"HERMES_HOME="},
			want: []found{{"default", "default", ".hermes", true}},
		},
		"several installations by flag": {
			folders: []string{"a", "b/profiles/x", "c"}, homes: []string{"~/a", "~/b/profiles/x", "~/a/"},
			environ: []string{"HERMES_HOME=$U/c"},
			want: []found{
				{"default", "default", "a", true},
				{"default", "default", "b", false},
				{"x", "x", "b/profiles/x", false},
			},
		},
		"homes of the settings come after": {
			folders: []string{".hermes", "b"}, added: []string{"~/b", "~/.hermes"},
			want: []found{
				{"default", "default", ".hermes", true},
				{"default", "default", "b", false},
			},
		},
		"homes of the settings without a native home": {
			folders: []string{"b"}, added: []string{"~/b"},
			want: []found{{"default", "default", "b", true}},
		},
		"two profiles of one installation by flag": {
			folders: []string{"b/profiles/x", "b/profiles/y"}, homes: []string{"~/b/profiles/y", "~/b/profiles/x"},
			want: []found{
				{"default", "default", "b", false},
				{"x", "x", "b/profiles/x", false},
				{"y", "y", "b/profiles/y", true},
			},
		},
		"the first home does not exist, so none is active": {
			folders: []string{"b"}, homes: []string{"~/nowhere", "~/b"},
			want: []found{{"default", "default", "b", false}}, problems: 1,
		},
		"no native home":             {problems: 1},
		"a home that does not exist": {homes: []string{"~/nowhere"}, problems: 1},
		"a home that is a file":      {files: map[string]string{"f": ""}, homes: []string{"~/f"}, problems: 1},
		"no home folder at all":      {noHome: true, problems: 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			for _, folder := range c.folders {
				m.folder(filepath.Join(m.home, folder))
			}
			for path, text := range c.files {
				m.write(path, text)
			}
			for _, pair := range c.environ {
				m.set(strings.ReplaceAll(pair, "$U", m.home))
			}
			in := HomesInput{Homes: c.homes, Added: c.added, Environ: m.environ, UserHome: m.home}
			if c.noHome {
				in.UserHome = ""
			}
			profiles, problems := LoadProfiles(in)
			var got []found
			for _, p := range profiles {
				home, err := filepath.Rel(m.home, p.Home)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, found{p.Name.Raw(), p.Label, home, p.Active})
				if p.ConfigFile != filepath.Join(p.Home, "config.yaml") || !strings.HasPrefix(p.Home, p.Root) {
					t.Errorf("paths of %s: home %s, root %s, file %s", p.Name, p.Home, p.Root, p.ConfigFile)
				}
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(found{})); diff != "" {
				t.Errorf("profiles differ (-want +got):\n%s", diff)
			}
			if len(problems) != c.problems {
				t.Errorf("problems %v, want %d", problems, c.problems)
			}
		})
	}
}

func TestProblemsOfHomesStayWithTheirProfile(t *testing.T) {
	m := newMachine(t)
	m.folder(filepath.Join(m.home, ".hermes/profiles/gone"))
	m.write(".hermes/profiles/.deleted/gone", "")
	m.write(".hermes/active_profile", "\x1b[31mred")
	m.set("HERMES_HOME=" + filepath.Join(m.home, ".hermes/profiles/gone"))
	if got := m.profile("gone").Problems; len(got) != 1 || !strings.Contains(got[0], "deleted") {
		t.Errorf("problems of a deleted profile: %q", got)
	}
	m.set("HERMES_HOME=")
	got := m.profile("default").Problems
	if len(got) != 1 || !strings.Contains(got[0], `"\x1b[31mred"`) {
		t.Errorf("problems of a lost sticky profile: %q", got)
	}
}

func TestLinkedHomesAreOneInstallation(t *testing.T) {
	m := newMachine(t)
	m.folder(filepath.Join(m.home, "real/profiles/x"))
	if err := os.Symlink(filepath.Join(m.home, "real"), filepath.Join(m.home, ".hermes")); err != nil {
		t.Fatal(err)
	}
	profiles, problems := LoadProfiles(HomesInput{
		Added: []string{filepath.Join(m.home, "real"), filepath.Join(m.home, "real/profiles/x")}, Environ: m.environ, UserHome: m.home,
	})
	if len(profiles) != 2 || len(problems) != 0 {
		t.Errorf("got %d profiles, problems %v; want the default one and x", len(profiles), problems)
	}
}

func TestProfilesFolderThatCannotBeListed(t *testing.T) {
	m := newMachine(t)
	m.write(".hermes/profiles", "not a folder")
	profiles, problems := m.profiles()
	if len(profiles) != 1 || len(problems) != 1 {
		t.Fatalf("got %d profiles and problems %v", len(profiles), problems)
	}
	if want := (model.Problem{Part: "home " + filepath.Join(m.home, ".hermes")}); problems[0].Part != want.Part {
		t.Errorf("part %q, want %q", problems[0].Part, want.Part)
	}
}
