package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sandbox/config/edit"
	"hermes-sandbox/model"
)

// allowlistRows are the edits that bring a file to an allowlist's network.
func allowlistRows(file, from, to string) []*model.ConfigEdit {
	rows := []*model.ConfigEdit{
		{File: file, Key: model.NetworkKey, To: "true"},
		{File: file, Key: model.ExtraArgsKey, From: from, To: to},
	}
	for _, setting := range model.EgressEnv() {
		rows = append(rows, &model.ConfigEdit{File: file, Key: model.DockerEnvKey + "." + setting.Name, To: `"` + setting.Value + `"`})
	}
	return rows
}

func TestFoldedEditsGoThereAndBack(t *testing.T) {
	const arg = `"--network=hermes-egress-a4aa2ac280"`
	files := map[string]string{
		"with all blocks there":  "terminal:\n  docker_network: false # closed\n  docker_extra_args:\n    - --cpus=2\n  docker_env:\n    A: b\n",
		"with none":              "model: x\nterminal:\n  backend: docker\n",
		"in braces":              "terminal: {docker_network: no, docker_extra_args: [\"--cpus=2\"], docker_env: {A: b}}\n",
		"with lines of Windows":  "terminal:\r\n  docker_network: false\r\n  docker_extra_args: []\r\n",
		"with nothing but a key": "terminal:\n",
	}
	for name, before := range files {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, "config.yaml")
			if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			rows := allowlistRows(file, "", arg)
			there := applied(t, rows, folder)
			back := make([]*model.ConfigEdit, len(rows))
			for i, row := range rows {
				back[i] = &model.ConfigEdit{File: file, Key: row.Key, From: row.To, To: row.From, Undo: true, Restore: there.BackupName()}
			}
			back[0].To = there.froms[0]
			applied(t, back, folder)
			if data, err := os.ReadFile(file); err != nil || string(data) != before {
				t.Errorf("it comes back as\n%s\n%v", data, err)
			}
		})
	}
}

// applied folds edits, writes them and checks that the file says so.
func applied(t *testing.T, rows []*model.ConfigEdit, backups string) folded {
	t.Helper()
	whole, err := fold(rows, backups)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Apply(t.Context(), backups); err != nil {
		t.Fatal(err)
	}
	now, err := edit.Read(rows[0].File)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if !standsIn(now, row.Key, row.From, row.To) {
			t.Errorf("%s is not %q:\n%s", row.Key, row.To, whole.After)
		}
	}
	return whole
}

func TestFoldRefusesAsAWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("terminal:\n  docker_network: false\n  docker_extra_args: abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if whole, err := fold(allowlistRows(file, "", `"--network=x"`), t.TempDir()); err == nil {
		t.Errorf("a list that is none was changed to\n%s", whole.After)
	}
}

func TestTheLastVariableTakesItsBlockAlong(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	const before = "terminal:\n  docker_env:\n    HTTP_PROXY: \"http://egress-proxy:8888\"\n  backend: docker\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	row := &model.ConfigEdit{File: file, Key: model.DockerEnvKey + ".HTTP_PROXY", From: `"http://egress-proxy:8888"`}
	whole := applied(t, []*model.ConfigEdit{row}, t.TempDir())
	if strings.Contains(string(whole.After), "docker_env") || whole.froms[0] != row.From {
		t.Errorf("from %s to\n%s", whole.froms[0], whole.After)
	}
}

func TestUndoneEntriesMustStillBeOurs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("terminal:\n  docker_extra_args: [\"--network=other\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	row := &model.ConfigEdit{File: file, Key: model.ExtraArgsKey, From: `"--network=ours"`, Undo: true}
	if _, err := fold([]*model.ConfigEdit{row}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "changed since") {
		t.Errorf("error %v", err)
	}
}
