package model

import (
	"math"
	"testing"
	"time"
)

func TestUsageBetween(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	first := Sample{At: at, CPU: 1e9, System: 100e9, CPUs: 4, Received: 1000}
	later := func(change func(*Sample)) Sample {
		s := Sample{At: at.Add(2 * time.Second), CPU: 2e9, System: 108e9, CPUs: 4, Received: 3000, Memory: 50, MemoryLimit: 200}
		if change != nil {
			change(&s)
		}
		return s
	}
	const unknown = -1
	cases := map[string]struct {
		earlier, later  Sample
		cpu, in, memory float64
	}{
		"half a processor":        {first, later(nil), 50, 1000, 25},
		"one sample":              {Sample{}, later(nil), unknown, unknown, 25},
		"no sample at all":        {Sample{}, Sample{}, unknown, unknown, unknown},
		"the same sample twice":   {first, first, unknown, unknown, unknown},
		"no machine time":         {first, later(func(s *Sample) { s.System = 0 }), unknown, 1000, 25},
		"machine time stands":     {first, later(func(s *Sample) { s.System = first.System }), unknown, 1000, 25},
		"started again":           {first, later(func(s *Sample) { s.CPU, s.Received = 1, 1 }), unknown, unknown, 25},
		"no processors":           {first, later(func(s *Sample) { s.CPUs = 0 }), unknown, 1000, 25},
		"no limit":                {first, later(func(s *Sample) { s.MemoryLimit = 0 }), 50, 1000, unknown},
		"more than there is":      {first, later(func(s *Sample) { s.CPU = 1 << 62 }), 400, 1000, 25},
		"the clock went back":     {later(nil), first, unknown, unknown, unknown},
		"idle":                    {first, later(func(s *Sample) { s.CPU = first.CPU }), 0, 1000, 25},
		"counters at their limit": {first, later(func(s *Sample) { s.Received = math.MaxUint64 }), 50, (math.MaxUint64 - 1000) / 2, 25},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			usage := UsageBetween(tt.earlier, tt.later)
			for what, pair := range map[string]struct {
				got  *float64
				want float64
			}{"cpu": {usage.CPU, tt.cpu}, "received": {usage.Received, tt.in}, "memory": {usage.MemoryPercent, tt.memory}} {
				got := float64(unknown)
				if pair.got != nil {
					got = *pair.got
				}
				if math.Abs(got-pair.want) > 0.01 {
					t.Errorf("%s is %v, want %v", what, got, pair.want)
				}
			}
		})
	}
}

func FuzzUsageBetween(f *testing.F) {
	f.Add(int64(1), uint64(1), uint64(2), 4, uint64(3), uint64(0))
	f.Fuzz(func(t *testing.T, nanos int64, cpu, system uint64, cpus int, memory, limit uint64) {
		a := Sample{At: time.Unix(1, 0), CPU: 1, System: 1}
		b := Sample{At: time.Unix(1, nanos), CPU: cpu, System: system, CPUs: cpus, Memory: memory, MemoryLimit: limit, Received: memory}
		u := UsageBetween(a, b)
		for _, value := range []*float64{u.CPU, u.MemoryPercent, u.Received, u.Sent} {
			if value != nil && (math.IsNaN(*value) || math.IsInf(*value, 0) || *value < 0) {
				t.Fatalf("%+v", u)
			}
		}
		if u.CPU != nil && *u.CPU > float64(cpus)*100 {
			t.Fatalf("%v %% of %d processors", *u.CPU, cpus)
		}
	})
}
