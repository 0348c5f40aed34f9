package main

import (
	"runtime"
	"testing"
)

func TestOneProcessorWhileNothingHappens(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	all := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(all)
	var used processors
	for i, step := range []struct {
		does func()
		want int
	}{
		{used.rest, 3},
		{used.rest, 1},
		{used.rest, 1},
		{used.wake, 3},
		{used.rest, 3},
		{used.wake, 3},
		{used.rest, 3},
		{used.rest, 1},
	} {
		step.does()
		if got := runtime.GOMAXPROCS(0); got != step.want {
			t.Errorf("step %d: %d processors, want %d", i, got, step.want)
		}
	}
	used.wake()
	var none *processors
	none.rest()
	none.rest()
	none.wake()
	t.Setenv("GOMAXPROCS", "2")
	used.rest()
	used.rest()
	if got := runtime.GOMAXPROCS(0); got != 3 {
		t.Errorf("%d processors where they were not to be touched", got)
	}
}
