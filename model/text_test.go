package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestDisplay(t *testing.T) {
	cases := map[string]struct{ raw, want string }{
		"plain":                          {"hermes-3f2a91c0 ok", "hermes-3f2a91c0 ok"},
		"letters beyond ASCII":           {"Grüße 界 Привет", "Grüße 界 Привет"},
		"precomposed and combined":       {"e\u0301é", "e\u0301é"},
		"escape":                         {"\x1b[2J", `\x1b[2J`},
		"tab, line feed, return":         {"a\tb\nc\rd", `a\x09b\x0ac\x0dd`},
		"nul and delete":                 {"\x00\x7f", `\x00\x7f`},
		"C1 as code point":               {"\u009b31m", `\u009b31m`},
		"C1 as raw byte":                 {"\x9b31m", `\x9b31m`},
		"bytes that are no UTF-8":        {"\xff\xfe\xc0", `\xff\xfe\xc0`},
		"cut UTF-8":                      {"a\xe2\x82", `a\xe2\x82`},
		"surrogate in UTF-8":             {"\xed\xa0\x80", `\xed\xa0\x80`},
		"replacement character itself":   {"\ufffd", `\ufffd`},
		"no-break and ideographic space": {"a\u00a0b\u3000c", `a\u00a0b\u3000c`},
		"line and paragraph separator":   {"\u2028\u2029", `\u2028\u2029`},
		"bidi":                           {"\u202e\u2066\u061c\u200f", `\u202e\u2066\u061c\u200f`},
		"zero width":                     {"de\u200bfa\ufeffult\u00ad", `de\u200bfa\ufeffult\u00ad`},
		"lone joiner":                    {"a\u200d", `a\u200d`},
		"joined emoji":                   {"\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3" + `\ufe0f\u200d` + "\U0001f308"},
		"variation selectors":            {"a\ufe0f\U000e0100\u180b", `a\ufe0f\U000e0100\u180b`},
		"tag characters":                 {"\U000e0041\U000e007f", `\U000e0041\U000e007f`},
		"fillers":                        {"\u115f\u1160\u3164\uffa0", `\u115f\u1160\u3164\uffa0`},
		"blanks that are drawn":          {"\u2800\u17b4\U0001d159", `\u2800\u17b4\U0001d159`},
		"interlinear":                    {"\ufff9\ufffb", `\ufff9\ufffb`},
		"noncharacters":                  {"\ufdd0\uffff\U0010fffe", `\ufdd0\uffff\U0010fffe`},
		"private use":                    {"\ue000\U000f0000", `\ue000\U000f0000`},
		"unassigned":                     {"\u0378", `\u0378`},
		"three marks":                    {"a\u0301\u0302\u0303", "a\u0301\u0302\u0303"},
		"four marks":                     {"a\u0301\u0302\u0303\u0304b", `a\u0301\u0302\u0303\u0304b`},
		"mark with nothing below":        {"\u0338a", `\u0338a`},
		"mark on an escape":              {"\x1b\u0338", `\x1b\u0338`},
		"marks split by a joiner":        {"a\u0301\u200d\u0302", "a\u0301" + `\u200d\u0302`},
		"backslash before a letter":      {`C:\temp\data`, `C:\temp\data`},
		"backslash like an escape":       {`\x1b \u200b \U0001f308`, `\\x1b \\u200b \\U0001f308`},
		"backslash before a control":     {"\\\x1b", `\\\x1b`},
		"two backslashes":                {`\\`, `\\\`},
		"backslash at the end":           {`dir\`, `dir\`},
		"markup is no markup":            {"[red]%s{{.ID}}", "[red]%s{{.ID}}"},
		"empty":                          {"", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := NewText(c.raw).Display(); got != c.want {
				t.Errorf("Display(%q) = %q, want %q", c.raw, got, c.want)
			}
			checkText(t, c.raw)
		})
	}
}

// TestEveryCodePoint shows each code point of the first two planes and of the
// special ones, and a sample of the rest, alone and behind a letter and a
// backslash, and reads it back.
func TestEveryCodePoint(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if ideograph := r >= 0x3400 && r < 0xd7a4; r%101 != 0 && (ideograph || r >= 0x20000 && r < 0xe0000 || r >= 0xe1000) {
			continue
		}
		checkText(t, string(r))
		checkText(t, "a"+string(r))
		checkText(t, `\`+string(r))
		if t.Failed() {
			t.Fatalf("code point %U", r)
		}
	}
	for b := 0x80; b <= 0xff; b++ {
		checkText(t, string([]byte{byte(b)}))
		checkText(t, string([]byte{'\\', byte(b), 'x'}))
	}
}

func TestLookalikesStayApart(t *testing.T) {
	labels := []string{"default", "default\u200b", "def\u00adault", "dеfault", "default\\u200b", "default ", "de\u0301fault"}
	seen := map[string]string{}
	for _, label := range labels {
		shown := NewText(label).Display()
		if other, ok := seen[shown]; ok {
			t.Errorf("%q and %q both show as %q", label, other, shown)
		}
		seen[shown] = label
	}
}

func TestCapped(t *testing.T) {
	cases := map[string]struct {
		raw   string
		limit int
		want  string
	}{
		"short":              {"abc", 3, "abc"},
		"cut":                {"abcdef", 4, "abcd (+2 B)"},
		"thousands":          {strings.Repeat("a", 103_840), 4096, strings.Repeat("a", 4096) + " (+99 744 B)"},
		"millions":           {strings.Repeat("a", 1_234_568), 1, "a (+1 234 567 B)"},
		"inside a character": {"ab界", 3, "ab (+3 B)"},
		"raw bytes":          {"\x80\x80\x80\x80\x80\x80", 5, `\x80 (+5 B)`},
		"nothing":            {"abc", 0, " (+3 B)"},
		"escapes":            {"\x1b\x1b\x1b", 2, `\x1b\x1b (+1 B)`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := NewText(c.raw).Capped(c.limit); got != c.want {
				t.Errorf("Capped(%d) = %.60q, want %.60q", c.limit, got, c.want)
			}
		})
	}
}

func TestTextNeverPrintsRaw(t *testing.T) {
	text := NewText("a\x1b]0;t\x07")
	type box struct{ Label Text }
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q"} {
		for _, value := range []any{text, []Text{text}, map[Text]Text{text: text}, box{text}, &box{text}} {
			if out := fmt.Sprintf(verb, value); strings.ContainsAny(out, "\x1b\x07") {
				t.Errorf("%s of %T writes a control character: %q", verb, value, out)
			}
		}
	}
}

func TestTextJSON(t *testing.T) {
	raw := "a\x1b\u009b\u202e\u200b\U000e0041<é>\\ \"\n"
	data, err := MarshalJSON(map[string]any{"value": NewText(raw), "labels": Labels{NewText(raw): NewText("v")}}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(data) {
		if r != '\n' && !Printable(r) {
			t.Errorf("the document holds %U raw: %s", r, data)
		}
	}
	var back struct {
		Value  Text   `json:"value"`
		Labels Labels `json:"labels"`
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Value.Raw() != raw || back.Labels.Value(raw).Raw() != "v" {
		t.Errorf("read back %q and %q, want %q", back.Value.Raw(), back.Labels, raw)
	}
	if got, _ := MarshalJSON(NewText("\xff"), false); string(got) != `"\ufffd"` {
		t.Errorf("bytes that are no UTF-8 became %s", got)
	}
	if err := json.Unmarshal([]byte(`5`), &back.Value); err == nil {
		t.Error("a number was read as a text")
	}
}

func TestMarshalJSONSaysWhatFailed(t *testing.T) {
	if _, err := MarshalJSON(func() {}, false); err == nil || !strings.Contains(err.Error(), "encode JSON") {
		t.Errorf("error = %v", err)
	}
}

func FuzzDisplay(f *testing.F) {
	for _, seed := range []string{"", "a", `\`, "\\\x1b", `\\x41`, "e\u0301\u0302\u0303\u0304", "\xff\u200d\U000e0041", "\u202eabc\u2066"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		checkText(t, raw)
		capped := NewText(raw).Capped(len(raw) / 2)
		checkPrintable(t, capped)
		checkMarks(t, capped)
	})
}

func FuzzMarshalJSON(f *testing.F) {
	for _, seed := range []string{"", "a", "\\", "\"\x1b\u009b", "\xff", "\U0010ffff\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		data, err := MarshalJSON([]Text{NewText(raw)}, false)
		if err != nil || !json.Valid(data) {
			t.Fatalf("MarshalJSON(%q) = %q, %v", raw, data, err)
		}
		checkPrintable(t, string(data))
		var back []Text
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(raw, "\ufffd"); utf8.ValidString(raw) && back[0].Raw() != want {
			t.Errorf("read back %q, want %q", back[0].Raw(), want)
		}
	})
}

// checkText checks that a display form is printable and can be read back, so
// that no two texts share one.
func checkText(t *testing.T, raw string) {
	t.Helper()
	shown := NewText(raw).Display()
	checkPrintable(t, shown)
	checkMarks(t, shown)
	if back := undisplay(shown); back != raw {
		t.Errorf("Display(%q) = %q reads back as %q", raw, shown, back)
	}
}

func checkPrintable(t *testing.T, shown string) {
	t.Helper()
	if !utf8.ValidString(shown) {
		t.Errorf("%q is no UTF-8", shown)
	}
	for _, r := range shown {
		if !Printable(r) {
			t.Errorf("%q holds %U", shown, r)
		}
	}
}

func checkMarks(t *testing.T, shown string) {
	t.Helper()
	marks := 0
	for _, r := range shown {
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > 3 {
			t.Fatalf("%q stacks %d marks", shown, marks)
		}
	}
}

// undisplay reads a display form back, by its description alone.
func undisplay(shown string) string {
	var out []byte
	for i := 0; i < len(shown); {
		width := 0
		if shown[i] == '\\' && i+1 < len(shown) {
			switch shown[i+1] {
			case '\\':
				out = append(out, '\\')
				i += 2
				continue
			case 'x':
				width = 2
			case 'u':
				width = 4
			case 'U':
				width = 8
			}
		}
		if width == 0 || i+2+width > len(shown) {
			out = append(out, shown[i])
			i++
			continue
		}
		code, err := strconv.ParseUint(shown[i+2:i+2+width], 16, 32)
		if err != nil {
			return "unreadable: " + shown
		}
		if width == 2 {
			out = append(out, byte(code))
		} else {
			out = utf8.AppendRune(out, rune(code))
		}
		i += 2 + width
	}
	return string(out)
}
