package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// Bounds of the log that is kept for the screen, and of what is drawn at once.
const (
	logLines     = 5000
	logBytes     = 4 << 20
	logTail      = 1000 // lines read before those that are new
	logWaiting   = 64   // lines read ahead of the screen
	logBatch     = 500
	logBatchSize = 512 << 10
	logPace      = 80 * time.Millisecond
)

// logView is the log on the screen.
type logView struct {
	lines   []model.LogLine
	bytes   int
	dropped int // lines of the log that were read and are no longer kept
	ended   bool
	failed  string

	still  bool // new lines do not move the text
	whole  bool // long lines are wrapped
	stamps bool

	drawn    [][]string // by line, for drawnFor
	drawnFor logLook
	gone     int // drawn lines that were cut off at the top since they were shown
}

// logLook is what the drawing of a line depends on.
type logLook struct {
	width         int
	whole, stamps bool
	theme         string
	dark          bool
}

// logActions are the keys of the logs.
func logActions() []action {
	there := canRead[LogSource]
	toggle := func(name, help, key string, change func(*Model) (said string)) action {
		return action{
			name: name, help: help, keys: []string{key}, section: sectionDetail, there: there,
			run: func(m *Model) tea.Cmd {
				if m.detail.tab == "logs" {
					m.say(noteCalm, "log: "+change(m))
					m.detail.stale = true
				}
				return m.openTab("logs")
			},
		}
	}
	return []action{
		{
			name: "logs", help: "the container's log", keys: []string{"l"}, section: sectionDetail, there: there,
			run: func(m *Model) tea.Cmd { return m.openTab("logs") },
		},
		toggle("follow", "logs: follow, stay", "f", (*Model).toggleFollow),
		toggle("timestamps", "logs: times on or off", "t", func(m *Model) string {
			m.logs.stamps = !m.logs.stamps
			return either(m.logs.stamps, "times shown", "times hidden")
		}),
		toggle("wrap", "logs: wrap or cut long lines", "W", func(m *Model) string {
			m.logs.whole = !m.logs.whole
			return either(m.logs.whole, "long lines wrapped", "long lines cut")
		}),
	}
}

func either(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}

// toggleFollow goes to the end and stays there, or stays where it is.
func (m *Model) toggleFollow() string {
	m.logs.still = !m.logs.still
	if !m.logs.still {
		m.detail.scroll.Bottom()
	}
	return either(m.logs.still, "standing still", "following")
}

