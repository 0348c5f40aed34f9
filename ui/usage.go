package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// UsageSource tells what sandboxes use and what runs in them.
type UsageSource interface {
	// Samples reads what sandboxes have used so far; those that cannot be read
	// are left out.
	Samples(ctx context.Context, keys []model.Key) map[model.Key]model.Sample
	// Processes lists what runs in a sandbox.
	Processes(ctx context.Context, key model.Key) (model.ProcessTable, error)
}

// Bounds of sampling.
const (
	usageKept    = 60 // usages of one sandbox, for its bars
	leastStats   = time.Second
	defaultStats = 2 * time.Second
)

// usageTrack is what is known of one sandbox's usage.
type usageTrack struct {
	last    model.Sample
	usage   model.Usage
	history []model.Usage
}

// sampling is the work that keeps the usage on the screen up to date.
type sampling struct {
	tracks     map[model.Key]*usageTrack
	generation int
	cancel     context.CancelFunc
}

// samples is what one look at the usage has found.
type samples struct {
	generation int
	ctx        context.Context //nolint:containedctx // of the loop that asked
	found      map[model.Key]model.Sample
}

// statsInterval is the time between two samples.
func (m *Model) statsInterval() time.Duration {
	if m.options.StatsInterval == 0 {
		return defaultStats
	}
	return max(leastStats, m.options.StatsInterval)
}

// sampled are the sandboxes whose usage is on the screen: those of the rows in
// wide mode, and the one whose processes are shown.
func (m *Model) sampled() []model.Key {
	if m.looking.asleep || m.looking.blurred || !canRead[UsageSource](m.options.Backend) {
		return nil
	}
	var keys []model.Key
	if slices.ContainsFunc(m.view.columns, func(c column) bool { return c.usage }) && (m.split() || m.focus == paneTree) {
		rows, _ := m.tree.visible()
		for _, r := range rows {
			if r.at >= 0 && m.tree.shown[r.at].State == model.StateRunning {
				keys = append(keys, m.tree.shown[r.at].Key())
			}
		}
	}
	if m.looking.of.tab == "processes" && !slices.Contains(keys, m.looking.of.sandbox) {
		keys = append(keys, m.looking.of.sandbox)
	}
	return keys
}

// keepSampling begins or ends sampling, as the screen has changed.
func (m *Model) keepSampling() tea.Cmd {
	keys := m.sampled()
	switch {
	case len(keys) == 0 && m.sampling.cancel != nil:
		m.sampling.cancel()
		m.sampling.cancel = nil
		m.sampling.generation++
	case len(keys) > 0 && m.sampling.cancel == nil:
		ctx, cancel := context.WithCancel(m.context)
		m.sampling.cancel = cancel
		m.sampling.generation++
		return m.sample(ctx, keys)
	}
	return nil
}

// sample looks once at what sandboxes use.
func (m *Model) sample(ctx context.Context, keys []model.Key) tea.Cmd {
	source, ok := m.options.Backend.(UsageSource)
	if !ok {
		return nil
	}
	generation := m.sampling.generation
	return func() tea.Msg {
		return samples{generation: generation, ctx: ctx, found: source.Samples(ctx, keys)}
	}
}

// takeSamples notes what was found and goes on after the interval.
func (m *Model) takeSamples(msg samples) tea.Cmd {
	if msg.generation != m.sampling.generation || m.sampling.cancel == nil {
		return nil
	}
	if m.sampling.tracks == nil {
		m.sampling.tracks = make(map[model.Key]*usageTrack)
	}
	for key := range m.sampling.tracks {
		if _, there := m.index[key]; !there {
			delete(m.sampling.tracks, key)
		}
	}
	for key, sample := range msg.found {
		track := m.sampling.tracks[key]
		if track == nil {
			track = &usageTrack{}
			m.sampling.tracks[key] = track
		}
		track.take(sample)
	}
	m.detail.stale = true
	if usageSort(m.view.sort) {
		m.rebuild()
	}
	generation := m.sampling.generation
	return after(msg.ctx, m.statsInterval(), func() tea.Msg { return sampleDue{generation: generation, ctx: msg.ctx} })
}

// sampleDue says that it is time for the next sample.
type sampleDue struct {
	generation int
	ctx        context.Context //nolint:containedctx // of the loop that asked
}

func (m *Model) sampleAgain(due sampleDue) tea.Cmd {
	if due.generation != m.sampling.generation || m.sampling.cancel == nil {
		return nil
	}
	return m.sample(due.ctx, m.sampled())
}

// take adds a sample. After a pause longer than its bars reach, the bars begin
// anew.
func (t *usageTrack) take(sample model.Sample) {
	if sample.At.IsZero() {
		*t = usageTrack{}
		return
	}
	if sample.At.Sub(t.last.At) > time.Minute {
		t.history = nil
	}
	t.usage = model.UsageBetween(t.last, sample)
	t.last = sample
	t.history = append(t.history, t.usage)
	t.history = slices.Clone(t.history[max(0, len(t.history)-usageKept):])
}

// usageOf returns what a running sandbox uses; false when that is not known.
func (m *Model) usageOf(s *model.Sandbox) (*usageTrack, bool) {
	track := m.sampling.tracks[s.Key()]
	if track == nil || track.last.At.IsZero() || s.State != model.StateRunning && s.State != model.StatePaused {
		return nil, false
	}
	return track, true
}

func (m *Model) cpuCell(s *model.Sandbox) string {
	track, ok := m.usageOf(s)
	if !ok || track.usage.CPU == nil {
		return m.theme.Glyphs.Dash
	}
	return fmt.Sprintf("%.1f", *track.usage.CPU)
}

func (m *Model) memoryCell(s *model.Sandbox) string {
	track, ok := m.usageOf(s)
	if !ok {
		return m.theme.Glyphs.Dash
	}
	return sizeOf(track.usage.Memory)
}

func (m *Model) connectionsCell(s *model.Sandbox) string {
	track, ok := m.usageOf(s)
	if !ok || track.last.Connections == nil {
		return m.theme.Glyphs.Dash
	}
	return strconv.Itoa(*track.last.Connections)
}

// Sort keys that only the dashboard has.
const (
	sortCPU    model.SortKey = "cpu"
	sortMemory model.SortKey = "memory"
)

func usageSort(key model.SortKey) bool { return key == sortCPU || key == sortMemory }

// sortByUsage orders by usage; what is not known comes last in both directions.
func (m *Model) sortByUsage(shown []*model.Sandbox) {
	if !usageSort(m.view.sort) {
		return
	}
	figure := func(s *model.Sandbox) float64 {
		track, ok := m.usageOf(s)
		switch {
		case !ok || m.view.sort == sortCPU && track.usage.CPU == nil:
			return -1
		case m.view.sort == sortCPU:
			return *track.usage.CPU
		default:
			return float64(track.usage.Memory)
		}
	}
	slices.SortStableFunc(shown, func(a, b *model.Sandbox) int {
		x, y := figure(a), figure(b)
		if x < 0 || y < 0 {
			return cmp.Compare(y, x)
		}
		if m.view.descending {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(x, y)
	})
}
