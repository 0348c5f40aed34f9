package state

import (
	"os"
	"path/filepath"
	"testing"

	"hermes-sandbox/model"
)

func TestAllowlistsAreKeptPerConfigurationFile(t *testing.T) {
	s := open(t)
	if records, err := s.Allowlists(); err != nil || len(records) > 0 {
		t.Fatalf("%v, %v without a file", records, err)
	}
	one := model.WrittenAllowlist{Allow: []string{"a.org"}, Args: []string{"--network=x"}, Env: []model.EnvSetting{{Name: "A", Value: "b"}}}
	two := model.WrittenAllowlist{Allow: []string{"b.org"}}
	for file, written := range map[string]model.WrittenAllowlist{"/h/a": one, "/h/b": one} {
		if err := s.SaveAllowlist(file, written); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.SaveAllowlist("/h/b", two); err != nil {
		t.Fatal(err)
	}
	records, err := s.Allowlists()
	if err != nil || len(records) != 2 || !records["/h/a"].Equal(one) || !records["/h/b"].Equal(two) {
		t.Errorf("%+v, %v", records, err)
	}
	if info, err := os.Stat(filepath.Join(s.Path(), allowlistsName)); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestADamagedRecordOfAllowlistsIsAnError(t *testing.T) {
	s := open(t)
	if err := os.WriteFile(filepath.Join(s.Path(), allowlistsName), []byte("{"), fileMode); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Allowlists(); err == nil {
		t.Error("it was read")
	}
	if err := s.SaveAllowlist("/h/a", model.WrittenAllowlist{}); err == nil {
		t.Error("it was overwritten, and what stood in it is lost")
	}
}
