package main

import (
	"runtime"
	"testing"
)

func TestThriftWhileNothingHappens(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	all := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(all)
	var saving thrift
	for i, step := range []struct {
		does    func()
		want    int
		resting bool
	}{
		{saving.rest, 3, false},
		{saving.rest, 1, true},
		{saving.rest, 1, true},
		{saving.wake, 3, false},
		{saving.rest, 3, false},
		{saving.wake, 3, false},
		{saving.rest, 3, false},
		{saving.rest, 1, true},
	} {
		step.does()
		if got := runtime.GOMAXPROCS(0); got != step.want || saving.resting != step.resting {
			t.Errorf("step %d: %d processors, resting %v, want %d, %v", i, got, saving.resting, step.want, step.resting)
		}
	}
	saving.wake()
	var none *thrift
	none.rest()
	none.rest()
	none.wake()
	t.Setenv("GOMAXPROCS", "2")
	saving.rest()
	saving.rest()
	if got := runtime.GOMAXPROCS(0); got != 3 || !saving.resting {
		t.Errorf("%d processors where they were not to be touched, resting %v", got, saving.resting)
	}
}
