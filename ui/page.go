package ui

import (
	"fmt"
	"time"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/theme"
	"hermes-sandbox/ui/widget"
)

// labelWidth is the column of the names in the detail pane.
const labelWidth = 11

// page collects the lines of a text about a sandbox: headings, named values,
// paragraphs, all wrapped to a width. It also collects how long the ages on it
// stay true, so that the timer knows when the page reads differently.
type page struct {
	theme theme.Theme
	width int
	now   time.Time // the engine's clock
	lines []string
	waits []time.Duration
}

// heading starts a part.
func (p *page) heading(text string) {
	if len(p.lines) > 0 {
		p.lines = append(p.lines, "")
	}
	p.lines = append(p.lines, p.theme.Styles.Bold.Render(widget.Clip(text, p.width, p.theme.Glyphs.Ellipsis)))
}

// blank leaves a line free.
func (p *page) blank() { p.lines = append(p.lines, "") }

// field writes a named value; an empty one is left out.
func (p *page) field(name, text string) { p.styled(name, text, p.theme.Styles.Text) }

// styled is field with a look for the value. Longer values go on under their
// beginning.
func (p *page) styled(name, text string, style theme.Look) {
	if text == "" {
		return
	}
	indent := min(labelWidth, p.width/2)
	for i, line := range widget.Wrap(text, p.width-indent) {
		label := ""
		if i == 0 {
			label = name
		}
		p.lines = append(p.lines, p.theme.Styles.Dim.Render(widget.Fit(label, indent, ""))+style.Render(line))
	}
}

// item writes a line of a list: a sign, then text that goes on under itself.
func (p *page) item(sign, text string, style theme.Look) {
	indent := widget.Width(sign) + 1
	for i, line := range widget.Wrap(text, p.width-indent) {
		start := widget.Spaces(indent)
		if i == 0 {
			start = sign + " "
		}
		p.lines = append(p.lines, style.Render(start+line))
	}
}

// paragraph writes running text.
func (p *page) paragraph(text string, style theme.Look) {
	for _, line := range widget.Wrap(text, p.width) {
		p.lines = append(p.lines, style.Render(line))
	}
}

// stamp writes a time of the engine with how long ago it was.
func (p *page) stamp(name string, stamp model.Stamp) {
	if !stamp.Known() {
		if stamp.Problem != "" {
			p.styled(name, safe(stamp.Problem), p.theme.Styles.Warn)
		}
		return
	}
	p.when(name, stamp.Time)
}

func (p *page) when(name string, at time.Time) {
	if at.IsZero() {
		return
	}
	p.field(name, at.UTC().Format("2006-01-02 15:04:05")+" UTC, "+p.ago(at))
}

// ago says how long ago a time of the engine's clock was.
func (p *page) ago(at time.Time) string {
	if at.After(p.now) {
		return "in the future"
	}
	return p.duration(at) + " ago"
}

// duration says how long it is since a time of the engine's clock.
func (p *page) duration(at time.Time) string {
	age := p.now.Sub(at)
	if age >= 0 {
		p.waits = append(p.waits, model.NextAgeChange(age))
	}
	return model.ShortAge(age)
}

// left says how long it is until something.
func (p *page) left(remaining time.Duration) string {
	remaining = max(0, remaining)
	unit := time.Second
	if remaining >= time.Minute {
		unit = time.Minute
	}
	p.waits = append(p.waits, remaining%unit+1)
	return model.ShortAge(remaining)
}

// byteSize writes a size in binary units.
func byteSize(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, prefix := float64(n), ""
	for _, p := range []string{"Ki", "Mi", "Gi", "Ti"} {
		if value < unit {
			break
		}
		value, prefix = value/unit, p
	}
	return fmt.Sprintf("%.4g %sB", value, prefix)
}
