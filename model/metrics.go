package model

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MetricsType is the content type of [Metrics].
const MetricsType = "text/plain; version=0.0.4; charset=utf-8"

// Metrics writes what is known of a fleet in Prometheus' text format. It holds
// counts, ages and the names of engines: no name of a sandbox, profile or
// image, so that the number of series does not grow with the fleet and nothing
// secret leaves. Every state and posture that Docker and Hermes know is there
// with its count, zero included, so that a rule can tell none from not known.
func Metrics(fleet *Fleet, now time.Time) []byte {
	w := metricsWriter{}
	engines := countEngines(fleet)
	w.family("hermes_sandbox_engine_up", "Whether the engine's data is live: 1 yes, 0 stale or down.")
	for _, e := range engines {
		w.sample("hermes_sandbox_engine_up", e.name, flagged(e.engine.State == Live))
	}
	w.family("hermes_sandbox_resync_age_seconds", "Time since the engine last answered; missing when it never did.")
	for _, e := range engines {
		if !e.engine.LastAnswer.IsZero() {
			age := max(0, now.Sub(e.engine.LastAnswer)).Seconds()
			w.sample("hermes_sandbox_resync_age_seconds", e.name, strconv.FormatFloat(age, 'f', 3, 64))
		}
	}
	w.family("hermes_sandbox_sandboxes", "Sandboxes by state and effective posture.")
	for _, e := range engines {
		for _, state := range e.states() {
			for _, level := range metricLevels() {
				w.sample("hermes_sandbox_sandboxes", e.name, strconv.Itoa(e.grid[stateLevel{state, level}]), "state", string(state), "posture", string(level))
			}
		}
	}
	for _, total := range []struct {
		name, help string
		of         func(*engineCounts) int
	}{
		{"violations", "Sandboxes more open than their policy allows.", func(e *engineCounts) int { return e.counts.Violations }},
		{"policy_unknown", "Sandboxes of which it is not known whether they break a policy.", func(e *engineCounts) int { return e.counts.Unknown }},
		{"stranded", "Running sandboxes whose session has ended or gone silent.", func(e *engineCounts) int { return e.counts.Stranded }},
		{"orphans", "Sandboxes that Hermes' reaper would delete now.", func(e *engineCounts) int { return e.counts.Orphans }},
	} {
		w.family("hermes_sandbox_"+total.name, total.help)
		for _, e := range engines {
			w.sample("hermes_sandbox_"+total.name, e.name, strconv.Itoa(total.of(e)))
		}
	}
	w.family("hermes_sandbox_problems", "Parts of the data that could not be had.")
	w.sample("hermes_sandbox_problems", "", strconv.Itoa(len(fleet.Problems)))
	return w.out.Bytes()
}

func flagged(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

type stateLevel struct {
	state State
	level Level
}

// engineCounts are the figures of one engine.
type engineCounts struct {
	name   string
	engine *Engine
	counts Counts
	grid   map[stateLevel]int
}

func countEngines(fleet *Fleet) []*engineCounts {
	var list []*engineCounts
	byName := map[string]*engineCounts{}
	for i := range fleet.Engines {
		e := &engineCounts{name: fleet.Engines[i].Name, engine: &fleet.Engines[i], grid: map[stateLevel]int{}}
		list, byName[e.name] = append(list, e), e
	}
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		e := byName[s.Engine]
		if e == nil {
			continue
		}
		e.counts.add(s)
		state, level := s.State, s.Posture.Effective
		if !slices.Contains(metricStates(), state) {
			state = "other" // Podman has more, and an engine can send anything
		}
		if !slices.Contains(metricLevels(), level) {
			level = LevelUnknown
		}
		e.grid[stateLevel{state, level}]++
	}
	return list
}

func (e *engineCounts) states() []State { return append(metricStates(), "other") }

func metricStates() []State {
	return []State{StateCreated, StateRunning, StatePaused, StateRestarting, StateRemoving, StateExited, StateDead}
}

func metricLevels() []Level {
	return []Level{LevelAirGapped, LevelCutOff, LevelInternal, LevelAllowlist, LevelCredentialProxied, LevelOpen, LevelHost, LevelUnknown}
}

// metricsWriter writes the text format: a family's help and type, then its
// samples.
type metricsWriter struct{ out bytes.Buffer }

func (w *metricsWriter) family(name, help string) {
	fmt.Fprintf(&w.out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name)
}

// sample writes one sample with its labels, given as names and values.
func (w *metricsWriter) sample(name, engine, value string, labels ...string) {
	if engine != "" {
		labels = append([]string{"engine", engine}, labels...)
	}
	w.out.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		fmt.Fprintf(&w.out, `%s%s="%s"`, separator, labels[i], metricLabel(labels[i+1]))
	}
	if len(labels) > 0 {
		w.out.WriteByte('}')
	}
	w.out.WriteString(" " + value + "\n")
}

// metricLabel writes a label's value: what a terminal could act on as an
// escape that can be seen, then what the format itself reads.
func metricLabel(value string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(NewText(value).Display())
}
