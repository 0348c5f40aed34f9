package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/model"
)

func TestExportOfTheDashboardGoesToTheStateFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.box(t, "one")
	program := &app{now: time.Now, getenv: func(name string) string { return b.env[name] }}
	for name, value := range b.env {
		program.environ = append(program.environ, name+"="+value)
	}
	w, err := program.open()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	fleet := w.fleet(t.Context())
	s, err := model.ResolveRef(&fleet, "hermes-00c0ffee")
	if err != nil {
		t.Fatal(err)
	}
	dashboard := &backend{workspace: w}
	path, missing, err := dashboard.Export(t.Context(), &fleet, s.Key())
	if err != nil || filepath.Dir(path) != filepath.Join(w.stateDir, "exports") {
		t.Fatalf("%s, %v", path, err)
	}
	if files := unpack(t, path); !strings.Contains(files[s.ID.Short()+"/log.txt"], "one") {
		t.Errorf("missing %v, files %d", missing, len(files))
	}
	if _, _, err := dashboard.Export(t.Context(), &fleet, model.Key{Engine: s.Engine, ID: "gone"}); err == nil {
		t.Error("a sandbox that is not there was exported")
	}
}
