package config

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-sandbox/model"
)

// machine is a made-up machine: a user's home and a managed folder, both
// empty, and an environment that leads nowhere else.
type machine struct {
	t       *testing.T
	home    string
	managed string
	environ []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: filepath.Join(base, "user"), managed: filepath.Join(base, "managed")}
	m.folder(m.home)
	m.environ = []string{"HERMES_MANAGED_DIR=" + m.managed}
	return m
}

func (m *machine) folder(path string) {
	m.t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		m.t.Fatal(err)
	}
}

// write writes a file, relative paths below the user's home.
func (m *machine) write(path, text string) {
	m.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.home, path)
	}
	m.folder(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) set(pairs ...string) *machine {
	m.environ = append(m.environ, pairs...)
	return m
}

func (m *machine) profiles() ([]model.Profile, []model.Problem) {
	return LoadProfiles(HomesInput{Environ: m.environ, UserHome: m.home})
}

// profile loads everything and returns the profile of that name.
func (m *machine) profile(name string) model.Profile {
	m.t.Helper()
	profiles, _ := m.profiles()
	for _, p := range profiles {
		if p.Name.Raw() == name {
			return p
		}
	}
	m.t.Fatalf("no profile %q among %d", name, len(profiles))
	return model.Profile{}
}

func notes(p model.Profile) []string {
	var codes []string
	for _, note := range p.Policy.Notes {
		codes = append(codes, note.Code)
	}
	return codes
}
