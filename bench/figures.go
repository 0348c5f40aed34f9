//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// times are durations of the same thing.
type times []time.Duration

// quantile returns the duration that a part of all do not exceed.
func (t times) quantile(part float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(len(sorted)-1, int(part*float64(len(sorted))))].Round(10 * time.Microsecond)
}

func (t times) median() time.Duration { return t.quantile(0.5) }

func (t times) both() string {
	return fmt.Sprintf("p50 %s, p95 %s of %d", t.median(), t.quantile(0.95), len(t))
}

// repeat measures something several times.
func repeat(rounds int, measure func() (time.Duration, error)) (times, error) {
	var found times
	for range rounds {
		took, err := measure()
		if err != nil {
			return found, err
		}
		found = append(found, took)
	}
	return found, nil
}

// timed runs a command and returns how long it took.
func timed(ctx context.Context, name string, args ...string) (time.Duration, error) {
	command := exec.CommandContext(ctx, name, args...) //nolint:gosec // what to measure is the caller's choice
	began := time.Now()
	out, err := command.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", name, err, out[:min(len(out), 400)])
	}
	return time.Since(began), nil
}

// ratio writes how many times longer one is than the other.
func ratio(ours, theirs time.Duration) string {
	if theirs <= 0 {
		return "?"
	}
	return fmt.Sprintf("%.2fx", float64(ours)/float64(theirs))
}

// clockTick is the unit of /proc/PID/stat.
const clockTick = 10 * time.Millisecond

// cpuOf returns the processor time that a process has used so far.
func cpuOf(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in parentheses, can hold anything; what follows cannot.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * clockTick
}

// memoryOf returns a process's resident memory now and at its highest, in MiB.
func memoryOf(pid int) (now, peak float64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		kib, _ := strconv.ParseFloat(fields[1], 64)
		switch fields[0] {
		case "VmRSS:":
			now = kib / 1024
		case "VmHWM:":
			peak = kib / 1024
		}
	}
	return now, peak
}

// pidOf finds the process with a name; 0 when there is none.
func pidOf(name string) int {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if data, err := os.ReadFile("/proc/" + entry.Name() + "/comm"); err == nil && strings.TrimSpace(string(data)) == name {
			return pid
		}
	}
	return 0
}

// percent writes processor time as a part of one core.
func percent(used, over time.Duration) string {
	return fmt.Sprintf("%.2f %%", 100*used.Seconds()/over.Seconds())
}
