package model

import (
	"math"
	"time"
)

// Sample is what a sandbox has used so far, at one time. Counters only grow
// while it runs.
type Sample struct {
	// At is when the engine took it; zero when there is no sample, as of a
	// sandbox that does not run.
	At time.Time
	// CPU is the processor time used, System that of the whole machine, both
	// in nanoseconds; CPUs is how many processors System counts. A zero means
	// that the engine gave none.
	CPU, System uint64
	CPUs        int
	// Memory is what is in use without the page cache, in bytes; MemoryLimit
	// is 0 when there is none.
	Memory, MemoryLimit uint64
	// Received and Sent are bytes over all networks, Read and Written bytes on
	// block devices.
	Received, Sent, Read, Written uint64
	// Processes counts processes and threads; ProcessLimit is 0 without one.
	Processes, ProcessLimit uint64
	// Connections counts the sockets that lead out of the sandbox's network; nil when it is not known, as of an engine on another machine.
	Connections *int
}

// Usage is what a sandbox uses. A rate is nil when it is not known, which a
// single sample never tells; it is never negative, infinite or no number.
type Usage struct {
	// CPU is in percent of one processor, as docker stats counts.
	CPU *float64
	// Memory is in bytes, MemoryPercent in percent of the limit.
	Memory        uint64
	MemoryPercent *float64
	// Rates in bytes a second.
	Received, Sent, Read, Written *float64
	// Processes counts processes and threads.
	Processes uint64
}

// UsageBetween works out what was used between two samples of one sandbox.
// Without a usable earlier one, what the later one tells alone is known.
func UsageBetween(earlier, later Sample) Usage {
	usage := Usage{Memory: later.Memory, Processes: later.Processes}
	if later.MemoryLimit > 0 {
		usage.MemoryPercent = finite(float64(later.Memory) / float64(later.MemoryLimit) * 100)
	}
	seconds := later.At.Sub(earlier.At).Seconds()
	if earlier.At.IsZero() || later.At.IsZero() || seconds <= 0 {
		return usage
	}
	usage.CPU = cpuPercent(earlier, later)
	rate := func(before, after uint64) *float64 {
		if after < before { // it was started again
			return nil
		}
		return finite(float64(after-before) / seconds)
	}
	usage.Received, usage.Sent = rate(earlier.Received, later.Received), rate(earlier.Sent, later.Sent)
	usage.Read, usage.Written = rate(earlier.Read, later.Read), rate(earlier.Written, later.Written)
	return usage
}

// cpuPercent is docker's own figure: the share of the machine's time, times its
// processors. What cannot be, by a broken counter, is not known.
func cpuPercent(earlier, later Sample) *float64 {
	if later.CPU < earlier.CPU || later.System <= earlier.System || later.CPUs <= 0 {
		return nil
	}
	percent := float64(later.CPU-earlier.CPU) / float64(later.System-earlier.System) * float64(later.CPUs) * 100
	// The two counters are not read at the very same time, so a busy sandbox
	// can seem to use a little more than there is.
	return finite(min(percent, float64(later.CPUs)*100))
}

// finite returns a figure that can be shown, nil for any other.
func finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return nil
	}
	return &value
}

// ProcessTable is what runs in a sandbox, as the engine's ps lists it.
type ProcessTable struct {
	Titles []Text
	Rows   [][]Text
	// Dropped is how many rows were left out.
	Dropped int
}
