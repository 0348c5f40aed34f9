package state

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/model"
)

func cutID(digit string) model.ID { return model.ID(strings.Repeat(digit, 64)) }

func cutOf(name string) model.CutRecord {
	return model.CutRecord{
		Name: model.NewText(name), CutAt: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC), Complete: true,
		Networks: []model.CutNetwork{{
			ID: strings.Repeat("f", 64), Name: model.NewText("lan\x1b[31m"), StaticIPv4: model.NewText("172.20.0.9"),
			Aliases: []model.Text{model.NewText("db")}, DriverOpts: map[model.Text]model.Text{model.NewText("k"): model.NewText("v")},
		}},
	}
}

func TestCutRecordsSurvive(t *testing.T) {
	folder := open(t)
	if _, known, err := folder.Cuts().Load(cutID("a")); known || err != nil {
		t.Fatalf("a record out of nothing: %v, error %v", known, err)
	}
	if err := folder.Cuts().Save("unix:///a.sock", cutID("a"), cutOf("hermes-a")); err != nil {
		t.Fatal(err)
	}
	again, err := Open(folder.Path())
	if err != nil {
		t.Fatal(err)
	}
	record, known, err := again.Cuts().Load(cutID("a"))
	if err != nil || !known {
		t.Fatalf("known %v, error %v", known, err)
	}
	if diff := cmp.Diff(cutOf("hermes-a"), record, cmp.AllowUnexported(model.Text{})); diff != "" {
		t.Errorf("the record changed on disk:\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(folder.Path(), "cuts", string(cutID("a"))+".json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file %v, error %v", info, err)
	}
	info, err = os.Stat(filepath.Join(folder.Path(), "cuts"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder %v, error %v", info, err)
	}
	for range 2 { // deleting what is not there is no error
		if err := again.Cuts().Delete(cutID("a")); err != nil {
			t.Fatal(err)
		}
	}
	if _, known, _ := folder.Cuts().Load(cutID("a")); known {
		t.Error("the record is still there")
	}
}

func TestCutRecordsArePrunedPerEngine(t *testing.T) {
	cuts := open(t).Cuts()
	for digit, host := range map[string]string{"a": "unix:///a.sock", "b": "unix:///a.sock", "c": "ssh://far"} {
		if err := cuts.Save(host, cutID(digit), cutOf("hermes-"+digit)); err != nil {
			t.Fatal(err)
		}
	}
	if err := cuts.Prune("unix:///a.sock", func(id model.ID, record model.CutRecord) bool {
		return id != cutID("a") && record.Complete
	}); err != nil {
		t.Fatal(err)
	}
	records, err := cuts.All()
	if err != nil {
		t.Fatal(err)
	}
	if left := slices.Sorted(maps.Keys(records)); !slices.Equal(left, []model.ID{cutID("a"), cutID("c")}) {
		t.Errorf("left are %v", left)
	}
}

func TestDamagedCutRecordIsSaid(t *testing.T) {
	folder := open(t)
	if err := folder.Cuts().Save("unix:///a.sock", cutID("a"), cutOf("hermes-a")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder.Path(), "cuts", string(cutID("b"))+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := folder.Cuts().Load(cutID("b")); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	records, err := folder.Cuts().All()
	if err == nil || len(records) != 1 {
		t.Errorf("%d records, error %v; want the whole one and an error", len(records), err)
	}
}

func TestCutRecordOfAnInvalidIDIsRefused(t *testing.T) {
	if err := open(t).Cuts().Save("unix:///a.sock", "../../audit", cutOf("x")); err == nil {
		t.Error("an ID that is a path was taken")
	}
}