// followLogs reads the log of a sandbox while its tab is shown.
func (m *Model) followLogs(ctx context.Context, key model.Key) tea.Cmd {
	source, ok := m.options.Backend.(LogSource)
	if !ok {
		return nil
	}
	m.logs = logView{still: m.logs.still, whole: m.logs.whole, stamps: m.logs.stamps}
	feed := &logFeed{generation: m.looking.generation, lines: make(chan model.LogLine, logWaiting)}
	read := func() tea.Msg {
		feed.err = source.Logs(ctx, key, logTail, func(line model.LogLine) error {
			select {
			case feed.lines <- line:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		close(feed.lines)
		return nil
	}
	return tea.Batch(read, feed.next)
}

// logFeed hands the lines of one log to the dashboard, many at a time.
type logFeed struct {
	generation int
	lines      chan model.LogLine
	err        error // set before lines is closed
}

// next waits for lines and returns those that come within a moment.
func (f *logFeed) next() tea.Msg {
	var batch []model.LogLine
	size := 0
	timer := time.NewTimer(logPace)
	defer timer.Stop()
	line, open := <-f.lines
	for due := timer.C; open; {
		batch = append(batch, line)
		if size += len(line.Text.Raw()); size >= logBatchSize || len(batch) >= logBatch {
			break
		}
		select {
		case line, open = <-f.lines:
			continue
		case <-due:
		}
		break
	}
	return lookAnswer{generation: f.generation, take: func(m *Model) tea.Cmd {
		m.logs.add(batch)
		if open {
			return f.next
		}
		m.logs.ended = true
		if f.err != nil {
			m.logs.failed = safe(f.err.Error())
		}
		return nil
	}}
}

// add takes new lines and lets go of the oldest ones.
func (l *logView) add(batch []model.LogLine) {
	l.lines = append(l.lines, batch...)
	for i := range batch {
		l.bytes += len(batch[i].Text.Raw())
	}
	drop := 0
	for len(l.lines)-drop > logLines || l.bytes > logBytes && drop < len(l.lines) {
		l.bytes -= len(l.lines[drop].Text.Raw())
		drop++
	}
	l.lines = append(l.lines[:0:0], l.lines[drop:]...)
	l.dropped += drop
	known := min(drop, len(l.drawn))
	for _, parts := range l.drawn[:known] {
		l.gone += len(parts)
	}
	l.drawn = append(l.drawn[:0:0], l.drawn[known:]...)
}

// writeLogs draws the log. Only lines that are new, or look different now, are
// drawn.
func (m *Model) writeLogs(p *page, _ *model.Sandbox) {
	l := &m.logs
	look := logLook{width: p.width, whole: l.whole, stamps: l.stamps, theme: m.options.Theme, dark: m.dark}
	if look != l.drawnFor {
		l.drawn, l.drawnFor = nil, look
	}
	for i := len(l.drawn); i < len(l.lines); i++ {
		l.drawn = append(l.drawn, m.drawLogLine(&l.lines[i], look))
	}
	for _, parts := range l.drawn {
		p.lines = append(p.lines, parts...)
	}
	switch {
	case l.failed != "":
		p.paragraph(l.failed, p.theme.Styles.Warn)
	case l.ended && len(l.lines) == 0:
		p.paragraph("the log is empty, and the sandbox does not run", p.theme.Styles.Dim)
	case l.ended:
		p.paragraph("the log ends here", p.theme.Styles.Dim)
	case len(l.lines) == 0:
		p.paragraph("no line has come yet; commands that Hermes runs write to their own output, not here", p.theme.Styles.Dim)
	}
}

func (m *Model) drawLogLine(line *model.LogLine, look logLook) []string {
	shown := line.Display()
	if look.theme == theme.Monochrome {
		shown = ansi.Strip(shown)
	}
	sign := "  "
	if line.Stream == model.StreamStderr {
		sign = m.theme.Styles.Warn.Render("!") + " "
	}
	if look.stamps && !line.At.IsZero() {
		sign += m.theme.Styles.Dim.Render(line.At.UTC().Format("15:04:05.000")) + " "
	}
	room := look.width - widget.Width(sign)
	if !look.whole || room < 1 || widget.Width(shown) <= room {
		return []string{sign + widget.Clip(shown, room, m.theme.Glyphs.Ellipsis)}
	}
	parts := strings.Split(lipgloss.Wrap(shown, room, ""), "\n")
	for i := range parts {
		start := sign
		if i > 0 {
			start = widget.Spaces(widget.Width(sign))
		}
		parts[i] = start + widget.Clip(parts[i], room, "")
	}
	return parts
}

// setLogText puts the log on the screen: at its end when that was to be seen
// before, else with the same lines at the same place.
func (m *Model) setLogText(lines []string, fresh bool) {
	last, total := m.detail.scroll.Seen()
	follows := fresh || last >= total
	m.detail.scroll.SetLines(lines)
	switch {
	case follows && !m.logs.still, fresh:
		m.detail.scroll.Bottom()
	default:
		m.detail.scroll.By(-m.logs.gone)
	}
	m.logs.gone = 0
}

// logNote says in the frame how the log is read.
func (m *Model) logNote() string {
	if m.detail.tab != "logs" || m.tree.sandbox() == nil {
		return ""
	}
	last, total := m.detail.scroll.Seen()
	word := "following"
	switch {
	case m.logs.ended:
		word = "ended"
	case m.logs.still || last < total:
		word = "standing still"
	}
	if m.logs.dropped > 0 {
		word += ", older lines are not kept"
	}
	return word
}
