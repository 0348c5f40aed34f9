package main

import (
	"strings"
	"testing"

	"hermes-sandbox/dockerx/simengine"
)

// box adds a sandbox with a log.
func (b *bench) box(t *testing.T, lines ...string) {
	t.Helper()
	_, err := b.engine.Add(simengine.Spec{
		Name: "hermes-00c0ffee", Labels: map[string]string{"hermes-agent": "1", "hermes-profile": "work", "hermes-task-id": "logs"}, Logs: lines,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLogsPrintsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		args []string
		want string
		code int
	}{
		"all":         {nil, "one\n\\x1b]52;c;aGk=\\x07two\nthree\n", exitDone},
		"tail":        {[]string{"--tail", "1"}, "three\n", exitDone},
		"none":        {[]string{"--tail", "0"}, "", exitDone},
		"odd tail":    {[]string{"--tail", "some"}, "", exitUsage},
		"odd since":   {[]string{"--since", "yesterday"}, "", exitUsage},
		"not as JSON": {[]string{"--output", "json"}, "", exitUsage},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.box(t, "\x1b[31mone\x1b[0m", "\x1b]52;c;aGk=\x07two", "three")
			got := b.run(t, append([]string{"logs", "hermes-00c0ffee"}, tt.args...)...)
			if got.code != tt.code || got.stdout != tt.want {
				t.Errorf("exit %d, printed %q, %q", got.code, got.stdout, got.stderr)
			}
		})
	}
}

func TestLogsPrintsTimes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.box(t, "one")
	got := b.run(t, "logs", "hermes-00c0ffee", "--timestamps")
	if at, text, ok := strings.Cut(got.stdout, " "); !ok || len(at) != len("2006-01-02T15:04:05.000Z") || text != "one\n" {
		t.Errorf("printed %q", got.stdout)
	}
}
