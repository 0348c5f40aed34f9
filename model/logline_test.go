package model

import (
	"strings"
	"testing"
	"unicode"
)

func TestSafeSGRKeepsColoursAlone(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"plain":                          {"ready", "ready"},
		"colour":                         {"\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m\x1b[m"},
		"true colour with colons":        {"\x1b[38:2::1:2:3mx", "\x1b[38:2::1:2:3mx\x1b[m"},
		"colour left open":               {"\x1b[1mloud", "\x1b[1mloud\x1b[m"},
		"cursor":                         {"a\x1b[2Jb", `a\x1b[2Jb`},
		"clipboard":                      {"\x1b]52;c;aGk=\x07", `\x1b]52;c;aGk=\x07`},
		"link":                           {"\x1b]8;;http://x\x1b\\y", `\x1b]8;;http://x\x1b\y`},
		"keyboard mode ends in m":        {"\x1b[>4;1m", `\x1b[>4;1m`},
		"private mode ends in m":         {"\x1b[?4m", `\x1b[?4m`},
		"intermediate before m":          {"\x1b[1 m", `\x1b[1 m`},
		"8-bit sequence":                 {"\u009b31m", `\u009b31m`},
		"8-bit byte":                     {"\x9b31m", `\x9b31m`},
		"bidi":                           {"a\u202eb", `a\u202eb`},
		"colour inside of a lie":         {"\x1b\x1b[31mx", "\\x1b\x1b[31mx\x1b[m"},
		"unfinished":                     {"\x1b[31", `\x1b[31`},
		"endless parameters":             {"\x1b[" + strings.Repeat("1;", 100) + "m", `\x1b[` + strings.Repeat("1;", 100) + "m"},
		"carriage return":                {"10%\r20%", `10%\x0d20%`},
		"mark on a colour":               {"\x1b[31m\u0301", "\x1b[31m\\u0301\x1b[m"},
		"device query":                   {"\x1b[6n\x1bc", `\x1b[6n\x1bc`},
		"colour then cursor":             {"\x1b[32mok\x1b[1A", "\x1b[32mok\\x1b[1A\x1b[m"},
		"text that reads like an escape": {`\x1b[31m`, `\\x1b[31m`},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := SafeSGR(tt.in); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestLogLineDisplay(t *testing.T) {
	t.Parallel()
	line := LogLine{Text: NewText("a\tb\r"), Cut: 12345}
	if got := line.Display(); got != "a    b (+12 345 B)" {
		t.Errorf("%q", got)
	}
}

func FuzzSafeSGR(f *testing.F) {
	for _, seed := range []string{"x", "\x1b[31mx", "\x1b\x1b[m", "\x1b]8;;\x07", "\x9b1m\\x1b", "\u0301\x1b[m\u0301\u0301\u0301\u0301", "\\\x1b[1m\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := SafeSGR(in)
		for rest := out; rest != ""; {
			if size := sgrSize(rest); size > 0 {
				rest = rest[size:]
				continue
			}
			for _, r := range rest {
				if r == unicode.ReplacementChar && !strings.ContainsRune(in, r) || !unicode.Is(unicode.M, r) && !Printable(r) {
					t.Fatalf("%q let %q through: %q", in, r, out)
				}
				rest = rest[len(string(r)):]
				break
			}
		}
		if strings.Count(out, "\x1b[") > 0 && !strings.HasSuffix(out, "\x1b[m") {
			t.Fatalf("%q leaves its colours on: %q", in, out)
		}
	})
}
