package dockerx_test

import (
	"path/filepath"
	"testing"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

func TestHostPathsOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	client := connectTo(t, engine)
	here := model.NewText(t.TempDir())
	gone := model.NewText(filepath.Join(t.TempDir(), "gone"))
	exists, local := client.HostPaths(t.Context(), []model.Text{here, gone})
	if there, known := exists[gone]; !local || !exists[here] || there || !known {
		t.Errorf("%v, local %v", exists, local)
	}
}

func TestHostPathsOfAnotherMachineAreNotKnown(t *testing.T) {
	t.Parallel()
	client, err := dockerx.Connect(dockerx.Endpoint{Name: "far", Host: "tcp://127.0.0.1:1", Chosen: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if exists, local := client.HostPaths(t.Context(), []model.Text{model.NewText("/")}); local || len(exists) > 0 {
		t.Errorf("%v, local %v", exists, local)
	}
}
