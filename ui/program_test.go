package ui

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"hermes-sandbox/model"
)

// The bytes of a whole program, not only of its frames, carry no text that
// could take the terminal over.
func TestProgramWritesNoSequenceFromTheData(t *testing.T) {
	t.Parallel()
	m, err := New(Options{Now: noon, Backend: &fakeBackend{}, Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	options := append(
		ProgramOptions(), tea.WithInput(nil), tea.WithOutput(&out), tea.WithWindowSize(160, 120), tea.WithoutSignals(),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}),
	)
	program := tea.NewProgram(m, options...)
	go func() {
		program.Send(FleetMsg{Fleet: hostileFleet()})
		program.Send(keyMsg("G"))
		program.Send(keyMsg("8"))
		program.Quit()
	}()
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	written := out.String()
	if !strings.Contains(written, "hermes-sandbox") {
		t.Fatal("nothing was drawn")
	}
	for _, sequence := range regexp.MustCompile("\x1b\\][0-9]+;[^\x07\x1b]*").FindAllString(written, -1) {
		titles := []string{"\x1b]2;hermes-sandbox", "\x1b]2;", "\x1b]11;?"}
		if !slices.Contains(titles, sequence) {
			t.Errorf("written: %q", sequence)
		}
	}
	for _, bad := range []string{"\x9b", "\xff\xfe", "\u202e", "\u200b", "\x1bP", "\x1bc"} {
		if at := strings.Index(written, bad); at >= 0 && !isPartOfARune(written, at) {
			t.Errorf("written: %q in %q", bad, written[max(0, at-20):at+20])
		}
	}
}

// isPartOfARune reports whether the byte at a place continues a character.
func isPartOfARune(s string, at int) bool {
	for i := range s {
		if i == at {
			return s[at] >= 0x80 && s[at] < 0xc0
		}
		if i > at {
			return true
		}
	}
	return true
}

// The strongest look is kept for what needs a person.
func TestAlarmIsKeptForWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	calm := smallFleet()
	for i := range calm.Sandboxes {
		calm.Sandboxes[i].Violation = pointer(false)
	}
	s := shown(t, 120, 40, calm, nil)
	if got := s.alarms(); len(got) != 0 {
		t.Errorf("without a violation there is alarm about %q", got)
	}
	s.send(FleetMsg{Fleet: smallFleet()})
	got := s.alarms()
	if len(got) != 5 { // header, profile, two sandboxes, alert line
		t.Errorf("alarm about %q", got)
	}
	void := calm
	void.Sandboxes = slices.Clone(calm.Sandboxes)
	void.Sandboxes[4].Findings = []model.Finding{{Code: "privileged", Severity: model.SeverityVoid, Detail: "it is privileged"}}
	s = shown(t, 120, 40, void, nil)
	if got := strings.Join(s.alarms(), "|"); !strings.Contains(got, "privileged") {
		t.Errorf("a void isolation raises no alarm: %q", got)
	}
}

// alarms returns the texts drawn with the alarm look.
func (s *screen) alarms() []string {
	open, _, _ := strings.Cut(s.m.theme.Styles.Alarm.Render("x"), "x")
	var out []string
	for _, piece := range strings.Split(s.m.View().Content, open)[1:] {
		text, _, _ := strings.Cut(piece, "\x1b")
		out = append(out, strings.TrimSpace(text))
	}
	return out
}
