package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"hermes-sandbox/dockerx/simengine"
)

// proposed are the words the program proposes for an unfinished command line,
// without their descriptions.
func (b *bench) proposed(t *testing.T, line ...string) []string {
	t.Helper()
	got := b.run(t, append([]string{"__complete"}, line...)...)
	if got.code != exitDone {
		t.Fatalf("exit code %d\n%s", got.code, got.stderr)
	}
	var words []string
	for text := range strings.Lines(got.stdout) {
		if word, _, _ := strings.Cut(strings.TrimSuffix(text, "\n"), "\t"); !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

func TestCompletionProposesWhatIsThere(t *testing.T) {
	const first, second, foreignProfile = "hermes-5c2f8d13", "hermes-72b9c4e8", "hermes-3fa1b20c"
	cases := map[string]struct {
		line []string
		has  []string
		not  []string
	}{
		"sandboxes":                   {line: []string{"show", ""}, has: []string{first, second, foreignProfile}},
		"those already there":         {line: []string{"remove", first, ""}, has: []string{second}, not: []string{first}},
		"those of a profile":          {line: []string{"stop", "--profile", "work", ""}, has: []string{first, second}, not: []string{foreignProfile}},
		"one for logs":                {line: []string{"logs", ""}, has: []string{first}},
		"no second one for logs":      {line: []string{"logs", first, ""}, not: []string{second}},
		"a lockdown's sandboxes":      {line: []string{"lockdown", "on", "--sandbox", ""}, has: []string{first}},
		"profiles":                    {line: []string{"list", "--profile", ""}, has: []string{"default", "research", "work"}},
		"outputs":                     {line: []string{"list", "--output", ""}, has: []string{"json", "jsonl", "table"}},
		"what becomes of sandboxes":   {line: []string{"lockdown", "on", "--running", ""}, has: []string{"cut", "rebuild"}, not: []string{"move"}},
		"of an allowlist":             {line: []string{"lockdown", "allowlist", "--running", ""}, has: []string{"move"}, not: []string{"remove"}},
		"classes":                     {line: []string{"reap", "--include", ""}, has: []string{"stranded", "probes"}},
		"sandboxes of an odd profile": {line: []string{"show", "--profile", "nobody", ""}, not: []string{first}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			words := b.proposed(t, c.line...)
			for _, word := range c.has {
				if !slices.Contains(words, word) {
					t.Errorf("%s is not proposed: %q", word, words)
				}
			}
			for _, word := range c.not {
				if slices.Contains(words, word) {
					t.Errorf("%s is proposed: %q", word, words)
				}
			}
			if changes := b.mutations(); len(changes) > 0 {
				t.Errorf("completion changed something: %q", changes)
			}
		})
	}
}

// Whatever an engine does, the shell gets no word and no complaint.
func TestCompletionIsSilentWithoutAnEngine(t *testing.T) {
	cases := map[string]func(b *bench){
		"missing": func(b *bench) { b.env["DOCKER_HOST"] = "unix:///nonexistent.sock" },
		"refused": func(b *bench) { b.env["DOCKER_HOST"] = "rubbish" },
		"broken": func(b *bench) {
			b.engine.Faults().Set(simengine.Any, simengine.Fault{Kind: simengine.StatusCode, Status: 500})
		},
		"silent": func(b *bench) { b.engine.Faults().Set(simengine.Any, simengine.Fault{Kind: simengine.Silence}) },
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			prepare(b)
			got := b.run(t, "__complete", "show", "")
			// The library names its directive on stderr, which the shells' scripts
			// throw away; nothing of ours stands there.
			if got.stdout != ":4\n" || strings.Contains(got.stderr, "hermes-sandbox:") || got.code != exitDone {
				t.Errorf("exit code %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
			}
		})
	}
}

// Scripts for fish and PowerShell set a variable that begins like our settings.
func TestCompletionAnswersEveryShell(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		b := newBench(t)
		script := b.run(t, "completion", shell)
		for _, variable := range regexp.MustCompile(`HERMES_SANDBOX_[A-Z_]+`).FindAllString(script.stdout, -1) {
			b.env[variable] = "0"
		}
		if words := b.proposed(t, "show", "hermes-5"); !slices.Contains(words, "hermes-5c2f8d13") {
			t.Errorf("in %s sandboxes are not proposed: %q", shell, words)
		}
		if words := b.proposed(t, "list", "--profile", "w"); !slices.Contains(words, "work") {
			t.Errorf("in %s profiles are not proposed: %q", shell, words)
		}
	}
}
