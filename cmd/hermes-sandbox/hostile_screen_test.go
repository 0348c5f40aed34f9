//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hermes-sandbox/model"
)

// onlyOurs reports what a program wrote to a terminal beside printable text, the
// ends of lines, and the sequences that a dashboard draws with. The data could
// bring in none of them.
func onlyOurs(written string) error {
	// Cursor, erasing, scrolling, looks, modes, and what is asked of the terminal.
	allowed := regexp.MustCompile("^(?:" +
		"\x1b\\[[0-9;:]*[ABCDEFGHIJKLMPSTXZ@`abdefmrnt]" + // cursor, erase, insert, delete, scroll, look, size
		"|\x1b\\[\\?[0-9;]*(?:[hlW]|\\$p)" + // private modes, tab stops
		"|\x1b\\[[?>=<]?[0-9;]*[uqcmn]" + // keys of the terminal, its name
		"|\x1b\\[[0-9]* q|\x1b\\[!p" + // shape of the cursor
		"|\x1b\\]2;(?:hermes-sandbox)?(?:\x07|\x1b\\\\)" + // our title
		"|\x1b\\](?:1[012];\\?|9;4;[0-9;]*|11[012])(?:\x07|\x1b\\\\)" + // colours asked for, progress
		"|\x1b[78=>DM]" +
		"|\x1b\\]52;c;[A-Za-z0-9+/=]*(?:\x07|\x1b\\\\)" + // the clipboard, whose content is looked at apart
		"|\x1bP\\+q[0-9A-F;]*\x1b\\\\" + // what the terminal can do
		")")
	for rest := written; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == 0x1b:
			size = len(allowed.FindString(rest))
			if size == 0 {
				return fmt.Errorf("a sequence that is not ours: %.40q", rest)
			}
		case r == '\n', r == '\r', r == '\b', r == '\t':
		case r == utf8.RuneError || !model.Printable(r):
			at := len(written) - len(rest)
			return fmt.Errorf("%q near %q", rest[:size], written[max(0, at-40):min(len(written), at+40)])
		}
		rest = rest[size:]
	}
	return nil
}

// TestDashboardShowsHostileTextSafely goes through every tab, dialog and list of
// the program on a terminal, with engines, homes and sessions that are hostile in
// every field, and looks at every byte that was written.
func TestDashboardShowsHostileTextSafely(t *testing.T) {
	t.Parallel()
	for kind, engine := range hostileKinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newHostileBench(t, engine)
			env := sandboxEnv(t, b.env["DOCKER_HOST"])
			env = append(env, "HERMES_HOME="+b.home)
			s := start(t, 200, 60, env)
			want := `\x1b`
			if engine.broken {
				want = "broken"
			}
			s.awaitText(want)
			for _, keys := range hostileTour() {
				// A page is drawn and written out before the next: the foot says
				// what stands in the field.
				s.press(keys)
				mark := fmt.Sprintf("m%dk", len(s.written()))
				s.press(strings.Repeat(escape, 3) + "/" + mark)
				s.awaitText(mark)
				s.press(escape)
			}
			s.press("\x03")
			s.ends()
			_ = s.tty.Close()
			<-s.drained
			if err := onlyOurs(s.written()); err != nil {
				t.Error(err)
			}
		})
	}
}

// escape is the key as a terminal sends it that tells it from the beginning of a
// sequence.
const escape = "\x1b[27u"

// hostileTour are keys that lead to everything there is to see.
func hostileTour() []string {
	tour := []string{"w", "v", "v", "v", "v", "v", "s", "S", ":", "?", "p", "A", "H", "o", "aD", "u", "R", "L", "C", "X", "Z", "O", "E", "i", "aX"}
	for _, place := range []string{"g", "gj", "gjj", "gjjj", "G", "Gk", "Gkk"} {
		for _, tab := range "123456789" {
			tour = append(tour, place+string(tab))
		}
	}
	return append(tour, "gjj8e", "gjj9\rG", "gjjyy", "gjjyyn", "gjjyj", "gjj5\rG", "gjj6\rG")
}

func (s *screen) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// TestFramesOfHostileFleetsAreSafe draws the same as text.
func TestFramesOfHostileFleetsAreSafe(t *testing.T) {
	t.Parallel()
	b := newHostileBench(t, hostileEngine{matching: true})
	shown := 0
	for _, keys := range []string{"", "GD", "aD", "gjj1", "gjj2", "gjj5", "gjj6", "gjj7", "gjj8e", "gjj9", "A", "R", "L", "p", "?", "H", ":"} {
		got := b.run(t, "frame", "--width", "220", "--height", "100", "--color", "--keys", keys)
		if strings.Contains(got.stdout, `\x1b`) {
			shown++
		}
		if err := onlyText(uncoloured(got.stdout) + got.stderr); err != nil {
			t.Errorf("%s: %v", keys, err)
		}
	}
	if shown < 8 {
		t.Errorf("hostile text was shown %d times only", shown)
	}
}

// TestWatchAndMetricsOfHostileFleetsAreSafe follows one, with its requests.
func TestWatchAndMetricsOfHostileFleetsAreSafe(t *testing.T) {
	t.Parallel()
	b := newHostileBench(t, hostileEngine{})
	b.env["HERMES_SANDBOX_ENGINES"] = `[{name: "n\e[31m\u202e\"} 1", host: "` + b.env["DOCKER_HOST"] + `"}]`
	delete(b.env, "DOCKER_HOST")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines := make(chan string, 1000)
	var stderr bytes.Buffer
	program := b.program(lineWriter(lines), &stderr)
	ended := make(chan int)
	go func() { ended <- program.run(ctx, []string{"watch", "--metrics", "127.0.0.1:0"}) }()
	denied := false
	for synced := false; !synced || !denied; {
		select {
		case line := <-lines:
			synced = synced || strings.Contains(line, `"event":"synced"`)
			denied = denied || strings.Contains(line, "evil.example")
			if err := onlyDocuments(line); err != nil {
				t.Error(err)
			}
		case code := <-ended:
			t.Fatalf("it ended with %d: %s", code, stderr.String())
		}
	}
	cancel()
	<-ended
}
