package simengine_test

import (
	"testing"

	"hermes-sandbox/dockerx/simengine"
)

// A container takes all its commands along, however many they are.
func TestAStoppedContainerEndsAllItsCommands(t *testing.T) {
	t.Parallel()
	engine := simengine.New(simengine.Options{})
	if _, err := engine.Add(simengine.Spec{Name: "busy"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := engine.Begin("busy", "sleep", "60"); err != nil {
			t.Fatal(err)
		}
	}
	if err := engine.StopContainer("busy"); err != nil {
		t.Fatal(err)
	}
	if err := engine.StartContainer("busy"); err != nil {
		t.Fatal(err)
	}
	if err := engine.RemoveContainer("busy"); err != nil {
		t.Fatal(err)
	}
}
