package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hermes-sandbox/model"
)

// InspectSource reads what the engine itself says of a sandbox.
type InspectSource interface {
	// Inspect returns the engine's own JSON. Values in it can be secrets.
	Inspect(ctx context.Context, key model.Key) (json.RawMessage, error)
}

// rawView is the engine's JSON on the screen.
type rawView struct {
	of     model.Key
	data   json.RawMessage
	at     time.Time
	failed string
}

// readRaw asks the engine once; asking for a refresh asks again.
func (m *Model) readRaw(ctx context.Context, key model.Key) tea.Cmd {
	source, ok := m.options.Backend.(InspectSource)
	if !ok {
		return nil
	}
	if m.raw.of != key {
		m.raw = rawView{of: key}
	}
	generation := m.looking.generation
	return func() tea.Msg {
		data, err := source.Inspect(ctx, key)
		return lookAnswer{generation: generation, take: func(m *Model) tea.Cmd {
			m.raw = rawView{of: key, data: data, at: m.now}
			if err != nil {
				m.raw.failed = safe(err.Error())
			}
			return nil
		}}
	}
}

// writeRaw shows everything the engine said, as it said it but for secrets.
func (m *Model) writeRaw(p *page, s *model.Sandbox) {
	switch {
	case m.raw.of == s.Key() && m.raw.failed != "":
		p.paragraph(m.raw.failed, p.theme.Styles.Warn)
		return
	case m.raw.of != s.Key() || m.raw.data == nil:
		p.paragraph("waiting for the engine's answer", p.theme.Styles.Dim)
		return
	}
	text, err := m.rawText()
	if err != nil {
		p.paragraph("the engine's answer is no JSON: "+safe(err.Error()), p.theme.Styles.Warn)
		return
	}
	hint := "masked; " + m.keys.keyOf("reveal") + " shows them"
	if m.detail.reveal {
		hint = "shown; " + m.keys.keyOf("reveal") + " masks them"
	}
	p.field("secrets", hint)
	p.field("read", m.raw.at.UTC().Format("15:04:05")+" UTC; "+m.keys.keyOf("refresh")+" reads again")
	p.blank()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		p.paragraph(safe(head(model.NewText(line), valueBytes).Raw()), p.theme.Styles.Text)
	}
}

// rawText indents the engine's JSON. Only a masked one is decoded, which loses
// the order of its names.
func (m *Model) rawText() (string, error) {
	if m.detail.reveal {
		var out bytes.Buffer
		if err := json.Indent(&out, m.raw.data, "", "  "); err != nil {
			return "", fmt.Errorf("indent: %w", err)
		}
		return out.String(), nil
	}
	decoder := json.NewDecoder(bytes.NewReader(m.raw.data))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return "", fmt.Errorf("decode: %w", err)
	}
	out, err := model.MarshalJSON(m.options.Mask.Values(document), true)
	return string(out), err
}
